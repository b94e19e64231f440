"""Change many files so that a run which is killed leaves all of the changes or none.

All new contents are staged in `.mcpgen/next/`, then a journal is put beside them, which is the moment of decision: before it, what
is staged is thrown away; after it, whoever comes next carries the journal out to its end. Knows nothing of why files change.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

STATE = ".mcpgen"
STAGING = f"{STATE}/next"
JOURNAL = "journal.json"

Content: TypeAlias = bytes | None  # None: the file goes
Note: TypeAlias = tuple[str, Content]  # by path below `.mcpgen/`


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of one file. `found` is what it held when that was decided, see `fingerprint`."""

    path: str
    content: Content
    found: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the package, and the notes below `.mcpgen/` that are true once it has changed."""

    edit: Edit | None
    notes: tuple[Note, ...] = ()


class OutsidePackage(Exception):
    """A path that would leave the folder of the package; the message says which and how."""


def fingerprint(content: bytes) -> str:
    return sha256(content).hexdigest()


def inside(directory: Path, path: str) -> Path:
    """Where `path` lies on the disk. Symlinks are followed, but never out of the package."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or {"..", "."} & set(path.split("/")) or "\\" in path:
        raise OutsidePackage(f"'{path}' is not a path within a package")
    place = directory.joinpath(*parts)
    root = directory.resolve()
    try:
        real = place.resolve()
    except (OSError, RuntimeError):  # links in a circle
        raise OutsidePackage(f"'{path}' is a symbolic link that leads nowhere") from None
    if not real.is_relative_to(root):
        raise OutsidePackage(f"'{path}' leads out of the package by a symbolic link")
    return real


def _no_step() -> None:
    pass


def commit(
    changes: Sequence[Change], directory: Path, *, step: Callable[[], None] = _no_step
) -> None:
    """Make all changes. `step` is called before each touch of the disk; tests end the run there."""
    if not changes:
        return
    stage(changes, directory, step=step)
    finish(directory, step=step)


def stage(
    changes: Sequence[Change], directory: Path, *, step: Callable[[], None] = _no_step
) -> None:
    """Up to the moment of decision."""
    staging = inside(directory, STAGING)
    step()
    staging.mkdir(parents=True)
    names = map(str, range(1_000_000))

    def put(content: Content) -> str | None:
        if content is None:
            return None
        name = next(names)
        step()
        (staging / name).write_bytes(content)
        return name

    entries = []
    for change in changes:
        entry: dict[str, Any] = {"notes": [[path, put(text)] for path, text in change.notes]}
        if change.edit:
            edit = change.edit
            entry |= {"path": edit.path, "staged": put(edit.content), "found": edit.found}
        entries.append(entry)
    step()
    written = staging / f"{JOURNAL}.part"
    written.write_text(json.dumps(entries), encoding="utf-8")
    step()
    written.replace(staging / JOURNAL)


def pending(directory: Path) -> bool:
    """Was a run cut short here, after its decision?"""
    return (directory / STAGING / JOURNAL).exists()


def finish(directory: Path, *, step: Callable[[], None] = _no_step) -> None:
    """Carry out the journal that is there, if any, and clear away. Any part of it may be done already."""
    staging = inside(directory, STAGING)
    if pending(directory):
        for entry in json.loads((staging / JOURNAL).read_text(encoding="utf-8")):
            _carry_out(entry, directory, staging, step)
        step()
        (staging / JOURNAL).unlink()
    if staging.exists():
        step()
        shutil.rmtree(staging)


def _carry_out(
    entry: dict[str, Any], directory: Path, staging: Path, step: Callable[[], None]
) -> None:
    if "path" in entry and not _edit(entry, directory, staging, step):
        return
    for path, staged in entry["notes"]:
        step()
        if staged is None:
            _remove(inside(directory, f"{STATE}/{path}"), directory)
        else:
            _move(_staged(staging, staged), inside(directory, f"{STATE}/{path}"))


def _edit(entry: dict[str, Any], directory: Path, staging: Path, step: Callable[[], None]) -> bool:
    """Change one file, unless it is changed already. False: somebody edited it since the decision, so it stays.

    Its notes then stay too, and the next run sees an edit of the old text, which it can merge.
    """
    target = inside(directory, entry["path"])
    source = _staged(staging, entry["staged"]) if entry["staged"] is not None else None
    if source and not source.exists():
        return True
    found = fingerprint(target.read_bytes()) if target.exists() else None
    if source is None and found is None:
        return True
    if found != entry["found"]:
        return False
    step()
    if source is None:
        _remove(target, directory)
    else:
        _move(source, target)
    return True


def _staged(staging: Path, name: str) -> Path:
    if not name.isdigit():  # a journal comes with the folder, and a folder may come from anywhere
        raise OutsidePackage(f"'{name}' is not staged in {STAGING}")
    return staging / name


def _move(source: Path, target: Path) -> None:
    if not source.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        shutil.copymode(target, source)
    source.replace(target)


def _remove(target: Path, directory: Path) -> None:
    """The file, and the folders that are empty then."""
    target.unlink(missing_ok=True)
    for folder in _parents(target, directory.resolve()):
        caches = folder / "__pycache__"
        if any(one != caches for one in folder.iterdir()):
            return
        if caches.exists():
            shutil.rmtree(caches)
        folder.rmdir()


def _parents(target: Path, root: Path) -> Iterator[Path]:
    for folder in target.parents:
        if folder == root or not folder.exists():
            return
        yield folder
