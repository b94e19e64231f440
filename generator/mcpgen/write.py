"""Bring a folder up to date with the files of a package, losing nothing that a person wrote.

First everything is decided, from what lies there, what the last run made and what is made now; then `journal` carries it
out as one. `compare` decides and stops there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from mcpgen import __version__, journal
from mcpgen.diagnostics import Diagnostics, Location
from mcpgen.files import Files, GeneratedFile, Owner
from mcpgen.journal import STATE, Change, Edit, Note, OutsidePackage, fingerprint
from mcpgen.merge import Conflict, settle
from mcpgen.newlines import Style, decode
from mcpgen.report import Report, TextChange
from mcpgen.state import LOCK, NEW, PRISTINE, YOURS, Open, State, is_taken, read_state

__all__ = ["Report", "compare", "recover", "write"]

Step: TypeAlias = Callable[[], None]


def write(
    files: Files,
    directory: Path,
    *,
    force: bool,
    diagnostics: Diagnostics,
    source_hash: str = "",
    additions: Mapping[str, str] = {},
    step: Step = lambda: None,
) -> Report:
    """Make the package in `directory`, or bring it up to date. Conflicts and failures are in the diagnostics.

    `force` takes the new text where there is a conflict and keeps the other as `<file>.orig`. `additions` are sections for
    the ends of files that are a person's, such as a change log; one that stands there already is not added. `step` is called
    before each touch of the disk, for tests that end a run there.
    """
    report = Report()
    with _told(directory, diagnostics):
        _finish_earlier(directory)
        changes, decided = _decide(files, directory, force, source_hash, additions, diagnostics)
        journal.commit(changes, directory, step=step)
        report = decided
    return report


def compare(
    files: Files,
    directory: Path,
    *,
    force: bool,
    diagnostics: Diagnostics,
    source_hash: str = "",
    additions: Mapping[str, str] = {},
) -> Report:
    """What `write` would do and say. Touches nothing."""
    report = Report()
    with _told(directory, diagnostics):
        if journal.pending(directory):
            diagnostics.error(
                "interrupted",
                "an earlier run was cut short here",
                _at(directory),
                hint="run mcpgen without --check and --diff: it finishes that run first",
            )
        else:
            report = _decide(files, directory, force, source_hash, additions, diagnostics)[1]
    return report


def recover(directory: Path, diagnostics: Diagnostics) -> None:
    """Finish a run that was killed after its decision, or clear away what one killed before it had prepared.

    To be called before anything of the package is read; `write` does so too.
    """
    with _told(directory, diagnostics):
        _finish_earlier(directory)


def _finish_earlier(directory: Path) -> None:
    if (directory / journal.STAGING).exists():
        journal.finish(directory)


@contextmanager
def _told(directory: Path, diagnostics: Diagnostics) -> Iterator[None]:
    """What the disk refuses is the user's to know, with its place."""
    try:
        yield
    except OutsidePackage as error:
        diagnostics.error("outside-package", f"{error}; nothing was written", _at(directory))
    except OSError as error:
        place = Location(str(error.filename)) if error.filename else _at(directory)
        hint = None
        if journal.pending(directory):
            hint = (
                "the package is half written: mend the cause and run mcpgen again, it will finish"
            )
        message = f"{error.strerror or error}: the package is not up to date"
        diagnostics.error("cannot-write", message, place, hint=hint)


def _at(directory: Path, path: str = "", line: int = 0) -> Location:
    return Location(str(directory / path), line, 1 if line else 0)


def _decide(
    files: Files,
    directory: Path,
    force: bool,
    source_hash: str,
    additions: Mapping[str, str],
    diagnostics: Diagnostics,
) -> tuple[list[Change], Report]:
    _check_paths(files)
    if directory.exists() and not directory.is_dir():
        diagnostics.error("not-a-folder", "this is a file, not a folder", _at(directory))
        return [], Report()
    if is_taken(directory):
        diagnostics.error(
            "folder-taken",
            "the folder is not empty and holds no package of mcpgen; nothing was written",
            _at(directory),
            hint="choose another folder with --output",
        )
        return [], Report()
    state = read_state(directory, files, additions)
    decision = Decision(directory, state, force, diagnostics)
    for path, file in sorted(files.items()):
        decision.consider(path, file)
    for path in sorted(state.made - files.keys()):
        decision.consider_leftover(path)
    for path, section in additions.items():
        decision.add_section(path, section)
    return decision.end(source_hash)


