"""The plan of a package: every name, every view, every datum that the templates print.

Takes an `Api` and `Options`, and the record of an earlier run so that its names stay; gives a `PackagePlan`.
All names are decided here, in one pass over all operations. Knows nothing of files on disk or of templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcpgen import descriptions, handlers, identity, names, tool_settings
from mcpgen.credentials import plan_credentials
from mcpgen.diagnostics import Diagnostics
from mcpgen.handlers import Argument, Kind
from mcpgen.identity import Entry, Record, Request, known_tools
from mcpgen.ir import Api, Json, Operation, Server
from mcpgen.listings import find_listing
from mcpgen.models import Models, Wanted, make_models
from mcpgen.options import Options
from mcpgen.selection import BadPattern, select
from mcpgen.tool_settings import Subject
from mcpgen.tool_schemas import ToolSchemas
from mcpgen.views import NamespacePlan, PackagePlan, ParameterView, ToolPlan

SAFE = frozenset(["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"])  # RFC 9110 §9.2.1; QUERY is safe too
IDEMPOTENT = SAFE | {"PUT", "DELETE"}  # RFC 9110 §9.2.2

# What a handler class has from its base, and the builtin types that its annotations name: a method called `list`
# would be what `list[Pet]` means in the rest of the class.
RESERVED_METHODS = (
    "api",
    "context",
    "bool",
    "bytes",
    "dict",
    "float",
    "int",
    "list",
    "object",
    "str",
    "tuple",
)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A tool before the models are made: its types are still schemas.

    `hidden` are the arguments that nobody gives, with their values by key in `fixed`.
    """

    name: str
    original: str  # the name without the setting `rename`
    operation: Operation
    arguments: tuple[Argument, ...]
    hidden: tuple[Argument, ...] = ()
    fixed: Mapping[str, Json] = field(default_factory=dict)
    description: str = ""  # the setting `describe`


def make_plan(
    api: Api, options: Options, previous: Record, diagnostics: Diagnostics
) -> PackagePlan:
    """Plan the package. `previous` is the record of the package that is there, or empty."""
    name = package_name(api, options)
    prefix = name.upper()
    schemas = ToolSchemas(api.schemas)
    operations = _selected(api, options, diagnostics)
    known = known_tools(operations, previous)
    drafts = _drafts(operations, schemas, known, options, diagnostics)
    models, types = _types(drafts, schemas)
    namespaces = _namespaces(api, drafts, schemas, types, known)
    return PackagePlan(
        name=name,
        title=descriptions.first_line(api.title, 80) or name,
        version=" ".join(api.version.split()),
        description=descriptions.clean(api.description),
        instructions=_instructions(api),
        prefix=prefix,
        servers=tuple(server_url(one) for one in api.servers),
        security=api.security,
        credentials=plan_credentials(api.security_schemes, prefix, previous.get("credentials", {})),
        namespaces=namespaces,
        models=models,
        schemas=schemas,
        options=options,
        confirmed=_confirmed(namespaces, options, diagnostics),
        skipped=api.skipped,
        warnings=tuple(str(one).split("\n", 1)[0] for one in diagnostics.warnings),
    )


def package_name(api: Api, options: Options) -> str:
    """`--name` as given, else what the title says, else what the file is called."""
    if options.name:
        plain = "_".join(re.findall(r"[a-z0-9]+", names.ascii_text(options.name).lower()))
        return names.identifier(plain.removesuffix("_mcp"), "api")
    stem = re.split(r"[\\/]", options.source)[-1].split(".", 1)[0]
    found = names.package_words(api.title) or names.package_words(stem) or "api"
    return names.identifier(found, "api")


def server_url(server: Server) -> str:
    """A server's URL with each variable at its default (OpenAPI 3.2 §4.6)."""
    url = server.url
    for variable in server.variables:
        url = url.replace("{" + variable.name + "}", variable.default)
    return url


def _selected(api: Api, options: Options, diagnostics: Diagnostics) -> tuple[Operation, ...]:
    try:
        kept, unused = select(api.operations, options.include, options.exclude)
    except BadPattern as bad:
        diagnostics.error("bad-pattern", str(bad))
        return ()
    for pattern in unused:
        place = options.places.get(("include", pattern)) or options.places.get(("exclude", pattern))
        message = f"no operation matches the pattern '{pattern}'"
        diagnostics.warning("unused-pattern", message, place)
    return tuple(_as_called(one, api) for one in kept)


