from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpgen.examples import MOST_NODES, Direction, Examples, NoExample, example_value
from mcpgen.ir import Json, Schema

UUID = "3fa85f64-5717-4562-b3fc-2c963f66afa6"


def made(
    schema: Schema,
    definitions: Mapping[str, Schema] | None = None,
    direction: Direction = Direction.OUTPUT,
) -> Json:
    return example_value(schema, definitions or {}, direction=direction)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, "example"),
        ({"type": "string"}, "example"),
        ({"type": "integer"}, 1),
        ({"type": "number"}, 1.5),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": ["null", "integer"]}, 1),
        ({"type": "array", "items": {"type": "integer"}}, [1]),
        ({"type": "object"}, {}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"key": 1}),
        ({"type": "string", "format": "date-time"}, "2026-01-15T09:30:00Z"),
        ({"type": "string", "format": "uuid"}, UUID),
        ({"type": "string", "format": "email"}, "user@example.com"),
        ({"type": "string", "format": "unheard-of"}, "example"),
        ({"type": "string", "maxLength": 3}, "exa"),
        ({"type": "string", "minLength": 10}, "example ex"),
        ({"type": "string", "pattern": "^[A-Z]{3}$"}, "AAA"),
        ({"type": "string", "contentEncoding": "base64"}, "ZXhhbXBsZQ=="),
        ({"type": "integer", "minimum": 10}, 10),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 3}, 2),
        ({"type": "integer", "multipleOf": 7}, 7),
        ({"type": "number", "multipleOf": 0.01, "minimum": 5.001}, 5.01),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
        ({"enum": [None, "a", "b"]}, "a"),
        ({"const": {"a": 1}}, {"a": 1}),
        ({"type": "integer", "examples": ["no", 5]}, 5),
        ({"type": "integer", "example": 6, "default": 7}, 6),
        ({"type": "string", "default": "", "enum": ["", "a"]}, ""),
        ({"type": "array", "minItems": 3, "items": {"type": "integer"}}, [1, 2, 3]),
        ({"uniqueItems": True, "minItems": 2, "items": {"enum": ["a", "b"]}}, ["a", "b"]),
        (
            {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
            [1, "example"],
        ),
        ({"items": {"type": "integer"}, "contains": {"const": 5}}, [5]),
        ({"anyOf": [False, {"type": "null"}, {"type": "integer"}]}, 1),
        ({"allOf": [{"minimum": 3}, {"type": "integer", "maximum": 3}]}, 3),
        ({"type": "integer", "not": {"const": 1}}, 2),
        ({"type": "integer", "if": {"minimum": 0}, "then": {"minimum": 9}}, 9),
        (
            {"minProperties": 2, "propertyNames": {"pattern": "^[a-z]$"}},
            {"a": "example", "b": "example"},
        ),
        ({"minProperties": 1, "patternProperties": {"^x-": {"type": "integer"}}}, {"x-": 1}),
    ],
)
def test_a_value_is_short_and_valid(schema: Schema, expected: Json) -> None:
    assert made(schema) == expected


def test_a_name_suggests_the_text() -> None:
    names = ["first_name", "createdAt", "homepage-url", "userId", "other"]
    schema: Schema = {"properties": {name: {"type": "string"} for name in names}}
    assert list(made(schema).values()) == [
        "Example",
        "2026-01-15T09:30:00Z",
        "https://example.com/",
        "1",
        "example",
    ]


PET: dict[str, Any] = {
    "type": "object",
    "required": ["name", "id", "secret"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "examples": ["Rex"]},
        "secret": {"type": "string", "writeOnly": True},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/Tag"}},
        "old": {"type": "string", "deprecated": True},
    },
}
TAG: Schema = {"type": "object", "properties": {"name": {"type": "string"}}}


def test_an_answer_shows_optional_properties_and_a_request_does_not() -> None:
    schema: Schema = {"$ref": "#/$defs/Pet"}
    definitions = {"Pet": PET, "Tag": TAG}
    assert made(schema, definitions) == {"id": 1, "name": "Rex", "tags": [{"name": "Example"}]}
    given = made(schema, definitions, Direction.INPUT)
    assert given == {"name": "Rex", "secret": "example"}


def test_a_given_object_loses_what_goes_the_other_way() -> None:
    schema = {**PET, "examples": [{"id": 7, "name": "Tom", "secret": "x"}]}
    assert made(schema, {"Tag": TAG}, Direction.INPUT) == {"name": "Tom", "secret": "x"}
    assert made(schema, {"Tag": TAG}) == {"id": 7, "name": "Tom"}
    assert schema["examples"] == [{"id": 7, "name": "Tom", "secret": "x"}]


def test_a_given_object_that_breaks_a_rule_is_not_taken() -> None:
    schema = {**PET, "examples": [{"id": "seven", "name": "Tom"}]}
    assert made(schema, {"Tag": TAG})["name"] == "Rex"


def test_recursion_ends_where_it_may() -> None:
    node: Schema = {
        "required": ["children"],
        "properties": {
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            "next": {"$ref": "#/$defs/Node"},
        },
    }
    assert made({"$ref": "#/$defs/Node"}, {"Node": node}, Direction.INPUT) == {
        "children": [{"children": []}]
    }


