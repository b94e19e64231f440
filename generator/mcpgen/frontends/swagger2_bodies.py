"""Request bodies of Swagger 2: one `in: body` parameter, or the `formData` fields together."""

from __future__ import annotations

from typing import Any

from mcpgen.frontends.reading import Reading
from mcpgen.frontends.swagger2_types import array_style, own_schema
from mcpgen.ir import Body, Encoding, MediaType, Schema
from mcpgen.source import Node

Json = Any

JSON_TYPE = "application/json"
URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def body_from_parameter(reading: Reading, node: Node, consumes: list[str]) -> Body:
    """The schema is that of the whole body, whatever the parameter's name is."""
    at = node.child("schema")
    if at is None:
        reading.warn("no-schema", "the body parameter has no schema", node)
    schema = reading.schemas.read(at or own_schema(node))
    contents = [MediaType(name, schema, node.location) for name in consumes or [JSON_TYPE]]
    return Body(
        required=node.flag("required", reading.diagnostics) or False,
        contents=tuple(contents),
        location=node.location,
        description=node.text("description", reading.diagnostics),
    )


def body_from_form(
    reading: Reading, operation: Node, fields: list[Node], consumes: list[str]
) -> Body | None:
    """The fields become the properties of one object."""
    properties: dict[str, Schema] = {}
    required: list[str] = []
    encoding: dict[str, Encoding] = {}
    has_file = False
    for field in fields:
        name = field.text("name", reading.diagnostics)
        if not name:
            reading.warn("bad-parameter", "a form field must have a name; it is left out", field)
            continue
        properties[name] = _field_schema(reading, field)
        if field.flag("required", reading.diagnostics):
            required.append(name)
        if field.value.get("type") == "array":
            style, explode = array_style(reading, field, None)
            encoding[name] = Encoding(style=style, explode=explode)
        has_file = has_file or field.value.get("type") == "file"
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    where = fields[0].location
    types = _form_types(consumes, has_file)
    contents = [MediaType(name, schema, where, encoding) for name in types]
    return Body(bool(required), tuple(contents), where)


def _field_schema(reading: Reading, field: Node) -> Schema:
    schema = reading.schemas.read(own_schema(field))
    description = field.text("description", reading.diagnostics)
    if not description or schema is False:
        return schema
    return {**(schema if isinstance(schema, dict) else {}), "description": description}


def _form_types(consumes: list[str], has_file: bool) -> list[str]:
    if has_file:
        return [MULTIPART]  # 2.0, `type: file`: an urlencoded form carries no file
    forms = [
        one for one in consumes if one.partition(";")[0].strip().lower() in (URLENCODED, MULTIPART)
    ]
    return forms or [URLENCODED]
