import pytest

from mcpgen.patterns import matching_texts


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^[A-Z]{3}$", "AAA"),
        (r"^\d{4}-\d\d$", "1111-11"),
        ("^[a-z0-9]+(?:-[a-z0-9]+)*$", "a"),
        (r"^(a|b)\1$", "aa"),
        ("^[^/]+$", "a"),
        (r"^\p{L}+$", "a"),
        (r"^[\p{L}_]+$", "a"),
        ("^(?<year>[0-9]+)$", "1"),
        (r"^\u{41}$", "A"),
        ("^https?://", "http://"),
        ("^#?[0-9a-fA-F]{6}$", "aaaaaa"),
        (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Example-1a!"),
        ("^$", ""),
        ("[^a]", "A"),
        (r"^\s$", " "),
        (r"^[\D]$", "a"),
    ],
)
def test_the_first_text_matches_and_reads_well(pattern: str, expected: str) -> None:
    assert next(matching_texts(pattern)) == expected


@pytest.mark.parametrize("pattern", ["(", "^(?!.)x$", "^.{3}$(?<!a)", "(a{999}){999}"])
def test_there_may_be_no_text(pattern: str) -> None:
    assert list(matching_texts(pattern, longest=2)) == []


def test_texts_keep_to_the_bounds() -> None:
    texts = list(matching_texts("^[a-z]+$", shortest=3, longest=4))
    assert texts[:3] == ["aaa", "aaaa", "bbbb"]
    assert {len(text) for text in texts} == {3, 4}


def test_each_text_differs() -> None:
    texts = list(matching_texts("^[a-z]+$"))
    assert texts[:5] == ["a", "aa", "aaa", "b", "c"]
    assert len(set(texts)) == len(texts)


def test_a_pattern_made_to_take_for_ever_does_not() -> None:
    assert len(list(matching_texts("^(a+)+$", shortest=500))) > 0
    assert list(matching_texts(r"^(\w+\s?)+\!$", shortest=60)) == []
