"""Example values of schemas: what the mock upstream answers and what generated tests send.

Takes IR schemas, gives JSON values that are valid, short and the same every time. A value is first made by following
the schema with trust in what it says; only where the check at the end fails, every choice is checked on its way.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any
import jsonschema_rs

from mcpgen.ir import Json, Schema
from mcpgen.names import words
from mcpgen.patterns import matching_texts
from mcpgen.tool_schemas import MANY, NAMED, ONE, REF, ref_name, references

MOST_STEPS = 4000  # schemas looked at for one attempt: an end for what branches without one
MOST_NODES = 120  # of one value, before optional properties are left out
MOST_OPTIONAL = 12  # optional properties of one answer's object
DEEPEST = 40
SHOWN_DEPTH = 3  # objects within objects that show optional properties in an answer
MOST_REPEATS = 2  # of one definition within itself

FORMATS = {
    "date-time": "2026-01-15T09:30:00Z",
    "date": "2026-01-15",
    "time": "09:30:00Z",
    "duration": "PT1H",
    "email": "user@example.com",
    "idn-email": "user@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ip": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "cidr": "192.0.2.0/24",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "iri": "https://example.com/",
    "uri-reference": "/example",
    "iri-reference": "/example",
    "uri-template": "/example/{id}",
    "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "json-pointer": "/example",
    "relative-json-pointer": "0",
    "regex": "^example$",
    "byte": "ZXhhbXBsZQ==",
    "base64": "ZXhhbXBsZQ==",
    "base64url": "ZXhhbXBsZQ",
    "int32": "1",
    "int64": "1",
    "uint64": "1",
    "decimal": "1.5",
}
# By the last word of a property's name, where no format says better.
TEXTS = {
    "email": "user@example.com",
    "url": "https://example.com/",
    "uri": "https://example.com/",
    "href": "https://example.com/",
    "website": "https://example.com/",
    "date": "2026-01-15",
    "at": "2026-01-15T09:30:00Z",
    "timestamp": "2026-01-15T09:30:00Z",
    "currency": "EUR",
    "country": "DE",
    "language": "en",
    "locale": "en",
    "timezone": "Europe/Berlin",
    "phone": "+49 30 123456",
    "city": "Berlin",
    "id": "1",
    "version": "1.0",
    "description": "An example.",
    "message": "An example.",
    "title": "Example",
    "name": "Example",
}
NUMBERS = {"year": 2026, "month": 1, "day": 15, "price": 9.99, "amount": 100}

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


class Direction(StrEnum):
    INPUT = "input"  # leaves out what is readOnly
    OUTPUT = "output"  # leaves out what is writeOnly


class NoExample(Exception):
    """No valid value was found; says why."""


class _Exhausted(Exception):
    """This attempt has looked at too much."""


def example_value(
    schema: Schema, definitions: Mapping[str, Schema], *, direction: Direction
) -> Json:
    """One value; for many of one API, `Examples` is quicker."""
    return Examples(definitions, direction=direction).value(schema)


@dataclass(frozen=True, slots=True)
class Effort:
    """How an attempt goes about it."""

    checks: bool  # whether each choice is checked on its own
    optional: bool  # whether optional properties are shown


ATTEMPTS = (
    Effort(checks=False, optional=True),
    Effort(checks=True, optional=True),
    Effort(checks=True, optional=False),
)


class Examples:
    """Makes example values of the schemas of one API in one direction."""

    def __init__(self, definitions: Mapping[str, Schema], *, direction: Direction) -> None:
        self._definitions = definitions
        self._flag = "readOnly" if direction == Direction.INPUT else "writeOnly"
        self._direction = direction
        self._visible: dict[str, Schema] = {}
        self._references: dict[str, frozenset[str]] = {}

    def value(self, schema: Schema) -> Json:
        """A valid value, or NoExample."""
        shown = self._show(schema)
        reason = "nothing valid was found"
        for effort in ATTEMPTS:
            try:
                value = _Attempt(self, self._direction, effort).value(shown)
            except NoExample as fault:
                reason = str(fault)
            except _Exhausted:
                reason = "the schema is too large to follow"
            else:
                if self.is_valid(shown, value):
                    return value
        raise NoExample(reason)

    def is_valid(self, schema: Schema, value: Json) -> bool:
        """Whether the value fits; never, if the schema itself is at fault."""
        try:
            return jsonschema_rs.Draft202012Validator(self._standalone(schema, value)).is_valid(
                value
            )
        except (ValueError, jsonschema_rs.ReferencingError):
            return False

    def definition(self, name: str) -> Schema:
        """A definition without the properties that do not go in this direction."""
        if name not in self._visible:
            self._visible[name] = self._show(self._definitions.get(name, True))
        return self._visible[name]

    def trimmed(self, schema: Schema, value: Json) -> Json:
        """A given value without what the schema, in this direction, has no value for."""
        value = copy.deepcopy(value)
        for at, part in self._walk(schema, value):
            if isinstance(part, dict):
                for name, one in (at.get("properties") or {}).items():
                    if one is False:
                        part.pop(name, None)
        return value

    # --- checking

    def _standalone(self, schema: Schema, value: Json) -> dict[str, Json]:
        """The schema with those definitions that the value is checked against; the others are never looked at."""
        reached = self._reached(schema, value)
        needed = set(references(schema)).union(*(self._refers(name) for name in reached))
        return {
            "allOf": [schema],
            "$defs": {name: True for name in sorted(needed - reached.keys())} | reached,
        }

    def _refers(self, name: str) -> frozenset[str]:
        if name not in self._references:
            self._references[name] = frozenset(references(self.definition(name)))
        return self._references[name]

    def _reached(self, schema: Schema, value: Json) -> dict[str, Schema]:
        names = {
            ref_name(at["$ref"]): None
            for at, _ in self._walk(schema, value)
            if isinstance(at.get("$ref"), str)
        }
        return {name: self.definition(name) for name in names}

    def _walk(self, schema: Schema, value: Json) -> Iterator[tuple[Mapping[str, Json], Json]]:
        """Each subschema that looks at the value or a part of it, with that part."""
        seen: set[tuple[int, int]] = set()
        queue = [(schema, value)]
        while queue:
            at, part = queue.pop()
            if not isinstance(at, dict) or (id(at), id(part)) in seen:
                continue
            seen.add((id(at), id(part)))
            yield at, part
            if isinstance(at.get("$ref"), str):
                queue.append((self.definition(ref_name(at["$ref"])), part))
            queue += _below(at, part)

    # --- direction

    def _show(self, schema: Schema) -> Schema:
        """The schema with no value for the properties that only go the other way."""
        if not isinstance(schema, dict):
            return schema
        made: dict[str, Json] = {}
        members = schema.get("properties")
        hidden = (
            {name for name, one in members.items() if self._is_hidden(one)}
            if isinstance(members, dict)
            else set()
        )
        for key, value in schema.items():
            if key in NAMED and isinstance(value, dict):
                gone = hidden if key == "properties" else ()
                made[key] = {
                    name: False if name in gone else self._show(one) for name, one in value.items()
                }
            elif key in ONE:
                made[key] = self._show(value)
            elif key in MANY and isinstance(value, list):
                made[key] = [self._show(one) for one in value]
            elif key == "required" and hidden and isinstance(value, list):
                made[key] = [name for name in value if name not in hidden]
            else:
                made[key] = value
        return made

    def _is_hidden(self, schema: Schema, depth: int = 0) -> bool:
        if not isinstance(schema, dict) or depth > 5:
            return False
        if schema.get(self._flag) is True:
            return True
        parts = schema["allOf"] if isinstance(schema.get("allOf"), list) else []
        if isinstance(schema.get("$ref"), str):
            parts = [*parts, self._definitions.get(ref_name(schema["$ref"]), True)]
        return any(self._is_hidden(one, depth + 1) for one in parts)


def _below(schema: Mapping[str, Json], value: Json) -> Iterator[tuple[Schema, Json]]:
    """The subschemas that look at the value or a part of it, each with what it looks at."""
    for word in ("allOf", "anyOf", "oneOf"):
        for one in schema.get(word) or ():
            yield one, value
    for word in ("not", "if", "then", "else"):
        if word in schema:
            yield schema[word], value
    for one in (schema.get("dependentSchemas") or {}).values():
        yield one, value
    if isinstance(value, dict):
        patterns = list((schema.get("patternProperties") or {}).values())
        for name, part in value.items():
            for one in (
                (schema.get("properties") or {}).get(name),
                *patterns,
                schema.get("additionalProperties"),
                schema.get("unevaluatedProperties"),
            ):
                yield one, part
            yield schema.get("propertyNames", True), name
    if isinstance(value, list):
        for part in value:
            for one in (
                *(schema.get("prefixItems") or ()),
                schema.get("items"),
                schema.get("contains"),
                schema.get("unevaluatedItems"),
            ):
                yield one, part


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the value we are. `turn` asks for another value than the earlier turns gave."""

    name: str = ""
    depth: int = 0
    objects: int = 0
    turn: int = 0
    inside: tuple[str, ...] = ()

    def member(self, name: str) -> _Place:
        return replace(self, name=name, depth=self.depth + 1, objects=self.objects + 1)

    def item(self, number: int) -> _Place:
        return replace(self, depth=self.depth + 1, turn=self.turn + number)


