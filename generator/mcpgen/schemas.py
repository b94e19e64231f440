"""Schemas of every OpenAPI version to JSON Schema 2020-12, each referenced one once, under a name.

Takes Nodes, gives `ir.Schema`s in which every `$ref` is `#/$defs/<name>`. Tolerant: a wrong keyword is
dropped with a warning, since it must not cost the operation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from os.path import basename, splitext
from re import compile as regex
from typing import Any

from mcpgen.diagnostics import Diagnostics
from mcpgen.discriminators import tell_apart
from mcpgen.refs import Resolver, Unresolved, reference
from mcpgen.schema_cycles import cut_cycles
from mcpgen.schema_keywords import (
    DROP,
    KEYWORDS,
    ONE_SCHEMA,
    SCHEMA_LISTS,
    SCHEMA_MAPS,
)
from mcpgen.schema_repairs import EXCLUSIVE, settle
from mcpgen.source import Node, describe

Json = Any
Schema = dict[str, Any] | bool

DEFS = "#/$defs/"
NOT_IN_NAMES = regex(r"[^A-Za-z0-9_.-]+")
# Tokens that tell nothing about what a schema is.
PLACES = regex(
    r"schema|properties|patternProperties|items|prefixItems|additionalProperties|allOf|anyOf|oneOf|not|"
    r"content|responses|requestBody|parameters|paths|get|put|post|delete|patch|\d+|.*/.*"
)
BESIDE_REF_30 = ("title", "description", "deprecated", "readOnly", "writeOnly")  # harmless there
ANNOTATIONS = (*BESIDE_REF_30, "default", "examples", "xml")
COMBINED = ("$ref", "allOf", "anyOf", "oneOf")


class Schemas:
    """Reads schemas; keeps those that are referred to. `ref_siblings`: whether keywords beside `$ref` apply (3.1)."""

    def __init__(
        self,
        resolver: Resolver,
        diagnostics: Diagnostics,
        components: Node | None,
        *,
        ref_siblings: bool,
    ) -> None:
        self.resolver = resolver
        self.diagnostics = diagnostics
        self.ref_siblings = ref_siblings
        self.missing: dict[str, str] = {}  # names that stand for a reference that leads nowhere
        self._named: dict[str, Schema] = {}
        self._names: dict[tuple[str, Json], str] = {}  # of each target
        self._taken: set[str] = set()
        self._waiting: deque[tuple[str, Node]] = deque()
        for key, node in components.items() if components else ():
            name = self._free_name(key)  # the root's names win
            self._names.setdefault(_identity(node), name)

    def read(self, node: Node | None) -> Schema:
        """The schema at a node; what it refers to is read too, later, so that recursion ends."""
        schema = True if node is None else self._schema(node)
        self._read_waiting()
        return schema

    def finish(self) -> Mapping[str, Schema]:
        """All the schemas that are referred to, by name, in the order they were met."""
        cut_cycles(self._named)
        return self._named

    def missing_behind(self, schemas: Iterable[Schema]) -> str | None:
        """A reference that leads nowhere and that one of the schemas needs."""
        if not self.missing:
            return None
        stack: list[Json] = list(schemas)
        seen: set[str] = set()
        while stack:
            value = stack.pop()
            if isinstance(value, list):
                stack += value
            elif isinstance(value, dict):
                name = referred(value)
                if name in self.missing:
                    return self.missing[name]
                if name is not None and name not in seen:
                    seen.add(name)
                    stack.append(self._named.get(name))
                stack += value.values()
        return None

    def _read_waiting(self) -> None:
        while self._waiting:
            name, node = self._waiting.popleft()
            self._named[name] = self._schema(node)

    def _schema(self, node: Node) -> Schema:
        value = node.value
        if isinstance(value, bool):
            return value
        if value is None:
            return True
        if not isinstance(value, dict):
            self._warn(node, f"'{node.key}' must be a schema, not {describe(value)}")
            return True
        ref = reference(node)
        if ref is None:
            return self._object(node, "$dynamicRef" in value or "$recursiveRef" in value)
        target = self._reference(node, ref)
        if self.ref_siblings and len(value) > 1:
            return self._beside(target, self._object(node, False))
        beside = {key: value[key] for key in BESIDE_REF_30 if key in value}
        schema = self._beside(
            target, self._keywords(Node(node.document, beside, node.parent, node.key))
        )
        return nullable(schema) if is_nullable(value) else schema

    def _beside(self, target: dict[str, Json], schema: Schema) -> Schema:
        return {**target, **schema} if isinstance(schema, dict) else target

    def _reference(self, node: Node, ref: str) -> dict[str, Json]:
        try:
            target = self.resolver.target(node, ref)
            if isinstance(target.value, dict) and target.value.keys() == {"$ref"}:
                target = self.resolver.follow(target)
        except Unresolved as unresolved:
            return {"$ref": DEFS + self._stand_in(unresolved.ref)}
        return {"$ref": DEFS + self._name(target)}

    def _stand_in(self, ref: str) -> str:
        key = ("", ref)
        if key not in self._names:
            name = self._names[key] = self._free_name(ref.rpartition("/")[2])
            self.missing[name] = ref
            self._named[name] = True
        return self._names[key]

    def _name(self, target: Node) -> str:
        identity = _identity(target)
        if identity not in self._names:
            self._names[identity] = self._free_name(_telling_part(target))
        name = self._names[identity]
        if name not in self._named:
            self._named[name] = True  # its place in the order; the schema follows
            self._waiting.append((name, target))
        return name

    def _free_name(self, wanted: str) -> str:
        clean = NOT_IN_NAMES.sub("_", wanted).strip("_") or "schema"
        name, number = clean, 1
        while name in self._taken:
            number += 1
            name = f"{clean}{number}"
        self._taken.add(name)
        return name

    def _object(self, node: Node, dynamic: bool) -> Schema:
        schema = self._keywords(node)
        for keyword in ("$dynamicRef", "$recursiveRef") if dynamic else ():
            ref = node.value.get(keyword)
            if isinstance(ref, str) and "$ref" not in schema:
                schema.update(self._reference(node, ref))
        schema = tell_apart(node, schema, self.resolver)
        return nullable(schema) if is_nullable(node.value) else schema

    def _keywords(self, node: Node) -> dict[str, Json]:
        schema: dict[str, Json] = {}
        for key, value in node.value.items():
            if value is None and key not in ("default", "const", "example"):
                continue
            if key in KEYWORDS:
                self._plain(schema, node, key, value)
            elif key == "items" and isinstance(value, list):
                self._tuple(schema, node)
            elif key in ONE_SCHEMA:
                schema[key] = self._schema(Node(node.document, value, node, key))
            elif key in SCHEMA_LISTS:
                self._list(schema, Node(node.document, value, node, key))
            elif key in SCHEMA_MAPS:
                self._map(schema, Node(node.document, value, node, key))
            elif key == "dependencies":
                self._dependencies(schema, Node(node.document, value, node, key))
        settle(schema, node, self._warn)
        return schema

    def _plain(self, schema: dict[str, Json], node: Node, key: str, value: Json) -> None:
        check, wanted = KEYWORDS[key]
        checked = check(value)
        if checked is not DROP:
            schema[key] = checked
        elif not (isinstance(value, bool) and key in EXCLUSIVE) and key != "examples":
            child = Node(node.document, value, node, key)
            self._warn(child, f"'{key}' must be {wanted}, not {describe(value)}; it is left out")

    def _list(self, schema: dict[str, Json], node: Node) -> None:
        if not isinstance(node.value, list):
            self._warn(node, f"'{node.key}' must be a list of schemas, not {describe(node.value)}")
        elif node.value:
            schema[str(node.key)] = [self._schema(item) for item in node.elements()]

    def _map(self, schema: dict[str, Json], node: Node) -> None:
        key = str(node.key)
        if not isinstance(node.value, dict):
            self._warn(node, f"'{key}' must be a mapping of schemas, not {describe(node.value)}")
        else:
            schema[key] = {name: self._schema(item) for name, item in node.items()}

    def _tuple(self, schema: dict[str, Json], node: Node) -> None:
        """`items` with a list is older than 2020-12, and `additionalItems` goes with it."""
        items = node.child("items")
        schema["prefixItems"] = [self._schema(item) for item in items.elements()] if items else []
        if "additionalItems" in node.value:
            schema["items"] = self._schema(
                Node(node.document, node.value["additionalItems"], node, "additionalItems")
            )
        if not schema["prefixItems"]:
            del schema["prefixItems"]

    def _dependencies(self, schema: dict[str, Json], node: Node) -> None:
        """Split in 2019-09 into lists of names and schemas."""
        for name, child in node.items():
            if isinstance(child.value, list):
                names = [other for other in child.value if isinstance(other, str)]
                schema.setdefault("dependentRequired", {})[name] = list(dict.fromkeys(names))
            else:
                schema.setdefault("dependentSchemas", {})[name] = self._schema(child)

    def _warn(self, node: Node, message: str) -> None:
        self.diagnostics.warning("bad-schema", message, node.location)


def _identity(node: Node) -> tuple[str, Json]:
    """What two Nodes share that stand for the same place. Containers live as long as their document."""
    if isinstance(node.value, (dict, list)):
        return "value", id(node.value)
    return node.document.file, node.pointer


def _telling_part(target: Node) -> str:
    for token in reversed(target.tokens):
        if not PLACES.fullmatch(str(token)):
            return str(token)
    return splitext(basename(target.document.file))[0] if not target.tokens else "schema"


def referred(schema: Json) -> str | None:
    ref = schema.get("$ref") if isinstance(schema, dict) else None
    return ref[len(DEFS) :] if isinstance(ref, str) else None


def is_nullable(value: Mapping[str, Json]) -> bool:
    return value.get("nullable") is True or value.get("x-nullable") is True


def nullable(schema: Schema) -> Schema:
    """The schema, and null. An enum stays as it is: OpenAPI 3.0.3 wants null listed there too."""
    if isinstance(schema, bool):
        return schema
    if any(key in schema for key in COMBINED):
        outside = {key: value for key, value in schema.items() if key in ANNOTATIONS}
        inside = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
        return {"anyOf": [inside, {"type": "null"}], **outside}
    if "type" not in schema:
        return schema
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": types if "null" in types else [*types, "null"]}