def _confirmed(
    namespaces: Sequence[NamespacePlan], options: Options, diagnostics: Diagnostics
) -> tuple[str, ...]:
    """The tools that ask the user first, as the setting `confirm` says."""
    tools = [tool for namespace in namespaces for tool in namespace.tools]
    if options.confirm == ("destructive",):
        return tuple(one.name for one in tools if one.annotations.get("destructiveHint"))
    subjects = [Subject(one.operation, one.original, one.name) for one in tools]
    meant = tool_settings.confirmed(subjects, options, diagnostics)
    return tuple(one.name for index, one in enumerate(tools) if index in meant)


def _as_called(operation: Operation, api: Api) -> Operation:
    """The operation without parameters that are credentials; a required one is then wanted by its security."""
    parameters = handlers.without_credentials(operation.parameters, api.security_schemes)
    if parameters == operation.parameters:
        return operation
    dropped = [one for one in operation.parameters if one.required and one not in parameters]
    places = {(one.place, one.name.lower()) for one in dropped}
    security = api.security if operation.security is None else operation.security
    for scheme in api.security_schemes:
        is_needed = (scheme.place, scheme.key.lower()) in places
        if is_needed and not any(scheme.name in choice for choice in security):
            security = tuple((*choice, scheme.name) for choice in security or ((),))
    if operation.security is None and security == api.security:
        return replace(operation, parameters=parameters)
    return replace(operation, parameters=parameters, security=security)


def _instructions(api: Api) -> str:
    return descriptions.cap(
        descriptions.describe(api.title, api.description, deprecated=False), 600
    )


# --- tools


def _drafts(
    operations: Sequence[Operation],
    schemas: ToolSchemas,
    known: Mapping[Request, Entry],
    options: Options,
    diagnostics: Diagnostics,
) -> list[_Draft]:
    entries = [known.get(identity.request(one), {}) for one in operations]
    kept = [one.get("original") or one.get("name") for one in entries]
    taken = names.Namespace([*filter(None, kept), *tool_settings.new_names(options)])
    arguments = [
        handlers.arguments(one, schemas, entry.get("arguments", {}))
        for one, entry in zip(operations, entries, strict=True)
    ]
    found = [
        Subject(one, name or tool_name(one, taken))
        for one, name in zip(operations, kept, strict=True)
    ]
    given = tool_settings.names(found, options, diagnostics)
    subjects = [replace(one, name=name) for one, name in zip(found, given, strict=True)]
    described = tool_settings.described(subjects, options, diagnostics)
    fixed = tool_settings.fixed(subjects, arguments, options, diagnostics)
    return [
        _Draft(
            name=subject.name,
            original=subject.original,
            operation=subject.operation,
            arguments=tuple(one for one in arguments[index] if one.key not in fixed[index]),
            hidden=tuple(one for one in arguments[index] if one.key in fixed[index]),
            fixed=fixed[index],
            description=described.get(index, ""),
        )
        for index, subject in enumerate(subjects)
    ]


def tool_name(operation: Operation, taken: names.Namespace) -> str:
    """snake_case of the operationId, or of method and path; kept apart by the path and then by a digest of both."""
    request = f"{operation.method} {operation.path}"
    by_path = names.path_words(operation.method, operation.path)
    first = names.snake(operation.id or "") or by_path or "operation"
    marked = f"{first[: names.MAX_NAME - 7]}_{names.digest(request)}"
    return taken.take(names.shorten(first, request), names.shorten(by_path, request), marked)


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


# --- types


@dataclass(slots=True)
class _Types:
    """Annotations by the tool and the argument's key, or `""` for the answer; and the classes they name."""

    models: Models
    places: Mapping[str, Mapping[str, list[int]]]

    def of(self, tool: str, key: str) -> str:
        indexes = self.places.get(tool, {}).get(key, ())
        return " | ".join(dict.fromkeys(self.models.annotations[index] for index in indexes))

    def classes(self, tool: str) -> set[str]:
        indexes = (index for found in self.places.get(tool, {}).values() for index in found)
        return {one for index in indexes for one in self.models.names[index]}


def _types(drafts: Sequence[_Draft], schemas: ToolSchemas) -> tuple[Models, _Types]:
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
        for schema in _json_answers(draft.operation):
            want(draft.name, "", f"{stem}Response", schema)
    models = make_models(wanted, schemas.definitions)
    return models, _Types(models, places)


def _json_answers(operation: Operation) -> list[Json]:
    return [
        content.schema
        for response in handlers.successes(operation.responses)
        for content in handlers.answers(response)
        if handlers.media_kind(content.type) == Kind.JSON
    ]