class _Attempt:
    """One way through a schema. Steps and nodes are counted, so that it ends."""

    def __init__(self, examples: Examples, direction: Direction, effort: Effort) -> None:
        self._examples = examples
        self._is_output = direction == Direction.OUTPUT
        self._effort = effort
        self._steps = 0
        self._nodes = 0

    def value(self, schema: Schema) -> Json:
        return self._value(schema, _Place())

    def _value(self, schema: Schema, place: _Place) -> Json:
        """A value; in a checking attempt the first of a few turns that fits."""
        if not self._effort.checks:
            return self._made(schema, place)
        for turn in range(3):
            value = self._made(schema, replace(place, turn=place.turn + turn))
            if self._examples.is_valid(schema, value):
                return value
        raise NoExample(f"no value was found that fits {_summary(schema)}")

    def _made(self, schema: Schema, place: _Place) -> Json:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise _Exhausted
        if place.depth > DEEPEST:
            raise NoExample("the schema never ends")
        if not isinstance(schema, dict):
            if schema is False:
                raise NoExample("the schema allows no value")
            return self._any(place)
        merged, inside = self._merged(schema, place.inside)
        place = replace(place, inside=inside)
        for given in _given(merged, place.turn):
            value = self._examples.trimmed(schema, given) if _is_container(given) else given
            if self._takes(value, merged, schema):
                self._nodes += _size(value)
                return value
        if "enum" in merged:
            raise NoExample(f"no value of the enumeration fits {_summary(schema)}")
        if merged.get(CHOICES):
            return self._chosen(schema, merged, place)
        return self._of_type(_type(merged), merged, place)

    def _takes(self, given: Json, merged: Mapping[str, Json], schema: Schema) -> bool:
        if not _is_of_type(given, merged.get("type")) or _size(given) > MOST_NODES:
            return False
        # A given object may well break a rule deeper down; documents are careless there.
        if self._effort.checks or _is_container(given):
            return self._examples.is_valid(schema, given)
        return True

    # --- merging

    def _merged(
        self, schema: Schema, inside: tuple[str, ...]
    ) -> tuple[dict[str, Json], tuple[str, ...]]:
        """The schema as one: references followed, allOf taken in; choices are left, as a list of lists."""
        merged: dict[str, Json] = {}
        names: list[str] = list(inside)
        self._merge(schema, merged, names, depth=0)
        return merged, tuple(names)

    def _merge(
        self, schema: Schema, merged: dict[str, Json], inside: list[str], *, depth: int
    ) -> None:
        if schema is False or depth > DEEPEST:
            raise NoExample("the schema allows no value")
        if not isinstance(schema, dict):
            return
        own = {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}
        _take_in(own, merged)
        if isinstance(schema.get("$ref"), str):
            name = ref_name(schema["$ref"])
            if inside.count(name) >= MOST_REPEATS:
                raise NoExample(f"{name} holds itself without end")
            inside.append(name)
            self._merge(self._examples.definition(name), merged, inside, depth=depth + 1)
        for part in schema.get("allOf") or ():
            self._merge(part, merged, inside, depth=depth + 1)

    def _chosen(self, schema: Schema, merged: Mapping[str, Json], place: _Place) -> Json:
        """The first variant that leads to a value; null only if nothing else does."""
        first, *further = merged[CHOICES]
        base = {key: value for key, value in merged.items() if key not in (CHOICES, GIVEN)}
        reason = NoExample("the schema has no variant")
        for variant in sorted(first, key=_is_null):
            chosen: Schema = {"allOf": [base, variant, *({"anyOf": one} for one in further)]}
            try:
                value = self._value(chosen, place)
            except NoExample as fault:
                reason = fault
                continue
            # A value for one variant of oneOf must not fit a second.
            if not self._effort.checks or self._examples.is_valid(schema, value):
                return value
        raise reason

    # --- types

    def _any(self, place: _Place) -> Json:
        self._nodes += 1
        return "example" if not place.turn else f"example {place.turn + 1}"

    def _of_type(self, kind: str | None, schema: Mapping[str, Json], place: _Place) -> Json:
        self._nodes += 1
        match kind:
            case "object":
                return self._object(schema, place)
            case "array":
                return self._array(schema, place)
            case "string":
                return _text(schema, place)
            case "integer" | "number":
                return _number(schema, place, whole=kind == "integer")
            case "boolean":
                return place.turn % 2 == 0
            case "null":
                return None
            case _:
                return self._any(place)

    def _array(self, schema: Mapping[str, Json], place: _Place) -> list[Json]:
        prefix = schema.get("prefixItems") or []
        least, most = schema.get("minItems", 0), schema.get("maxItems", MOST_NODES)
        if least > MOST_NODES:
            raise NoExample(f"{least} items are too many for an example")
        contained = schema.get("minContains", 1) if "contains" in schema else 0
        least = max(least, contained)
        wanted = max(least, len(prefix), 1 if self._nodes < MOST_NODES else 0)
        made: list[Json] = []
        for number in range(min(wanted, most)):
            one: Schema = prefix[number] if number < len(prefix) else schema.get("items", True)
            if contained and number >= wanted - contained:
                one = {"allOf": [one, schema["contains"]]}
            if one is False:
                break
            try:
                made.append(self._item(one, place.item(number), made, schema))
            except NoExample:
                if number < least:
                    raise
                break
        return made

    def _item(
        self, schema: Schema, place: _Place, others: Sequence[Json], array: Mapping[str, Json]
    ) -> Json:
        value = self._value(schema, place)
        if not array.get("uniqueItems"):
            return value
        taken = {json.dumps(one, sort_keys=True) for one in others}
        for turn in range(len(others) + 2):
            if json.dumps(value, sort_keys=True) not in taken:
                return value
            value = self._value(schema, replace(place, turn=place.turn + turn + 1))
        raise NoExample("too few values differ for an array of unique items")

    def _object(self, schema: Mapping[str, Json], place: _Place) -> dict[str, Json]:
        members: Mapping[str, Schema] = schema.get("properties") or {}
        required = list(schema.get("required") or ())
        made: dict[str, Json] = {}
        names = [name for name in members if name in required]
        names += [name for name in required if name not in members]
        for name in names:
            made[name] = self._value(self._member(schema, name), place.member(name))
        least = schema.get("minProperties", 0)
        most = schema.get("maxProperties", MOST_NODES)
        for name in self._optional(members, required, place, least):
            if len(made) >= most or (len(made) >= least and self._nodes > MOST_NODES):
                break
            try:
                made[name] = self._value(members[name], place.member(name))
            except NoExample:
                continue
        self._add_dependents(schema, made, place)
        self._add_extra(schema, made, place, least)
        return {name: made[name] for name in [*members, *made] if name in made}

    def _member(self, schema: Mapping[str, Json], name: str) -> Schema:
        """What a property must be, whether it is named, matched by a pattern, or only allowed."""
        members = schema.get("properties") or {}
        if name in members:
            named: Schema = members[name]
            return named
        for pattern, one in (schema.get("patternProperties") or {}).items():
            if self._examples.is_valid({"pattern": pattern}, name):
                matched: Schema = one
                return matched
        other: Schema = schema.get("additionalProperties", True)
        return other

    def _optional(
        self,
        members: Mapping[str, Schema],
        required: Sequence[str],
        place: _Place,
        least: int,
    ) -> list[str]:
        """The optional properties worth showing: in an answer most, in a request two where nothing is required."""
        names = [
            name
            for name, one in members.items()
            if name not in required and one is not False and not _is_deprecated(one)
        ]
        shown = 0
        if self._effort.optional and place.objects < SHOWN_DEPTH:
            shown = MOST_OPTIONAL if self._is_output else 0 if required else 2
        return names[: max(shown, least)]

    def _add_dependents(
        self, schema: Mapping[str, Json], made: dict[str, Json], place: _Place
    ) -> None:
        needs = schema.get("dependentRequired") or {}
        queue = list(made)
        while queue:
            for name in needs.get(queue.pop(), ()):
                if name not in made:
                    made[name] = self._value(self._member(schema, name), place.member(name))
                    queue.append(name)

    def _add_extra(
        self, schema: Mapping[str, Json], made: dict[str, Json], place: _Place, least: int
    ) -> None:
        """Properties without a fixed name: as many as are needed, and one to show what a dictionary holds."""
        patterns = schema.get("patternProperties") or {}
        extra = schema.get("additionalProperties", True)
        is_dictionary = not schema.get("properties") and (patterns or isinstance(extra, dict))
        shows = is_dictionary and self._is_output and self._effort.optional and place.objects < 3
        wanted = max(least, 1 if shows and not made else 0)
        if len(made) >= wanted:
            return
        for name in self._free_names(schema):
            if len(made) >= wanted:
                return
            if name in made:
                continue
            try:
                made[name] = self._value(self._member(schema, name), place.member(name))
            except NoExample:
                if len(made) < least:
                    raise
                return

    def _free_names(self, schema: Mapping[str, Json]) -> Iterator[str]:
        if "propertyNames" in schema:
            rule: Schema = {"allOf": [{"type": "string"}, schema["propertyNames"]]}
            for turn in range(MOST_REPEATS * 4):
                yield self._value(rule, _Place("key", turn=turn))
        for pattern in schema.get("patternProperties") or {}:
            yield from itertools.islice(matching_texts(pattern), 4)
        if schema.get("additionalProperties", True) is not False:
            yield from (f"key{number}" if number > 1 else "key" for number in range(1, MOST_NODES))


