"""One operation as a handler: its arguments, and the statements that build its request.

Takes an IR operation and names; gives views that a template can print as they are. Knows how a parameter or
a body is said in the vendored runtime's `Request`, and nothing of files or templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen import names
from mcpgen.ir import (
    Body,
    Encoding,
    Json,
    MediaType,
    Operation,
    Parameter,
    Place,
    Response,
    Schema,
    SecurityKind,
    SecurityScheme,
    Value,
)
from mcpgen.tool_schemas import Property, ToolSchemas, is_binary
from mcpgen.xml_schemas import xml_schema

# The names that a handler's own code uses; an argument of that name moves the handler's aside.
REQUEST = "request"

# The key of the argument that chooses among a body's media types.
CONTENT_TYPE = "header:Content-Type"

LINES = (
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
)

# What explode is where the document says nothing: true for form and deepObject (OpenAPI 3.2 §4.12.2).
EXPLODED = ("form", "deepObject")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: `key` is `place:wire name`, or `body`; `name` is the property and the Python parameter."""

    key: str
    name: str
    property: Property
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """`request.<method>(<wire>, <argument>, <options>)`, without `wire` for a body; `fixed` stands for the argument.

    An argument is a name or a value.
    """

    method: str
    wire: str | None
    argument: str | Value
    options: tuple[tuple[str, Json], ...] = ()
    fixed: Json = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several statements: by the value of `argument`, or `otherwise`."""

    argument: str
    cases: tuple[tuple[str, Statement], ...]
    otherwise: Statement


class Kind:
    """The kinds of media type that a request or answer is handled by."""

    JSON, FORM, MULTIPART, XML, TEXT, BINARY = "json", "form", "multipart", "xml", "text", "binary"


def media_kind(media_type: str) -> str:
    """Which kind of body a media type is (RFC 6838 §4.2.8 for the suffixes)."""
    essence = media_type.partition(";")[0].strip().lower()
    if essence in ("application/json", "text/json", "*/*", "application/*", "") or essence.endswith(
        "+json"
    ):
        return Kind.JSON
    if essence == "application/x-www-form-urlencoded":
        return Kind.FORM
    if essence.startswith("multipart/"):
        return Kind.MULTIPART
    if essence in ("application/xml", "text/xml") or essence.endswith("+xml"):
        return Kind.XML
    if essence.startswith("text/") or essence in (*LINES, "application/yaml"):
        return Kind.TEXT
    return Kind.BINARY


PREFERENCE = [Kind.JSON, Kind.FORM, Kind.MULTIPART, Kind.XML, Kind.TEXT, Kind.BINARY]


def body_variants(body: Body, schemas: ToolSchemas) -> tuple[MediaType, ...]:
    """The media types to choose from, the usual one first; one alone where they all take the same argument.

    Nothing is sent under a pattern such as `text/*` where a type is named; a file says its own type.
    """
    first = choose_content(body.contents)
    if first is None:
        return ()
    others = [
        one
        for one in body.contents
        if one is not first and ("*" not in one.type or media_kind(one.type) == Kind.BINARY)
    ]
    if "*" in first.type and others and media_kind(first.type) == Kind.JSON:
        return body_variants(replace(body, contents=tuple(others)), schemas)
    unique = {one.type.strip().lower(): one for one in reversed([first, *others])}
    found = list(reversed(unique.values()))
    if all(_takes_the_same(first, one, schemas) for one in found):
        return (first,)
    return tuple(found)


def _takes_the_same(first: MediaType, other: MediaType, schemas: ToolSchemas) -> bool:
    """Whether what is given for one is just as good for the other. Text and bytes are written by the caller."""
    kind = media_kind(other.type)
    if first.type.strip().lower() == other.type.strip().lower():
        return True
    if kind in (Kind.TEXT, Kind.BINARY):
        return False
    return body_schema(first, schemas) == body_schema(other, schemas)


def is_sequence(media_type: str) -> bool:
    """Whether each line is a JSON value (OpenAPI 3.2 §4.14.3, sequential media types)."""
    return media_type.partition(";")[0].strip().lower() in LINES


def choose_content(contents: tuple[MediaType, ...]) -> MediaType | None:
    """The media type to send a body as: plain JSON first, then by how well a model can write it."""
    if not contents:
        return None
    plain = [
        one for one in contents if one.type.partition(";")[0].strip().lower() == "application/json"
    ]
    return (plain or sorted(contents, key=lambda one: PREFERENCE.index(media_kind(one.type))))[0]


def arguments(
    operation: Operation, schemas: ToolSchemas, pinned: Mapping[str, str]
) -> tuple[Argument, ...]:
    """All arguments with their names. `pinned` maps keys to the names of an earlier run, which never change."""
    taken = names.Namespace(pinned.values())
    if operation.body and operation.body.contents:
        taken.take("body")
    made: dict[str, Argument] = {}
    for parameter in sorted(operation.parameters, key=_precedence):
        key = f"{parameter.place}:{parameter.name}"
        name = pinned.get(key) or _parameter_name(parameter, taken)
        made[key] = Argument(key, name, _parameter_property(name, parameter))
    ordered = [made[f"{one.place}:{one.name}"] for one in operation.parameters]
    if operation.body and (variants := body_variants(operation.body, schemas)):
        if len(variants) > 1:
            name = pinned.get(CONTENT_TYPE) or taken.take("content_type", "body_content_type")
            ordered.append(_content_type_argument(name, variants))
        ordered.append(_body_argument(operation.body, variants, schemas))
    return tuple(ordered)


def _precedence(parameter: Parameter) -> tuple[int, bool]:
    """Who keeps the plain name in a clash: the path first; among equals whoever is already spelled so."""
    place = list(Place).index(parameter.place)
    return place, names.FINE.fullmatch(parameter.name) is None


def _parameter_name(parameter: Parameter, taken: names.Namespace) -> str:
    plain = names.argument_name(parameter.name, parameter.place)
    return taken.take(plain, names.shorten(f"{parameter.place}_{plain}", parameter.name))


def _parameter_property(name: str, parameter: Parameter) -> Property:
    return Property(
        name,
        parameter.schema,
        required=parameter.required,
        description=parameter.description,
        deprecated=parameter.deprecated,
        example=parameter.example,
    )


def _content_type_argument(name: str, variants: tuple[MediaType, ...]) -> Argument:
    types = [one.type.strip() for one in variants]
    schema = {"type": "string", "enum": types, "default": types[0]}
    text = "What the body is sent as; its form depends on it."
    return Argument(CONTENT_TYPE, name, Property(name, schema, required=False, description=text))


def _body_argument(body: Body, variants: tuple[MediaType, ...], schemas: ToolSchemas) -> Argument:
    shown: dict[str, tuple[Schema, list[str]]] = {}
    for one in variants:
        schema = body_schema(one, schemas)
        shown.setdefault(repr(schema), (schema, []))[1].append(one.type.strip())
    plain = schemas.resolve(body_schema(variants[0], schemas))
    nullable = media_kind(variants[0].type) == Kind.JSON and not body.required and takes_null(plain)
    found = [
        {"title": ", ".join(types), **schema} if isinstance(schema, dict) else schema
        for schema, types in shown.values()
    ]
    schema = {"anyOf": found} if len(found) > 1 else next(iter(shown.values()))[0]
    argument = Property("body", schema, required=body.required, description=body.description)
    return Argument("body", "body", argument, nullable=nullable)


def body_schema(content: MediaType, schemas: ToolSchemas) -> Schema:
    """What is asked for: raw bytes are files, and of a sequence of items that has no schema its items."""
    schema = content.schema
    kind = media_kind(content.type)
    if kind == Kind.MULTIPART:
        return schemas.with_files(schema)[0]
    if kind == Kind.BINARY or (kind == Kind.TEXT and is_binary(schemas.resolve(schema))):
        return schemas.file
    if content.item_schema is not None and schema in ({}, True):
        return {"type": "array", "items": content.item_schema}
    return schema


def takes_null(schema: Json) -> bool:
    """Whether null is plainly among the values of a schema."""
    if not isinstance(schema, dict):
        return False
    kind = schema.get("type")
    return (
        kind == "null"
        or (isinstance(kind, list) and "null" in kind)
        or (any(takes_null(one) for word in ("anyOf", "oneOf") for one in schema.get(word, ())))
    )


def statements(
    operation: Operation,
    found: tuple[Argument, ...],
    schemas: ToolSchemas,
    fixed: Mapping[str, Json],
) -> Iterator[Statement | Choice]:
    """What the handler says to its request, in the order of the document. `fixed` are values that nobody gives, by key."""
    by_key = {one.key: one.name for one in found}
    for parameter in operation.parameters:
        key = f"{parameter.place}:{parameter.name}"
        if key not in fixed:
            yield _parameter_statement(parameter, by_key[key])
        elif fixed[key] is not None:
            yield replace(_parameter_statement(parameter, by_key[key]), fixed=fixed[key])
    if "body" in by_key and operation.body and fixed.get("body", ...) is not None:
        variants = body_variants(operation.body, schemas)
        said = {
            one.type.strip(): replace(
                _body_statement(one, by_key["body"], schemas), fixed=fixed.get("body")
            )
            for one in variants
        }
        first = next(iter(said.values()))
        if CONTENT_TYPE in fixed:
            yield said.get(fixed[CONTENT_TYPE], first)
        elif len(said) > 1:
            yield Choice(by_key[CONTENT_TYPE], tuple(said.items())[1:], first)
        else:
            yield first
    if accepted := accept(operation.responses):
        yield Statement("accept", None, "", tuple(("", one) for one in accepted))


def valued_statements(
    operation: Operation, values: Mapping[str, str | Value], schemas: ToolSchemas
) -> Iterator[Statement]:
    """The same where a value is known for each key; what has none is not sent."""
    for parameter in operation.parameters:
        key = f"{parameter.place}:{parameter.name}"
        if key in values:
            yield _parameter_statement(parameter, values[key])
    if "body" in values and operation.body:
        yield _body_statement(body_variants(operation.body, schemas)[0], values["body"], schemas)
    if accepted := accept(operation.responses):
        yield Statement("accept", None, "", tuple(("", one) for one in accepted))


def _parameter_statement(parameter: Parameter, argument: str | Value) -> Statement:
    options: list[tuple[str, Json]] = []
    if parameter.place is Place.QUERYSTRING:
        media_type = parameter.media_type or "application/x-www-form-urlencoded"
        return Statement("querystring", None, argument, (("media_type", media_type),))
    if parameter.media_type:
        return Statement(
            str(parameter.place), parameter.name, argument, (("media_type", parameter.media_type),)
        )
    usual = {
        Place.PATH: "simple",
        Place.QUERY: "form",
        Place.HEADER: "simple",
        Place.COOKIE: "form",
    }
    if parameter.style != usual[parameter.place] and parameter.place is not Place.HEADER:
        options.append(("style", parameter.style))
    is_exploded = parameter.style in EXPLODED or parameter.place is Place.COOKIE
    if parameter.explode != is_exploded and not _is_scalar(parameter.schema):
        options.append(("explode", parameter.explode))
    if parameter.allow_reserved and parameter.place is Place.QUERY:
        options.append(("allow_reserved", True))
    return Statement(str(parameter.place), parameter.name, argument, tuple(options))


def _is_scalar(schema: Schema) -> bool:
    """Whether there is nothing to explode in a value."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind in ("string", "integer", "number", "boolean")


