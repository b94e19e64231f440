"""The tools as the APIs of models want them declared: the value of `tools` in a request.

A schema that an API would refuse is loosened, never tightened: the server checks each call against its own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..messages import Json

OPENAI_DESCRIPTION = 1_024  # characters that it takes
DATA = ("default", "const", "enum", "examples")  # keywords whose values are no schemas


def openai(tools: list[Json]) -> Json:
    """Chat Completions, as servers compatible with it take it too."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": _cut(tool["description"], OPENAI_DESCRIPTION),
                "parameters": _with_items(tool["inputSchema"]),
            },
        }
        for tool in tools
    ]


def anthropic(tools: list[Json]) -> Json:
    """The Messages API."""
    return [
        {key: tool[key] for key in ("name", "description")} | {"input_schema": tool["inputSchema"]}
        for tool in tools
    ]


def gemini(tools: list[Json]) -> Json:
    """`generateContent`, whose schemas are a subset of those of OpenAPI 3.0."""
    return [{"functionDeclarations": [_declaration(tool) for tool in tools]}]


# format → how it is made, and how many tools the API takes at once (0: no known limit)
FORMATS: dict[str, tuple[Callable[[list[Json]], Json], int]] = {
    "json": (lambda tools: tools, 0),
    "openai": (openai, 128),
    "anthropic": (anthropic, 0),
    "gemini": (gemini, 512),
}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _with_items(value: Json) -> Json:
    """An array without `items` is refused."""
    if isinstance(value, list):
        return [_with_items(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: one if key in DATA else _with_items(one) for key, one in value.items()}
    kind = value.get("type")
    if kind == "array" or (isinstance(kind, list) and "array" in kind):
        found.setdefault("items", {})
    return found


# --- Gemini

FORMATS_KEPT = {
    "string": ("date-time",),
    "integer": ("int32", "int64"),
    "number": ("float", "double"),
}
KEPT = {
    "string": ("minLength", "maxLength", "pattern"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}
# What has no spelling there goes as text: the server takes a string that holds the JSON of the array or object it wants.
AS_TEXT = "Give it as JSON text."
MOST_NESTED = 5  # references within references that are written out


def _declaration(tool: Json) -> Json:
    schema = tool["inputSchema"]
    declared: Json = {"name": tool["name"], "description": tool["description"]}
    if schema.get("properties"):  # an object without any is refused
        declared["parameters"] = Reduction(schema.get("$defs", {})).reduce(schema)
    return declared


class Reduction:
    """Brings the schemas of one tool into the subset: references written out, types single, enums of text."""

    def __init__(self, definitions: dict[str, Json]) -> None:
        self._definitions = definitions

    def reduce(self, schema: Json, within: tuple[str, ...] = ()) -> Json:
        """`within` are the references that are being written out; what refers back to one goes as text."""
        if not isinstance(schema, dict):
            return {"type": "STRING"}
        schema, within = self._merge(schema, within)
        if schema is None or len(within) > MOST_NESTED:
            return _text({})
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self._union(schema, schema[word], within)
        kinds = schema.get("type") or _implied(schema)
        if isinstance(kinds, list):
            return self._union(schema, [{**schema, "type": kind} for kind in kinds], within)
        return self._single(schema, kinds, within)

    def _merge(self, schema: Json, within: tuple[str, ...]) -> tuple[Json, tuple[str, ...]]:
        """The schema in one with what it refers to and the members of its `allOf`; None where it refers to itself."""
        merged = {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}
        parts = list(schema.get("allOf", ()))
        if "$ref" in schema:
            if schema["$ref"] in within:
                return None, within
            within = (*within, schema["$ref"])
            parts.append(self._definitions.get(schema["$ref"].removeprefix("#/$defs/"), {}))
        inner = within
        for part in parts:
            if isinstance(part, dict):
                part, seen = self._merge(part, within)
                inner = max(inner, seen, key=len)
                merged = _joined(merged, part or {})
        if merged.get("properties"):  # an object of several forms has the properties of all
            for word in ("anyOf", "oneOf"):
                for part in merged.pop(word, ()):
                    part, _ = self._merge(part, inner) if isinstance(part, dict) else ({}, ())
                    extra = {"properties": (part or {}).get("properties", {})}
                    merged = _joined(merged, extra)
        return merged, inner

    def _union(self, schema: Json, members: list[Json], within: tuple[str, ...]) -> Json:
        reduced = [self.reduce(one, within) for one in members if not _is_null(one)]
        unique = [one for at, one in enumerate(reduced) if one not in reduced[:at]]
        said = {"nullable": True} if len(reduced) < len(members) else {}
        if "description" in schema:
            said["description"] = schema["description"]
        if len(unique) == 1:
            return {**unique[0], **said}
        return {"anyOf": unique, **said} if unique else {"type": "STRING", **said}

    def _single(self, schema: Json, kind: str, within: tuple[str, ...]) -> Json:
        found: Json = {"type": kind.upper()}
        if "description" in schema:
            found["description"] = schema["description"]
        found.update({key: schema[key] for key in KEPT.get(kind, ()) if key in schema})
        if schema.get("format") in FORMATS_KEPT.get(kind, ()):
            found["format"] = schema["format"]
        _restrict(found, schema)
        if kind == "object":
            properties = schema.get("properties")
            if not properties:
                return _text(schema)
            found["properties"] = {
                name: self.reduce(one, within) for name, one in properties.items()
            }
            required = [name for name in properties if name in schema.get("required", ())]
            if required:
                found["required"] = required
        elif kind == "array":
            found["items"] = self.reduce(schema.get("items", {}), within)
        return found


def _joined(first: Json, second: Json) -> Json:
    """Both schemas in one; where they differ, the first counts."""
    joined = {**second, **first}
    if "properties" in second:
        joined["properties"] = {**second["properties"], **first.get("properties", {})}
    if "required" in second:
        joined["required"] = [*second["required"], *first.get("required", ())]
    return joined


def _restrict(found: Json, schema: Json) -> None:
    """Say which values there are: text as `enum`, others in words."""
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    if None in values:
        found["nullable"] = True
    values = [one for one in values if one is not None]
    if values and found["type"] == "STRING" and all(isinstance(one, str) for one in values):
        if "" not in values:  # which is refused as a member
            found["enum"] = values
    elif values:
        found["description"] = _said(found, f"One of {', '.join(map(str, values))}.")


def _text(schema: Json) -> Json:
    return {"type": "STRING", "description": _said(schema, AS_TEXT)}


def _said(schema: Json, more: str) -> str:
    return " ".join(filter(None, (schema.get("description"), more)))


def _is_null(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def _implied(schema: Json) -> str:
    """The type of a schema that names none."""
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema else "string"
