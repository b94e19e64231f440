"""What a schema asks for, all its parts taken together.

Takes schemas one after another, gives one that is as narrow as all of them: `allOf` and references are no more to be
followed. Knows nothing of examples but that a document gives some.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping
from fractions import Fraction

from mcpgen.ir import Json, Schema
from mcpgen.subschemas import NAMED, ONE

LIMITS = {
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
}


# Keys of a merged schema that JSON Schema does not have: what the document gives, and what must be chosen from.
GIVEN = "given values"
CHOICES = "lists of variants"


# Which type a schema without `type` speaks of.
TELLING = {
    "object": frozenset(
        "properties required additionalProperties patternProperties minProperties propertyNames".split()
    ),
    "array": frozenset("items prefixItems minItems uniqueItems contains".split()),
    "string": frozenset("pattern format minLength maxLength contentEncoding".split()),
    "number": frozenset("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split()),
}


class Contradiction(Exception):
    """No value satisfies both parts."""


def take_in(schema: Mapping[str, Json], merged: dict[str, Json]) -> None:
    """Narrow the merged schema by another."""
    given = schema.get("examples")
    merged.setdefault(GIVEN, []).extend(given if isinstance(given, list) else ())
    merged[GIVEN].extend(schema[word] for word in ("example", "default") if word in schema)
    for word, value in schema.items():
        match word:
            case "examples" | "example" | "default" | "then" | "else":
                pass
            case "if":
                merged.setdefault(CHOICES, []).append(_branches(schema))
            case "oneOf" | "anyOf":
                merged.setdefault(CHOICES, []).append(value)
            case "const":
                _narrow("enum", [value], merged)
            case _:
                _narrow(word, value, merged)


def _branches(schema: Mapping[str, Json]) -> list[Schema]:
    condition = schema["if"]
    return [
        {"allOf": [condition, schema.get("then", True)]},
        {"allOf": [{"not": condition}, schema.get("else", True)]},
    ]


def _narrow(word: str, value: Json, merged: dict[str, Json]) -> None:
    if word not in merged:
        merged[word] = value
        return
    present = merged[word]
    match word:
        case "type":
            merged[word] = _common_types(present, value)
        case "enum":
            merged[word] = [one for one in present if any(is_same(one, other) for other in value)]
        case "required":
            merged[word] = list(dict.fromkeys([*present, *value]))
        case "uniqueItems":
            merged[word] = present or value
        case "multipleOf":
            merged[word] = _common_multiple(present, value)
        case "not":
            merged[word] = {"anyOf": [present, value]}
        case _ if word in LIMITS:
            merged[word] = LIMITS[word](present, value)
        case _ if word in NAMED and isinstance(present, dict) and isinstance(value, dict):
            merged[word] = present | {
                name: {"allOf": [present[name], one]} if name in present else one
                for name, one in value.items()
            }
        case "prefixItems":
            pairs = itertools.zip_longest(present, value, fillvalue=True)
            merged[word] = [{"allOf": list(pair)} for pair in pairs]
        case _ if word in ONE:
            both = [present, value]
            merged[word] = False if False in both else {"allOf": both}
        case _:
            pass  # the first one holds; the check at the end knows both


def _common_types(one: Json, other: Json) -> Json:
    first = one if isinstance(one, list) else [one]
    second = other if isinstance(other, list) else [other]
    common = [kind for kind in first if kind in second]
    if not common and "integer" in [*first, *second] and "number" in [*first, *second]:
        common = ["integer"]
    if not common:
        raise Contradiction(f"no value is both {one} and {other}")
    return common


def _common_multiple(one: Json, other: Json) -> Json:
    a, b = Fraction(str(one)), Fraction(str(other))
    found = Fraction(math.lcm(a.numerator, b.numerator), math.gcd(a.denominator, b.denominator))
    return int(found) if found.denominator == 1 else float(found)


def given_values(merged: Mapping[str, Json], turn: int) -> list[Json]:
    """Values that the document itself gives, the best first; what says nothing is left out."""
    given = [one for one in merged.get(GIVEN, ()) if one not in (None, "", [], {})]
    values = merged.get("enum")
    if values is None:
        return given[turn:]
    fitting = [one for one in given if any(is_same(one, value) for value in values)]
    ordered = fitting + sorted(values, key=lambda one: one is None)
    start = turn % len(ordered) if ordered else 0
    return ordered[start:] + ordered[:start]


def is_same(one: Json, other: Json) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def main_type(schema: Mapping[str, Json]) -> str | None:
    """The type to make; null only if it is the one there is."""
    types = schema.get("type")
    if isinstance(types, list):
        return next((one for one in types if one != "null"), "null")
    if isinstance(types, str):
        return types
    for kind, keywords in TELLING.items():
        if not keywords.isdisjoint(schema):
            return kind
    return None


def is_of_type(value: Json, types: Json) -> bool:
    allowed = types if isinstance(types, list) else [types]
    match value:
        case _ if types is None:
            return True
        case None:
            return "null" in allowed
        case bool():
            return "boolean" in allowed
        case str():
            return "string" in allowed
        case int():
            return "integer" in allowed or "number" in allowed
        case float():
            return "number" in allowed or (value.is_integer() and "integer" in allowed)
        case list():
            return "array" in allowed
        case _:
            return "object" in allowed


def is_container(value: Json) -> bool:
    return isinstance(value, (dict, list))


def is_null(schema: Schema) -> bool:
    return isinstance(schema, dict) and (
        schema.get("type") == "null"
        or schema.get("enum") == [None]
        or schema.get("const", 0) is None
    )
