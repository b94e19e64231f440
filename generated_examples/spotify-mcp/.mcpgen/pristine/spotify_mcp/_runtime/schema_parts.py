"""A schema in portions that a model's context bears: its upper levels, and any part by its JSON Pointer (RFC 6901)."""

from __future__ import annotations

from .errors import invalid
from .messages import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .messages import Json

LONGEST = 8_000  # bytes of a portion: about 2,000 tokens
DEEPEST = 12  # levels
# What holds schemas by name, one schema, and several (JSON Schema 2020-12 Core, 10.2 and 10.3).
NAMED = ("properties", "patternProperties", "dependentSchemas")
SINGLE = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")
SEVERAL = ("prefixItems", "anyOf", "oneOf", "allOf")
HOLDERS = {*NAMED, *SINGLE, *SEVERAL}
SAID = ("type", "title", "description")  # of what is left out


def portion(schema: Json, pointer: str = "") -> Json:
    """The part at the pointer, with the definitions that it refers to. What lies too deep to fit is left out.

    `part` stands in its place: the pointer by which it is had. Raises ToolError where the pointer leads nowhere.
    """
    found = _at(schema, pointer)
    if found is schema:
        found = {key: value for key, value in schema.items() if key != "$defs"}
    for depth in range(DEEPEST, -1, -1):
        shown = _upper(found, pointer, depth)
        if definitions := _definitions(shown, schema.get("$defs", {}), depth):
            shown["$defs"] = definitions
        if len(encode(shown)) <= LONGEST:
            break
    return shown


def _at(schema: Json, pointer: str) -> Json:
    found = schema
    for token in map(_name, pointer.split("/")[1:]):
        if isinstance(found, list):
            found = dict(zip(map(str, range(len(found))), found))
        found = found.get(token) if isinstance(found, dict) else None
    if not isinstance(found, dict) or (pointer and not pointer.startswith("/")):
        raise invalid("part", f"the schema has no part {pointer!r}")
    return found


def _upper(schema: dict[str, Json], pointer: str, depth: int) -> dict[str, Json]:
    """The schema with `depth` levels of those within it."""
    shown: dict[str, Json] = {}
    for key, value in schema.items():
        at = f"{pointer}/{key}"
        if key in NAMED and isinstance(value, dict):
            shown[key] = {
                name: _cut(inner, f"{at}/{_token(name)}", depth) for name, inner in value.items()
            }
        elif key in SEVERAL and isinstance(value, list):
            shown[key] = [_cut(inner, f"{at}/{index}", depth) for index, inner in enumerate(value)]
        elif key in SINGLE:
            shown[key] = _cut(value, at, depth)
        else:
            shown[key] = value
    return shown


def _cut(schema: Json, pointer: str, depth: int) -> Json:
    if not isinstance(schema, dict) or not schema.keys() & HOLDERS:
        return schema
    if depth > 0:
        return _upper(schema, pointer, depth - 1)
    return {**{key: schema[key] for key in SAID if key in schema}, "part": pointer}


def _definitions(shown: Json, definitions: dict[str, Json], depth: int) -> dict[str, Json]:
    """Those that are referred to, and those that these refer to."""
    found: dict[str, Json] = {}
    wanted = list(_references(shown))
    while wanted:
        name = wanted.pop()
        if name in definitions and name not in found:
            found[name] = _cut(definitions[name], f"/$defs/{_token(name)}", depth)
            wanted += _references(found[name])
    return dict(sorted(found.items()))


def _references(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith("#/$defs/"):
            yield _name(target.split("/")[2])
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _references(inner)


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _name(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")
