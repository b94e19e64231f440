"""Example values of schemas: what the mock upstream answers and what generated tests send.

Takes IR schemas, gives JSON values that are valid, short and the same every time. A value is first made by following
the schema with trust in what it says; only where the check at the end fails, every choice is checked on its way.
"""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import jsonschema_rs

from mcpgen.example_scalars import example_number, example_text
from mcpgen.ir import Json, Schema
from mcpgen.merged_schemas import (
    CHOICES,
    GIVEN,
    Contradiction,
    given_values,
    is_container,
    is_null,
    is_of_type,
    main_type,
    take_in,
)
from mcpgen.patterns import matching_texts
from mcpgen.subschemas import MANY, NAMED, ONE, ref_name, references

MOST_STEPS = 4000  # schemas looked at for one attempt: an end for what branches without one
MOST_NODES = 120  # of one value, before optional properties are left out
MOST_OPTIONAL = 12  # optional properties of one answer's object
DEEPEST = 40
SHOWN_DEPTH = 3  # objects within objects that show optional properties in an answer
MOST_REPEATS = 2  # of one definition within itself


class Direction(StrEnum):
    INPUT = "input"  # leaves out what is readOnly
    OUTPUT = "output"  # leaves out what is writeOnly


class NoExample(Exception):
    """No valid value was found; says why. `nearest` is the best that was, None if there is none at all."""

    nearest: Json = None


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
    optional: (
        int | None
    )  # how many optional properties an object shows; None as the direction wants it


ATTEMPTS = (
    Effort(checks=False, optional=None),
    Effort(checks=True, optional=None),
    Effort(checks=True, optional=0),
    Effort(checks=True, optional=MOST_OPTIONAL),
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
        failure = NoExample("no value was found that fits all of the schema")
        for effort in ATTEMPTS:
            try:
                value = _Attempt(self, self._direction, effort).value(shown)
            except NoExample as fault:
                fault.nearest, failure = failure.nearest, fault
            except _Exhausted:
                break
            else:
                if self.is_valid(shown, value):
                    return value
                failure.nearest = value
        raise failure

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
        for given in given_values(merged, place.turn):
            value = self._examples.trimmed(schema, given) if is_container(given) else given
            if self._takes(value, merged, schema):
                self._nodes += _size(value)
                return value
        if "enum" in merged:
            raise NoExample(f"no value of the enumeration fits {_summary(schema)}")
        if merged.get(CHOICES):
            return self._chosen(schema, merged, place)
        return self._of_type(main_type(merged), merged, place)

    def _takes(self, given: Json, merged: Mapping[str, Json], schema: Schema) -> bool:
        if not is_of_type(given, merged.get("type")) or _size(given) > MOST_NODES:
            return False
        # A given object may well break a rule deeper down; documents are careless there.
        if self._effort.checks or is_container(given):
            return self._examples.is_valid(schema, given)
        return True

    # --- merging

    def _merged(
        self, schema: Schema, inside: tuple[str, ...]
    ) -> tuple[dict[str, Json], tuple[str, ...]]:
        """The schema as one, choices left open; and the definitions that it is inside, with those it is made of."""
        merged: dict[str, Json] = {}
        followed: dict[str, None] = {}
        queue: list[Schema] = [schema]
        while queue:
            part = queue.pop(0)
            if part is False:
                raise NoExample("the schema allows no value")
            if not isinstance(part, dict):
                continue
            own = {key: value for key, value in part.items() if key not in ("$ref", "allOf")}
            try:
                take_in(own, merged)
            except Contradiction as fault:
                raise NoExample(str(fault)) from None
            if (
                isinstance(part.get("$ref"), str)
                and (name := ref_name(part["$ref"])) not in followed
            ):
                followed[name] = None
                queue.append(self._examples.definition(name))
            queue += part.get("allOf") or ()
        for name in followed:
            if inside.count(name) >= MOST_REPEATS:
                raise NoExample(f"{name} holds itself without end")
        return merged, (*inside, *followed)

    def _chosen(self, schema: Schema, merged: Mapping[str, Json], place: _Place) -> Json:
        """The first variant that leads to a value; null only if nothing else does."""
        first, *further = merged[CHOICES]
        base = {key: value for key, value in merged.items() if key not in (CHOICES, GIVEN)}
        reason = NoExample("the schema has no variant")
        for variant in sorted(first, key=is_null):
            chosen: Schema = {"allOf": [base, variant, *({"anyOf": one} for one in further)]}
            try:
                value = self._value(chosen, place)
            except NoExample as fault:
                reason = fault
                continue
            if not self._effort.checks or self._examples.is_valid(schema, value):
                return value
            reason = NoExample(f"each value for one variant fits another too: {_summary(schema)}")
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
                text = example_text(schema, place.name, place.turn)
                return _found(text, "text", schema)
            case "integer" | "number":
                whole = kind == "integer"
                number = example_number(schema, place.name, place.turn, whole=whole)
                return _found(number, "number", schema)
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
                # Items of one schema should differ; those of a tuple do so by themselves.
                at = place.item(max(0, number - len(prefix)))
                made.append(self._item(one, at, made, schema))
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
            member = self._member(schema, name)
            if member is False:
                raise NoExample(f"'{name}' is required and not allowed")
            made[name] = self._value(member, place.member(name))
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
        if place.objects < SHOWN_DEPTH:
            usual = MOST_OPTIONAL if self._is_output else 0 if required else 2
            shown = usual if self._effort.optional is None else self._effort.optional
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
        shows = is_dictionary and self._is_output and place.objects < SHOWN_DEPTH
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


def _found(value: Json, kind: str, schema: Mapping[str, Json]) -> Json:
    if value is None:
        raise NoExample(f"no {kind} was found that fits {_summary(dict(schema))}")
    return value


def _is_deprecated(schema: Schema) -> bool:
    return isinstance(schema, dict) and schema.get("deprecated") is True


def _size(value: Json) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


def _summary(schema: Schema) -> str:
    text = json.dumps(schema)
    return text if len(text) <= 80 else f"{text[:79]}…"
