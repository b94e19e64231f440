"""Selection: which operations a pattern means."""

from __future__ import annotations

import pytest

from mcpgen.diagnostics import Location
from mcpgen.ir import Operation
from mcpgen.selection import BadPattern, select

HERE = Location("api.yaml")
LIST = Operation("listPets", "GET", "/pets", HERE, tags=("pets",))
SHOW = Operation("showPet", "GET", "/pets/{id}", HERE, tags=("Pets",))
DROP = Operation("dropUser", "DELETE", "/users/{id}/all", HERE, tags=("users",))
ALL = (LIST, SHOW, DROP)


@pytest.mark.parametrize(
    ("pattern", "want"),
    [
        ("tag:pets", (LIST, SHOW)),
        ("path:/pets", (LIST,)),
        ("path:/pets/*", (SHOW,)),
        ("path:/users/**", (DROP,)),
        ("path:/users/*", ()),
        ("method:get", (LIST, SHOW)),
        ("id:*Pet*", (LIST, SHOW)),
        ("GET /pets/*", (SHOW,)),
        ("* /pets", (LIST,)),
    ],
)
def test_a_pattern_selects(pattern: str, want: tuple[Operation, ...]) -> None:
    assert select(ALL, [pattern], [])[0] == want


def test_exclusion_wins_over_inclusion() -> None:
    assert select(ALL, ["tag:pets"], ["id:showPet"]) == ((LIST,), ())


def test_a_pattern_that_matches_nothing_is_named() -> None:
    assert select(ALL, [], ["tag:birds"]) == (ALL, ("tag:birds",))


def test_a_pattern_of_no_kind_is_refused() -> None:
    with pytest.raises(BadPattern, match="'pets' is no pattern"):
        select(ALL, ["pets"], [])
