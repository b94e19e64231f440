"""Schema changes: what two schemas differ in, and that a loss that is told is a real one."""

from __future__ import annotations

import itertools
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcpgen.schema_changes import Effect, compare


def told(old: Any, new: Any) -> list[str]:
    """Each difference as `effect place: message`."""
    return [f"{one.effect} {one.place}: {one.message}" for one in compare(old, new)]


STRING, NUMBER = {"type": "string"}, {"type": "number"}


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (STRING, {"type": "integer"}, ["narrowed : allows integer instead of string"]),
        ({"type": ["string", "null"]}, STRING, ["narrowed : no longer allows null"]),
        (
            STRING,
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            ["widened : also allows null"],
        ),
        ({"type": ["string", "null"]}, {"anyOf": [STRING, {"type": "null"}]}, []),
        ({"type": "integer"}, NUMBER, ["widened : allows any number, not only integers"]),
        (NUMBER, {"type": "integer"}, ["narrowed : allows only integers"]),
        ({}, {"type": "object"}, ["narrowed : no longer allows null, boolean, number, string and array"]),
        ({"enum": ["a"]}, {"type": "string", "const": "a"}, []),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, ['narrowed : no longer allows "a"', 'widened : also allows "c"']),
        ({"enum": ["a", None]}, {"enum": ["a"]}, ["narrowed : no longer allows null"]),
        (STRING, {"enum": ["a"]}, ['narrowed : allows only "a", no longer any string']),
        ({"enum": ["a"]}, STRING, ['widened : allows any string, no longer only "a"']),
        ({"enum": [1]}, {"enum": [1.0]}, []),
        ({"type": "string", "maxLength": 0}, {"const": ""}, []),
        ({"enum": [1]}, {"enum": [True]}, ["narrowed : allows boolean instead of integer"]),
        (
            {"type": "integer", "minimum": 1, "maximum": 3},
            {"enum": [1, 2, 3, 4]},
            ["widened : also allows 4"],
        ),
        (
            {"type": "integer", "minimum": 1},
            {"type": "integer", "exclusiveMinimum": 0, "maximum": 9},
            ["narrowed : has the maximum 9 now"],
        ),
        (
            {"type": "number", "minimum": 0},
            {"type": "number", "exclusiveMinimum": 0},
            ["narrowed : has the minimum 0 (itself not allowed), which was 0"],
        ),
        (
            {"type": "integer", "multipleOf": 10},
            {"type": "integer", "multipleOf": 5},
            ["widened : no longer allows only multiples of 10"],
        ),
        (
            {"type": "string", "maxLength": 5},
            {"type": "string", "minLength": 1, "maxLength": 9},
            [
                "narrowed : needs at least 1 characters, not 0",
                "widened : allows up to 9 characters, no longer 5",
            ],
        ),
        (STRING, {"type": "string", "pattern": "^a"}, ['narrowed : must match the pattern "^a" now']),
        (
            {"type": "string", "pattern": "^a"},
            {"type": "string", "pattern": "^b"},
            ['changed : must match "^b", no longer "^a"'],
        ),
        (STRING, {"type": "string", "format": "date"}, ['changed : has the format "date" now']),
        (STRING, {**STRING, "description": "More."}, ["said : says another description"]),
        ({**STRING, "default": "a"}, {**STRING, "default": "b"}, ['changed : has the default "b", which was "a"']),
        (STRING, {**STRING, "deprecated": True}, ["changed : is deprecated now"]),
        (
            {"type": "array", "items": STRING},
            {"type": "array", "items": NUMBER, "maxItems": 3},
            [
                "narrowed : allows at most 3 items, no longer any number",
                "narrowed []: allows number instead of string",
            ],
        ),
        (
            {"allOf": [{"type": "string", "minLength": 1}, {"maxLength": 5}]},
            {"type": "string", "minLength": 1, "maxLength": 5},
            [],
        ),
        ({"not": {"const": 1}, **STRING}, STRING, ["widened : 'not' no longer holds"]),
    ],
)  # fmt: skip
def test_a_difference_is_told(old: Any, new: Any, want: list[str]) -> None:
    assert told(old, new) == want


