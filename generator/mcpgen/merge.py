"""Three texts become one: what mcpgen wrote last, what a person made of it, what mcpgen writes now.

Pure: texts in, a text and conflicts out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher

from merge3 import Merge3

from mcpgen.merge_entries import merge_entries, merge_layout

# difflib takes lines that repeat in a long text for noise, which costs matches; without that it is quadratic.
EXACT_LINES = 5_000

Edit = tuple[str, int, int, int, int]  # what, and which lines of one text became which of the other


class Matcher(SequenceMatcher[str]):
    """As merge3 makes it."""

    def __init__(
        self, isjunk: None, a: Sequence[str], b: Sequence[str], autojunk: bool = True
    ) -> None:
        super().__init__(isjunk, a, b, autojunk=max(len(a), len(b)) > EXACT_LINES)
        self._texts = a, b


class LowMatcher(Matcher):
    """What was put between equal lines is taken to be as low as it can be: there it may be clear of what changed above."""

    def get_matching_blocks(self) -> list[Match]:
        old, new = self._texts
        blocks = list(super().get_matching_blocks())
        for at in range(len(blocks) - 1):
            (a, b, size), second = blocks[at : at + 2]
            while second.size > 1 and (a + size == second.a or b + size == second.b):
                if old[a + size] != new[b + size]:
                    break
                size += 1
                second = Match(second.a + 1, second.b + 1, second.size - 1)
            blocks[at : at + 2] = Match(a, b, size), second
        return blocks


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines `start` to `stop` of a person's text, counted from 0 and without `stop`, where the new text differs too."""

    start: int
    stop: int

    def __str__(self) -> str:
        if self.stop - self.start > 1:
            return f"lines {self.start + 1} to {self.stop}"
        return f"line {self.start + 1}"


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text, which holds the person's lines where there are conflicts."""

    text: str
    conflicts: tuple[Conflict, ...] = ()


def merge(base: str, yours: str, new: str) -> Merged:
    """Both changes from `base`, the one to `yours` and the one to `new`, in one text."""
    if yours in (base, new):
        return Merged(new)
    if new == base:
        return Merged(yours)
    yours_lines, new_lines, base_lines = _lines(yours), _lines(new), _lines(base)
    if laid_out := merge_layout(base_lines, yours_lines, new_lines):
        conflicts = [Conflict(one, one + 1) for one in laid_out[1]]
        return Merged("".join(laid_out[0]), tuple(conflicts))
    high = _merged(base_lines, yours_lines, new_lines, Matcher)
    if not high.conflicts:
        return high
    low = _merged(base_lines, yours_lines, new_lines, LowMatcher)
    return low if len(low.conflicts) < len(high.conflicts) else high


def _merged(
    base_lines: list[str], yours_lines: list[str], new_lines: list[str], matcher: type[Matcher]
) -> Merged:
    lines, conflicts = [], []
    merger = Merge3(base_lines, yours_lines, new_lines, sequence_matcher=matcher)  # type: ignore[arg-type]  # its protocol asks for a default of `b`
    for region in merger.merge_regions():
        match region:
            case ("unchanged", start, stop):
                lines += base_lines[start:stop]
            case ("a" | "same", start, stop):
                lines += yours_lines[start:stop]
            case ("b", start, stop):
                lines += new_lines[start:stop]
            case ("conflict", int(old), int(old_stop), start, stop, theirs, theirs_stop):
                entries = merge_entries(
                    base_lines[old:old_stop],
                    yours_lines[start:stop],
                    new_lines[theirs:theirs_stop],
                )
                if entries is None:
                    lines += yours_lines[start:stop]
                    conflicts.append(Conflict(start, stop))
                else:
                    lines += entries[0]
                    conflicts += [Conflict(start + one, start + one + 1) for one in entries[1]]
    return Merged("".join(lines), tuple(conflicts))


@dataclass(frozen=True, slots=True)
class Pending:
    """A conflict that an earlier run reported: the person's text then, and the new text that did not go with it."""

    yours: str
    new: str


def settle(base: str, yours: str, new: str, pending: Pending | None, *, declared: bool) -> Merged:
    """Merge where an earlier conflict may be open: a person who has dealt with it must not meet it again.

    An edit where the conflict was mends it, and so does saying so (`declared`): there the person's lines stand, and all
    else of that earlier new text is merged in as always.
    """
    direct = merge(base, yours, new)
    if pending is None or not direct.conflicts:
        return direct
    before = merge(base, pending.yours, pending.new).conflicts
    left = () if declared else unmended(before, pending.yours, yours)
    if left:
        return Merged(direct.text, left) if new == pending.new else direct
    mended = merge(base, yours, pending.new).text
    through = merge(pending.new, mended, new)
    return direct if through.conflicts else through


def unmended(conflicts: Sequence[Conflict], before: str, after: str) -> tuple[Conflict, ...]:
    """Those conflicts of the text `before` in which nobody has changed anything since, at their place in `after`."""
    opcodes = Matcher(None, _lines(before), _lines(after)).get_opcodes()
    edits = [edit for edit in opcodes if edit[0] != "equal"]
    return tuple(
        _moved(conflict, edits)
        for conflict in conflicts
        if not any(_touches(edit, conflict) for edit in edits)
    )


def _touches(edit: Edit, conflict: Conflict) -> bool:
    kind, start, stop, _, _ = edit
    if kind == "insert":  # a line added right below one's own is how many conflicts are mended
        return conflict.start <= start <= conflict.stop
    return start < conflict.stop and stop > conflict.start


def _moved(conflict: Conflict, edits: Sequence[Edit]) -> Conflict:
    above = (edit for edit in edits if edit[2] <= conflict.start)
    by = sum((edit[4] - edit[3]) - (edit[2] - edit[1]) for edit in above)
    return Conflict(conflict.start + by, conflict.stop + by)


def _lines(text: str) -> list[str]:
    """The lines as editors count them; str.splitlines would also end a line at U+2028 and at a form feed."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
