"""One operation as a handler: its arguments, and the statements that build its request.

Takes an IR operation and names; gives views that a template can print as they are. Knows how a parameter or
a body is said in the vendored runtime's `Request`, and nothing of files or templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

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
    SecurityKind,
    SecurityScheme,
)
from mcpgen.tool_schemas import Property, ToolSchemas, is_binary

# The names that a handler's own code uses; an argument of that name moves the handler's aside.
REQUEST = "request"

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
    """`request.<method>(<wire>, <argument>, <options>)`, without `wire` for a body."""

    method: str
    wire: str | None
    argument: str
    options: tuple[tuple[str, Json], ...] = ()


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
    if essence.startswith("text/") or essence in (
        "application/x-ndjson",
        "application/jsonl",
        "application/yaml",
    ):
        return Kind.TEXT
    return Kind.BINARY


PREFERENCE = [Kind.JSON, Kind.FORM, Kind.MULTIPART, Kind.XML, Kind.TEXT, Kind.BINARY]


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
    if operation.body and (content := choose_content(operation.body.contents)):
        ordered.append(_body_argument(operation.body, content, schemas))
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


def _body_argument(body: Body, content: MediaType, schemas: ToolSchemas) -> Argument:
    schema = content.schema
    kind = media_kind(content.type)
    if kind == Kind.MULTIPART:
        schema, _ = schemas.with_files(schema)
    elif kind == Kind.BINARY or (kind == Kind.TEXT and is_binary(schemas.resolve(schema))):
        schema = schemas.file
    plain = schemas.resolve(schema)
    nullable = kind == Kind.JSON and not body.required and takes_null(plain)
    shown = Property("body", schema, required=body.required, description=body.description)
    return Argument("body", "body", shown, nullable=nullable)


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
    operation: Operation, found: tuple[Argument, ...], schemas: ToolSchemas
) -> Iterator[Statement]:
    """What the handler says to its request, in the order of the document."""
    by_key = {one.key: one.name for one in found}
    for parameter in operation.parameters:
        yield _parameter_statement(parameter, by_key[f"{parameter.place}:{parameter.name}"])
    if "body" in by_key and operation.body and (content := choose_content(operation.body.contents)):
        yield _body_statement(content, by_key["body"], schemas)
    if accepted := accept(operation.responses):
        yield Statement("accept", None, "", tuple(("", one) for one in accepted))


def _parameter_statement(parameter: Parameter, argument: str) -> Statement:
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
    if parameter.style != usual[parameter.place] and parameter.place in (Place.PATH, Place.QUERY):
        options.append(("style", parameter.style))
    if parameter.explode != (parameter.style in EXPLODED):
        options.append(("explode", parameter.explode))
    if parameter.allow_reserved and parameter.place is Place.QUERY:
        options.append(("allow_reserved", True))
    return Statement(str(parameter.place), parameter.name, argument, tuple(options))


def _body_statement(content: MediaType, argument: str, schemas: ToolSchemas) -> Statement:
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


def without_credentials(
    parameters: tuple[Parameter, ...], schemes: Iterable[SecurityScheme]
) -> tuple[Parameter, ...]:
    """The parameters that are not an API key under another name: those come from the environment."""
    keys = {(one.place, one.key.lower()) for one in schemes if one.kind is SecurityKind.API_KEY}
    return tuple(one for one in parameters if (one.place, one.name.lower()) not in keys)
