"""A schema as what it takes, type by type: the form in which two schemas can be compared.

Takes JSON Schema 2020-12 with local `$defs`; follows references, merges `allOf`, spreads `anyOf` and `oneOf` out.
Exact for types, enums, bounds, lengths, members and items. `oneOf` counts as `anyOf`. Other assertions are kept as
they are, to be compared as a whole. Knows nothing of tools.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import jsonschema_rs

from mcpgen.ir import Json, Schema
from mcpgen.subschemas import REF, ref_name

TYPES = ("null", "boolean", "number", "string", "array", "object")
NEVER: Schema = False
EMPTY: Mapping[str, Json] = {"string": "", "array": [], "object": {}}
MAX_VARIANTS = 64
MAX_BRANCHES = 500  # that are tried, to find those
STRUCTURE = frozenset(["allOf", "anyOf", "oneOf", "$ref"])

LOW = frozenset(["minLength", "minItems", "minProperties"])
HIGH = frozenset(["maxLength", "maxItems", "maxProperties"])
# Keywords that say something about values, are compared as a whole, and belong to one type (None: to any).
OPAQUE: Mapping[str, str | None] = {
    "contains": "array",
    "minContains": "array",
    "maxContains": "array",
    "prefixItems": "array",
    "unevaluatedItems": "array",
    "patternProperties": "object",
    "propertyNames": "object",
    "dependentRequired": "object",
    "dependentSchemas": "object",
    "unevaluatedProperties": "object",
    "contentEncoding": "string",
    "contentMediaType": "string",
    "contentSchema": "string",
    "format": None,
    "not": None,
    "if": None,
    "then": None,
    "else": None,
}


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of an interval; no value is no end."""

    value: Fraction | None = None
    is_exclusive: bool = False


@dataclass(slots=True)
class Variant:
    """The values of one type that one branch of a schema takes. `values` is set where they are listed."""

    type: str
    name: str = ""  # what the branch is called: its reference or title
    values: list[Json] | None = None
    low: int = 0  # length, items or members
    high: float = math.inf
    lower: Bound = Bound()
    upper: Bound = Bound()
    step: Fraction | None = None  # 1 for integers
    patterns: tuple[str, ...] = ()
    is_unique: bool = False
    items: Schema = True
    members: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    others: Schema = True  # members that are not named
    opaque: Mapping[str, Json] = field(default_factory=dict)

    @property
    def type_name(self) -> str:
        is_integer = self.step == 1 or all(isinstance(one, int) for one in self.values or (0.5,))
        return "integer" if self.type == "number" and is_integer else self.type

    def listed(self) -> list[Json] | None:
        """The values, also of what has only a few: a short range of integers, the empty text, list or object."""
        if self.values is not None or self.opaque:
            return self.values
        if self.type != "number":
            is_bare = self.others is False and not self.members
            is_empty = self.high == 0 or (self.type == "object" and is_bare)
            return [EMPTY[self.type]] if is_empty else None
        lower, upper, step = self.lower.value, self.upper.value, self.step
        if lower is None or upper is None:
            return None
        if lower == upper:
            return [_number(lower)]
        if step is None or (upper - lower) / step > 1000:
            return None
        count = math.floor((upper - lower) / step)
        return [_number(lower + index * step) for index in range(count + 1)]


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


