"""Cut the cycles that no value could end: a schema that, for one and the same value, asks for itself.

`Pet: {oneOf: [Cat]}` with `Cat: {allOf: [Pet, …]}` is common, and sends a validator round for ever. What
`Cat` means by `Pet` is its properties, without the choice. Recursion through properties or items is fine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = Any
Schemas = dict[str, Any]

DEFS = "#/$defs/"
LISTS = ("allOf", "anyOf", "oneOf")
SINGLE = ("not", "if", "then", "else")
IN_PLACE = frozenset({"$ref", *LISTS, *SINGLE, "dependentSchemas"})


def cut_cycles(schemas: Schemas) -> None:
    """Change the schemas so that following what applies in place always ends."""
    graph = {name: list(_names_in_place(schema)) for name, schema in schemas.items()}
    groups = _groups(graph)
    cutter = _Cutter(schemas, groups)
    for name in [name for name in schemas if name in groups]:
        cutter.cut_inheritance(name)
    _cut_rest(schemas, cutter)


def _parts_in_place(schema: Json) -> Iterator[Json]:
    """The subschemas that apply to the same value."""
    if not isinstance(schema, dict):
        return
    for key in LISTS:
        yield from schema.get(key, ())
    for key in SINGLE:
        if key in schema:
            yield schema[key]
    yield from schema.get("dependentSchemas", {}).values()


def _names_in_place(schema: Json) -> Iterator[str]:
    stack = [schema]
    while stack:
        one = stack.pop()
        if isinstance(one, dict) and "$ref" in one:
            yield one["$ref"][len(DEFS) :]
        stack += _parts_in_place(one)


def _groups(graph: dict[str, list[str]]) -> dict[str, int]:
    """The strongly connected parts that hold a cycle (Tarjan, without recursion): name → number of its part."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups: dict[str, int] = {}
    for root in graph:
        if root in order:
            continue
        work: list[tuple[str, Iterator[str]]] = [(root, iter(graph[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            name, following = work[-1]
            for other in following:
                if other not in graph:
                    continue
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on_stack:
                    low[name] = min(low[name], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == order[name]:
                    members = stack[stack.index(name) :]
                    del stack[stack.index(name) :]
                    on_stack.difference_update(members)
                    if len(members) > 1 or name in graph[name]:
                        groups.update(dict.fromkeys(members, order[name]))
    return groups


class _Cutter:
    def __init__(self, schemas: Schemas, groups: dict[str, int]) -> None:
        self.schemas = schemas
        self.groups = groups
        self.bases: dict[str, str] = {}

    def cut_inheritance(self, name: str) -> None:
        """Let `allOf` in the named schema mean a parent without the choice that leads back."""
        schema = self.schemas[name]
        if isinstance(schema, dict) and "allOf" in schema:
            parts = [self._parent(name, part) for part in schema["allOf"]]
            self.schemas[name] = {**schema, "allOf": parts}

    def _parent(self, name: str, part: Json) -> Json:
        parent = part["$ref"][len(DEFS) :] if isinstance(part, dict) and "$ref" in part else None
        if parent is None or self.groups.get(parent) != self.groups[name]:
            return part
        schema = self.schemas[parent]
        chooses = isinstance(schema, dict) and ("oneOf" in schema or "anyOf" in schema)
        return {**part, "$ref": DEFS + self.base(parent)} if chooses else part

    def base(self, name: str) -> str:
        """The name of what a schema says itself, without what applies in place and leads back."""
        if name not in self.bases:
            base = self.bases[name] = self._free_name(name)
            self.schemas[base] = self._without_cycle(name)
        return self.bases[name]

    def _without_cycle(self, name: str) -> Json:
        schema = self.schemas[name]
        if not isinstance(schema, dict):
            return schema
        kept = {key: value for key, value in schema.items() if key not in IN_PLACE}
        group = self.groups[name]
        parts = [
            part
            for part in schema.get("allOf", ())
            if all(self.groups.get(other) != group for other in _names_in_place(part))
        ]
        return {**kept, "allOf": parts} if parts else kept

    def _free_name(self, name: str) -> str:
        base, number = f"{name}Base", 1
        while base in self.schemas:
            number += 1
            base = f"{name}Base{number}"
        return base


def _cut_rest(schemas: Schemas, cutter: _Cutter) -> None:
    """Cut what still closes a cycle, found depth first."""
    done: set[str] = set()
    for root in list(schemas):
        path: list[str] = []
        work = [(root, iter(list(_names_in_place(schemas[root]))))] if root not in done else []
        path += [root] if work else []
        while work:
            name, following = work[-1]
            for other in following:
                if other in path:
                    schemas[name] = _replace(schemas[name], other, cutter.base(other))
                elif other in schemas and other not in done:
                    work.append((other, iter(list(_names_in_place(schemas[other])))))
                    path.append(other)
                    break
            else:
                done.add(name)
                work.pop()
                path.pop()


def _replace(schema: Json, name: str, base: str) -> Json:
    """The schema with references in place to `name` made references to `base`."""
    if not isinstance(schema, dict):
        return schema
    changed = dict(schema)
    if changed.get("$ref") == DEFS + name:
        changed["$ref"] = DEFS + base
    for key in LISTS:
        if key in changed:
            changed[key] = [_replace(part, name, base) for part in changed[key]]
    for key in SINGLE:
        if key in changed:
            changed[key] = _replace(changed[key], name, base)
    if "dependentSchemas" in changed:
        parts = changed["dependentSchemas"].items()
        changed["dependentSchemas"] = {key: _replace(part, name, base) for key, part in parts}
    return changed