def _body_statement(content: MediaType, argument: str | Value, schemas: ToolSchemas) -> Statement:
    kind = media_kind(content.type)
    media_type = content.type.strip()
    options: list[tuple[str, Json]] = []
    usual = {
        Kind.JSON: "application/json",
        Kind.FORM: "application/x-www-form-urlencoded",
        Kind.MULTIPART: "multipart/form-data",
        Kind.XML: "application/xml",
        Kind.TEXT: "text/plain",
        Kind.BINARY: "application/octet-stream",
    }[kind]
    if kind == Kind.XML and (described := xml_schema(content.schema, schemas)):
        options.append(("schema", described))
    if kind == Kind.MULTIPART and (files := schemas.with_files(content.schema)[1]):
        options.append(("files", files))
    if kind in (Kind.FORM, Kind.MULTIPART) and content.encoding:
        options.append(
            ("encoding", {name: encoding_options(one) for name, one in content.encoding.items()})
        )
    if "*" not in media_type and media_type.lower() != usual:
        options.append(("media_type", media_type))
    return Statement(kind, None, argument, tuple(options))


def encoding_options(encoding: Encoding) -> dict[str, Json]:
    """An Encoding Object as the runtime takes it: only what the document says."""
    said: dict[str, Json] = {}
    if encoding.content_type:
        said["contentType"] = encoding.content_type
    if encoding.style:
        said["style"] = encoding.style
    if encoding.explode is not None:
        said["explode"] = encoding.explode
    if encoding.allow_reserved:
        said["allowReserved"] = True
    return said


