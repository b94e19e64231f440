"""What several keywords of one schema mean together in older dialects, and the usual slips in `type` and `enum`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcpgen.schema_keywords import TYPES, unique
from mcpgen.source import Node, describe

Json = Any
Warn = Callable[[Node, str], None]

EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def settle(schema: dict[str, Json], node: Node, warn: Warn) -> None:
    """Finish a schema whose own keywords were read one by one."""
    _type(schema, node, warn)
    _bounds(schema, node)
    _examples(schema, node)
    if "enum" in schema:
        _enum(schema, node, warn)
    for key in ("default", "examples", "enum", "const", "xml"):
        if key in schema and holds_reference(schema[key]):
            del schema[key]  # a reference is to be followed, and these are data
    if schema.get("format") == "byte":
        schema.setdefault("contentEncoding", "base64")


def _type(schema: dict[str, Json], node: Node, warn: Warn) -> None:
    child = node.child("type")
    if child is None:
        return
    types: list[str] = []
    for name in child.value if isinstance(child.value, list) else [child.value]:
        name = "null" if name is None else name  # YAML: type: [string, null]
        lowered = name.lower() if isinstance(name, str) else ""
        if lowered not in TYPES and lowered != "file":
            warn(child, f"{describe(name)} is not a type; it is left out")
            continue
        if lowered != name:
            warn(child, f"the type is written '{lowered}', not '{name}'")
        types.append(lowered)
    if "file" in types:
        types = ["string" if one == "file" else one for one in types]
        schema["format"] = "binary"
    types = list(dict.fromkeys(types))
    if types:
        # First, where readers look for it.
        rest = dict(schema)
        schema.clear()
        schema["type"] = types[0] if len(types) == 1 else types
        schema.update(rest)


def _bounds(schema: dict[str, Json], node: Node) -> None:
    for exclusive, bound in EXCLUSIVE.items():
        # OpenAPI 3.0 and 2.0 take draft 4's boolean beside the bound.
        if node.value.get(exclusive) is True and bound in schema:
            schema[exclusive] = schema.pop(bound)


def _examples(schema: dict[str, Json], node: Node) -> None:
    value = node.value
    if "examples" not in schema and value.get("example") is not None:
        schema["examples"] = [value["example"]]
    written = value.get("examples")
    if isinstance(written, dict):  # the Examples Object of a parameter, in the wrong place
        found = [
            one["value"] for one in written.values() if isinstance(one, dict) and "value" in one
        ]
        if found:
            schema["examples"] = found


def _enum(schema: dict[str, Json], node: Node, warn: Warn) -> None:
    """`type: string` with `enum: [1, 2]` in YAML means the strings; no value could satisfy both as written."""
    child = node.child("enum")
    if child is None or schema.get("type") not in ("string", ["string", "null"]):
        return
    values = [_as_string(value) for value in child.elements()]
    if values != child.value:
        warn(child, "the values of a string's enum are strings; others are taken as written")
        schema["enum"] = unique(values)


def _as_string(node: Node) -> Json:
    if isinstance(node.value, (bool, int, float)):
        return node.as_text()
    return node.value


def holds_reference(value: Json) -> bool:
    if isinstance(value, dict):
        return isinstance(value.get("$ref"), str) or any(map(holds_reference, value.values()))
    return isinstance(value, list) and any(map(holds_reference, value))
