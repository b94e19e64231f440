"""The API as every frontend gives it: free of OpenAPI versions, free of Python names.

Frozen, ordered as in the document, names exactly as in the document. Every node knows its place.
Schemas are JSON Schema 2020-12 in which each `$ref` is `#/$defs/<key of Api.schemas>`; nothing else refers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mcpgen.diagnostics import Location

Json = Any  # a JSON value: None, bool, int, float, str, list, dict
Schema = dict[str, Any] | bool  # a JSON Schema 2020-12; never changed after the frontend made it


class Place(StrEnum):
    """Where a parameter travels (OpenAPI 3.2 §4.12, `in`)."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"
    QUERYSTRING = "querystring"  # 3.2: the whole query string is this one value


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `style` and `explode` are always filled in: the frontend knows the defaults.

    `media_type` is set for a parameter with `content`: its value is serialised as that media type
    (`application/json`, or form data for a querystring) and `style` means nothing.
    """

    name: str
    place: Place
    required: bool
    schema: Schema
    location: Location
    description: str = ""
    deprecated: bool = False
    style: str = "simple"
    explode: bool = False
    allow_reserved: bool = False
    media_type: str | None = None
    example: Json = None


@dataclass(frozen=True, slots=True)
class Encoding:
    """How one property of a form or multipart body is written (OpenAPI 3.2 §4.15)."""

    content_type: str | None = None
    style: str | None = None
    explode: bool | None = None
    allow_reserved: bool = False
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MediaType:
    """One entry of a `content` map; `type` is as written, say `application/json; charset=utf-8`."""

    type: str
    schema: Schema
    location: Location
    encoding: Mapping[str, Encoding] = field(default_factory=dict)
    example: Json = None  # the first example of the document, None if there is none
    item_schema: Schema | None = None  # 3.2: one item of a sequential media type


@dataclass(frozen=True, slots=True)
class Body:
    required: bool
    contents: tuple[MediaType, ...]
    location: Location
    description: str = ""


@dataclass(frozen=True, slots=True)
class Response:
    """`status` is `200`, `2XX` or `default`."""

    status: str
    contents: tuple[MediaType, ...]
    location: Location
    description: str = ""


@dataclass(frozen=True, slots=True)
class ServerVariable:
    name: str
    default: str
    enum: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Server:
    """`url` is a template; it is absolute where the document's own address allowed that, else relative."""

    url: str
    variables: tuple[ServerVariable, ...] = ()
    description: str = ""