def test_a_variant_is_chosen_that_the_others_leave_alone() -> None:
    cat: Schema = {"properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}}
    dog: Schema = {"properties": {"kind": {"const": "dog"}}}
    schema: Schema = {"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}
    for direction in Direction:
        assert made(schema, {"Cat": cat, "Dog": dog}, direction)["kind"] == "cat"


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (False, "the schema allows no value"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "no number was found that fits"),
        ({"type": "string", "pattern": "^(?!.)x$"}, "no text was found that fits"),
        ({"$ref": "#/$defs/Endless"}, "Endless holds itself without end"),
        (
            {"allOf": [{"type": "string"}, {"type": "integer"}]},
            "no value is both string and integer",
        ),
        ({"type": "array", "minItems": 10_000}, "10000 items are too many for an example"),
        ({"required": ["a"], "additionalProperties": False}, "'a' is required and not allowed"),
        ({"type": "string", "minLength": 10**9}, "no text was found that fits"),
    ],
)
def test_no_example_says_why(schema: Schema, reason: str) -> None:
    endless: Schema = {"required": ["next"], "properties": {"next": {"$ref": "#/$defs/Endless"}}}
    with pytest.raises(NoExample) as caught:
        made(schema, {"Endless": endless})
    assert str(caught.value).startswith(reason)


def test_the_nearest_value_is_kept_where_none_is_valid() -> None:
    loose: dict[str, Any] = {"properties": {"a": {"type": "string"}}}
    with pytest.raises(NoExample) as caught:
        made({"oneOf": [loose, {**loose, "title": "The same"}]})
    assert str(caught.value).startswith("each value for one variant fits another too")
    assert caught.value.nearest == {"a": "example"}


def test_a_schema_that_branches_without_end_is_given_up() -> None:
    definitions: dict[str, Schema] = {
        f"D{n}": {
            "required": ["a", "b"],
            "properties": {"a": {"$ref": f"#/$defs/D{n + 1}"}, "b": {"$ref": f"#/$defs/D{n + 1}"}},
        }
        for n in range(30)
    }
    with pytest.raises(NoExample):
        made({"$ref": "#/$defs/D0"}, definitions)


def test_a_value_stays_small_whatever_the_schema_offers() -> None:
    wide: Schema = {"properties": {f"p{n}": {"$ref": "#/$defs/Wide"} for n in range(50)}}
    value = made({"$ref": "#/$defs/Wide"}, {"Wide": wide})
    assert str(value).count("{") <= MOST_NODES + 50


def test_a_schema_at_fault_gives_no_example() -> None:
    with pytest.raises(NoExample):
        made({"type": "string", "minLength": -1})


# --- any schema that has a value by the way it is made

scalars: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.tuples(st.integers(-50, 50), st.integers(7, 90), st.sampled_from([1, 2, 3, 7])).map(
        lambda t: {"type": "integer", "minimum": t[0], "maximum": t[0] + t[1], "multipleOf": t[2]}
    ),
    st.tuples(st.floats(-9, 9), st.floats(0.5, 9)).map(
        lambda t: {"type": "number", "exclusiveMinimum": t[0], "maximum": t[0] + t[1]}
    ),
    st.tuples(st.integers(0, 30), st.integers(0, 30)).map(
        lambda t: {"type": "string", "minLength": t[0], "maxLength": t[0] + t[1]}
    ),
    st.sampled_from(["^[a-c]+$", r"^\d{2,5}$", "^(x|y)z?$"]).map(
        lambda pattern: {"type": "string", "pattern": pattern}
    ),
    st.sampled_from(["date-time", "uuid", "email", "ipv4", "uri", "date"]).map(
        lambda name: {"type": "string", "format": name}
    ),
    st.lists(st.sampled_from(["a", 1, None, True, [1], {"a": 1}]), min_size=1).map(
        lambda values: {"enum": values}
    ),
    st.just({"$ref": "#/$defs/Tag"}),
    st.just({"$ref": "#/$defs/Node"}),
)


def containers(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    names = st.sampled_from(["id", "name", "created_at", "kind", "x-y", "größe"])
    return st.one_of(
        st.tuples(inner, st.integers(0, 3)).map(
            lambda t: {"type": "array", "items": t[0], "minItems": t[1]}
        ),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: {"type": "array", "prefixItems": items, "items": False}
        ),
        st.tuples(st.dictionaries(names, inner), st.lists(names)).map(
            lambda t: {
                "type": "object",
                "properties": t[0],
                "required": [name for name in dict.fromkeys(t[1]) if name in t[0]],
                "additionalProperties": False,
            }
        ),
        st.tuples(inner, st.integers(0, 3)).map(
            lambda t: {"type": "object", "additionalProperties": t[0], "minProperties": t[1]}
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda variants: {"anyOf": variants}),
        inner.map(lambda one: {"allOf": [one, {"description": "the same"}]}),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda members: {
                "oneOf": [
                    {"required": ["kind"], "properties": {"kind": {"const": n}, "value": one}}
                    for n, one in enumerate(members)
                ]
            }
        ),
        inner.map(lambda one: {**one, "examples": ["no", 0, {"a": "b"}], "default": False}),
    )


DEFINITIONS: dict[str, Schema] = {
    "Tag": TAG,
    "Node": {
        "required": ["id", "children"],
        "properties": {
            "id": {"type": "integer"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
    },
}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.recursive(scalars, containers, max_leaves=8), st.sampled_from(Direction))
def test_what_has_a_value_gets_a_valid_one(schema: dict[str, Any], direction: Direction) -> None:
    examples = Examples(DEFINITIONS, direction=direction)
    value = examples.value(schema)
    # Another validator than the one that made sure.
    jsonschema.Draft202012Validator(schema | {"$defs": DEFINITIONS}).validate(value)
    assert (
        examples.value(schema) == value == Examples(DEFINITIONS, direction=direction).value(schema)
    )