def successes(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """The responses that shape an answer: 2xx codes, else 2XX, else default (OpenAPI 3.2 §4.17)."""
    codes = sorted(
        (one for one in responses if one.status.startswith("2") and one.status.isdigit()),
        key=lambda one: one.status,
    )
    ranges = [one for one in responses if one.status.upper() == "2XX"]
    if codes or ranges:
        return (*codes, *ranges)
    return tuple(one for one in responses if one.status == "default")


def answers(response: Response) -> tuple[MediaType, ...]:
    """What to expect of one response: JSON alone where it is offered, since that is what is asked for."""
    found = tuple(one for one in response.contents if media_kind(one.type) == Kind.JSON)
    return found or response.contents


def accept(responses: tuple[Response, ...]) -> tuple[str, ...]:
    """The media types to ask for, where the answer is not simply JSON."""
    found = (content.type for one in successes(responses) for content in answers(one))
    types = dict.fromkeys(one.partition(";")[0].strip() for one in found)
    named = [one for one in types if "/" in one and one != "*/*"]
    return () if "application/json" in named or not named else tuple(named)


def says_nothing(body: Body) -> bool:
    """Whether all that could be sent is an empty object; Stripe's requests to read are declared so."""
    return not body.required and all(
        isinstance(one.schema, dict)
        and one.schema.get("type") == "object"
        and one.schema.get("additionalProperties") is False
        and not one.schema.keys() - {"type", "properties", "additionalProperties"}
        and not one.schema.get("properties")
        for one in body.contents
    )


def without_credentials(
    parameters: tuple[Parameter, ...], schemes: Iterable[SecurityScheme]
) -> tuple[Parameter, ...]:
    """The parameters that are not an API key under another name: those come from the environment."""
    keys = {(one.place, one.key.lower()) for one in schemes if one.kind is SecurityKind.API_KEY}
    return tuple(one for one in parameters if (one.place, one.name.lower()) not in keys)