# A requirement is a choice (OR) of sets of scheme names that are needed together (AND).
# () needs nothing; ((), …) makes it optional.
Security = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path. `method` is as sent on the wire: `GET`, `QUERY`, or as written in 3.2.

    `security` is None where the operation says nothing, so that `Api.security` holds.
    `servers` is empty where the document's servers hold.
    """

    id: str | None
    method: str
    path: str
    location: Location
    summary: str = ""
    description: str = ""
    deprecated: bool = False
    tags: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    responses: tuple[Response, ...] = ()
    security: Security | None = None
    servers: tuple[Server, ...] = ()
    extensions: Mapping[str, Json] = field(default_factory=dict)  # its x- keys


class SecurityKind(StrEnum):
    API_KEY = "apiKey"
    BASIC = "basic"
    BEARER = "bearer"
    HTTP = "http"  # another HTTP scheme; its name is in `scheme`
    OAUTH2 = "oauth2"
    OPENID = "openIdConnect"
    MUTUAL_TLS = "mutualTLS"


@dataclass(frozen=True, slots=True)
class OAuthFlow:
    """`kind` is `implicit`, `password`, `clientCredentials`, `authorizationCode` or `deviceAuthorization`."""

    kind: str
    authorization_url: str = ""
    token_url: str = ""
    refresh_url: str = ""
    device_authorization_url: str = ""
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """`name` is the key in the document; `key` and `place` are those of an API key; `scopes` are what operations ask of OpenID."""

    name: str
    kind: SecurityKind
    location: Location
    description: str = ""
    key: str = ""
    place: Place = Place.HEADER
    scheme: str = ""
    flows: tuple[OAuthFlow, ...] = ()
    openid_url: str = ""
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """An operation that cannot become a tool, and why, in a sentence a user understands."""

    method: str
    path: str
    reason: str

    @property
    def request_line(self) -> str:
        return f"{self.method} {self.path}"


# --- what a manifest adds


@dataclass(frozen=True, slots=True)
class Given:
    """The value of an argument."""

    name: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """A JSON value that is the same in every call."""

    value: Json


@dataclass(frozen=True, slots=True)
class Picked:
    """A JMESPath expression over the arguments and the answers of earlier steps, by their names.

    `among` is the local variable that holds them, once the plan has chosen it.
    """

    expression: str
    among: str = "values"


@dataclass(frozen=True, slots=True)
class Joined:
    """A text made of fixed texts and arguments; none where one of the arguments is not given."""

    parts: tuple[Fixed | Given, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """An object or list of values."""

    members: Mapping[str, Value] | tuple[Value, ...]


Value = Given | Fixed | Picked | Joined | Built


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a tool; its schema holds its default."""

    name: str
    schema: Schema
    required: bool
    location: Location
    description: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `values` is by `place:wire name` or `body`; what it does not name is not sent, or is an argument.

    `step` is the name by which later steps know its answer.
    """

    operation: Operation
    values: Mapping[str, Value]
    location: Location
    step: str = ""


@dataclass(frozen=True, slots=True)
class Requests:
    """A tool that sends requests, in their order. `answer` projects the last answer, or of several all, by JMESPath.

    `hidden` are the parameters that are neither sent nor arguments; `is_open`: whether all others are arguments.
    """

    calls: tuple[Call, ...]
    answer: str = ""
    hidden: frozenset[str] = frozenset()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A tool that runs a program. Each word holds at most one argument; a group stands or falls with its own.

    `output` is `text`, `lines` or `json`; `paths` are the arguments that must stay in `folder`.
    """

    program: str
    words: tuple[Value | tuple[Value, ...], ...]
    folder: str = ""
    environment: tuple[str, ...] = ()
    timeout: float | None = None
    max_bytes: int | None = None
    output: str = "text"
    stdin: str = ""  # an argument
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a manifest, or one that custom/ marks as its own. `work` is None where a person writes it.

    `input_schema` is set where the author wrote the whole of it: it is listed as it is.
    """

    name: str
    location: Location
    namespace: str = ""
    title: str = ""
    description: str = ""
    fields: tuple[Field, ...] = ()
    input_schema: Mapping[str, Json] | None = None
    output: Schema | None = None
    annotations: Mapping[str, Json] = field(default_factory=dict)
    confirm: str = ""
    is_marked: bool = False
    work: Requests | CommandLine | None = None


# How an argument is completed: by a list of values, or by a method (True).
Completions = Mapping[str, tuple[str, ...] | bool]


@dataclass(frozen=True, slots=True)
class Prompt:
    """`text` is what it says, where that needs no code."""

    name: str
    location: Location
    namespace: str = ""
    title: str = ""
    description: str = ""
    fields: tuple[Field, ...] = ()
    completions: Completions = field(default_factory=dict)
    text: tuple[Fixed | Given, ...] = ()


@dataclass(frozen=True, slots=True)
class Resource:
    """`uri` with variables, `{table}`, is a template. `members` are more of what is listed, say `mimeType`."""

    name: str
    uri: str
    location: Location
    namespace: str = ""
    members: Mapping[str, Json] = field(default_factory=dict)
    variables: tuple[str, ...] = ()
    completions: Completions = field(default_factory=dict)
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Api:
    """Everything that is known about the API.

    `schemas` holds each schema that is referred to, by a name unique in the whole API (`^[A-Za-z0-9_.-]+$`),
    `readOnly` and `writeOnly` still in place.
    """

    title: str
    version: str
    location: Location
    description: str = ""
    servers: tuple[Server, ...] = ()
    tags: tuple[Tag, ...] = ()
    operations: tuple[Operation, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    security: Security = ()
    security_schemes: tuple[SecurityScheme, ...] = ()
    source_hash: str = ""  # SHA-256 of the root document, with newlines as `\n`
    others: Mapping[str, str] = field(
        default_factory=dict
    )  # by address, the hash of each other document that was asked for, or why there is none
    # Only a manifest has these.
    name: str = ""
    instructions: str = ""
    identity: Mapping[str, Json] = field(
        default_factory=dict
    )  # more of what the server says of itself
    features: tuple[str, ...] = ()
    include: tuple[
        str, ...
    ] = ()  # selector patterns of the operations that are tools by themselves
    exclude: tuple[str, ...] = ()
    places: Mapping[tuple[str, ...], Location] = field(
        default_factory=dict
    )  # of those: ("include", pattern)
    tools: tuple[Tool, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    resources: tuple[Resource, ...] = ()
    is_manifest: bool = False
    is_called: bool = True  # whether there is an API that requests go to
