"""The plan of a package: every name, every view, every datum that the templates print.

Takes an `Api` and `Options`, and the record of an earlier run so that its names stay; gives a `PackagePlan`.
All names are decided here, in one pass over all operations. Knows nothing of files on disk or of templates.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from mcpgen import declared, descriptions, handlers, names
from mcpgen.credentials import plan_credentials
from mcpgen.diagnostics import Diagnostics
from mcpgen.drafts import (
    Draft,
    Types,
    behaviour,
    json_answers,
    make_types,
    parameter_view,
    request_view,
    returns,
    server_url,
)
from mcpgen.ir import Api, Json, Operation, Requests, Tool
from mcpgen.listings import find_listing
from mcpgen.options import Options
from mcpgen.selection import BadPattern, select
from mcpgen.tool_schemas import ToolSchemas
from mcpgen.views import MethodView, NamespacePlan, PackagePlan, ToolPlan

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

Record = Mapping[str, Json]  # section 3 of the contract: the record that an earlier run left


def make_plan(
    api: Api, options: Options, previous: Record, diagnostics: Diagnostics
) -> PackagePlan:
    """Plan the package. `previous` is the record of the package that is there, or empty."""
    name = package_name(api, options)
    prefix = name.upper()
    schemas = ToolSchemas(api.schemas)
    operations = _selected(api, options, diagnostics)
    api = replace(api, tools=tuple(_as_sent(one, api) for one in api.tools))
    known = declared.make_drafts(api, schemas, previous, name)
    drafts = [*known, *_drafts(operations, schemas, previous, known, diagnostics)]
    models, types = make_types(drafts, schemas)
    namespaces = _namespaces(api, drafts, schemas, types, name)
    tools = [tool for namespace in namespaces for tool in namespace.tools]
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
        confirmed=_confirmed(tools, options, diagnostics),
        skipped=api.skipped,
        warnings=tuple(str(one).split("\n", 1)[0] for one in diagnostics.warnings),
        identity=api.identity,
        features=api.features,
        is_manifest=api.is_manifest,
        is_called=api.is_called,
    )


def package_name(api: Api, options: Options) -> str:
    """`--name` as given, else what the title says, else what the file is called."""
    if options.name:
        plain = "_".join(re.findall(r"[a-z0-9]+", names.ascii_text(options.name).lower()))
        return names.identifier(plain.removesuffix("_mcp"), "api")
    stem = re.split(r"[\\/]", options.source)[-1].split(".", 1)[0]
    found = (
        names.snake(api.name)
        or names.package_words(api.title)
        or names.package_words(stem)
        or "api"
    )
    return names.identifier(found, "api")


def _selected(api: Api, options: Options, diagnostics: Diagnostics) -> tuple[Operation, ...]:
    try:
        include, exclude = options.include or api.include, (*options.exclude, *api.exclude)
        kept, unused = select(api.operations, include, exclude)
    except BadPattern as bad:
        diagnostics.error("bad-pattern", str(bad))
        return ()
    for pattern in unused:
        diagnostics.warning("unused-pattern", f"no operation matches the pattern '{pattern}'")
    return tuple(_as_called(one, api) for one in kept)


def _confirmed(
    tools: Sequence[ToolPlan], options: Options, diagnostics: Diagnostics
) -> tuple[str, ...]:
    """The tools that ask the user first, as the setting `confirm` says."""
    if options.confirm == ("destructive",):
        return tuple(one.name for one in tools if one.annotations.get("destructiveHint"))
    if not options.confirm:
        return ()
    try:
        sent = [one.operation for one in tools if one.operation]
        kept, unused = select(sent, options.confirm, ())
    except BadPattern as bad:
        diagnostics.error("bad-pattern", f"confirm: {bad}")
        return ()
    for pattern in unused:
        diagnostics.warning("unused-pattern", f"confirm: no operation matches '{pattern}'")
    return tuple(one.name for one in tools if one.operation in kept)


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


def _as_sent(tool: Tool, api: Api) -> Tool:
    """A tool of a manifest whose requests carry no credentials as parameters."""
    if not isinstance(tool.work, Requests):
        return tool
    calls = tuple(
        replace(call, operation=_as_called(call.operation, api)) for call in tool.work.calls
    )
    return replace(tool, work=replace(tool.work, calls=calls))


def _instructions(api: Api) -> str:
    if api.is_manifest:
        return descriptions.clean(api.instructions)
    return descriptions.cap(
        descriptions.describe(api.title, api.description, deprecated=False), 600
    )


# --- tools


def _drafts(
    operations: Sequence[Operation],
    schemas: ToolSchemas,
    previous: Record,
    declared_: Sequence[Draft],
    diagnostics: Diagnostics,
) -> list[Draft]:
    by_hand = {one.name.lower(): one for one in declared_}
    known = _known(operations, previous, by_hand)
    taken = names.Namespace(entry["name"] for entry in known.values())
    drafts = []
    for operation in operations:
        entry = known.get((operation.method, operation.path), {})
        found = handlers.arguments(operation, schemas, entry.get("arguments", {}))
        name = entry.get("name") or tool_name(operation, taken)
        if other := by_hand.get(name.lower()):
            message = f"the tool '{other.name}' has the name of {operation.method} {operation.path}"
            hint = "give it another name, or leave the operation out by 'exclude' of 'api'"
            diagnostics.error("duplicate-tool", message, other.location, hint=hint)
        answers = tuple(json_answers(operation))
        group = _group(operation)
        drafts.append(Draft(name, group, operation.location, found, answers, operation))
    return drafts


def _known(
    operations: Sequence[Operation], previous: Record, by_hand: Container[str]
) -> dict[tuple[str, str], Mapping[str, Json]]:
    """What the earlier run recorded of each operation, by method and path.

    An operation is the one that had its method and path; where none had, the one with its id whose own are gone.
    """
    recorded = {
        (entry["method"], entry["path"]): entry
        for entry in previous.get("tools", ())
        if entry["name"].lower() not in by_hand
    }
    present = {(one.method, one.path) for one in operations}
    moved = {
        entry["operation_id"]: entry
        for key, entry in recorded.items()
        if key not in present and entry["operation_id"]
    }
    known = {}
    for operation in operations:
        key = (operation.method, operation.path)
        if key in recorded:
            known[key] = recorded[key]
        elif entry := moved.pop(operation.id, None):
            known[key] = entry
    return known


def tool_name(operation: Operation, taken: names.Namespace) -> str:
    """snake_case of the operationId, or of method and path; kept apart by the path and then by a digest of both."""
    identity = f"{operation.method} {operation.path}"
    by_path = names.path_words(operation.method, operation.path)
    first = names.snake(operation.id or "") or by_path or "operation"
    marked = f"{first[: names.MAX_NAME - 7]}_{names.digest(identity)}"
    return taken.take(names.shorten(first, identity), names.shorten(by_path, identity), marked)


# --- namespaces


def _namespaces(
    api: Api, drafts: Sequence[Draft], schemas: ToolSchemas, types: Types, package: str
) -> tuple[NamespacePlan, ...]:
    offered = declared.groups(api, package)
    groups: dict[str, list[Draft]] = {group: [] for group in offered}
    for draft in drafts:
        groups.setdefault(draft.group, []).append(draft)
    described = {tag.name: tag.description for tag in api.tags}
    if api.is_manifest:
        described.setdefault(package, api.description)
    order = [tag.name for tag in api.tags if tag.name in groups]
    taken = names.Namespace()
    made = []
    for group in dict.fromkeys([*order, *groups]):
        module = taken.take(names.module_name(group, f"tag_{names.digest(group)}"))
        methods = names.Namespace(RESERVED_METHODS)
        tools = tuple(_tool(one, module, methods, schemas, types) for one in groups[group])
        classes = sorted({one for draft in groups[group] for one in types.classes(draft.name)})
        offers, completions = declared.offers(api, group, package, module, methods)
        made.append(
            NamespacePlan(
                name=module,
                module=module,
                class_name=f"{names.identifier(names.camel(module), 'Tag')}Tools",
                description=descriptions.first_line(described.get(group, ""), 200),
                tools=tools,
                models=tuple(classes),
                offers=offers,
                completions=completions,
            )
        )
    return tuple(made)


def _group(operation: Operation) -> str:
    """The first tag; without one, the first word of the path that is no version."""
    if operation.tags:
        return operation.tags[0]
    for segment in operation.path.split("/"):
        if (
            names.snake(segment)
            and "{" not in segment
            and not re.fullmatch(r"(api|rest|v\d+.*)", segment, re.IGNORECASE)
        ):
            return segment
    return "api"


def _tool(
    draft: Draft, module: str, methods: names.Namespace, schemas: ToolSchemas, types: Types
) -> ToolPlan:
    method_name = names.identifier(draft.name.replace("-", "_"), "operation")
    method_name = methods.take(method_name, f"{method_name}_")
    if draft.tool is not None:
        return declared.tool_plan(draft, draft.tool, method_name, module, schemas, types)
    operation = draft.operation
    if operation is None:
        raise AssertionError("a draft is made of an operation, or of a tool of a manifest")
    description = descriptions.describe(
        operation.summary, operation.description, deprecated=operation.deprecated
    )
    parameters = tuple(
        parameter_view(one, types.of(draft.name, one.key)) for one in draft.arguments
    )
    statements = tuple(handlers.statements(operation, draft.arguments, schemas))
    doc = _doc(operation, draft.name)
    listing = None
    if draft.answers:
        listing = find_listing(operation, draft.arguments, draft.answers[0], schemas)
    extra = listing.properties if listing else ()
    return ToolPlan(
        name=draft.name,
        location=operation.location,
        method=MethodView(method_name, parameters, returns(draft.name, operation, types), doc),
        operation=operation,
        arguments=draft.arguments,
        summary=operation.summary,
        description=description or f"{operation.method} {operation.path}",
        input_schema=schemas.input_schema([*(one.property for one in draft.arguments), *extra]),
        listing=listing.said if listing else None,
        output_schema=schemas.output_schema(draft.answers[0]) if draft.answers else None,
        annotations=behaviour(operation.method),
        requests=(request_view(operation, draft.arguments, statements),),
        operations=(operation,),
    )


def _doc(operation: Operation, name: str) -> str:
    summary = (
        descriptions.first_line(operation.summary or operation.description)
        or name.replace("_", " ").capitalize()
    )
    if not summary.endswith((".", "!", "?", "…")):
        summary += "."
    return f"{summary} ({operation.method} {operation.path})"
