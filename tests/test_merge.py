"""Three-way merges, and conflicts that a person deals with between two runs."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.merge import Conflict, Merged, Pending, merge, settle, unmended

BASE = "one\ntwo\nthree\nfour\nfive\n"
YOURS = "one\ntwo\nTHREE mine\nfour\nfive\n"
NEW = "ONE\ntwo\nthree new\nfour\nfive\n"


def test_an_unedited_text_becomes_the_new_one() -> None:
    assert merge(BASE, BASE, NEW) == Merged(NEW)


def test_an_edit_stays_where_the_new_text_is_the_old_one() -> None:
    assert merge(BASE, YOURS, BASE) == Merged(YOURS)


def test_edits_and_changes_in_different_places_both_hold() -> None:
    assert merge(BASE, BASE.replace("five", "5"), BASE.replace("one", "1")) == Merged(
        "1\ntwo\nthree\nfour\n5\n"
    )


def test_the_same_change_on_both_sides_is_made_once() -> None:
    yours = "one\nnew\ntwo\nthree\nfour\nfive, mine\n"
    assert merge(BASE, yours, "one\nnew\ntwo\nthree\nfour\nfive\n") == Merged(yours)


def test_a_conflict_keeps_your_lines_and_names_them() -> None:
    assert merge(BASE, YOURS, NEW) == Merged(
        "ONE\ntwo\nTHREE mine\nfour\nfive\n", (Conflict(2, 3),)
    )


def test_edits_in_neighbouring_lines_conflict() -> None:
    merged = merge(BASE, BASE.replace("two", "2"), BASE.replace("three", "3"))
    assert merged.conflicts == (Conflict(1, 3),)


def test_a_paragraph_below_a_changed_line_does_not_conflict_with_it() -> None:
    base = "made of 1\n\n## Use\nwords\nmore\n"
    mine = base.replace("## Use", "Ours.\n\n## Use")
    assert merge(base, mine, base.replace("1", "2")) == Merged(mine.replace("1", "2"))


def test_two_different_texts_without_a_common_past_conflict_as_a_whole() -> None:
    assert merge("", "mine\nmore\n", "new\n") == Merged("mine\nmore\n", (Conflict(0, 2),))


def test_a_missing_newline_at_the_end_is_kept() -> None:
    assert merge("a\nb\nc", "A\nb\nc", "a\nb\nc") == Merged("A\nb\nc")


def test_line_separators_of_unicode_do_not_end_a_line() -> None:
    merged = merge("a\u2028b\nc\nd\n", "a\u2028B\nc\nd\n", "a\u2028b!\nc\nd\n")
    assert merged.conflicts == (Conflict(0, 1),)


def test_a_conflict_says_its_lines_as_a_person_counts_them() -> None:
    assert [str(one) for one in (Conflict(0, 2), Conflict(4, 5), Conflict(4, 4))] == [
        "lines 1 to 2",
        "line 5",
        "line 5",
    ]


def test_a_conflict_nobody_touched_is_found_again_at_its_new_place() -> None:
    assert unmended([Conflict(2, 3)], YOURS, "zero\n" + YOURS) == (Conflict(3, 4),)


def test_a_line_added_right_below_mends_a_conflict() -> None:
    assert unmended([Conflict(2, 3)], YOURS, YOURS.replace("mine\n", "mine\nthree new\n")) == ()


def test_an_edit_of_the_next_line_mends_nothing() -> None:
    assert unmended([Conflict(2, 3)], YOURS, YOURS.replace("four", "4")) == (Conflict(2, 3),)


def test_a_conflict_stays_until_it_is_mended() -> None:
    again = settle(BASE, YOURS, NEW, Pending(YOURS, NEW), declared=False)
    assert again.conflicts == (Conflict(2, 3),)


def test_a_mended_conflict_keeps_your_lines_and_merges_the_rest() -> None:
    mended = YOURS.replace("THREE mine", "three of both")
    assert settle(BASE, mended, NEW, Pending(YOURS, NEW), declared=False) == Merged(
        "ONE\ntwo\nthree of both\nfour\nfive\n"
    )


def test_a_conflict_declared_mended_keeps_your_lines_as_they_are() -> None:
    assert settle(BASE, YOURS, NEW, Pending(YOURS, NEW), declared=True) == Merged(
        "ONE\ntwo\nTHREE mine\nfour\nfive\n"
    )


def test_a_mended_file_also_takes_what_changed_since() -> None:
    mended = YOURS.replace("THREE mine", "three of both")
    newer = NEW.replace("five", "5")
    assert settle(BASE, mended, newer, Pending(YOURS, NEW), declared=False) == Merged(
        "ONE\ntwo\nthree of both\nfour\n5\n"
    )


def test_one_of_two_conflicts_mended_leaves_the_other() -> None:
    base = "".join(f"{n}\n" for n in range(9))
    yours = base.replace("2", "2 mine").replace("6", "6 mine")
    new = base.replace("2", "2 new").replace("6", "6 new")
    half = yours.replace("2 mine", "2 both\n2 more")
    assert settle(base, half, new, Pending(yours, new), declared=False).conflicts == (
        Conflict(7, 8),
    )


LINES = st.lists(st.sampled_from("abcdefgh"), max_size=12)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@given(LINES, st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=4), LINES)
@settings(max_examples=300, deadline=None)
def test_no_line_that_a_person_added_disappears(
    base: list[str], edits: list[tuple[int, bool]], new: list[str]
) -> None:
    yours = list(base)
    for number, (at, removes) in enumerate(edits):
        yours[at : at + removes] = [f"mine {number}"]
    merged = merge(_text(base), _text(yours), _text(new))
    mine = Counter(line for line in yours if line.startswith("mine"))
    assert not mine - Counter(merged.text.splitlines())
