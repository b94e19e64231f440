"""Schemas of all versions as JSON Schema 2020-12."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from mcpgen import source
from mcpgen.diagnostics import Diagnostics
from mcpgen.refs import Resolver
from mcpgen.schemas import Schemas


class Read:
    """The schema under `S` of a document, read, with the named ones and what was said."""

    def __init__(self, schema: Any, version: str = "3.0", **components: Any) -> None:
        self.diagnostics = Diagnostics()
        whole = {"S": schema, "components": {"schemas": components}}
        document = source.parse(json.dumps(whole).encode(), "api.json", self.diagnostics)
        parts = document.root.child("components")
        named = parts.child("schemas") if parts else None
        schemas = Schemas(
            Resolver(document, self.diagnostics),
            self.diagnostics,
            named,
            ref_siblings=version != "3.0",
        )
        self.schema = schemas.read(document.root.child("S"))
        self.defs: dict[str, Any] = dict(schemas.finish())
        self.missing = schemas.missing_behind([self.schema])

    @property
    def warnings(self) -> list[str]:
        return [str(one).partition(": warning")[2] for one in self.diagnostics]

    def accepts(self, value: Any) -> bool:
        whole = {"$defs": self.defs, "allOf": [self.schema]}
        return jsonschema_rs.Draft202012Validator(whole).is_valid(value)


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def in_defs(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "string", "nullable": True, "enum": ["a", None]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"type": "string", "nullable": True, "enum": ["a"]},
            {"type": ["string", "null"], "enum": ["a"]},
        ),
        ({"nullable": True}, {}),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        (
            {"description": "d", "nullable": True, "oneOf": [{"type": "string"}]},
            {"anyOf": [{"oneOf": [{"type": "string"}]}, {"type": "null"}], "description": "d"},
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMinimum": True}, {}),
        ({"type": "file"}, {"type": "string", "format": "binary"}),
        (
            {"type": "string", "format": "byte"},
            {"type": "string", "format": "byte", "contentEncoding": "base64"},
        ),
        ({"example": 5}, {"examples": [5]}),
        ({"example": {"$ref": "#/x"}}, {}),
        ({"enum": [1, True, 1, "1"]}, {"enum": [1, True, "1"]}),
        ({"required": ["id", "id"]}, {"required": ["id"]}),
        ({"x-a": 1, "externalDocs": {}, "$schema": "x", "$id": "y", "$comment": "z"}, {}),
        ({"xml": {"name": "n"}, "readOnly": True}, {"xml": {"name": "n"}, "readOnly": True}),
        (
            {"items": [{"type": "string"}], "additionalItems": False},
            {"prefixItems": [{"type": "string"}], "items": False},
        ),
        (
            {"dependencies": {"a": ["b"], "c": {"type": "object"}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"type": "object"}}},
        ),
        ({"allOf": [], "minLength": 2.0}, {"minLength": 2}),
        (
            {"properties": {"additionalProperties": True, "$ref": {"type": "string"}}},
            {"properties": {"additionalProperties": True, "$ref": {"type": "string"}}},
        ),
        (True, True),
        (None, True),
    ],
)
def test_older_keywords_become_those_of_2020_12(given: Any, want: Any) -> None:
    read = Read(given)
    assert read.schema == want
    assert read.warnings == []


@pytest.mark.parametrize(
    ("given", "want", "warning"),
    [
        (
            {"type": "money"},
            {},
            "the string 'money' is not a type; it is left out\n    at #/S/type",
        ),
        (
            {"type": "String"},
            {"type": "string"},
            "the type is written 'string', not 'String'\n    at #/S/type",
        ),
        (
            {"required": True},
            {},
            "'required' must be a list of strings, not true; it is left out\n    at #/S/required",
        ),
        (
            {"minLength": -1},
            {},
            "'minLength' must be an integer of at least 0, not the number -1; it is left out\n"
            "    at #/S/minLength",
        ),
        (
            {"pattern": "(?P<a>x)"},
            {},
            "'pattern' must be a regular expression of ECMA-262, not the string '(?P<a>x)';"
            " it is left out\n    at #/S/pattern",
        ),
        (
            {"items": 5},
            {"items": True},
            "'items' must be a schema, not the number 5\n    at #/S/items",
        ),
        (
            {"type": "string", "enum": [1, "b"]},
            {"type": "string", "enum": ["1", "b"]},
            "the values of a string's enum are strings; others are taken as written\n"
            "    at #/S/enum",
        ),
    ],
)
def test_a_wrong_keyword_costs_itself_and_is_named(given: Any, want: Any, warning: str) -> None:
    read = Read(given)
    assert read.schema == want
    assert read.warnings == [f"[bad-schema]: {warning}"]


def test_a_pattern_between_slashes_means_what_is_between_them() -> None:
    assert Read({"pattern": r"/^\d+$/i"}).schema == {"pattern": r"^\d+$"}


def test_a_reference_becomes_a_definition_read_once_and_recursion_is_kept() -> None:
    node = {"properties": {"next": ref("Node"), "all": {"additionalProperties": ref("Node")}}}
    read = Read({"allOf": [ref("Node"), ref("Node")]}, Node=node)
    assert read.schema == {"allOf": [in_defs("Node"), in_defs("Node")]}
    assert read.defs == {
        "Node": {
            "properties": {
                "next": in_defs("Node"),
                "all": {"additionalProperties": in_defs("Node")},
            }
        }
    }


def test_siblings_of_a_reference_count_in_3_1_and_describe_in_3_0() -> None:
    schema = {**ref("Code"), "maxLength": 3, "description": "d"}
    assert Read(schema, "3.1", Code={}).schema == {
        **in_defs("Code"),
        "maxLength": 3,
        "description": "d",
    }
    assert Read(schema, "3.0", Code={}).schema == {**in_defs("Code"), "description": "d"}


def test_nullable_beside_a_reference_is_honoured_for_generators_write_it() -> None:
    read = Read({**ref("Code"), "nullable": True}, Code={"type": "string"})
    assert read.schema == {"anyOf": [in_defs("Code"), {"type": "null"}]}


def test_names_are_clean_unique_and_the_component_s_own_first() -> None:
    inner = {"properties": {"Pet": {"type": "integer"}}}
    schema = {
        "allOf": [
            ref("Outer/properties/Pet"),
            ref("Pet"),
            ref("List«Pet»"),
            {"$ref": "#/S/prefixItems/0"},
        ],
        "prefixItems": [{"type": "boolean"}],
    }
    components: dict[str, Any] = {"Outer": inner, "Pet": {}, "List«Pet»": {}}
    read = Read(schema, **components)
    assert read.schema == {
        "allOf": [in_defs("Pet2"), in_defs("Pet"), in_defs("List_Pet"), in_defs("S")],
        "prefixItems": [{"type": "boolean"}],
    }


def test_a_dangling_reference_is_known_to_whoever_needs_the_schema() -> None:
    read = Read(ref("A"), A={"properties": {"b": ref("Missing")}})
    assert read.missing == "#/components/schemas/Missing"
    assert read.defs == {"A": {"properties": {"b": in_defs("Missing")}}, "Missing": True}


def test_an_anchor_and_a_dynamic_reference_become_definitions() -> None:
    tree = {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}
    read = Read(ref("Tree"), "3.1", Tree=tree)
    assert read.defs == {"Tree": {"items": in_defs("Tree")}}


CAT = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}


def test_variants_carry_the_value_of_the_discriminator_as_a_const() -> None:
    discriminator = {"propertyName": "kind", "mapping": {"tom": "#/components/schemas/Cat"}}
    marked = {**CAT, "properties": {"kind": {"const": "dog"}}}
    schema = {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": discriminator}
    read = Read(schema, "3.1", Cat=CAT, Dog=marked)
    assert read.schema == {
        "oneOf": [
            {"allOf": [in_defs("Cat"), {"properties": {"kind": {"const": "tom"}}}]},
            in_defs("Dog"),
        ]
    }
    assert read.accepts({"kind": "tom"}) and not read.accepts({"kind": "else"})


def test_without_a_mapping_the_names_of_the_schemas_are_the_values() -> None:
    schema = {"anyOf": [ref("Cat")], "discriminator": {"propertyName": "kind"}}
    mark = {"properties": {"kind": {"const": "Cat"}}}
    assert Read(schema, Cat=CAT).schema == {"anyOf": [{"allOf": [in_defs("Cat"), mark]}]}


def test_a_choice_among_its_own_children_does_not_send_a_validator_round() -> None:
    pet = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string"}},
        "discriminator": {"propertyName": "kind"},
        "oneOf": [ref("Cat"), ref("Dog")],
    }
    cat = {"allOf": [ref("Pet"), {"properties": {"lives": {"type": "integer"}}}]}
    dog = {"allOf": [ref("Pet"), {"properties": {"bark": {"type": "string"}}}]}
    read = Read(ref("Pet"), Pet=pet, Cat=cat, Dog=dog)
    assert read.defs["Cat"]["allOf"][0] == in_defs("PetBase")
    assert "oneOf" not in read.defs["PetBase"]
    assert read.accepts({"kind": "Cat", "lives": 9})
    assert not read.accepts({"kind": "Cat", "lives": "9"})
    assert not read.accepts({"lives": 9})


@pytest.mark.parametrize(
    "schemas",
    [
        {"A": ref("A")},
        {"A": {"allOf": [ref("A"), {"type": "string"}]}},
        {"A": {"anyOf": [ref("B")]}, "B": {"not": ref("A"), "type": "string"}},
    ],
)
def test_a_schema_that_asks_for_itself_is_cut(schemas: dict[str, Any]) -> None:
    assert Read(ref("A"), **schemas).accepts("x") in (True, False)