def _check_paths(files: Files) -> None:
    """What the earlier stages owe us."""
    folders = {parent for path in files for parent in _folders(path)}
    for path in files:
        if path in folders:
            raise ValueError(f"{path} is planned both as a file and as a folder")
        if path.startswith(f"{STATE}/") and path.count("/") > 1 or path == f"{STATE}/{LOCK}":
            raise ValueError(f"{path} is a place of write's own")


def _folders(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


@dataclass(slots=True)
class Decision:
    """Collects, file by file, what becomes of the package. Does not touch the disk."""

    directory: Path
    state: State
    force: bool
    diagnostics: Diagnostics
    changes: list[Change] = field(default_factory=list)
    lists: dict[str, list[str]] = field(default_factory=dict)  # paths, by the name that Report has
    texts: list[TextChange] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)  # path → made_from
    conflicts: dict[str, str] = field(default_factory=dict)  # path → what holds the new text

    def consider(self, path: str, file: GeneratedFile) -> None:
        if path.startswith(f"{STATE}/"):
            if self.state.notes.get(path) != file.text:
                name = path.removeprefix(f"{STATE}/")
                self._change(None, [(name, file.text.encode())])
        elif file.owner is Owner.PERSON:
            if path in self.state.persons:
                self._change(None, self._forget(path))
            else:
                self._put(path, "created", None, file.text, self._forget(path))
        else:
            if file.made_from:
                self.marks[path] = file.made_from
            self._consider_ours(path, file.text)

    def _consider_ours(self, path: str, text: str) -> None:
        self.hashes[path] = fingerprint(text.encode())
        found = self.state.found.get(path)
        if found is None:
            self._put(path, "created", None, text, self._remember(path, text))
            return
        disk = decode(found)
        if disk is None:
            self._conflict(path, text, (), None)
            return
        base = self._base(path, disk.text)
        one = self.state.conflicts.get(path)
        merged = settle(
            base,
            disk.text,
            text,
            one.pending if one else None,
            declared=one is not None and one.beside not in self.state.found,
        )
        if merged.conflicts:
            self._conflict(path, text, merged.conflicts, disk.text)
        elif merged.text == disk.text:
            self._list("unchanged", path)
            self._change(None, self._remember(path, text))
        else:
            kind = "updated" if disk.text == base else "merged"
            notes = self._remember(path, text)
            self._put(path, kind, disk.text, merged.text, notes, disk.style)

    def consider_leftover(self, path: str) -> None:
        """A file that the last run made and this one does not."""
        found = self.state.found.get(path)
        disk = decode(found) if found is not None else None
        if found is None:
            self._change(None, self._forget(path))
        elif disk and disk.text == self._base(path, disk.text):
            self._list("removed", path)
            self.texts.append(TextChange(path, disk.text, None))
            self._change(Edit(path, None, fingerprint(found)), self._forget(path))
        else:
            self._list("kept", path)
            self.hashes[path] = self.state.hashes.get(path, "")
            self.diagnostics.warning(
                "edited-leftover",
                "mcpgen no longer makes this file, but it was edited, so it stays",
                _at(self.directory, path),
                hint="delete it, or move what is needed to custom/",
            )

    def add_section(self, path: str, section: str) -> None:
        found = self.state.found.get(path)
        disk = decode(found) if found is not None else None
        if found is None:
            self._put(path, "created", None, f"# Changes\n\n{section}", ())
        elif disk is None:
            message = "this is not UTF-8 text, so nothing was added to it"
            self.diagnostics.warning("not-text", message, _at(self.directory, path))
        elif not disk.text.rstrip().endswith(section.rstrip()):
            text = f"{disk.text.rstrip()}\n\n{section}".lstrip()
            self._put(path, "updated", disk.text, text, (), disk.style)

    def end(self, source_hash: str) -> tuple[list[Change], Report]:
        self._clear_mended()
        lock = {
            "generator": __version__,
            "source": source_hash,
            "files": dict(sorted(self.hashes.items())),
            "made_from": dict(sorted(self.marks.items())),
            "conflicts": dict(sorted(self.conflicts.items())),
        }
        text = json.dumps(lock, ensure_ascii=False, indent=1) + "\n"
        if text != self.state.lock:
            self._change(None, [(LOCK, text.encode())])
        report = Report(
            is_new=self.state.lock is None,
            changed=bool(self.changes),
            texts=tuple(self.texts),
            **{kind: tuple(sorted(paths)) for kind, paths in self.lists.items()},
        )
        return self.changes, report

    def _clear_mended(self) -> None:
        """Conflicts that are none any more: the new text that lies beside is not needed."""
        for path, one in self.state.conflicts.items():
            if path in self.conflicts:
                continue
            self._change(None, [(f"{YOURS}/{path}", None), (f"{NEW}/{path}", None)])
            held = self.state.found.get(one.beside)
            if held is not None and _is_text(held, one.new):
                self._change(Edit(one.beside, None, fingerprint(held)), ())

    def _conflict(
        self, path: str, text: str, conflicts: tuple[Conflict, ...], yours: str | None
    ) -> None:
        if self.force:
            self._force(path, text, yours)
            return
        known = self.state.conflicts.get(path)
        beside = self._beside(path, text, known)
        self.conflicts[path] = beside
        self._list("conflicts", path)
        self._say_conflict(path, beside, conflicts)
        if known is None or known.new != text:
            content = yours.encode() if yours is not None else None
            self._change(None, [(f"{YOURS}/{path}", content), (f"{NEW}/{path}", text.encode())])

    def _say_conflict(self, path: str, beside: str, conflicts: tuple[Conflict, ...]) -> None:
        hint: str | None = (
            f"the new text is in {beside}: put both together in your file and delete that one;"
            " or run with --force"
        )
        if not conflicts:
            message = "this is not UTF-8 text any more, so nothing can be merged into it"
            self.diagnostics.error("conflict", message, _at(self.directory, path), hint=hint)
        for one in conflicts:
            message = f"your edit of {one} does not go together with what mcpgen changes there"
            place = _at(self.directory, path, one.start + 1)
            self.diagnostics.error("conflict", message, place, hint=hint)
            hint = None

    def _beside(self, path: str, text: str, known: Open | None) -> str:
        """Put the new text beside the person's file, and say where."""
        if known and known.new == text:
            return known.beside  # present, or a person is at work on it
        beside = f"{path}.new"
        held = self.state.found.get(beside)
        ours = known is not None and held is not None and _is_text(held, known.new)
        if held is not None and not ours and not _is_text(held, text):
            beside, held = f"{beside}-{fingerprint(text.encode())[:8]}", None
        if held is None or not _is_text(held, text):
            found = fingerprint(held) if held is not None else None
            self._change(Edit(beside, text.encode(), found), ())
        return beside

    def _force(self, path: str, text: str, yours: str | None) -> None:
        found = self.state.found[path]
        original = f"{path}.orig"
        held = self.state.found.get(original)
        if held is not None and held != found:
            original, held = f"{original}-{fingerprint(found)[:8]}", None
        if held is None:
            self._change(Edit(original, found, None), ())
        self._list("originals", original)
        self._put(path, "updated", yours, text, self._remember(path, text))

    def _base(self, path: str, yours: str) -> str:
        """The text of the last run. Where only its hash is left it still tells an unedited file."""
        if path in self.state.pristine:
            return self.state.pristine[path]
        unedited = self.state.hashes.get(path) == fingerprint(yours.encode())
        return yours if unedited else ""

    def _put(
        self,
        path: str,
        kind: str,
        before: str | None,
        after: str,
        notes: Sequence[Note],
        style: Style = Style(),
    ) -> None:
        found = self.state.found.get(path)
        self._list(kind, path)
        self.texts.append(TextChange(path, before, after))
        edit = Edit(path, style.encode(after), fingerprint(found) if found is not None else None)
        self._change(edit, notes)

    def _remember(self, path: str, text: str) -> list[Note]:
        """The note of what this run made of a file, where it differs from what is noted."""
        if self.state.pristine.get(path) == text:
            return []
        return [(f"{PRISTINE}/{path}", text.encode())]

    def _forget(self, path: str) -> list[Note]:
        return [(f"{PRISTINE}/{path}", None)] if path in self.state.pristine else []

    def _list(self, kind: str, path: str) -> None:
        self.lists.setdefault(kind, []).append(path)

    def _change(self, edit: Edit | None, notes: Sequence[Note]) -> None:
        if edit or notes:
            self.changes.append(Change(edit, tuple(notes)))


def _is_text(content: bytes, text: str) -> bool:
    disk = decode(content)
    return disk is not None and disk.text == text