def _returns(draft: _Draft, types: _Types) -> str:
    """The type of a handler's answer: what the document's success responses may hold, in their order."""
    found: list[str] = []
    responses = handlers.successes(draft.operation.responses)
    for response in responses:
        for content in handlers.answers(response):
            kind = handlers.media_kind(content.type)
            if kind == Kind.JSON:
                found.append(types.of(draft.name, "") or "Any")
            else:
                lines = handlers.is_sequence(content.type)
                found.append("Blob" if kind == Kind.BINARY else "list[Any]" if lines else "str")
        if not response.contents:
            found.append("None")
    if not found or "Any" in found:
        return "Any"
    return " | ".join(dict.fromkeys(one for part in found for one in _members(part)))


def _members(annotation: str) -> list[str]:
    """The members of a union at its top level."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(annotation):
        depth += (char in "[(") - (char in "])")
        if char == "|" and depth == 0 and annotation.count("'", 0, at) % 2 == 0:
            parts.append(annotation[start:at].strip())
            start = at + 1
    return [*parts, annotation[start:].strip()]


# --- namespaces


def _namespaces(
    api: Api,
    drafts: Sequence[_Draft],
    schemas: ToolSchemas,
    types: _Types,
    known: Mapping[Request, Entry],
) -> tuple[NamespacePlan, ...]:
    described = {tag.name: tag.description for tag in api.tags}
    by_operation = {id(one.operation): one for one in drafts}
    modules = identity.assign_modules([one.operation for one in drafts], described, known)
    made = []
    for module, (group, operations) in modules.items():
        inside = [by_operation[id(one)] for one in operations]
        classes = sorted({one for draft in inside for one in types.classes(draft.name)})
        made.append(
            NamespacePlan(
                name=module,
                module=module,
                class_name=f"{names.identifier(names.camel(module), 'Tag')}Tools",
                description=descriptions.first_line(described.get(group, ""), 200),
                tools=_tools(inside, schemas, types),
                models=tuple(classes),
            )
        )
    return tuple(made)


def _tools(drafts: Sequence[_Draft], schemas: ToolSchemas, types: _Types) -> tuple[ToolPlan, ...]:
    taken = names.Namespace(RESERVED_METHODS)
    return tuple(_tool(draft, taken, schemas, types) for draft in drafts)


def _tool(draft: _Draft, taken: names.Namespace, schemas: ToolSchemas, types: _Types) -> ToolPlan:
    operation = draft.operation
    description = draft.description or descriptions.describe(
        operation.summary, operation.description, deprecated=operation.deprecated
    )
    everything = (*draft.arguments, *draft.hidden)
    answers = _json_answers(operation)
    listing = find_listing(operation, draft.arguments, answers[0], schemas) if answers else None
    extra = listing.properties if listing else ()
    method_name = names.identifier(draft.name.replace("-", "_"), "operation")
    local = handlers.REQUEST
    while local in {one.name for one in everything}:
        local += "_"
    return ToolPlan(
        name=draft.name,
        original=draft.original,
        method_name=taken.take(method_name, f"{method_name}_"),
        operation=operation,
        arguments=draft.arguments,
        description=description or f"{operation.method} {operation.path}",
        input_schema=schemas.input_schema([*(one.property for one in draft.arguments), *extra]),
        listing=listing.said if listing else None,
        output_schema=schemas.output_schema(answers[0]) if answers else None,
        annotations=behaviour(operation.method),
        parameters=tuple(_parameter(one, types.of(draft.name, one.key)) for one in draft.arguments),
        statements=tuple(handlers.statements(operation, everything, schemas, draft.fixed)),
        request=local,
        request_options=_request_options(operation),
        returns=_returns(draft, types),
        doc=_doc(operation, draft.name),
    )


def _parameter(argument: Argument, annotation: str) -> ParameterView:
    annotation = annotation or "Any"
    if argument.property.required:
        return ParameterView(argument.name, annotation, None)
    if argument.nullable:
        return ParameterView(argument.name, f"{annotation} | Unset", "UNSET")
    if annotation != "Any" and "None" not in _members(annotation):
        annotation = f"{annotation} | None"
    return ParameterView(argument.name, annotation, "None")


def _request_options(operation: Operation) -> tuple[tuple[str, Json], ...]:
    options: list[tuple[str, Json]] = []
    if operation.servers:
        options.append(("server", server_url(operation.servers[0])))
    if operation.security is not None:
        options.append(("security", operation.security))
    return tuple(options)


def _doc(operation: Operation, name: str) -> str:
    summary = (
        descriptions.first_line(operation.summary or operation.description)
        or name.replace("_", " ").capitalize()
    )
    if not summary.endswith((".", "!", "?", "…")):
        summary += "."
    return f"{summary} ({operation.method} {operation.path})"
