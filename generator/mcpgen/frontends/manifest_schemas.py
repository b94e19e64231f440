"""The schemas of a manifest: shorthand, `fields`, and JSON Schema 2020-12 with every keyword checked.

Takes Nodes, gives `ir.Schema`s in which each `$ref` is `#/$defs/<name>`. `$ref: '#/schemas/<name>'` is how a
manifest names its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from mcpgen.diagnostics import Diagnostics
from mcpgen.frontends.manifest_fields import MAP, TYPE, nearest, wrong_type
from mcpgen.frontends.shorthand import BadShorthand, Shorthand, parse
from mcpgen.ir import Field, Schema
from mcpgen.schema_keywords import (
    DROP,
    KEYWORDS,
    ONE_SCHEMA,
    SCHEMA_LISTS,
    SCHEMA_MAPS,
    TYPES,
    mismatch,
)
from mcpgen.source import Node, describe

Json = Any

OURS = "#/schemas/"
DEFS = "#/$defs/"
# Keywords that are right and need no look: identifiers and notes.
PASSED = ("$schema", "$id", "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef")


@dataclass(frozen=True, slots=True)
class ManifestSchemas:
    """`names` are the schemas of the manifest and of the document that is attached to it."""

    names: Collection[str]
    diagnostics: Diagnostics

    def shared(self, owner: Node | None) -> dict[str, Schema]:
        """The map `schemas`."""
        return {name: self.read(node) for name, node in (owner.items() if owner else ())}

    def read(self, node: Node) -> Schema:
        """A type: in a line, or as a JSON Schema."""
        if isinstance(node.value, str):
            found = self.line(node)
            if found and found.has_default:
                message = "a default belongs to an argument or field"
                self.diagnostics.error("bad-type", message, node.location)
            said = {"description": found.description} if found and found.description else {}
            return {**found.schema, **said} if found else {}
        return self._schema(node, local=frozenset())

    def line(self, node: Node) -> Shorthand | None:
        """A type in a line; None, after telling, where it is none."""
        try:
            return parse(node.value, self.names)
        except BadShorthand as bad:
            message = f"'{node.key}': {bad}"
            self.diagnostics.error(bad.code, message, node.location, hint=bad.hint)
            return None

    def fields(self, owner: Node | None) -> tuple[Field, ...]:
        """`name: type` or `name?: type` each; one with a default is optional however it is written."""
        found: dict[str, Field] = {}
        for key, node in owner.items() if owner else ():
            name = key.removesuffix("?")
            if name in found:
                message = f"'{name}' is there twice, with and without '?'"
                self.diagnostics.error("duplicate-key", message, node.location)
                continue
            found[name] = self._field(name, node, is_optional=key != name)
        return tuple(found.values())

    def _field(self, name: str, node: Node, *, is_optional: bool) -> Field:
        schema: Schema = {}
        description = ""
        if isinstance(node.value, str):
            if line := self.line(node):
                schema, description = line.schema, line.description
        elif isinstance(node.value, dict):
            schema = self._schema(node, local=frozenset())
        else:
            wrong_type(node, TYPE, self.diagnostics)
        has_default = isinstance(schema, dict) and "default" in schema
        return Field(name, schema, not (is_optional or has_default), node.location, description)

    def defaults(self, fields: Collection[Field], definitions: Mapping[str, Schema]) -> None:
        """Tell each default that its own schema refuses; wants all shared schemas."""
        for one in fields:
            if not isinstance(one.schema, dict) or "default" not in one.schema:
                continue
            default = one.schema["default"]
            if reason := mismatch(default, {**one.schema, "$defs": dict(definitions)}):
                message = f"the default of '{one.name}' is not what its type allows: {reason}"
                self.diagnostics.error("bad-default", message, one.location)

    def whole(self, node: Node) -> dict[str, Json]:
        """A schema that is listed as it is written, with definitions and anchors of its own."""
        own = node.value.get("$defs")
        local = frozenset(own) if isinstance(own, dict) else frozenset()
        schema = self._schema(node, local=local)
        if not isinstance(schema, dict) or schema.get("type") != "object":
            message = f"'{node.key}' must be the schema of an object: 'type: object' is missing"
            self.diagnostics.error("bad-schema", message, node.location)
            return {"type": "object"}
        return schema

    # --- JSON Schema

    def _schema(self, node: Node, *, local: frozenset[str]) -> Schema:
        value = node.value
        if isinstance(value, bool):
            return value
        if not isinstance(value, dict):
            self._bad(node, f"'{node.key}' must be a schema, not {describe(value)}")
            return True
        if "fields" in value:
            return self._object(node)
        schema: dict[str, Json] = {}
        for key, child in node.items():
            if key in ONE_SCHEMA:
                schema[key] = self._schema(child, local=local)
            elif key in SCHEMA_LISTS:
                schema[key] = self._list(child, local)
            elif key in SCHEMA_MAPS or key == "$defs":
                schema[key] = self._map(child, local)
            elif key == "$ref":
                schema[key] = self._reference(child, local)
            elif key in PASSED or key.startswith("x-"):
                schema[key] = child.value
            else:
                self._keyword(schema, key, child)
        return schema

    def _object(self, node: Node) -> Schema:
        """`fields`, with which only a description may stand."""
        for key, child in node.items():
            if key not in ("fields", "description", "title"):
                self._bad(child, f"'{key}' cannot stand beside 'fields'")
        owner = node.child("fields")
        if owner is None or not isinstance(owner.value, dict):
            wrong_type(
                Node(node.document, node.value["fields"], node, "fields"), MAP, self.diagnostics
            )
            return {}
        fields = self.fields(owner)
        schema: dict[str, Json] = {
            key: node.value[key] for key in ("title", "description") if key in node.value
        }
        schema |= {"type": "object", "properties": {one.name: _described(one) for one in fields}}
        if required := [one.name for one in fields if one.required]:
            schema["required"] = required
        return schema

    def _keyword(self, schema: dict[str, Json], key: str, node: Node) -> None:
        if key == "type":
            types = node.value if isinstance(node.value, list) else [node.value]
            for one in types:
                if one not in TYPES or not isinstance(one, str):
                    hint = nearest(str(one), sorted(TYPES))
                    message = f"'type' must be a type of JSON Schema, not {describe(one)}"
                    self.diagnostics.error("bad-schema", message, node.location, hint=hint)
                    return
            schema[key] = node.value
        elif key not in KEYWORDS:
            known = [*KEYWORDS, *ONE_SCHEMA, *SCHEMA_LISTS, *SCHEMA_MAPS, "type", "$ref", "fields"]
            hint = nearest(key, known)
            message = f"JSON Schema has no keyword '{key}'"
            self.diagnostics.error("bad-schema", message, node.location, hint=hint)
        else:
            check, wanted = KEYWORDS[key]
            checked = check(node.value)
            if checked is DROP:
                self._bad(node, f"'{key}' must be {wanted}, not {describe(node.value)}")
            else:
                schema[key] = checked

    def _list(self, node: Node, local: frozenset[str]) -> Json:
        if not isinstance(node.value, list) or not node.value:
            self._bad(node, f"'{node.key}' must be a list of schemas, not {describe(node.value)}")
            return []
        return [self._schema(one, local=local) for one in node.elements()]

    def _map(self, node: Node, local: frozenset[str]) -> Json:
        if not isinstance(node.value, dict):
            self._bad(
                node, f"'{node.key}' must be a mapping of schemas, not {describe(node.value)}"
            )
            return {}
        return {name: self._schema(one, local=local) for name, one in node.items()}

    def _reference(self, node: Node, local: frozenset[str]) -> Json:
        ref = node.value
        if not isinstance(ref, str):
            self._bad(node, f"'$ref' must be a text, not {describe(ref)}")
            return DEFS
        if local and ref.startswith("#") and ref.removeprefix(DEFS) in local:
            return ref
        if ref.startswith("#") and "/" not in ref and local:
            return ref  # an anchor of the schema's own
        name = ref.removeprefix(OURS)
        if name not in self.names:
            hint = nearest(name, self.names, "schemas:") or f"'{OURS}Name' names a schema"
            message = f"there is no schema '{ref}'"
            self.diagnostics.error("unknown-type", message, node.location, hint=hint)
            return DEFS + "any"
        return DEFS + name

    def _bad(self, node: Node, message: str) -> None:
        self.diagnostics.error("bad-schema", message, node.location)


def _described(one: Field) -> Schema:
    if one.description and isinstance(one.schema, dict):
        return {**one.schema, "description": one.description}
    return one.schema
