"""Tools on the way to their views: names are known, types are still schemas; and how types are found for all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen import handlers, names
from mcpgen.diagnostics import Location
from mcpgen.handlers import Argument, Choice, Kind, Statement
from mcpgen.ir import Fixed, Json, Operation, Server, Tool
from mcpgen.models import Models, Wanted, make_models
from mcpgen.tool_schemas import ToolSchemas
from mcpgen.views import ParameterView, RequestView


@dataclass(frozen=True, slots=True)
class Draft:
    """A tool before the models are made: its types are still schemas.

    `answers` are those of its JSON answer. `tool` is what a manifest says of it, None for an operation. `hidden` are the
    arguments that nobody gives, with their values by key in `fixed`.
    """

    name: str
    group: str
    location: Location
    arguments: tuple[Argument, ...]
    answers: tuple[Json, ...]
    operation: Operation | None = None
    tool: Tool | None = None
    original: str = ""  # the name without the setting `rename`
    hidden: tuple[Argument, ...] = ()
    fixed: Mapping[str, Json] = field(default_factory=dict)
    description: str = ""  # the setting `describe`


SAFE = frozenset(["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"])  # RFC 9110 §9.2.1; QUERY is safe too
IDEMPOTENT = SAFE | {"PUT", "DELETE"}  # RFC 9110 §9.2.2


@dataclass(slots=True)
class Types:
    """Annotations by the tool and the argument's key, or `""` for the answer; and the classes they name."""

    models: Models
    places: Mapping[str, Mapping[str, list[int]]]

    def of(self, tool: str, key: str) -> str:
        indexes = self.places.get(tool, {}).get(key, ())
        return " | ".join(dict.fromkeys(self.models.annotations[index] for index in indexes))

    def classes(self, tool: str) -> set[str]:
        indexes = (index for found in self.places.get(tool, {}).values() for index in found)
        return {one for index in indexes for one in self.models.names[index]}


def make_types(drafts: Sequence[Draft], schemas: ToolSchemas) -> tuple[Models, Types]:
    wanted: list[Wanted] = []
    places: dict[str, dict[str, list[int]]] = {}

    def want(tool: str, key: str, name: str, schema: Json) -> None:
        places.setdefault(tool, {}).setdefault(key, []).append(len(wanted))
        wanted.append(Wanted(names.identifier(name, "Model"), schema))

    for draft in drafts:
        stem = names.camel(draft.name)
        for argument in draft.arguments:
            want(
                draft.name,
                argument.key,
                stem + names.camel(argument.name),
                argument.property.schema,
            )
        for schema in draft.answers:
            want(draft.name, "", f"{stem}Response", schema)
    models = make_models(wanted, schemas.definitions)
    return models, Types(models, places)


def json_answers(operation: Operation) -> list[Json]:
    return [
        content.schema
        for response in handlers.successes(operation.responses)
        for content in handlers.answers(response)
        if handlers.media_kind(content.type) == Kind.JSON
    ]


def returns(name: str, operation: Operation, types: Types) -> str:
    """The type of a handler's answer: what the document's success responses may hold, in their order."""
    found: list[str] = []
    responses = handlers.successes(operation.responses)
    for response in responses:
        for content in handlers.answers(response):
            kind = handlers.media_kind(content.type)
            if kind == Kind.JSON:
                found.append(types.of(name, "") or "Any")
            else:
                lines = handlers.is_sequence(content.type)
                found.append("Blob" if kind == Kind.BINARY else "list[Any]" if lines else "str")
        if not response.contents:
            found.append("None")
    if not found or "Any" in found:
        return "Any"
    return " | ".join(dict.fromkeys(one for part in found for one in members(part)))


def members(annotation: str) -> list[str]:
    """The members of a union at its top level."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(annotation):
        depth += (char in "[(") - (char in "])")
        if char == "|" and depth == 0 and annotation.count("'", 0, at) % 2 == 0:
            parts.append(annotation[start:at].strip())
            start = at + 1
    return [*parts, annotation[start:].strip()]


def parameter_view(argument: Argument, annotation: str) -> ParameterView:
    annotation = annotation or "Any"
    if argument.property.required:
        return ParameterView(argument.name, annotation, None)
    schema = argument.property.schema
    if isinstance(schema, dict) and "default" in schema and argument.key.startswith(":"):
        return ParameterView(argument.name, annotation, Fixed(schema["default"]))
    if argument.nullable:
        return ParameterView(argument.name, f"{annotation} | Unset", "UNSET")
    if annotation != "Any" and "None" not in members(annotation):
        annotation = f"{annotation} | None"
    return ParameterView(argument.name, annotation, "None")


def local_name(name: str, taken: Iterable[str]) -> str:
    """A name for a local variable that no argument has."""
    used = set(taken)
    while name in used:
        name += "_"
    return name


def request_view(
    operation: Operation,
    arguments: Sequence[Argument],
    statements: Sequence[Statement | Choice],
    step: str = "",
) -> RequestView:
    local = local_name(handlers.REQUEST, (one.name for one in arguments))
    options: list[tuple[str, Json]] = []
    if operation.servers:
        options.append(("server", server_url(operation.servers[0])))
    if operation.security is not None:
        options.append(("security", operation.security))
    return RequestView(
        local, operation.method, operation.path, tuple(options), tuple(statements), step
    )


def server_url(server: Server) -> str:
    """A server's URL with each variable at its default (OpenAPI 3.2 §4.6)."""
    url = server.url
    for variable in server.variables:
        url = url.replace("{" + variable.name + "}", variable.default)
    return url


def behaviour(method: str) -> dict[str, Json]:
    """What the method says (RFC 9110 §9.2); nothing is claimed of a POST but that it is no mere reading."""
    if method in SAFE:
        return {"readOnlyHint": True}
    hints: dict[str, Json] = {"readOnlyHint": False}
    if method in ("DELETE", "PUT"):
        hints["destructiveHint"] = True
    if method in IDEMPOTENT:
        hints["idempotentHint"] = True
    return hints
