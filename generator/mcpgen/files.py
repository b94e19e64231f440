"""The files of a package, between `render`, which makes them, and `write`, which keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Owner(StrEnum):
    """MCPGEN: brought up to date by every run. PERSON: made once where it is missing, then never touched."""

    MCPGEN = "mcpgen"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """A text with newlines as `\\n`; it is written as UTF-8.

    `made_from` is a fingerprint of what it took long to make the text from: a later run need not make it again.
    """

    text: str
    owner: Owner = Owner.MCPGEN
    made_from: str = ""


Files: TypeAlias = Mapping[str, GeneratedFile]  # by path in the package, with `/`
