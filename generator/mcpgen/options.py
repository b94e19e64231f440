"""What the user asked for, in one frozen value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """The choices that shape a package; `None` and `()` leave them to the document.

    `include` and `exclude` are selector patterns, see `selection.py`. `allow_hosts` are hosts that a remote `$ref` may
    lead to beside the document's own. `confirm` are patterns of the tools that ask the user first, or `destructive`.
    """

    source: str
    name: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    confirm: tuple[str, ...] = ()
