"""Schemas in portions: nothing is lost, each portion is small, and every part can be had."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.messages import encode
from mcpgen.runtime.schema_parts import LONGEST, portion

WORDS = {"type": "string", "description": "w" * 300}
SMALL = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
RULE = {
    "type": "object",
    "description": "A rule.",
    "properties": {f"p{n}": WORDS for n in range(9)},
}
DEEP = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "body": {
            "type": "object",
            "description": "All of it.",
            "properties": {
                "a/b~c": {"type": "array", "items": {"anyOf": [RULE, RULE, RULE]}},
                "name": WORDS,
                "next": {"$ref": "#/$defs/Node"},
            },
            "required": ["name"],
        },
    },
    "required": ["id"],
    "$defs": {
        "Node": {"type": "object", "properties": {"more": {"$ref": "#/$defs/Node"}, "rule": RULE}},
        "Unused": WORDS,
    },
}  # fmt: skip


def test_what_is_small_is_given_whole() -> None:
    assert portion(SMALL) == SMALL


def test_the_upper_levels_of_a_deep_schema_come_first() -> None:
    shown = portion(DEEP)
    assert len(encode(shown)) <= LONGEST
    assert shown["required"] == ["id"]
    body = shown["properties"]["body"]
    assert (body["description"], body["required"]) == ("All of it.", ["name"])
    [first, *_] = body["properties"]["a/b~c"]["items"]["anyOf"]
    at = "/properties/body/properties/a~1b~0c/items/anyOf/0"
    assert first == {"type": "object", "description": "A rule.", "part": at}
    assert portion(DEEP, at) == RULE
    assert set(shown["$defs"]) == {"Node"}


def test_a_part_brings_its_definitions() -> None:
    assert portion(DEEP, "/properties/body/properties/next") == {
        "$ref": "#/$defs/Node",
        "$defs": {"Node": DEEP["$defs"]["Node"]},  # type: ignore[index]
    }
    assert portion(DEEP, "/$defs/Node")["properties"]["rule"] == RULE


def test_odd_schemas_are_given_as_they_are() -> None:
    odd = {
        "type": "object",
        "properties": {
            "own": {"$defs": {"Own": SMALL}, "$ref": "#/properties/own/$defs/Own"},
            "any": True,
            "$ref": {"type": "string"},
            "lost": {"$ref": "#/$defs/None"},
            "list": {"items": False, "properties": 3, "anyOf": [True, {}]},
        },
    }
    assert portion(odd) == odd


@pytest.mark.parametrize(
    "pointer", ["/properties/none", "properties", "/properties/id/type", "/required/0", "/", "#/x"]
)
def test_a_part_that_is_none_is_told(pointer: str) -> None:
    with pytest.raises(ToolError, match="has no part"):
        portion(DEEP, pointer)


LEAVES = st.sampled_from([WORDS, {"type": "integer"}, True, {"$ref": "#/$defs/A"}])
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.dictionaries(st.text("ab/~", min_size=1, max_size=3), inner, max_size=4).map(
            lambda found: {"type": "object", "properties": found}
        ),
        inner.map(lambda found: {"type": "array", "items": found}),
        st.lists(inner, min_size=1, max_size=3).map(lambda found: {"anyOf": found}),
    ),
    max_leaves=60,
)


def put_together(schema: Any, whole: Any) -> Any:
    """A portion with each part that it names in its place."""
    if isinstance(schema, list):
        return [put_together(one, whole) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "part" in schema:
        found = portion(whole, schema["part"])
        found.pop("$defs", None)
        return put_together(found, whole)
    return {key: put_together(one, whole) for key, one in schema.items()}


@given(SCHEMAS, SCHEMAS)
def test_the_parts_make_the_whole(body: Any, definition: Any) -> None:
    whole = {"type": "object", "properties": {"body": body}, "$defs": {"A": definition}}
    shown = portion(whole)
    jsonschema_rs.Draft202012Validator(shown, offline=True)
    made = put_together(shown, whole)
    made.pop("$defs", None)
    assert made == {key: value for key, value in whole.items() if key != "$defs"}
