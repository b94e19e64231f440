"""What the user asked for, in one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcpgen.diagnostics import Location


@dataclass(frozen=True, slots=True)
class Options:
    """The choices that shape a package; `None` and `()` leave them to the document.

    `include` and `exclude` are selector patterns, see `selection.py`. `allow_hosts` are hosts that a remote `$ref` may
    lead to beside the document's own. `confirm` are patterns of the tools that ask the user first, or `destructive`.
    `rename`, `describe` and `hide` go by patterns of tools: to a name, a text, and parameters with their fixed values.
    `places` tell where in mcpgen.yaml a pattern stands: (setting, pattern), or (`hide`, pattern, parameter).
    """

    source: str
    name: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    confirm: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    describe: Mapping[str, str] = field(default_factory=dict)
    hide: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    changelog: bool = False
    places: Mapping[tuple[str, ...], Location] = field(default_factory=dict, compare=False)
