"""What one schema takes that another does not: each difference with its place, and whether values were lost or won.

Takes two schemas with their `$defs`, gives `Difference`s. A loss is claimed only where a value can be told that the
old schema takes and the new one refuses; what cannot be judged (a pattern for another pattern) is `CHANGED`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

import jsonschema_rs

from mcpgen.ir import Json, Schema
from mcpgen.subschemas import references
from mcpgen.variants import TYPES, Bound, Reading, Variant, is_equal, member

MAX_DEPTH = 30
MAX_STEPS = 20_000  # pairs of schemas that are compared for one tool; unions of unions could go on for hours
MAX_TOLD = (
    60  # differences of one argument; a definition that is met at each turn would fill the report
)
SHOWN = 5  # values or names in a sentence


class Effect(StrEnum):
    NARROWED = "narrowed"  # values that were taken no longer are
    CHANGED = "changed"  # nobody can say
    WIDENED = "widened"
    SAID = "said"  # only its words


@dataclass(frozen=True, slots=True)
class Difference:
    """`kind` says what is different, `place` where: `owner.name`, `tags[]`, `labels.*`, or nothing for the whole."""

    effect: Effect
    kind: str
    place: str
    message: str


def compare(old: dict[str, Json], new: dict[str, Json]) -> tuple[Difference, ...]:
    """The differences between two complete schemas, outermost first."""
    return tuple(Comparison(old, new).differences(old, new))


class Comparison:
    """Compares schemas of two roots."""

    def __init__(self, old: Mapping[str, Json], new: Mapping[str, Json]) -> None:
        self.old, self.new = Reading(old), Reading(new)
        self._same = _same_definitions(self.old.definitions, self.new.definitions)
        self._found: dict[str, list[Difference]] = {}
        self._steps = 0
        self._is_sound = all(_is_sound(one) for one in (old, new))

    def differences(self, old: Schema, new: Schema) -> list[Difference]:
        """The differences between two schemas of the two roots."""
        old, new = _bare(old), _bare(new)
        if self._is_equal(old, new):
            return []
        if not self._is_sound:
            return [
                Difference(Effect.CHANGED, "schema", "", "the schema changed, and is not valid")
            ]
        try:
            return _capped(list(dict.fromkeys(self._compare(old, new, 0))))
        # Numbers beyond reason, endless nesting.
        except (ValueError, OverflowError, RecursionError):
            return [Difference(Effect.CHANGED, "schema", "", "the schema changed")]

    def _is_equal(self, old: Schema, new: Schema) -> bool:
        return is_equal(old, new) and all(name in self._same for name in references(old))

    def _compare(self, old: Schema, new: Schema, depth: int) -> list[Difference]:
        if self._is_equal(old, new) or depth > MAX_DEPTH:
            return []
        key = json.dumps([old, new], sort_keys=True)
        if key not in self._found:
            self._steps += 1
            if self._steps > MAX_STEPS:
                message = "the schema changed, and is too large to compare"
                return [Difference(Effect.CHANGED, "schema", "", message)]
            self._found[key] = []  # what it is within itself adds nothing
            self._found[key] = [*self._said(old, new), *self._judge(old, new, depth)]
        return self._found[key]

    def _said(self, old: Schema, new: Schema) -> Iterator[Difference]:
        before, after = self.old.annotations(old), self.new.annotations(new)
        if before.get("description", "") != after.get("description", ""):
            yield Difference(Effect.SAID, "description", "", "says another description")
        if bool(before.get("deprecated")) != bool(after.get("deprecated")):
            if after.get("deprecated"):
                yield Difference(Effect.CHANGED, "deprecated", "", "is deprecated now")
            else:
                yield Difference(Effect.SAID, "deprecated", "", "is no longer deprecated")
        if "default" in before or "default" in after:
            yield from _defaults(before, after)

    def _judge(self, old: Schema, new: Schema, depth: int) -> Iterator[Difference]:
        olds, news = self.old.variants(old), self.new.variants(new)
        lost: list[str] = []
        won: list[str] = []
        found: list[Difference] = []
        for kind in TYPES:
            before = [one for one in olds if one.type == kind]
            after = [one for one in news if one.type == kind]
            if not after:
                if before and self._is_lost(before, new):
                    lost.append(_type_name(before))
            elif not before:
                if self._is_won(after, old):
                    won.append(_type_name(after))
            else:
                found += self._same_type(before, after, (old, new), depth)
        yield from _type_change(lost, won, nothing_left=not news, nothing_before=not olds)
        yield from found

    def _is_lost(self, variants: Sequence[Variant], new: Schema) -> bool:
        """Whether the new schema, which has no such type, allows none of some values; `enum` decides that alone."""
        return any(one.values is None for one in variants) or any(
            not self.new.accepts(new, value) for one in variants for value in one.values or ()
        )

    def _is_won(self, variants: Sequence[Variant], old: Schema) -> bool:
        return any(one.values is None for one in variants) or any(
            not self.old.accepts(old, value) for one in variants for value in one.values or ()
        )

    def _same_type(
        self,
        before: Sequence[Variant],
        after: Sequence[Variant],
        schemas: tuple[Schema, Schema],
        depth: int,
    ) -> Iterator[Difference]:
        """Variants of one type on both sides: listed values are tried, the others compared."""
        old, new = schemas
        free_before = [one for one in before if one.values is None]
        free_after = [one for one in after if one.values is None]
        if free_after:  # what a short range of integers may hold is compared as a range
            before = [one for one in before if one.values is not None]
        if free_before:
            after = [one for one in after if one.values is not None]
        was, now = _listed(before), _listed(after)
        if was is None:
            message = f"allows only {_values(now or ())}, no longer any {_type_name(before)}"
            yield Difference(Effect.NARROWED, "values", "", message)
        if now is None:
            message = f"allows any {_type_name(after)}, no longer only {_values(was or ())}"
            yield Difference(Effect.WIDENED, "values", "", message)
        takes, took = self.new.accepts, self.old.accepts
        if lost := [one for one in was or () if took(old, one) and not takes(new, one)]:
            yield Difference(Effect.NARROWED, "values", "", f"no longer allows {_values(lost)}")
        if won := [one for one in now or () if takes(new, one) and not took(old, one)]:
            yield Difference(Effect.WIDENED, "values", "", f"also allows {_values(won)}")
        if free_before and free_after:
            yield from self._unions(free_before, free_after, depth)

    # --- several variants of one type

    def _unions(
        self, before: Sequence[Variant], after: Sequence[Variant], depth: int
    ) -> Iterator[Difference]:
        if len(before) == len(after) == 1:
            yield from self._variant(before[0], after[0], depth)
            return
        gone = [
            one
            for one in before
            if not any(_keeps(self._variant(one, other, depth), LOSSES) for other in after)
        ]
        new = [
            one
            for one in after
            if not any(_keeps(self._variant(other, one, depth), GAINS) for other in before)
        ]
        for old, partner in _partners(before, after, gone, new):
            for found in self._variant(old, partner, depth):
                if found.effect is not Effect.NARROWED or old in gone:
                    yield found
            gone = [one for one in gone if one is not old]
            new = [one for one in new if one is not partner]
        for one in gone:
            message = f"no longer allows the variant {_label(one)}"
            yield Difference(Effect.NARROWED, "variant", "", message)
        for one in new:
            yield Difference(
                Effect.WIDENED, "variant", "", f"also allows the variant {_label(one)}"
            )

    def _variant(self, old: Variant, new: Variant, depth: int) -> Iterator[Difference]:
        """Two variants of one type, neither of listed values."""
        match old.type:
            case "number":
                yield from _numbers(old, new)
            case "string":
                yield from _limits(old, new, "characters")
                yield from _patterns(old, new)
            case "array":
                yield from self._arrays(old, new, depth)
            case "object":
                yield from self._objects(old, new, depth)
        yield from _opaque(old, new)

    def _arrays(self, old: Variant, new: Variant, depth: int) -> Iterator[Difference]:
        yield from _limits(old, new, "items")
        if new.is_unique and not old.is_unique and old.high >= 2:
            yield Difference(Effect.NARROWED, "unique", "", "allows no item twice now")
        if old.is_unique and not new.is_unique and new.high >= 2:
            yield Difference(Effect.WIDENED, "unique", "", "allows an item twice now")
        if old.high > 0 and new.high > 0:
            yield from _placed("[]", self._compare(old.items, new.items, depth + 1))

    # --- objects

    def _objects(self, old: Variant, new: Variant, depth: int) -> Iterator[Difference]:
        yield from _limits(old, new, "members")
        for name in dict.fromkeys([*old.members, *new.members, *old.required, *new.required]):
            found = [*self._member(name, old, new, depth)]
            yield from _placed(name, found)
        yield from self._others(old, new, depth)

    def _member(self, name: str, old: Variant, new: Variant, depth: int) -> Iterator[Difference]:
        before, after = member(old, name), member(new, name)
        was, now = self.old.is_satisfiable(before), self.new.is_satisfiable(after)
        was_required, is_required = name in old.required, name in new.required
        has_room = len({*old.required, name}) <= old.high
        if was and not now:
            if has_room:
                message = "is no longer allowed"
                yield Difference(Effect.NARROWED, "member-removed", "", message)
            return
        if now and (not was or (name in new.members and name not in old.members)):
            word = "required" if is_required else "optional"
            effect = Effect.NARROWED if is_required and not was_required else Effect.WIDENED
            yield Difference(effect, "member-added", "", f"is new and {word}")
            return
        if is_required and not was_required:
            yield Difference(Effect.NARROWED, "member-required", "", "is required now")
        if was_required and not is_required:
            yield Difference(Effect.WIDENED, "member-optional", "", "is no longer required")
        if not now:
            return
        if (
            name in old.members
            and name not in new.members
            and self._takes_all(before, after, depth)
        ):
            message = "is no longer described"
            yield Difference(Effect.CHANGED, "member-removed", "", message)
        elif has_room:
            yield from self._compare(before, after, depth + 1)

    def _takes_all(self, before: Schema, after: Schema, depth: int) -> bool:
        return _keeps(self._compare(before, after, depth + 1), LOSSES)

    def _others(self, old: Variant, new: Variant, depth: int) -> Iterator[Difference]:
        """The members that no name is given for."""
        was, now = self.old.is_satisfiable(old.others), self.new.is_satisfiable(new.others)
        has_room = len(old.required) < old.high
        if was and not now and has_room:
            message = "allows no other members than those it names now"
            yield Difference(Effect.NARROWED, "others", "", message)
        elif now and not was:
            yield Difference(Effect.WIDENED, "others", "", "allows other members as well now")
        elif was and now and has_room:
            yield from _placed("*", self._compare(old.others, new.others, depth + 1))


def _partners(
    before: Sequence[Variant],
    after: Sequence[Variant],
    gone: Sequence[Variant],
    new: Sequence[Variant],
) -> list[tuple[Variant, Variant]]:
    """Which variants are the same in another form: those of one name, or the only ones that are left."""
    named = {one.name: one for one in after if one.name}
    pairs = [
        (one, named[one.name])
        for one in before
        if one.name in named and (one in gone or named[one.name] in new)
    ]
    if not pairs and len(gone) == len(new) == 1:
        return [(gone[0], new[0])]
    return pairs


def _capped(found: list[Difference]) -> list[Difference]:
    """The differences, the worst ones before the others where they are too many, and how many are left out."""
    if len(found) <= MAX_TOLD:
        return found
    ordered = sorted(found, key=lambda one: list(Effect).index(one.effect))
    kept, rest = ordered[:MAX_TOLD], ordered[MAX_TOLD:]
    effects = {one.effect for one in rest}
    summary = [
        Difference(
            effect,
            "more",
            "",
            f"has {sum(one.effect is effect for one in rest)} more changes inside",
        )
        for effect in Effect
        if effect in effects
    ]
    return [*kept, *summary]


def _is_sound(root: Mapping[str, Json]) -> bool:
    # Without `$schema`, which may name a URL: a report fetches nothing.
    return jsonschema_rs.meta.is_valid({key: one for key, one in root.items() if key != "$schema"})


LOSSES = (Effect.NARROWED, Effect.CHANGED)
GAINS = (Effect.WIDENED, Effect.CHANGED)


def _keeps(found: Iterable[Difference], effects: Sequence[Effect]) -> bool:
    """Whether no difference has one of the effects; words do not matter."""
    return not any(one.effect in effects and one.kind != "deprecated" for one in found)


def _same_definitions(old: Mapping[str, Schema], new: Mapping[str, Schema]) -> frozenset[str]:
    """The names that mean the same on both sides, also in all that they refer to."""
    same = {name for name in old if name in new and is_equal(old[name], new[name])}
    needs = {name: set(references(old[name])) for name in same}
    while True:
        left = {name for name in same if needs[name] <= same}
        if left == same:
            return frozenset(same)
        same = left


def _bare(schema: Schema) -> Schema:
    """A root without its definitions, so that it is what a reference to it is."""
    if not isinstance(schema, dict):
        return schema
    return {key: value for key, value in schema.items() if key != "$defs"}


def _placed(step: str, found: Iterable[Difference]) -> Iterator[Difference]:
    for one in found:
        dot = "." if one.place and not one.place.startswith("[") else ""
        yield replace(one, place=f"{step}{dot}{one.place}")


# --- one facet


def _defaults(before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterator[Difference]:
    was, now = before.get("default"), after.get("default")
    if "default" not in before:
        yield Difference(Effect.SAID, "default", "", f"has the default {_value(now)} now")
    elif "default" not in after:
        yield Difference(Effect.SAID, "default", "", f"no longer has the default {_value(was)}")
    elif not is_equal(was, now):
        message = f"has the default {_value(now)}, which was {_value(was)}"
        yield Difference(Effect.CHANGED, "default", "", message)


def _type_change(
    lost: Sequence[str], won: Sequence[str], *, nothing_left: bool, nothing_before: bool
) -> Iterator[Difference]:
    if nothing_left and not nothing_before:
        yield Difference(Effect.NARROWED, "type", "", "allows nothing any more")
    elif nothing_before and not nothing_left:
        yield Difference(Effect.WIDENED, "type", "", "allows something now")
    elif lost and won:
        message = f"allows {_words(won)} instead of {_words(lost)}"
        yield Difference(Effect.NARROWED, "type", "", message)
    elif lost:
        yield Difference(Effect.NARROWED, "type", "", f"no longer allows {_words(lost)}")
    elif won:
        yield Difference(Effect.WIDENED, "type", "", f"also allows {_words(won)}")


def _limits(old: Variant, new: Variant, what: str) -> Iterator[Difference]:
    # A pattern may forbid already what a length forbids: `^.+$` the empty text.
    narrower = Effect.CHANGED if old.patterns else Effect.NARROWED
    if new.low > old.low:
        message = f"needs at least {new.low} {what}, not {old.low}"
        yield Difference(narrower, "size", "", message)
    if new.low < old.low:
        message = f"needs only {new.low} {what}, not {old.low}"
        yield Difference(Effect.WIDENED, "size", "", message)
    if new.high < old.high:
        before = "any number" if old.high == float("inf") else str(old.high)
        message = f"allows at most {new.high} {what}, no longer {before}"
        yield Difference(narrower, "size", "", message)
    if new.high > old.high:
        after = "any number of" if new.high == float("inf") else f"up to {new.high}"
        yield Difference(Effect.WIDENED, "size", "", f"allows {after} {what}, no longer {old.high}")


def _numbers(old: Variant, new: Variant) -> Iterator[Difference]:
    yield from _steps(old, new)
    for word, sign in (("minimum", 1), ("maximum", -1)):
        before, after = (old.lower, new.lower) if word == "minimum" else (old.upper, new.upper)
        order = _tighter(after, before, sign)
        if order > 0:
            message = f"has the {word} {_end(after)} now"
            if before.value is not None:
                message = f"has the {word} {_end(after)}, which was {_end(before)}"
            yield Difference(Effect.NARROWED, "range", "", message)
        if order < 0:
            message = f"has the {word} {_end(after)}, which was {_end(before)}"
            if after.value is None:
                message = f"no longer has the {word} {_end(before)}"
            yield Difference(Effect.WIDENED, "range", "", message)


def _tighter(one: Bound, other: Bound, sign: int) -> int:
    """1 where the first bound leaves less than the other, -1 where it leaves more."""
    if one.value is None or other.value is None:
        return (one.value is not None) - (other.value is not None)
    if one.value != other.value:
        return 1 if (one.value - other.value) * sign > 0 else -1
    return one.is_exclusive - other.is_exclusive


def _steps(old: Variant, new: Variant) -> Iterator[Difference]:
    if old.step == new.step:
        return
    if new.step is not None and not _are_multiples(old, new.step):
        message = (
            "allows only integers"
            if new.step == 1 and old.step is None
            else f"allows only multiples of {_number(new.step)}"
        )
        yield Difference(Effect.NARROWED, "step", "", message)
    elif old.step is not None:
        message = (
            "allows any number, not only integers"
            if new.step is None and old.step == 1
            else f"no longer allows only multiples of {_number(old.step)}"
        )
        yield Difference(Effect.WIDENED, "step", "", message)


def _are_multiples(variant: Variant, step: Fraction) -> bool:
    if variant.lower.value is not None and variant.lower.value == variant.upper.value:
        return variant.lower.value % step == 0
    return variant.step is not None and variant.step % step == 0


def _patterns(old: Variant, new: Variant) -> Iterator[Difference]:
    lost = [one for one in old.patterns if one not in new.patterns]
    won = [one for one in new.patterns if one not in old.patterns]
    if won and not old.patterns:
        message = f"must match the pattern {_values(won)} now"
        yield Difference(Effect.NARROWED, "pattern", "", message)
    elif won:
        message = f"must match {_values(new.patterns)}, no longer {_values(old.patterns)}"
        yield Difference(Effect.CHANGED, "pattern", "", message)
    elif lost:
        message = f"need no longer match {_values(lost)}"
        yield Difference(Effect.WIDENED, "pattern", "", message)


def _opaque(old: Variant, new: Variant) -> Iterator[Difference]:
    """Assertions that are compared as a whole."""
    for word in dict.fromkeys([*old.opaque, *new.opaque]):
        if word not in new.opaque:
            what = f"'{word}' no longer holds"
            yield Difference(Effect.WIDENED, word, "", _format(old, new, word) or what)
        elif word not in old.opaque:
            what = f"'{word}' holds now"
            yield Difference(Effect.CHANGED, word, "", _format(old, new, word) or what)
        elif not is_equal(old.opaque[word], new.opaque[word]):
            what = f"'{word}' changed"
            yield Difference(Effect.CHANGED, word, "", _format(old, new, word) or what)


def _format(old: Variant, new: Variant, word: str) -> str | None:
    was, now = old.opaque.get(word), new.opaque.get(word)
    if word != "format":
        return None
    if was is None:
        return f"has the format {_value(now)} now"
    if now is None:
        return f"no longer has the format {_value(was)}"
    return f"has the format {_value(now)}, which was {_value(was)}"


# --- words


def _listed(variants: Iterable[Variant]) -> list[Json] | None:
    """All values, each once; None where one variant cannot list its own."""
    found: list[Json] = []
    for one in variants:
        values = one.listed()
        if values is None:
            return None
        found += [value for value in values if not any(is_equal(value, other) for other in found)]
    return found


def _type_name(variants: Sequence[Variant]) -> str:
    names = {one.type_name for one in variants}
    return "number" if "number" in names else names.pop()


def _label(variant: Variant) -> str:
    if variant.name:
        return f"'{variant.name}'"
    return f"{variant.type_name} with {_words(list(variant.members)) or 'no members'}"


def _words(names: Sequence[str]) -> str:
    shown = list(names[:SHOWN])
    if len(names) > SHOWN:
        shown.append(f"{len(names) - SHOWN} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _values(values: Sequence[Json]) -> str:
    return _words([_value(one) for one in values]) or "nothing"


def _value(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


def _end(bound: Bound) -> str:
    if bound.value is None:
        return "none"
    return f"{_number(bound.value)}{' (itself not allowed)' if bound.is_exclusive else ''}"


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
