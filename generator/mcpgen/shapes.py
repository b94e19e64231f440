"""Schemas as Python can say them: any JSON Schema becomes a shape, a schema of a few plain forms.

Takes IR schemas, gives shapes and decides all class names. A shape is `{}` (anything), `{"type": scalar}`,
`{"enum": values}`, an array of one shape, a dictionary of one shape, `{"anyOf": shapes}` or a `$ref` to a class.
Objects with properties stand only under their own class name. What a value must fulfil beyond its type is left out.
"""

from __future__ import annotations

import builtins
import json
import keyword
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcpgen import descriptions, names
from mcpgen.ir import Json, Schema
from mcpgen.subschemas import REF, ref_name

Shape = dict[str, Json]

CLASS = "#/components/schemas/"
PYTHON = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}
ANYTHING: Shape = {}
NULL: Shape = {"type": "null"}

# Names that a module of handlers or models uses itself.
RESERVED = frozenset(
    [*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *dir(typing)]
    + "API Api Blob Context Credentials Json Request Response Tools UNSET Unset Upload annotations generated models".split()
)
LONGEST_NAME = 60
LONGEST_INLINE = 50  # characters of a type that is repeated at each use instead of getting a name
LONGEST_ANNOTATION = 120  # characters of a type in a handler's signature
MOST_VARIANTS = 24  # of one oneOf beside properties, each a class of its own
MOST_OBJECTS = 500  # inline in one definition; merged parts can multiply at each level
DEEPEST = 40

LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")  # Markdown: a docstring shows its text alone

# Keywords that say which type a value has; the rest limits or describes it.
TELLING = frozenset(
    "$ref allOf anyOf oneOf type enum const properties patternProperties additionalProperties items prefixItems".split()
)


def class_name(text: str) -> str:
    """A CamelCase class name, whatever the text: `issue-comment` → `IssueComment`, `List` → `ListModel`."""
    name = names.camel(text)
    if not name:
        return f"Model{names.digest(text)}"
    if name[0].isdigit():
        name = f"Model{name}"
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 6] + names.digest(text)
    # `PetTools` is the class of handlers of the tag pet.
    if name in RESERVED or name.endswith("Tools"):
        name = f"{name}Model"
    return name


def annotation(shape: Shape) -> str:
    """The shape as a Python type expression."""
    if "$ref" in shape:
        return str(shape["$ref"].removeprefix(CLASS))
    if "enum" in shape:
        return f"Literal[{', '.join(map(repr, shape['enum']))}]"
    if "anyOf" in shape:
        return " | ".join(map(annotation, shape["anyOf"]))
    match shape.get("type"):
        case None:
            return "Any"
        case "array":
            return f"list[{annotation(shape['items'])}]"
        case "object":
            return f"dict[str, {annotation(shape['additionalProperties'])}]"
        case scalar:
            return PYTHON[scalar]


def used_classes(shape: Shape) -> tuple[str, ...]:
    """The classes that the shape names, in order, each once."""
    return tuple(dict.fromkeys(_classes(shape)))


def _classes(shape: Shape) -> Iterator[str]:
    if "$ref" in shape:
        yield shape["$ref"].removeprefix(CLASS)
    for one in shape.get("anyOf", ()):
        yield from _classes(one)
    for key in ("items", "additionalProperties"):
        if key in shape:
            yield from _classes(shape[key])
    for member in shape.get("properties", {}).values():
        yield from _classes(member)


def choice(options: Sequence[Shape]) -> Shape:
    """Any one of the shapes; what another option already covers is left out, None stands last."""
    flat: dict[str, Shape] = {}
    values: dict[str, Json] = {}
    for option in options:
        for one in option.get("anyOf", [option]):
            if one == ANYTHING:
                return ANYTHING
            if "enum" in one:
                values |= {repr(value): value for value in one["enum"]}
            flat.setdefault(annotation({"enum": []} if "enum" in one else one), one)
    if "str" in flat:
        values = {text: value for text, value in values.items() if not isinstance(value, str)}
    if "int" in flat or "float" in flat:
        values = {text: value for text, value in values.items() if type(value) is not int}
    if "bool" in flat or {"True", "False"} <= values.keys():
        flat.setdefault("bool", {"type": "boolean"})
        values = {text: value for text, value in values.items() if type(value) is not bool}
    if "float" in flat:
        flat.pop("int", None)
    if "Literal[]" in flat:
        flat["Literal[]"] = {"enum": list(values.values())}
        if not values:
            del flat["Literal[]"]
    if "None" in flat:
        flat["None"] = flat.pop("None")
    shapes = list(flat.values())
    return shapes[0] if len(shapes) == 1 else {"anyOf": shapes} if shapes else ANYTHING


