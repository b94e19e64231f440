"""What a run has to say about the user's input: places, codes, sentences, hints.

Every stage reports here and goes on; nothing here raises. Exceptions are for our own faults, and for
`Stop`, which ends a run whose input cannot be read at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


class Origin(Protocol):
    """What a lazy Location asks when it is printed; nodes of `source` are origins."""

    @property
    def pointer(self) -> str: ...

    def position(self) -> tuple[int, int]: ...


class Location:
    """A place in a source file. `line` and `column` count from 1; 0 means that only the file is known.

    With an `origin` the rest is found when it is first asked for: a large document has a hundred
    thousand places, and a run prints a few of them.
    """

    __slots__ = ("file", "_line", "_column", "_pointer", "_origin")

    def __init__(
        self,
        file: str,
        line: int = 0,
        column: int = 0,
        pointer: str = "",
        *,
        origin: Origin | None = None,
    ) -> None:
        self.file = file
        self._line = line
        self._column = column
        self._pointer = pointer
        self._origin = origin

    @property
    def line(self) -> int:
        self._find()
        return self._line

    @property
    def column(self) -> int:
        self._find()
        return self._column

    @property
    def pointer(self) -> str:
        return self._origin.pointer if self._origin else self._pointer

    def _find(self) -> None:
        if self._origin:
            self._pointer = self._origin.pointer
            self._line, self._column = self._origin.position()
            self._origin = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def __repr__(self) -> str:
        return f"Location({self.file!r}, {self.line}, {self.column}, {self.pointer!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Location):
            return NotImplemented
        if self.file != other.file or self.pointer != other.pointer:
            return False
        return (self.line, self.column) == (other.line, other.column)

    def __hash__(self) -> int:
        return hash((self.file, self.pointer))


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One sentence about one place. `code` is stable, lower-case and hyphenated: users may search for it."""

    severity: Severity
    code: str
    message: str
    location: Location | None = None
    hint: str | None = None

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        lines = [f"{where}{self.severity}[{self.code}]: {self.message}"]
        if self.location and self.location.pointer:
            lines.append(f"    at {self.location.pointer}")
        if self.hint:
            lines.append(f"    hint: {self.hint}")
        return "\n".join(lines)


class Stop(Exception):
    """The input cannot be read any further; the reasons are in the diagnostics."""


@dataclass(slots=True)
class Diagnostics:
    """Collects the diagnostics of one run; the one argument that stages fill."""

    found: list[Diagnostic] = field(default_factory=list)
    _known: set[Diagnostic] = field(default_factory=set, repr=False)

    def error(
        self, code: str, message: str, location: Location | None = None, *, hint: str | None = None
    ) -> None:
        self._add(Diagnostic(Severity.ERROR, code, message, location, hint))

    def warning(
        self, code: str, message: str, location: Location | None = None, *, hint: str | None = None
    ) -> None:
        self._add(Diagnostic(Severity.WARNING, code, message, location, hint))

    def _add(self, diagnostic: Diagnostic) -> None:
        if diagnostic not in self._known:  # one fault behind a shared $ref is met once for each use
            self._known.add(diagnostic)
            self.found.append(diagnostic)

    @property
    def has_errors(self) -> bool:
        return any(one.severity is Severity.ERROR for one in self.found)

    @property
    def warnings(self) -> list[Diagnostic]:
        return [one for one in self.found if one.severity is Severity.WARNING]

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.found)
