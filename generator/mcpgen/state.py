"""What lies in the folder of a package before a run: its files, and what the last run noted in `.mcpgen/`.

Only reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mcpgen import __version__
from mcpgen.files import Files, GeneratedFile, Owner
from mcpgen.journal import STATE, OutsidePackage, fingerprint, inside
from mcpgen.merge import Pending
from mcpgen.newlines import decode

SETTINGS = "mcpgen.yaml"
LOCK = "lock.json"
PRISTINE = "pristine"  # what the last run made of each file
YOURS, NEW = "conflict/yours", "conflict/new"  # both sides of a conflict that is not mended


@dataclass(frozen=True, slots=True)
class Open:
    """A conflict that an earlier run left. `pending` is None where the person's file was no text."""

    beside: str  # the file that holds the new text
    new: str
    pending: Pending | None


@dataclass(frozen=True, slots=True)
class State:
    """`found` holds the bytes of those files that a run has to do with and that exist."""

    found: Mapping[str, bytes] = field(default_factory=dict)
    pristine: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    conflicts: Mapping[str, Open] = field(default_factory=dict)
    lock: str | None = None  # None: no run has ended here yet
    notes: Mapping[str, str] = field(default_factory=dict)  # what else a run keeps in `.mcpgen/`
    persons: frozenset[str] = frozenset()  # those files of a person's own that are there

    @property
    def made(self) -> set[str]:
        """The files that the last run made."""
        return {*self.pristine, *self.hashes}


def read_state(directory: Path, files: Files, others: Iterable[str] = ()) -> State:
    """What a run that makes `files` and adds to `others` has to know. Raises OutsidePackage, and OSError where a file cannot be read."""
    state = directory / STATE
    lock = _text(state / LOCK)
    entries = _entries(lock)
    hashes = entries["files"]
    pristine = dict(_texts(state / PRISTINE))
    conflicts = dict(_conflicts(directory, entries))
    notes = {path for path in files if path.startswith(f"{STATE}/")}
    persons = {path for path, file in files.items() if file.owner is Owner.PERSON}
    wanted = {*pristine, *hashes, *(one.beside for one in conflicts.values())}
    ours = files.keys() - notes - persons
    wanted |= set(others)
    wanted |= {other for path in ours for other in (path, f"{path}.new", f"{path}.orig")}
    return State(
        found=dict(_contents(directory, wanted - persons)),
        pristine=pristine,
        hashes=hashes,
        conflicts=conflicts,
        lock=lock,
        notes={path: text for path in notes if (text := _text(directory / path)) is not None},
        persons=frozenset(path for path in persons if _is_there(directory, path)),
    )


def made_text(directory: Path, path: str) -> str | None:
    """What the last run made of a file. Raises OutsidePackage, and OSError where it cannot be read."""
    for side in (
        NEW,
        PRISTINE,
    ):  # the new side of a conflict is later than the text that both sides come from
        text = _text(inside(directory, f"{STATE}/{side}/{path}"))
        if text is not None:
            return text
    return None


def read_made_paths(directory: Path) -> list[str]:
    """The files that the last run made, but for its notes."""
    return sorted(_entries(_text(directory / STATE / LOCK))["files"])


def read_made(directory: Path) -> dict[str, GeneratedFile]:
    """The files of the last run that took long to make, as it made them, where the same generator would make them."""
    lock = _text(directory / STATE / LOCK)
    if f'"generator": "{__version__}"' not in (lock or ""):
        return {}
    entries = _entries(lock)
    found = {}
    for path, mark in entries["made_from"].items():
        try:
            text = made_text(directory, path)
        except (OSError, OutsidePackage):
            continue
        if text is not None and entries["files"].get(path) == fingerprint(text.encode()):
            found[path] = GeneratedFile(text, made_from=mark)
    return found


def read_custom(directory: Path, package: str) -> dict[str, str]:
    """The modules of a person's own, by path. One that cannot be read is left out: the server will tell of it."""
    folder = directory / package / "custom"
    found = {}
    for path in sorted(folder.glob("*.py")):
        try:
            if path.name != "__init__.py" and (text := _text(path)) is not None:
                found[f"{package}/custom/{path.name}"] = text
        except OSError:
            continue
    return found


def _conflicts(directory: Path, lock: dict[str, dict[str, str]]) -> Iterator[tuple[str, Open]]:
    for path, beside in lock["conflicts"].items():
        yours, new = (_text(inside(directory, f"{STATE}/{side}/{path}")) for side in (YOURS, NEW))
        if new is not None:
            yield path, Open(beside, new, Pending(yours, new) if yours is not None else None)


def is_taken(directory: Path) -> bool:
    """Does the folder hold things that no run of ours has put there? Hidden ones, such as `.git`, do not count."""
    if not directory.exists():
        return False
    # A package whose `.mcpgen/` was lost is still one: what differs there is a conflict, nothing is overwritten.
    if (directory / STATE / LOCK).exists() or (directory / SETTINGS).exists():
        return False
    return any(not one.name.startswith(".") for one in directory.iterdir())


def _is_there(directory: Path, path: str) -> bool:
    """A person may keep their own files elsewhere, behind a symbolic link; we do not go there."""
    try:
        return inside(directory, path).exists()
    except OutsidePackage:
        return True


def _contents(directory: Path, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for path in sorted(paths):
        place = inside(directory, path)
        if place.exists():
            yield path, place.read_bytes()


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and (text := _text(path)) is not None:
            yield path.relative_to(root).as_posix(), text


def _text(path: Path) -> str | None:
    try:
        found = decode(path.read_bytes())
    except FileNotFoundError:
        return None
    return found.text if found else None


def _entries(lock: str | None) -> dict[str, dict[str, str]]:
    """A lock that somebody broke is one that knows nothing: the pristine texts are what a merge needs."""
    try:
        found = json.loads(lock or "{}")
    except ValueError:
        found = None
    entries = found if isinstance(found, dict) else {}
    return {part: _texts_only(entries.get(part)) for part in ("files", "conflicts", "made_from")}


def _texts_only(part: object) -> dict[str, str]:
    if not isinstance(part, dict):
        return {}
    return {key: value for key, value in part.items() if isinstance(value, str)}
