"""The plan of a package: every name, every view, every datum that the templates print.

Takes an `Api` and `Options`, and the record of an earlier run so that its names stay; gives a `PackagePlan`.
All names are decided here, in one pass over all operations. Knows nothing of files on disk or of templates.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcpgen import declared, descriptions, handlers, identity, names, tool_settings
from mcpgen.credentials import plan_credentials
from mcpgen.diagnostics import Diagnostics, Location
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
from mcpgen.identity import Entry, Record, Request, known_tools
from mcpgen.ir import Api, Json, Operation, Requests, Tool
from mcpgen.listings import find_listing
from mcpgen.options import Options
from mcpgen.selection import BadPattern, select
from mcpgen.tool_settings import Subject
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


def make_plan(
    api: Api, options: Options, previous: Record, diagnostics: Diagnostics
) -> PackagePlan:
    """Plan the package. `previous` is the record of the package that is there, or empty."""
    name = package_name(api, options)
    prefix = name.upper()
    schemas = ToolSchemas(api.schemas)
    operations = _selected(api, options, diagnostics)
    api = replace(api, tools=tuple(_as_sent(one, api) for one in api.tools))
    known = known_tools(operations, previous)
    declared_ = declared.make_drafts(api, schemas, previous, name)
    drafts = [*declared_, *_drafts(operations, schemas, known, declared_, options, diagnostics)]
    models, types = make_types(drafts, schemas)
    namespaces = _namespaces(api, drafts, schemas, types, known, name)
    return PackagePlan(
        name=name,
        title=descriptions.first_line(api.title, 80) or name,
        version=" ".join(api.version.split()),
        description=descriptions.clean(api.description),
        instructions=_instructions(api),
        prefix=prefix,
        # One that needs a host is no default where another has it.
        servers=tuple(sorted(map(server_url, api.servers), key=lambda url: "://" not in url)),
        security=api.security,
        credentials=plan_credentials(api.security_schemes, prefix, previous.get("credentials", {})),
        namespaces=namespaces,
        models=models,
        schemas=schemas,
        options=options,
        confirmed=_confirmed(namespaces, options, diagnostics),
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
        diagnostics.error("bad-pattern", str(bad), _place(bad.pattern, api, options))
        return ()
    for pattern in unused:
        place = _place(pattern, api, options)
        message = f"no operation matches the pattern '{pattern}'"
        near = difflib.get_close_matches(pattern, sorted(_patterns(api.operations)), 1)
        hint = f"did you mean '{near[0]}'?" if near else None
        diagnostics.warning("unused-pattern", message, place, hint=hint)
    return tuple(_as_called(one, api) for one in kept)


def _place(pattern: str, api: Api, options: Options) -> Location | None:
    """Where a pattern stands: in mcpgen.yaml or a manifest; None for one of the command line."""
    places: dict[tuple[str, ...], Location] = {**api.places, **options.places}
    return places.get(("include", pattern)) or places.get(("exclude", pattern))


def _patterns(operations: Sequence[Operation]) -> set[str]:
    """The plainest ones that match something."""
    found = {f"tag:{tag}" for one in operations for tag in one.tags}
    found |= {f"{one.method.upper()} {one.path}" for one in operations}
    found |= {f"path:{one.path}" for one in operations}
    return found | {f"id:{one.id}" for one in operations if one.id}


def _confirmed(
    namespaces: Sequence[NamespacePlan], options: Options, diagnostics: Diagnostics
) -> tuple[str, ...]:
    """The tools that ask the user first, as the setting `confirm` says."""
    tools = [tool for namespace in namespaces for tool in namespace.tools]
    if options.confirm == ("destructive",):
        return tuple(one.name for one in tools if one.annotations.get("destructiveHint"))
    sent = [one for one in tools if one.operation]
    subjects = [
        Subject(one.operation, one.original or one.name, one.name) for one in sent if one.operation
    ]
    meant = tool_settings.confirmed(subjects, options, diagnostics)
    return tuple(one.name for index, one in enumerate(sent) if index in meant)


def _as_called(operation: Operation, api: Api) -> Operation:
    """The operation with what a caller has to say: no credentials, and no body that can only be empty."""
    if operation.body and handlers.says_nothing(operation.body):
        operation = replace(operation, body=None)
    return _without_credentials(operation, api)


def _without_credentials(operation: Operation, api: Api) -> Operation:
    """A parameter that is one and required is then wanted by the operation's security."""
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
    known: Mapping[Request, Entry],
    declared_: Sequence[Draft],
    options: Options,
    diagnostics: Diagnostics,
) -> list[Draft]:
    by_hand = {one.name.lower(): one for one in declared_}
    entries = [known.get(identity.request(one), {}) for one in operations]
    kept = [_free_name(entry, by_hand) for entry in entries]
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
    for subject in subjects:
        if other := by_hand.get(subject.name.lower()):
            sent = subject.operation
            message = f"the tool '{other.name}' has the name of {sent.method} {sent.path}"
            hint = "give it another name, or leave the operation out by 'exclude' of 'api'"
            diagnostics.error("duplicate-tool", message, other.location, hint=hint)
    return [
        Draft(
            name=subject.name,
            group=identity.group(subject.operation),
            location=subject.operation.location,
            arguments=tuple(one for one in arguments[index] if one.key not in fixed[index]),
            answers=tuple(json_answers(subject.operation)),
            operation=subject.operation,
            original=subject.original,
            hidden=tuple(one for one in arguments[index] if one.key in fixed[index]),
            fixed=fixed[index],
            description=described.get(index, ""),
        )
        for index, subject in enumerate(subjects)
    ]