class Reading:
    """Reads the schemas of one root with its `$defs`."""

    def __init__(self, root: Mapping[str, Json]) -> None:
        found = root.get("$defs")
        self.definitions: Mapping[str, Schema] = found if isinstance(found, dict) else {}
        self._satisfiable: dict[str, bool] = {}
        self._validators: dict[str, jsonschema_rs.Draft202012Validator | None] = {}

    def variants(self, schema: Schema) -> list[Variant]:
        """What a schema takes. A type that it can take no value of is left out."""
        found: list[Variant] = []
        for name, merged in itertools.islice(
            self._spread(schema, frozenset(), [MAX_BRANCHES]), MAX_VARIANTS
        ):
            for kind in TYPES:
                variant = self._variant(kind, name, merged)
                if variant is not None and variant not in found and self._is_possible(variant):
                    found.append(variant)
        return found

    def annotations(self, schema: Schema) -> Mapping[str, Json]:
        """What a schema says without asserting it, the nearest words first."""
        said: dict[str, Json] = {}
        for part in self._parts(schema, ()):
            if isinstance(part, dict):
                for word in ("description", "default", "deprecated"):
                    if word in part:
                        said.setdefault(word, part[word])
        return said

    def accepts(self, schema: Schema, value: Json) -> bool:
        """Whether the schema takes the value; yes where the schema itself is broken."""
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            whole = {"allOf": [schema], "$defs": dict(self.definitions)}
            try:
                self._validators[key] = jsonschema_rs.Draft202012Validator(whole, retriever=_refuse)
            except ValueError:
                self._validators[key] = None
        validator = self._validators[key]
        return validator is None or validator.is_valid(value)

    def is_satisfiable(self, schema: Schema) -> bool:
        if isinstance(schema, bool) or not schema:
            return schema is not False
        key = json.dumps(schema, sort_keys=True)
        if key not in self._satisfiable:
            self._satisfiable[key] = True  # what it needs of itself is left open
            self._satisfiable[key] = bool(self.variants(schema))
        return self._satisfiable[key]

    # --- merging

    def _parts(self, schema: Schema, seen: tuple[str, ...]) -> Iterator[Schema]:
        """The schemas that hold together: itself, what it refers to, what is in its allOf."""
        yield schema
        if not isinstance(schema, dict):
            return
        ref = schema.get("$ref")
        if isinstance(ref, str) and ref.startswith(REF):
            name = ref_name(ref)
            if name not in seen and name in self.definitions:
                yield from self._parts(self.definitions[name], (*seen, name))
        for part in schema.get("allOf") or ():
            yield from self._parts(part, seen)

    def _spread(
        self, schema: Schema, seen: frozenset[str], left: list[int]
    ) -> Iterator[tuple[str, dict[str, Json]]]:
        """(name, merged keywords) of each branch; `left` counts down. A union within itself adds nothing."""
        left[0] -= 1
        parts = list(self._parts(schema, ()))
        if False in parts:
            return
        dicts = [part for part in parts if isinstance(part, dict)]
        choices = [part[word] for part in dicts for word in ("anyOf", "oneOf") if part.get(word)]
        plain = [
            {key: value for key, value in part.items() if key not in STRUCTURE} for part in dicts
        ]
        if not choices:
            yield _name(dicts), _merge(plain)
            return
        seen |= {ref_name(part["$ref"]) for part in dicts if isinstance(part.get("$ref"), str)}
        for combination in itertools.product(*choices):
            refs = [one.get("$ref") for one in combination if isinstance(one, dict)]
            if left[0] > 0 and not any(
                isinstance(one, str) and ref_name(one) in seen for one in refs
            ):
                yield from self._spread({"allOf": [*plain, *combination]}, seen, left)

    # --- variants

    def _variant(self, kind: str, name: str, merged: Mapping[str, Json]) -> Variant | None:
        types = merged.get("type")
        wanted = set(TYPES) if types is None else {types} if isinstance(types, str) else set(types)
        if kind not in wanted and not (kind == "number" and "integer" in wanted):
            return None
        variant = Variant(kind, name)
        if "enum" in merged:
            variant.values = [one for one in merged["enum"] if _type(one) == kind]
            return variant
        variant.opaque = {
            word: value
            for word, value in merged.items()
            if word in OPAQUE and OPAQUE[word] in (None, kind)
        }
        if kind == "null":
            variant.values = [None]
        elif kind == "boolean":
            variant.values = [False, True]
        elif kind == "number":
            _read_number(variant, merged, is_integer="number" not in wanted)
        elif kind == "string":
            _read_lengths(variant, merged, "minLength", "maxLength")
            variant.patterns = tuple(sorted(merged.get("pattern", ())))
        elif kind == "array":
            _read_lengths(variant, merged, "minItems", "maxItems")
            variant.is_unique = bool(merged.get("uniqueItems"))
            variant.items = merged.get("items", True)
            if not self.is_satisfiable(variant.items) and "prefixItems" not in variant.opaque:
                variant.high = 0
        else:
            _read_lengths(variant, merged, "minProperties", "maxProperties")
            variant.members = merged.get("properties", {})
            variant.required = tuple(dict.fromkeys(merged.get("required", ())))
            variant.others = merged.get("additionalProperties", True)
        return variant

    def _is_possible(self, variant: Variant) -> bool:
        if variant.values is not None:
            return bool(variant.values)
        if variant.low > variant.high:
            return False
        if variant.type == "number":
            lower, upper = variant.lower, variant.upper
            if lower.value is None or upper.value is None:
                return True
            is_open = lower.is_exclusive or upper.is_exclusive
            return lower.value < upper.value or (lower.value == upper.value and not is_open)
        if variant.type == "object":
            if len(variant.required) > variant.high:
                return False
            return all(self.is_satisfiable(member(variant, name)) for name in variant.required)
        return True


def _refuse(address: str) -> Json:
    raise ValueError(f"{address} is not fetched")


def member(variant: Variant, name: str) -> Schema:
    """What an object's member of that name must be."""
    return variant.members.get(name, variant.others)


def _name(parts: Sequence[Mapping[str, Json]]) -> str:
    """What a branch is called: the branch itself comes before what it refers to."""
    for word in ("$ref", "title"):
        for part in parts:
            if isinstance(part.get(word), str):
                return ref_name(part[word])
    return ""


