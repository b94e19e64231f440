"""Tool schemas: complete in themselves, fit for every client, and no heavier than they must be."""

from __future__ import annotations

from typing import Any

from mcpgen.tool_schemas import FILE, Property, ToolSchemas


def made(schema: Any, definitions: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return ToolSchemas(definitions or {}).input_schema([Property("body", schema, True, **more)])


def test_a_tool_without_arguments_has_an_empty_closed_object() -> None:
    assert ToolSchemas({}).input_schema([]) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_only_definitions_in_use_come_along() -> None:
    definitions = {
        "A": {"type": "array", "items": {"$ref": "#/$defs/B"}, "contains": {"$ref": "#/$defs/B"}},
        "B": {"type": "string"},
        "C": {"type": "integer"},
    }
    assert made({"$ref": "#/$defs/A"}, definitions)["$defs"] == {"B": {"type": "string"}}


def test_a_definition_that_is_used_once_stands_where_it_is_used() -> None:
    definitions = {
        "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}},
        "B": {"type": "string"},
    }
    shown = made({"$ref": "#/$defs/A", "description": "One."}, definitions)
    assert "$defs" not in shown
    assert shown["properties"]["body"] == {
        "type": "object",
        "properties": {"b": {"type": "string"}},
        "description": "One.",
    }


def test_a_reference_with_a_constraint_beside_it_stays() -> None:
    definitions = {"A": {"type": "string"}}
    shown = made({"$ref": "#/$defs/A", "maxLength": 3}, definitions)
    assert shown["properties"]["body"] == {"$ref": "#/$defs/A", "maxLength": 3}
    assert shown["$defs"] == definitions


def test_variants_that_overlap_leave_a_tool_callable() -> None:
    variants = [{"type": "object"}, {"type": "object", "properties": {"a": {"type": "string"}}}]
    assert made({"oneOf": variants})["properties"]["body"] == {"anyOf": variants}
    both = {"oneOf": variants, "anyOf": variants}
    assert made(both)["properties"]["body"] == both


def test_an_array_says_of_what_it_is() -> None:
    assert made({"type": ["array", "null"]})["properties"]["body"]["items"] == {}
    assert "items" not in made({"type": "array", "prefixItems": [{}]})["properties"]["body"]


def test_recursion_is_kept() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    assert made({"$ref": "#/$defs/Node"}, {"Node": node})["$defs"] == {"Node": node}


def test_read_only_members_are_no_input_even_behind_a_reference() -> None:
    definitions = {"Id": {"type": "integer", "readOnly": True}}
    pet = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {"id": {"$ref": "#/$defs/Id"}, "name": {"type": "string"}},
    }
    assert made(pet, definitions)["properties"]["body"] == {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}},
    }


def test_a_property_may_be_called_like_a_keyword() -> None:
    schema = {
        "type": "object",
        "properties": {"default": {"$ref": "#/$defs/D"}, "xml": {"type": "string"}, "x-y": {}},
    }
    found = made(schema, {"D": {"type": "integer"}})
    assert found["properties"]["body"]["properties"] == {
        "default": {"type": "integer"},
        "xml": {"type": "string"},
        "x-y": {},
    }


def test_values_are_never_read_as_schemas() -> None:
    schema = {"const": {"$ref": "#/$defs/Missing", "x-a": 1}, "enum": [{"$ref": "#/$defs/Missing"}]}
    assert made(schema)["properties"]["body"] == schema


def test_vendor_keys_and_other_words_for_tools_are_dropped() -> None:
    schema = {
        "type": "string",
        "xml": {"name": "n"},
        "x-mcp-header": "H",
        "externalDocs": {"url": "u"},
    }
    assert made(schema)["properties"]["body"] == {"type": "string"}


def test_a_parameter_says_its_description_and_example() -> None:
    found = made({"type": "string"}, description="The <b>name</b>.", deprecated=True, example="Rex")
    assert found["properties"]["body"] == {
        "type": "string",
        "description": "The name.",
        "deprecated": True,
        "examples": ["Rex"],
    }


def test_a_boolean_schema_becomes_an_object_at_the_top() -> None:
    assert made(True)["properties"]["body"] == {}


def test_an_output_schema_holds_for_any_answer() -> None:
    pet = {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "integer", "description": "Number."},
            "secret": {"type": "string", "writeOnly": True},
            "owner": {"allOf": [{"properties": {"name": {"type": "string"}}}]},
        },
    }
    assert ToolSchemas({"Pet": pet}).output_schema({"$ref": "#/$defs/Pet"}) == {
        "type": "object",
        "properties": {"id": {"description": "Number."}, "owner": {"properties": {"name": {}}}},
    }


def test_an_answer_that_is_no_object_stands_under_result() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}
    assert ToolSchemas({}).output_schema(schema) == {
        "type": "object",
        "properties": {"result": {"items": {"properties": {"a": {}}}}},
    }


def test_a_recursive_answer_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    shape = ToolSchemas({"Node": node}).output_schema({"$ref": "#/$defs/Node"})
    assert shape["properties"]["next"]["properties"]["next"] == {"properties": {"next": {}}}


def test_raw_bytes_in_a_form_become_files() -> None:
    schemas = ToolSchemas({})
    form, files = schemas.with_files(
        {
            "type": "object",
            "required": ["photo"],
            "properties": {
                "photo": {"type": "string", "format": "binary", "description": "A photo."},
                "more": {
                    "type": "array",
                    "items": {"type": "string", "contentMediaType": "image/png"},
                },
                "title": {"type": "string"},
            },
        }
    )
    assert files == ("photo", "more")
    assert form == {
        "type": "object",
        "required": ["photo"],
        "properties": {
            "photo": {"$ref": "#/$defs/File", "description": "A photo."},
            "more": {"type": "array", "items": {"$ref": "#/$defs/File"}},
            "title": {"type": "string"},
        },
    }
    assert (
        schemas.input_schema([Property("body", form, True)])["$defs"]["File"]["properties"]
        == FILE["properties"]
    )


def test_a_document_may_have_a_schema_called_file() -> None:
    assert ToolSchemas({"File": {"type": "string"}}).file == {"$ref": "#/$defs/FileUpload"}


def test_raw_bytes_that_may_be_null_become_files_too() -> None:
    binary = {"type": "string", "contentMediaType": "application/octet-stream"}
    null = {"type": "null"}
    schemas = ToolSchemas({})
    form, files = schemas.with_files(
        {
            "type": "object",
            "properties": {
                "one": {"anyOf": [binary, null], "title": "One"},
                "many": {"anyOf": [{"type": "array", "items": binary}, null]},
                "either": {"anyOf": [binary, {"type": "integer"}]},
            },
        }
    )
    file = {"$ref": "#/$defs/File"}
    assert files == ("one", "many")
    assert form == {
        "type": "object",
        "properties": {
            "one": {"anyOf": [file, null]},
            "many": {"anyOf": [{"type": "array", "items": file}, null]},
            "either": {"anyOf": [binary, {"type": "integer"}]},
        },
    }
