"""The plain keywords of JSON Schema 2020-12: which values are right, and what a slightly wrong one means.

Whatever is not in these tables is no keyword and does not reach the IR.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from re import compile as regex
from typing import Any, Final

import jsonschema_rs

Json = Any
DROP: Final = object()  # the value is wrong beyond repair

TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})

# Legal elsewhere, unknown to ECMA-262 §22.2.1: inline flags, named groups of Python, POSIX classes,
# anchors of Perl, atomic groups and possessive quantifiers.
FOREIGN_PATTERN = regex(r"\(\?[imsxuL-]+[):]|\(\?P[<=>]|\[\[:|\\[AzZG](?![a-z])|\(\?>|[*+?}]\+")
DELIMITED_PATTERN = regex(r"/(\^.*\$)/[a-z]*", 0)


def _text(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return DROP
    return str(value)


def _flag(value: Json) -> Json:
    return value if isinstance(value, bool) else DROP


def _number(value: Json) -> Json:
    return DROP if isinstance(value, bool) or not isinstance(value, (int, float)) else value


def _positive(value: Json) -> Json:
    number = _number(value)
    return number if number is not DROP and number > 0 else DROP


def _count(value: Json) -> Json:
    number = _number(value)
    if number is DROP or number < 0 or number != int(number):
        return DROP
    return int(number)


def _anything(value: Json) -> Json:
    return value


def _names(value: Json) -> Json:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return DROP
    return list(dict.fromkeys(value))


def _names_by_name(value: Json) -> Json:
    if not isinstance(value, dict):
        return DROP
    lists = {key: _names(names) for key, names in value.items()}
    return DROP if DROP in lists.values() else lists


def _values(value: Json) -> Json:
    """An enum with each value once; an empty one would allow nothing at all."""
    if not isinstance(value, list) or not value:
        return DROP
    return unique(value)


def _examples(value: Json) -> Json:
    return value if isinstance(value, list) else DROP


def _pattern(value: Json) -> Json:
    if not isinstance(value, str):
        return DROP
    delimited = DELIMITED_PATTERN.fullmatch(value)
    text = delimited[1] if delimited else value
    return text if compiles(text) else DROP


def _mapping(value: Json) -> Json:
    return value if isinstance(value, dict) else DROP


TEXT = "a string"
COUNT = "an integer of at least 0"
NUMBER = "a number"
FLAG = "true or false"
NAMES = "a list of strings"

# keyword → (what its value becomes, or DROP; what it must be, for the user)
KEYWORDS: Mapping[str, tuple[Callable[[Json], Json], str]] = {
    "title": (_text, TEXT),
    "description": (_text, TEXT),
    "default": (_anything, ""),
    "const": (_anything, ""),
    "enum": (_values, "a list with at least one value"),
    "examples": (_examples, "a list"),
    "format": (_text, TEXT),
    "pattern": (_pattern, "a regular expression of ECMA-262"),
    "minLength": (_count, COUNT),
    "maxLength": (_count, COUNT),
    "minItems": (_count, COUNT),
    "maxItems": (_count, COUNT),
    "minContains": (_count, COUNT),
    "maxContains": (_count, COUNT),
    "minProperties": (_count, COUNT),
    "maxProperties": (_count, COUNT),
    "uniqueItems": (_flag, FLAG),
    "minimum": (_number, NUMBER),
    "maximum": (_number, NUMBER),
    "exclusiveMinimum": (_number, NUMBER),
    "exclusiveMaximum": (_number, NUMBER),
    "multipleOf": (_positive, "a number above 0"),
    "required": (_names, NAMES),
    "dependentRequired": (_names_by_name, "a mapping of lists of strings"),
    "contentEncoding": (_text, TEXT),
    "contentMediaType": (_text, TEXT),
    "readOnly": (_flag, FLAG),
    "writeOnly": (_flag, FLAG),
    "deprecated": (_flag, FLAG),
    "xml": (_mapping, "a mapping"),  # for XML bodies; the plan takes it out
}

ONE_SCHEMA = frozenset(
    {
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
SCHEMA_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
SCHEMA_MAPS = frozenset({"dependentSchemas", "patternProperties", "properties"})


def unique(values: list[Json]) -> list[Json]:
    """Each value once; 1 and true differ, unlike in Python."""
    return list({json.dumps(value, sort_keys=True): value for value in values}.values())


@cache
def compiles(pattern: str) -> bool:
    """Whether a pattern is a regular expression that clients, and the runtime's validator, understand."""
    if FOREIGN_PATTERN.search(pattern):
        return False
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except (ValueError, jsonschema_rs.ValidationError):
        return False
    return True


def mismatch(value: Json, schema: Mapping[str, Json]) -> str | None:
    """Why a schema refuses a value; None where it takes it, or where the schema itself is at fault."""
    try:
        validator = jsonschema_rs.Draft202012Validator(dict(schema), offline=True)
    except (ValueError, jsonschema_rs.ValidationError):
        return None
    return next((error.message for error in validator.iter_errors(value)), None)
