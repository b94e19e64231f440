"""What a run did to the files of a package, or would do: for the summary, `--verbose` and `--diff`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

NO_NEWLINE = "\n\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class TextChange:
    """None: there is no file."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """Paths in the package, sorted. `kept` are files no longer made but edited, `originals` the texts that --force put aside.

    `changed` also holds where only the notes in `.mcpgen/` differ.
    """

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    originals: tuple[str, ...] = ()
    is_new: bool = False
    changed: bool = False
    texts: tuple[TextChange, ...] = ()

    @property
    def diffs(self) -> Iterator[str]:
        """Unified diffs, in pieces to be joined."""
        for one in self.texts:
            yield from _diff(one)

    def lines(self) -> Iterator[str]:
        """One a file that is not as it was."""
        for word in ("created", "updated", "merged", "removed", "kept", "conflicts", "originals"):
            for path in getattr(self, word):
                yield f"{LABELS.get(word, word):9} {path}"

    def summary(self) -> str:
        """Such as `2 files updated, 1 merged`."""
        words = ("created", "updated", "merged", "removed", "kept", "conflicts")
        counts = [(len(getattr(self, word)), COUNTED.get(word, word)) for word in words]
        parts = [f"{count} {word}" for count, word in counts if count]
        if not parts:
            return "only the notes in .mcpgen change" if self.changed else "nothing to do"
        number, _, rest = parts[0].partition(" ")
        return ", ".join([f"{number} file{'' if number == '1' else 's'} {rest}", *parts[1:]])


LABELS = {"conflicts": "conflict", "originals": "put aside"}
COUNTED = {"conflicts": "in conflict"}


def _diff(change: TextChange) -> Iterator[str]:
    before, after = change.before or "", change.after or ""
    lines = unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        "/dev/null" if change.before is None else f"a/{change.path}",
        "/dev/null" if change.after is None else f"b/{change.path}",
    )
    for line in lines:
        yield line if line.endswith("\n") else line + NO_NEWLINE