# --- what a schema says


def _take_in(schema: Mapping[str, Json], merged: dict[str, Json]) -> None:
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
            case _ if word == CHOICES:
                merged.setdefault(CHOICES, []).extend(value)
            case _ if word == GIVEN:
                pass
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
            merged[word] = [one for one in present if any(_same(one, other) for other in value)]
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
        raise NoExample(f"no value is both {one} and {other}")
    return common


def _common_multiple(one: Json, other: Json) -> Json:
    a, b = Fraction(str(one)), Fraction(str(other))
    found = Fraction(math.lcm(a.numerator, b.numerator), math.gcd(a.denominator, b.denominator))
    return int(found) if found.denominator == 1 else float(found)


def _given(merged: Mapping[str, Json], turn: int) -> list[Json]:
    """Values that the document itself gives, the best first; what says nothing is left out."""
    given = [one for one in merged.get(GIVEN, ()) if one not in (None, "", [], {})]
    values = merged.get("enum")
    if values is None:
        return given[turn:]
    fitting = [one for one in given if any(_same(one, value) for value in values)]
    ordered = fitting + sorted(values, key=lambda one: one is None)
    start = turn % len(ordered) if ordered else 0
    return ordered[start:] + ordered[:start]


def _same(one: Json, other: Json) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _type(schema: Mapping[str, Json]) -> str | None:
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