def closed(required: str = "", **members: Any) -> dict[str, Any]:
    found = {"type": "object", "properties": members, "additionalProperties": False}
    return {**found, "required": required.split()} if required else found


def test_members_are_compared_to_the_bottom() -> None:
    old = closed(
        owner=closed(name=STRING, age=NUMBER), tags={"type": "array", "items": closed(id=NUMBER)}
    )
    new = closed(
        owner=closed("name", name=STRING, mail=STRING),
        tags={"type": "array", "items": closed("id", id=STRING)},
    )  # fmt: skip
    assert told(old, new) == [
        "narrowed owner.name: is required now",
        "narrowed owner.age: is no longer allowed",
        "widened owner.mail: is new and optional",
        "narrowed tags[].id: is required now",
        "narrowed tags[].id: allows string instead of number",
    ]


def test_a_member_of_an_open_object_is_only_no_longer_described() -> None:
    old = {"type": "object", "properties": {"a": STRING}}
    assert told(old, {"type": "object"}) == ["changed a: is no longer described"]
    assert told({"type": "object"}, old) == ["widened a: is new and optional"]


def test_other_members_are_compared() -> None:
    old = {"type": "object", "additionalProperties": {"type": "integer"}}
    assert told(old, {"type": "object", "additionalProperties": STRING}) == [
        "narrowed *: allows string instead of integer"
    ]
    assert told(old, closed()) == ["narrowed : allows no other members than those it names now"]


def test_definitions_are_followed_round_in_circles() -> None:
    def tree(value: Any) -> dict[str, Any]:
        node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "value": value}}
        return {"$ref": "#/$defs/Node", "$defs": {"Node": node}}

    assert told(tree(STRING), tree(NUMBER)) == ["narrowed value: allows number instead of string"]
    assert told(tree(STRING), tree(STRING)) == []


def test_a_definition_may_get_another_name() -> None:
    old = {"$ref": "#/$defs/A", "$defs": {"A": closed(a=STRING)}}
    assert told(old, {"$ref": "#/$defs/B", "$defs": {"B": closed(a=STRING)}}) == []


def test_variants_are_known_by_what_they_take_and_by_their_names() -> None:
    def union(*names: str, **defs: Any) -> dict[str, Any]:
        return {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in names], "$defs": defs}

    cat, dog = closed("kind", kind={"const": "cat"}), closed("kind", kind={"const": "dog"})
    fish = closed("kind", kind={"const": "fish"})
    old = union("Cat", "Dog", Cat=cat, Dog=dog)
    assert told(old, union("Dog", "Cat", Cat=cat, Dog=dog)) == []
    assert told(old, union("Cat", Cat=cat)) == ["narrowed : no longer allows the variant 'Dog'"]
    assert told(old, union("Cat", "Dog", "Fish", Cat=cat, Dog=dog, Fish=fish)) == [
        "widened : also allows the variant 'Fish'"
    ]
    longer = closed("kind name", kind={"const": "dog"}, name=STRING)
    assert told(old, union("Cat", "Dog", Cat=cat, Dog=longer)) == ["narrowed name: is new and required"]  # fmt: skip


def test_a_union_that_contains_itself_ends() -> None:
    def endless(kind: str) -> dict[str, Any]:
        node = {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}, {"type": kind}]}
        return {"$ref": "#/$defs/A", "$defs": {"A": node}}

    assert told(endless("string"), endless("array")) == [
        "narrowed : allows array instead of string"
    ]


@pytest.mark.parametrize("broken", [{"type": "text"}, {"minLength": "1"}, {"properties": []}])
def test_a_broken_schema_cannot_be_judged(broken: Any) -> None:
    assert told(broken, {}) == ["changed : the schema changed, and is not valid"]
    assert told(broken, broken) == []