def _free_name(entry: Entry, by_hand: Mapping[str, Draft]) -> str | None:
    """The recorded name, unless a tool of the manifest has it now."""
    name: str | None = entry.get("original") or entry.get("name")
    return None if name and name.lower() in by_hand else name


def tool_name(operation: Operation, taken: names.Namespace) -> str:
    """snake_case of the operationId, or of method and path; kept apart by the path and then by a digest of both."""
    request = f"{operation.method} {operation.path}"
    by_path = names.path_words(operation.method, operation.path)
    first = names.snake(operation.id or "") or by_path or "operation"
    marked = f"{first[: names.MAX_NAME - 7]}_{names.digest(request)}"
    return taken.take(names.shorten(first, request), names.shorten(by_path, request), marked)


# --- namespaces


def _namespaces(
    api: Api,
    drafts: Sequence[Draft],
    schemas: ToolSchemas,
    types: Types,
    known: Mapping[Request, Entry],
    package: str,
) -> tuple[NamespacePlan, ...]:
    described = {tag.name: tag.description for tag in api.tags}
    if api.is_manifest:
        described.setdefault(package, api.description)
    made = []
    for module, (group, inside) in _modules(api, drafts, described, known, package).items():
        methods = names.Namespace(RESERVED_METHODS)
        tools = tuple(_tool(one, module, methods, schemas, types) for one in inside)
        classes = sorted({one for draft in inside for one in types.classes(draft.name)})
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


def _modules(
    api: Api,
    drafts: Sequence[Draft],
    tags: Sequence[str] | Mapping[str, str],
    known: Mapping[Request, Entry],
    package: str,
) -> dict[str, tuple[str, list[Draft]]]:
    """The modules in their order: name → the group that it is about, and its tools."""
    sent = {id(one.operation): one for one in drafts if one.tool is None}
    operations = [one.operation for one in sent.values() if one.operation]
    modules = identity.assign_modules(operations, tags, known)
    taken = names.Namespace(modules)
    homes = {group: module for module, (group, _) in modules.items()}
    found: dict[str, tuple[str, list[Draft]]] = {}

    def inside(group: str) -> list[Draft]:
        if group not in homes:
            homes[group] = taken.take(names.module_name(group, f"tag_{names.digest(group)}"))
        return found.setdefault(homes[group], (group, []))[1]

    for group in declared.groups(api, package):
        inside(group)
    for draft in drafts:
        if draft.tool is not None:
            inside(draft.group).append(draft)
    for module, (group, served) in modules.items():
        place = found.setdefault(module, (group, []))[1]
        place += [sent[id(one)] for one in served]
    order = list(tags)
    last = len(order)
    return dict(
        sorted(
            found.items(), key=lambda one: order.index(one[1][0]) if one[1][0] in order else last
        )
    )


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
    description = draft.description or descriptions.describe(
        operation.summary, operation.description, deprecated=operation.deprecated
    )
    parameters = tuple(
        parameter_view(one, types.of(draft.name, one.key)) for one in draft.arguments
    )
    everything = (*draft.arguments, *draft.hidden)
    statements = tuple(handlers.statements(operation, everything, schemas, draft.fixed))
    doc = _doc(operation, draft.name)
    listing = None
    if draft.answers:
        listing = find_listing(operation, draft.arguments, draft.answers[0], schemas)
    extra = listing.properties if listing else ()
    return ToolPlan(
        name=draft.name,
        original=draft.original,
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