def literal(values: Sequence[Json]) -> Shape:
    """An enumeration; what Python cannot write in a Literal is widened to its type."""
    options: list[Shape] = []
    for value in values:
        match value:
            case None:
                options.append(NULL)
            case str() if not _is_text(value):
                options.append({"type": "string"})
            case str() | bool() | int():
                options.append({"enum": [value]})
            case float():
                options.append({"type": "number"})
            case list():
                options.append({"type": "array", "items": ANYTHING})
            case _:
                options.append({"type": "object", "additionalProperties": ANYTHING})
    return choice(options)


@dataclass(slots=True)
class Facts:
    """What a schema says about a value's type, its allOf and references taken together."""

    types: list[str] | None = None
    values: Sequence[Json] | None = None
    properties: dict[str, list[Schema]] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    items: list[Schema] = field(default_factory=list)
    extra: list[Schema] = field(default_factory=list)
    choices: list[Sequence[Schema]] = field(default_factory=list)
    followed: set[str] = field(default_factory=set)

    def read(self, schema: Mapping[str, Json]) -> None:
        if "type" in schema:
            self._narrow(schema["type"])
        if isinstance(schema.get("enum"), list):
            self.values = schema["enum"] if self.values is None else self.values
        if "const" in schema:
            self.values = [schema["const"]]
        for name, member in _mapping(schema.get("properties")).items():
            self.properties.setdefault(name, []).append(member)
        self.required += [one for one in _list(schema.get("required")) if isinstance(one, str)]
        self.items += [one for one in _list(schema.get("prefixItems"))]
        if "items" in schema:
            self.items.append(schema["items"])
        self.extra += _mapping(schema.get("patternProperties")).values()
        if "additionalProperties" in schema:
            self.extra.append(schema["additionalProperties"])
        self.choices += [schema[word] for word in ("oneOf", "anyOf") if _list(schema.get(word))]

    def _narrow(self, types: Json) -> None:
        known = [one for one in (types if isinstance(types, list) else [types]) if one in KNOWN]
        if self.types is None:
            self.types = known or None
        else:
            self.types = [one for one in self.types if one in known] or self.types

    def base(self) -> dict[str, Json]:
        """The object without its choices, to be merged with each of them."""
        return {
            "type": "object",
            "properties": {
                name: members[0] if len(members) == 1 else {"allOf": members}
                for name, members in self.properties.items()
            },
            "required": self.required,
        }


KNOWN = frozenset([*PYTHON, "array", "object"])


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _tells(schema: Schema) -> bool:
    return isinstance(schema, dict) and not TELLING.isdisjoint(schema)


