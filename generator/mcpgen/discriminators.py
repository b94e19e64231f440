"""OpenAPI discriminators in plain JSON Schema: each variant carries its value as a `const`."""

from __future__ import annotations

from typing import Any

from mcpgen.diagnostics import Diagnostics
from mcpgen.refs import Resolver, Unresolved, reference
from mcpgen.source import Node

Json = Any

COMPONENTS = ("#/components/schemas/", "#/definitions/")


def tell_apart(node: Node, schema: dict[str, Json], resolver: Resolver) -> dict[str, Json]:
    """The schema at `node`, its `oneOf` or `anyOf` told apart as its `discriminator` says."""
    discriminator = node.child("discriminator")
    if discriminator is None or not isinstance(discriminator.value, dict):
        return schema
    name = discriminator.value.get("propertyName")
    if not isinstance(name, str):
        return schema
    for keyword in ("oneOf", "anyOf"):
        variants = node.child(keyword)
        if variants is None or keyword not in schema:
            continue
        targets = [_target(variant, resolver) for variant in variants.elements()]
        values = _values(discriminator, targets, resolver)
        pairs = zip(schema[keyword], targets, strict=True)
        schema[keyword] = [_marked(one, name, values, target, resolver) for one, target in pairs]
    return schema


def _target(variant: Node, resolver: Resolver) -> Node | None:
    ref = reference(variant)
    if ref is None:
        return None
    try:
        return resolver.follow(variant)
    except Unresolved:
        return None  # it was reported where the schema was read


def _values(
    discriminator: Node, targets: list[Node | None], resolver: Resolver
) -> dict[int, list[str]]:
    """The values that mean each target, by the identity of the target's value."""
    mapping = discriminator.child("mapping")
    values: dict[int, list[str]] = {}
    for value, node in mapping.items() if mapping else ():
        target = _mapped(node, resolver)
        if target is not None:
            values.setdefault(id(target.value), []).append(value)
    if not values:  # OpenAPI §4.8.25: then the values are the names of the schemas
        for target in targets:
            if target is not None and target.pointer.startswith(COMPONENTS):
                values.setdefault(id(target.value), []).append(str(target.key))
    return values


def _mapped(node: Node, resolver: Resolver) -> Node | None:
    """What an entry of the mapping names: a component by its name, or anything by reference."""
    if not isinstance(node.value, str):
        return None
    components = resolver.root.root.child("components")
    schemas = components.child("schemas") if components else None
    component = schemas.child(node.value) if schemas else None
    if component is not None:
        return component
    try:
        return resolver.target(node, node.value)
    except Unresolved:
        return None


def _marked(
    schema: Json, name: str, values: dict[int, list[str]], target: Node | None, resolver: Resolver
) -> Json:
    found = values.get(id(target.value)) if target is not None else None
    if target is None or not found or _is_marked(target, name, resolver):
        return schema
    mark = {"const": found[0]} if len(found) == 1 else {"enum": found}
    return {"allOf": [schema, {"properties": {name: mark}}]}


def _is_marked(target: Node, name: str, resolver: Resolver) -> bool:
    """Whether the variant says itself which one value the property has."""
    properties = target.child("properties")
    found = properties.child(name) if properties else None
    if found is not None and reference(found) is not None:
        try:
            found = resolver.follow(found)
        except Unresolved:
            return False
    if found is None or not isinstance(found.value, dict):
        return False
    enum = found.value.get("enum")
    return "const" in found.value or (isinstance(enum, list) and len(enum) == 1)