def _type(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _read_lengths(variant: Variant, merged: Mapping[str, Json], low: str, high: str) -> None:
    variant.low = max(0, math.ceil(merged.get(low, 0)))
    variant.high = math.floor(merged[high]) if high in merged else math.inf


def _read_number(variant: Variant, merged: Mapping[str, Json], *, is_integer: bool) -> None:
    steps = [Fraction(str(one)) for one in merged.get("multipleOf", ())]
    steps = [one for one in [*steps, *([Fraction(1)] if is_integer else [])] if one > 0]
    step = None
    for one in steps:
        step = one if step is None else _common_multiple(step, one)
    lower = _end(merged, "minimum", "exclusiveMinimum", max)
    upper = _end(merged, "maximum", "exclusiveMaximum", min)
    variant.step = step
    variant.lower = lower if step is None else _round(lower, step, up=True)
    variant.upper = upper if step is None else _round(upper, step, up=False)


def _common_multiple(one: Fraction, other: Fraction) -> Fraction:
    return Fraction(
        math.lcm(one.numerator, other.numerator), math.gcd(one.denominator, other.denominator)
    )


def _end(merged: Mapping[str, Json], closed: str, opened: str, tightest: Json) -> Bound:
    ends = [
        Bound(Fraction(str(merged[word])), word == opened)
        for word in (closed, opened)
        if word in merged
    ]
    if len(ends) < 2 or ends[0].value == ends[1].value:
        return ends[-1] if ends else Bound()
    found: Bound = tightest(ends, key=lambda one: one.value)
    return found


def _round(bound: Bound, step: Fraction, *, up: bool) -> Bound:
    """The outermost multiple of the step that the bound leaves."""
    if bound.value is None:
        return bound
    count = math.ceil(bound.value / step) if up else math.floor(bound.value / step)
    if bound.is_exclusive and count * step == bound.value:
        count += 1 if up else -1
    return Bound(count * step)


def _merge(parts: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """One set of keywords as narrow as all parts. `pattern` and `multipleOf` become lists."""
    merged: dict[str, Json] = {}
    for part in parts:
        if "properties" in part or "additionalProperties" in part:
            _merge_members(merged, part)
        for word, value in part.items():
            _merge_word(merged, word, value)
    return merged


def _merge_word(merged: dict[str, Json], word: str, value: Json) -> None:
    if word == "const":
        word, value = "enum", [value]
    if word in ("properties", "additionalProperties"):
        return
    if word in ("pattern", "multipleOf"):
        merged[word] = [*merged.get(word, []), *([] if value in merged.get(word, []) else [value])]
        return
    if word not in merged:
        merged[word] = value
        return
    present = merged[word]
    if word == "type":
        merged[word] = _common_types(present, value)
    elif word == "enum":
        merged[word] = [one for one in present if any(is_equal(one, other) for other in value)]
    elif word == "required":
        merged[word] = [*present, *value]
    elif word in LOW or word in ("minimum", "exclusiveMinimum"):
        merged[word] = max(present, value)
    elif word in HIGH or word in ("maximum", "exclusiveMaximum"):
        merged[word] = min(present, value)
    elif word == "uniqueItems":
        merged[word] = present or value
    elif word == "items":
        merged[word] = both(present, value)
    elif word in OPAQUE and present != value:
        merged[word] = [present, value]


def _merge_members(merged: dict[str, Json], part: Mapping[str, Json]) -> None:
    """A member must be what each part says of its name; a part that does not name it means it among its others."""
    old: Mapping[str, Schema] = merged.get("properties", {})
    new: Mapping[str, Schema] = part.get("properties") or {}
    old_others: Schema = merged.get("additionalProperties", True)
    # Which of the others a pattern names instead is not followed: they may be anything.
    new_others: Schema = part.get("additionalProperties", True)
    if part.get("patternProperties"):
        new_others = True
    merged["properties"] = {
        name: both(old.get(name, old_others), new.get(name, new_others))
        for name in dict.fromkeys([*old, *new])
    }
    merged["additionalProperties"] = both(old_others, new_others)


def both(one: Schema, other: Schema) -> Schema:
    if one is True or one == {} or one == other:
        return other
    if other is True or other == {}:
        return one
    return NEVER if False in (one, other) else {"allOf": [one, other]}


def _common_types(one: Json, other: Json) -> list[str]:
    first = [one] if isinstance(one, str) else one
    second = [other] if isinstance(other, str) else other
    found = [kind for kind in first if kind in second]
    if "integer" not in found and "number" not in found:
        sides = (set(first), set(second))
        if all(side & {"integer", "number"} for side in sides):
            found.append("integer")
    return found


def is_equal(one: Json, other: Json) -> bool:
    """As JSON: 1 is 1.0, and true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_equal(one[key], other[key]) for key in one)
    return bool(one == other)