TELLING = {
    "object": frozenset(
        "properties required additionalProperties patternProperties minProperties propertyNames".split()
    ),
    "array": frozenset("items prefixItems minItems uniqueItems contains".split()),
    "string": frozenset("pattern format minLength maxLength contentEncoding".split()),
    "number": frozenset("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split()),
}


def _is_of_type(value: Json, types: Json) -> bool:
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


def _is_container(value: Json) -> bool:
    return isinstance(value, (dict, list))


def _is_null(schema: Schema) -> bool:
    return isinstance(schema, dict) and (
        schema.get("type") == "null"
        or schema.get("enum") == [None]
        or schema.get("const", 0) is None
    )


def _is_deprecated(schema: Schema) -> bool:
    return isinstance(schema, dict) and schema.get("deprecated") is True


def _size(value: Json) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


def _summary(schema: Schema) -> str:
    text = json.dumps(schema)
    return text if len(text) <= 80 else f"{text[:79]}…"


# --- scalars


def _text(schema: Mapping[str, Json], place: _Place) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if isinstance(pattern := schema.get("pattern"), str):
        texts = list(itertools.islice(matching_texts(pattern, shortest=least, longest=most), 8))
        if not texts:
            raise NoExample(f"no text was found for the pattern {pattern}")
        return texts[place.turn % len(texts)]
    text = _varied(_plain_text(schema, place), place.turn)
    if len(text) < least:
        text = f"{text} example" if " " in text or text == "example" else text
        text = (text * (least // len(text) + 1))[:least] if text else "a" * least
    if most is not None and len(text) > most:
        text = text[:most] if not place.turn else str(place.turn + 1)[-most:] if most else ""
    return text


def _plain_text(schema: Mapping[str, Json], place: _Place) -> str:
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    if schema.get("contentEncoding") in FORMATS:
        return FORMATS[schema["contentEncoding"]]
    last = (words(place.name) or [""])[-1]
    return TEXTS.get(last, "example")


def _varied(text: str, turn: int) -> str:
    """Another text of the same kind for each turn."""
    if not turn:
        return text
    if "2026-01-15" in text:
        return text.replace("-15", f"-{(14 + turn) % 28 + 1:02d}")
    if text == FORMATS["uuid"]:
        return f"{text[:-2]}{turn % 256:02x}"
    if text == FORMATS["time"]:
        return f"09:{(30 + turn) % 60:02d}:00Z"
    if text == FORMATS["ipv4"]:
        return f"192.0.2.{turn % 254 + 1}"
    if text == FORMATS["email"]:
        return f"user{turn + 1}@example.com"
    return f"{text} {turn + 1}" if text.isalpha() else f"{text}{turn + 1}"


def _number(schema: Mapping[str, Json], place: _Place, *, whole: bool) -> int | float:
    low, above = _bound(schema, "minimum", "exclusiveMinimum", max)
    high, below = _bound(schema, "maximum", "exclusiveMaximum", min)
    step = Fraction(str(schema["multipleOf"])) if schema.get("multipleOf") else None
    if whole:
        step = Fraction((step or Fraction(1)).numerator)
    last = (words(place.name) or [""])[-1]
    wanted = Fraction(str(NUMBERS.get(last, 1 if whole else 1.5)))

    def fits(value: Fraction) -> bool:
        return (low is None or (value > low if above else value >= low)) and (
            high is None or (value < high if below else value <= high)
        )

    if step is None:
        tries = [wanted + place.turn, *_between(low, high)]
    else:
        tries = [step * (math.ceil(wanted / step) + place.turn)]
        if low is not None:
            tries += [step * (math.ceil(low / step) + more + place.turn) for more in (0, 1)]
            tries += [step * (math.ceil(low / step) + more) for more in (0, 1)]
        if high is not None:
            tries += [step * (math.floor(high / step) - less) for less in (place.turn, 0, 1)]
        tries.append(Fraction(0))
    for value in tries:
        if fits(value):
            return int(value) if value.denominator == 1 else float(value)
    raise NoExample(f"no number fits {_summary(dict(schema))}")


def _bound(
    schema: Mapping[str, Json], inclusive: str, exclusive: str, pick: Any
) -> tuple[Fraction | None, bool]:
    """The tighter of the two bounds, and whether the bound itself is out."""
    bounds = [
        (Fraction(str(schema[word])), word == exclusive)
        for word in (inclusive, exclusive)
        if isinstance(schema.get(word), (int, float)) and not isinstance(schema[word], bool)
    ]
    if not bounds:
        return None, False
    tightest = pick(value for value, _ in bounds)
    return tightest, any(out for value, out in bounds if value == tightest)


def _between(low: Fraction | None, high: Fraction | None) -> Iterator[Fraction]:
    if low is not None and high is not None:
        yield (low + high) / 2
    if low is not None:
        yield low + 1
        yield low
    if high is not None:
        yield high - 1
        yield high