class Shapes:
    """Makes shapes of the schemas of one API; `made` holds what must stand in models.py, by class name."""

    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self.made: dict[str, Shape] = {}
        self._definitions = definitions
        self._taken: set[str] = set()
        # All are named, used or not: which tools are included must not change a name.
        self._names = {key: self._take(class_name(key), key) for key in definitions}
        self._references: dict[str, Shape] = {}
        self._recursive: set[str] = set()
        self._inline: dict[tuple[str, str], str] = {}
        self._objects: dict[str, int] = {}

    def wanted(self, name: str, schema: Schema) -> Shape:
        """The shape of a schema that stands by itself; `name` is for what needs one."""
        shape = self._shape(schema, _Place(class_name(name), class_name(name)))
        if len(annotation(shape)) <= LONGEST_ANNOTATION:
            return shape
        return self._alias(self._take(class_name(name), name), shape)

    def break_cycles(self) -> None:
        """Let no alias be itself: `A = B | None`, `B = A | int` says nothing that Python could follow."""
        settled: set[str] = set()
        for start in self.made:
            self._break_from(start, (), settled)

    def _break_from(self, name: str, path: tuple[str, ...], settled: set[str]) -> None:
        shape = self.made.get(name, ANYTHING)
        if name in settled or "properties" in shape:
            return
        if name in path:
            self.made[name] = ANYTHING
            return
        for one in shape.get("anyOf", [shape]):
            if "$ref" in one:
                self._break_from(one["$ref"].removeprefix(CLASS), (*path, name), settled)
        settled.add(name)

    # --- names

    def _take(self, name: str, identity: str) -> str:
        """The name, with a mark of its origin where it is taken, so that it does not hang on an order."""
        if name in self._taken:
            name = f"{name}{names.digest(identity)}"
        base, number = name, 2
        while name in self._taken:
            name, number = f"{base}{number}", number + 1
        self._taken.add(name)
        return name

    def _alias(self, name: str, shape: Shape) -> Shape:
        self.made[name] = shape
        return {"$ref": CLASS + name}

    # --- references

    def _reference(self, key: str) -> Shape:
        if key not in self._definitions:
            return ANYTHING
        name = self._names[key]
        if key in self._references:
            self._recursive.add(key)
            return self._references[key]
        self._references[key] = {"$ref": CLASS + name}
        shape = self._shape(
            self._definitions[key], _Place(name, name, own=name, inside=frozenset([key]))
        )
        if shape == self._references[key]:
            self.made.setdefault(name, ANYTHING)  # nothing but itself, by way of others
        else:
            short = len(annotation(shape)) <= LONGEST_INLINE and not _is_union_of_classes(shape)
            # A class of that name is there already where it is the class or null.
            if name in self.made or (short and key not in self._recursive):
                self._references[key] = shape
            else:
                self.made[name] = shape
        return self._references[key]

    def _only_reference(self, schema: Mapping[str, Json]) -> str | None:
        """The definition that alone gives the type: a `$ref`, or an allOf around one."""
        telling = TELLING & schema.keys() - {"type"}
        if telling == {"$ref"}:
            return ref_name(schema["$ref"]) if str(schema["$ref"]).startswith(REF) else None
        if telling == {"allOf"}:
            parts = [one for one in _list(schema["allOf"]) if _tells(one)]
            return self._only_reference(parts[0]) if len(parts) == 1 else None
        return None

    # --- shapes

    def _shape(self, schema: Schema, place: _Place) -> Shape:
        if not isinstance(schema, dict) or place.depth > DEEPEST:
            return ANYTHING
        if (key := self._only_reference(schema)) is not None and key not in place.inside:
            return self._reference(key)
        facts = Facts(followed=set(place.inside))
        self._gather(schema, facts, depth=0)
        # A definition merged into a part of itself would unfold without end; there it is taken as it is.
        if again := sorted((facts.followed - place.inside) & place.merged):
            return self._reference(again[0])
        place = replace(place, merged=place.merged | facts.followed)
        if facts.values is not None:
            return _fitting(facts.values, facts.types)
        if facts.properties and facts.types in (
            None,
            ["object"],
            ["object", "null"],
            ["null", "object"],
        ):
            shape = self._object(schema, facts, place)
            return choice([shape, NULL]) if "null" in (facts.types or ()) else shape
        if facts.choices:
            return self._choice(facts, place)
        types = facts.types or _implied(facts)
        return choice([self._of_type(one, facts, place) for one in types] or [ANYTHING])

    def _gather(self, schema: Schema, facts: Facts, *, depth: int) -> None:
        if not isinstance(schema, dict) or depth > DEEPEST:
            return
        facts.read(schema)
        ref = schema.get("$ref")
        if isinstance(ref, str) and (key := ref_name(ref)) not in facts.followed:
            facts.followed.add(key)
            self._gather(self._definitions.get(key, True), facts, depth=depth + 1)
        for part in _list(schema.get("allOf")):
            self._gather(part, facts, depth=depth + 1)

    def _of_type(self, name: str, facts: Facts, place: _Place) -> Shape:
        if name == "array":
            inner = place.inner("Item")
            return {
                "type": "array",
                "items": choice([self._shape(one, inner) for one in facts.items] or [ANYTHING]),
            }
        if name == "object":
            if facts.properties:
                return self._object({}, facts, place)
            inner = place.inner("Value")
            extra = [self._shape(one, inner) for one in facts.extra if one is not False]
            return {"type": "object", "additionalProperties": choice(extra or [ANYTHING])}
        return {"type": name}

    def _choice(self, facts: Facts, place: _Place) -> Shape:
        variants = [one for one in facts.choices[0] if one is not False]
        if not any(map(_tells, variants)):
            return choice(
                [self._of_type(one, facts, place) for one in facts.types or _implied(facts)]
                or [ANYTHING]
            )
        objects = [one for one in variants if one != NULL]
        inner = (
            [replace(place, inside=frozenset(facts.followed))] * len(variants)
            if len(objects) == 1
            else [place.variant(number, one, facts) for number, one in enumerate(variants, 1)]
        )
        shape = choice([self._shape(one, at) for one, at in zip(variants, inner, strict=True)])
        return (
            choice([shape, NULL]) if "null" in (facts.types or ()) and shape != ANYTHING else shape
        )

    def _object(self, schema: Mapping[str, Json], facts: Facts, place: _Place) -> Shape:
        self._objects[place.root] = self._objects.get(place.root, 0) + 1
        if self._objects[place.root] > MOST_OBJECTS:
            return _bare("object")
        if variants := self._variants(facts, place):
            base = facts.base()
            return choice(
                [
                    self._shape({"allOf": [base, one]}, place.variant(number, one, facts))
                    for number, one in enumerate(variants, 1)
                ]
            )
        members: dict[str, Shape] = {}
        for name, schemas in facts.properties.items():
            if not _is_text(name):
                continue
            member: Schema = schemas[0] if len(schemas) == 1 else {"allOf": schemas}
            shape = self._shape(member, place.inner(names.camel(name) or names.digest(name)))
            members[name] = {**shape, **_doc(schemas[0])}
        required = [name for name in dict.fromkeys(facts.required) if name in members]
        made: Shape = {
            "type": "object",
            "properties": members,
            "required": required,
            **_doc(schema),
        }
        if place.own:
            return self._alias(place.own, made)
        # The same object twice under one root is one class: variants repeat what they have in common.
        identity = (place.root, json.dumps(made))
        if identity not in self._inline:
            self._inline[identity] = self._take(class_name(place.hint), place.hint)
            self.made[self._inline[identity]] = made
        return {"$ref": CLASS + self._inline[identity]}

    def _variants(self, facts: Facts, place: _Place) -> Sequence[Schema]:
        """What oneOf or anyOf adds to an object with properties; nothing if it only limits it."""
        if not facts.choices or place.in_variant:
            return ()
        variants = [one for one in facts.choices[0] if one != NULL]
        back = any(
            isinstance(one, dict)
            and isinstance(one.get("$ref"), str)
            and ref_name(one["$ref"]) in facts.followed
            for one in variants
        )
        # A child that is one of its parent's oneOf and takes in the parent by allOf would never end.
        if back or len(variants) > MOST_VARIANTS or not all(map(_tells, variants)):
            return ()
        return variants


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a schema stands: what an object there would be called."""

    hint: str
    root: str  # the definition or wanted name it is in
    own: str = ""  # the name kept for an object right here
    inside: frozenset[str] = frozenset()  # definitions that are merged into this very object
    merged: frozenset[str] = frozenset()  # definitions that are merged into what this is a part of
    in_variant: bool = False
    depth: int = 0

    def inner(self, suffix: str) -> _Place:
        hint = self.hint + suffix
        return _Place(hint, self.root, merged=self.merged, depth=self.depth + 1)

    def variant(self, number: int, schema: Schema, facts: Facts) -> _Place:
        title = schema.get("title") if isinstance(schema, dict) else None
        suffix = names.camel(title) if isinstance(title, str) and len(title) <= 40 else ""
        return _Place(
            self.hint + (suffix or f"Option{number}"),
            self.root,
            inside=frozenset(facts.followed),
            merged=self.merged,
            in_variant=True,
            depth=self.depth + 1,
        )


def _is_text(value: str) -> bool:
    """Whether UTF-8 can write it; JSON allows half a surrogate pair."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_union_of_classes(shape: Shape) -> bool:
    return any("$ref" in one for one in shape.get("anyOf", ()))


