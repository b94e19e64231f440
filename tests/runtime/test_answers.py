"""What is too large for a model: it is cut where its structure allows, and kept whole for a while."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.runtime import answers
from mcpgen.runtime.answers import Kept, budget, fit
from mcpgen.runtime.messages import encode

Json = Any
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=20)
    | st.dictionaries(st.text(max_size=5), inner, max_size=9),
    max_leaves=60,
)


@pytest.mark.parametrize(
    ("value", "limit", "shown", "told"),
    [
        ([1, 2, 3], 7, [1, 2, 3], []),
        (list(range(100)), 20, [0, 1, 2, 3, 4, 5, 6, 7, 8], ["the list: 9 of 100 entries"]),
        ("a" * 1000, 500, "a" * 494 + "…", ["the text: 494 of 1,000 characters"]),
        (
            {"count": 3, "data": [{"id": 1}, {"id": 2}, {"id": 3}]},
            32,
            {"count": 3, "data": [{"id": 1}]},
            ["data: 1 of 3 entries"],
        ),
        (
            {"a": {"b": [["x" * 400], 1]}},
            300,
            {"a": {"b": [["x" * 277 + "…"]]}},
            ["a.b[0][0]: 277 of 400 characters", "a.b: 1 of 2 entries"],
        ),
        (7, 0, 7, []),
    ],
)
def test_cutting(value: Json, limit: int, shown: Json, told: list[str]) -> None:
    found, left_out = fit(value, limit)
    assert (found, left_out) == (shown, told)
    assert len(encode(found)) <= max(limit, 1)


@given(VALUES, st.integers(min_value=0, max_value=5000))
def test_whatever_is_left_is_a_part_of_the_whole(value: Json, limit: int) -> None:
    found, left_out = fit(value, limit)
    assert is_part(found, value)
    if len(encode(value)) <= limit:
        assert found == value and left_out == []
    if found != value:
        assert left_out


def is_part(part: Json, whole: Json) -> bool:
    if isinstance(part, list):
        return len(part) <= len(whole) and all(map(is_part, part, whole))
    if isinstance(part, dict):
        return part.keys() == whole.keys() and all(is_part(part[key], whole[key]) for key in part)
    if isinstance(part, str) and part != whole:
        return bool(whole.startswith(part.removesuffix("…")))
    return bool(part == whole)


def test_what_is_kept_is_bounded_in_number_bytes_and_age(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept()
    first = kept.keep(b"1", None)
    assert kept.read(first, None) == "1"
    for _ in range(answers.MOST_KEPT):
        last = kept.keep(b"2", "ann")
    assert kept.read(first, None) is None
    assert kept.read(last, "ann") == "2"
    assert kept.read(last, "bob") is None and kept.read(last, None) is None
    monkeypatch.setattr(answers, "KEPT_BYTES", 10)
    large = kept.keep(b"x" * 10, "ann")
    assert kept.read(last, "ann") is None and kept.read(large, "ann")
    later = time.monotonic() + answers.KEPT_SECONDS + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert kept.read(large, "ann") is None


def test_the_budget_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert budget("SHOP") == answers.BUDGET
    for text, limit in (("500", 500), ("0", 0), ("many", answers.BUDGET)):
        monkeypatch.setenv("SHOP_MAX_RESULT", text)
        assert budget("SHOP") == limit