def test_what_would_fill_the_report_is_counted() -> None:
    many = [f"m{number}" for number in range(70)]
    old = {"type": "object", "properties": dict.fromkeys(many, STRING)}
    now: dict[str, Any] = {**dict.fromkeys(many, NUMBER), **dict.fromkeys(many[65:], {})}
    new = {"type": "object", "properties": now}
    found = compare(old, new)
    assert len(found) == 62
    assert [f"{one.effect}: {one.message}" for one in found[60:]] == [
        "narrowed: has 5 more changes inside",
        "widened: has 5 more changes inside",
    ]


# --- every schema of a small world, and every value of it

LISTED: list[Any] = [
    *(None, True, False, -1, 0, 1, 2, 3, -0.5, 0.5, 1.5),
    *("", "a", "b", "aa", "ab", "ba", "aab"),
]
SCALARS: list[Any] = [
    *LISTED,
    -9,
    9.5,
    "bb",
    "z",
]  # and others, so that no list of values is all of a type, or of a length
POOL: list[Any] = [
    *SCALARS,
    *(list(one) for size in range(3) for one in itertools.product(SCALARS, repeat=size)),
    *([one] * 3 for one in SCALARS),
    *(
        {name: value for name, value in zip("abc", one, strict=True) if value != "absent"}
        for one in itertools.product([*SCALARS, "absent"], repeat=3)
    ),
]

small = st.integers(0, 2)


def facets(**words: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=words)


scalars = st.one_of(
    st.just({}),
    st.lists(
        st.sampled_from(["null", "boolean", "integer", "number", "string"]), min_size=1, max_size=2, unique=True
    ).map(lambda types: {"type": types}),
    st.lists(st.sampled_from(LISTED), min_size=1, max_size=3).map(lambda values: {"enum": values}),
    facets(minLength=small, maxLength=small).map(lambda words: {"type": "string", **words}),
    st.sampled_from(["^a", "b"]).map(lambda pattern: {"type": "string", "pattern": pattern}),
    facets(minimum=small, maximum=small, exclusiveMinimum=small, exclusiveMaximum=small).flatmap(
        lambda words: st.sampled_from(["integer", "number"]).map(lambda kind: {"type": kind, **words})
    ),
)  # fmt: skip
arrays = facets(items=scalars, minItems=st.integers(0, 2), maxItems=st.integers(0, 2)).map(
    lambda words: {"type": "array", **words}
)
objects = facets(
    properties=st.dictionaries(st.sampled_from("ab"), scalars, max_size=2),
    required=st.lists(st.sampled_from("ab"), max_size=2, unique=True),
    additionalProperties=st.booleans(),
).map(lambda words: {"type": "object", **words})
simple = scalars | arrays | objects
schemas = simple | st.lists(simple, min_size=1, max_size=2).map(lambda some: {"anyOf": some})


def is_lost(old: Any, new: Any) -> bool:
    takes, keeps = jsonschema_rs.validator_for(old), jsonschema_rs.validator_for(new)
    return any(takes.is_valid(value) and not keeps.is_valid(value) for value in POOL)


@given(schemas)
def test_a_schema_does_not_differ_from_itself(schema: Any) -> None:
    assert compare(schema, dict(schema)) == ()


@settings(max_examples=400, deadline=None)
@given(simple, simple)
def test_every_loss_that_is_told_is_real_and_none_is_missed(old: Any, new: Any) -> None:
    found = compare(old, new)
    effects = {one.effect for one in found}
    if Effect.NARROWED in effects:
        assert is_lost(old, new), found
    elif Effect.CHANGED not in effects and not any(one.kind == "member-added" for one in found):
        assert not is_lost(old, new), found


@settings(max_examples=200, deadline=None)
@given(schemas, schemas)
def test_no_loss_of_a_union_is_missed(old: Any, new: Any) -> None:
    found = compare(old, new)
    assume(not any(one.kind == "member-added" for one in found))
    if not any(one.effect in (Effect.NARROWED, Effect.CHANGED) for one in found):
        assert not is_lost(old, new), found