def _implied(facts: Facts) -> list[str]:
    if facts.items:
        return ["array"]
    return ["object"] if facts.properties or facts.extra else []


def _fitting(values: Sequence[Json], types: list[str] | None) -> Shape:
    """The enumeration, as far as it fits the type; a document may list `"1"` for an integer."""
    fitting = [one for one in values if types is None or any(_is_of(one, name) for name in types)]
    if not fitting:
        return choice([_bare(name) for name in types or ()])
    return literal(fitting)


def _is_of(value: Json, name: str) -> bool:
    match value:
        case None:
            return name == "null"
        case bool():
            return name == "boolean"
        case str():
            return name == "string"
        case int():
            return name in ("integer", "number")
        case float():
            return name == "number"
        case list():
            return name == "array"
        case _:
            return name == "object"


def _bare(name: str) -> Shape:
    if name == "array":
        return {"type": name, "items": ANYTHING}
    return {"type": name, "additionalProperties": ANYTHING} if name == "object" else {"type": name}


def _doc(schema: Mapping[str, Json] | bool) -> dict[str, str]:
    text = None if isinstance(schema, bool) else schema.get("description")
    line = descriptions.first_line(LINK.sub(r"\1", text)) if isinstance(text, str) else ""
    return {"description": re.sub(r"\s+", " ", line)} if line else {}
