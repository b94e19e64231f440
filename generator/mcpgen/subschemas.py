"""Where a JSON Schema holds other schemas, and what it refers to (JSON Schema 2020-12 core §10, §11).

Everything that walks a schema of the IR walks it by these tables, so that a property called `items` or a value in an
`enum` is never taken for a schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from urllib.parse import unquote

from mcpgen.ir import Json, Schema

REF = "#/$defs/"

# Keywords whose value is a schema, a list of schemas, or a map of schemas.
ONE = frozenset(
    "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties"
    " contentSchema".split()
)
MANY = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
NAMED = frozenset(["properties", "patternProperties", "dependentSchemas", "$defs"])

# Words that constrain nothing, so that they may replace those of what a `$ref` means.
ANNOTATIONS = frozenset(["title", "description", "default", "deprecated", "examples"])


def ref_name(ref: str) -> str:
    return unquote(ref.removeprefix(REF)).replace("~1", "/").replace("~0", "~")


def map_children(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """The same schema with each schema right inside it changed."""
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Json] = {}
    for key, value in schema.items():
        if key in ONE:
            made[key] = change(value)
        elif key in MANY and isinstance(value, list):
            made[key] = [change(one) for one in value]
        elif key in NAMED and isinstance(value, dict):
            made[key] = {name: change(one) for name, one in value.items()}
        else:
            made[key] = value
    return made


def references(schema: Json) -> Iterator[str]:
    """The names of all definitions that a schema refers to, each as often as it does."""
    stack = [schema]
    while stack:
        found = stack.pop()
        if not isinstance(found, dict):
            continue
        for key, value in found.items():
            if key == "$ref" and isinstance(value, str) and value.startswith(REF):
                yield ref_name(value)
            elif key in ONE:
                stack.append(value)
            elif key in MANY and isinstance(value, list):
                stack.extend(value)
            elif key in NAMED and isinstance(value, dict):
                stack.extend(value.values())


def inline_single_uses(schema: Mapping[str, Json]) -> dict[str, Json]:
    """A schema with `$defs` where each definition that is used once, and not by itself, stands where it is used.

    That is shorter, and some clients' APIs take no `$ref`.
    """
    definitions: Mapping[str, Schema] = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    uses: dict[str, int] = {}
    for name in references(dict(schema)):
        uses[name] = uses.get(name, 0) + 1
    needs = {name: set(references(one)) for name, one in definitions.items()}
    inlined = {
        name for name in definitions if uses.get(name) == 1 and not _is_recursive(name, needs)
    }

    def change(node: Schema) -> Schema:
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            name = ref_name(node["$ref"])
            beside = {key: value for key, value in node.items() if key != "$ref"}
            target = definitions.get(name)
            if name in inlined and isinstance(target, dict) and beside.keys() <= ANNOTATIONS:
                return {**_as_dict(map_children(target, change)), **beside}
            inlined.discard(name)
        return map_children(node, change)

    made = _as_dict(map_children(root, change))
    kept: dict[str, Schema] = {}
    queue = list(references(made))
    while queue:
        name = queue.pop(0)
        if name not in kept and name in definitions:
            kept[name] = map_children(definitions[name], change)
            queue.extend(references(kept[name]))
    return {**made, "$defs": kept} if kept else made


def _is_recursive(name: str, needs: Mapping[str, set[str]]) -> bool:
    seen: set[str] = set()
    stack = list(needs[name])
    while stack:
        found = stack.pop()
        if found == name:
            return True
        if found not in seen:
            seen.add(found)
            stack.extend(needs.get(found, ()))
    return False


def _as_dict(schema: Schema) -> dict[str, Json]:
    return schema if isinstance(schema, dict) else {}
