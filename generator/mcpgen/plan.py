"""The plan of a package: every name, every view, every datum that the templates print.

Takes an `Api` and `Options`, and the record of an earlier run so that its names stay; gives a `PackagePlan`.
All names are decided here, in one pass over all operations. Knows nothing of files on disk or of templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen import descriptions, handlers, names
from mcpgen.credentials import Credential, plan_credentials
from mcpgen.diagnostics import Diagnostics
from mcpgen.handlers import Argument, Kind, Statement
from mcpgen.ir import Api, Json, Operation, Security, Server, Skipped
from mcpgen.models import Models, Wanted, make_models
from mcpgen.options import Options
from mcpgen.selection import BadPattern, select
from mcpgen.tool_schemas import ToolSchemas

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

Record = Mapping[str, Json]  # section 3 of the contract: the record that an earlier run left


@dataclass(frozen=True, slots=True)
class ParameterView:
    """One parameter of a handler's signature, as code."""

    name: str
    annotation: str
    default: str | None


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """One tool: what is listed, and what its handler looks like."""

    name: str
    method_name: str
    operation: Operation
    arguments: tuple[Argument, ...]
    description: str
    input_schema: Mapping[str, Json]
    output_schema: Mapping[str, Json] | None
    annotations: Mapping[str, Json]
    parameters: tuple[ParameterView, ...]
    statements: tuple[Statement, ...]
    request: str  # the local variable
    request_options: tuple[tuple[str, Json], ...]
    returns: str
    doc: str

    @property
    def title(self) -> str:
        return descriptions.first_line(self.operation.summary or self.description, 80).rstrip(".")

    @property
    def request_line(self) -> str:
        return f"{self.operation.method} {self.operation.path}"

    @property
    def listed(self) -> dict[str, Json]:
        """The tool as tools/list gives it."""
        listed: dict[str, Json] = {"name": self.name}
        if self.operation.summary:
            listed["title"] = self.title
        listed["description"] = self.description
        listed["inputSchema"] = self.input_schema
        if self.output_schema:
            listed["outputSchema"] = self.output_schema
        listed["annotations"] = self.annotations
        return listed


@dataclass(frozen=True, slots=True)
class NamespacePlan:
    """One module of tools, made of the operations of one tag."""

    name: str
    module: str
    class_name: str
    description: str
    tools: tuple[ToolPlan, ...]
    models: tuple[str, ...]

    @property
    def title(self) -> str:
        """What the module is about, in a line."""
        return self.description or f"The tools of {self.name}."

    @property
    def typing(self) -> tuple[str, ...]:
        """What its annotations need from `typing`."""
        return tuple(sorted({"TYPE_CHECKING"} | self._words & {"Any", "Literal"}))

    @property
    def uses_blob(self) -> bool:
        return "Blob" in self._words

    @property
    def uses_unset(self) -> bool:
        return "Unset" in self._words

    @property
    def _words(self) -> set[str]:
        code = (
            part
            for one in self.tools
            for part in [one.returns, *(p.annotation for p in one.parameters)]
        )
        return {word for part in code for word in re.findall(r"\w+", re.sub(r"'[^']*'", "", part))}


@dataclass(frozen=True, slots=True)
class PackagePlan:
    name: str  # petstore
    title: str
    version: str
    description: str
    instructions: str
    prefix: str  # PETSTORE
    servers: tuple[str, ...]
    security: Security
    credentials: tuple[Credential, ...]
    namespaces: tuple[NamespacePlan, ...]
    models: str
    schemas: ToolSchemas
    options: Options
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def option_name(self) -> str:
        return self.name.replace("_", "-")

    @property
    def release(self) -> str:
        """The package's own version, as PEP 440 wants it: the document's where it is one."""
        found = re.fullmatch(r"v?(\d+(?:\.\d+){0,3})", self.version.strip())
        return found[1] if found else "0.1.0"

    @property
    def summary(self) -> str:
        return descriptions.first_line(self.description, 200) or f"{self.title} as MCP tools."

    @property
    def base_url_variable(self) -> str:
        return f"{self.prefix}_BASE_URL"

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables of all credentials."""
        return tuple(
            dict.fromkeys(name for one in self.credentials for name in one.variables.values())
        )

    @property
    def credential_classes(self) -> tuple[str, ...]:
        return tuple(sorted({one.class_name for one in self.credentials}))

    @property
    def distribution(self) -> str:
        return f"{self.name.replace('_', '-')}-mcp"

    @property
    def package(self) -> str:
        return f"{self.name}_mcp"

    @property
    def tools(self) -> tuple[ToolPlan, ...]:
        return tuple(tool for namespace in self.namespaces for tool in namespace.tools)

    def record(self) -> dict[str, Json]:
        """The record of section 3 of the contract, without the directory."""
        return {
            "package": self.package,
            "command": ["python", "-m", self.package],
            "tools": [
                {
                    "name": tool.name,
                    "operation_id": tool.operation.id,
                    "method": tool.operation.method,
                    "path": tool.operation.path,
                    "arguments": {one.key: one.name for one in tool.arguments},
                }
                for tool in self.tools
            ],
            "credentials": {one.scheme.name: dict(one.variables) for one in self.credentials},
            "base_url": self.base_url_variable,
            "skipped": [
                {"method": one.method, "path": one.path, "reason": one.reason}
                for one in self.skipped
            ],
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class _Draft:
    """A tool before the models are made: its types are still schemas."""

    name: str
    operation: Operation
    arguments: tuple[Argument, ...]


def make_plan(
    api: Api, options: Options, previous: Record, diagnostics: Diagnostics
) -> PackagePlan:
    """Plan the package. `previous` is the record of the package that is there, or empty."""
    name = package_name(api, options)
    prefix = name.upper()
    schemas = ToolSchemas(api.schemas)
    operations = _selected(api, options, diagnostics)
    drafts = _drafts(operations, schemas, previous)
    models, types = _types(drafts, schemas)
    namespaces = _namespaces(api, drafts, schemas, types)
    return PackagePlan(
        name=name,
        title=descriptions.first_line(api.title, 80) or name,
        version=api.version,
        description=descriptions.clean(api.description),
        instructions=_instructions(api),
        prefix=prefix,
        servers=tuple(server_url(one) for one in api.servers),
        security=api.security,
        credentials=plan_credentials(api.security_schemes, prefix, previous.get("credentials", {})),
        namespaces=namespaces,
        models=models.text,
        schemas=schemas,
        options=options,
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
        diagnostics.warning("unused-pattern", f"no operation matches the pattern '{pattern}'")
    return kept


def _instructions(api: Api) -> str:
    return descriptions.cap(
        descriptions.describe(api.title, api.description, deprecated=False), 600
    )


# --- tools


def _drafts(
    operations: Iterable[Operation], schemas: ToolSchemas, previous: Record
) -> list[_Draft]:
    pinned = _pinned(previous)
    taken = names.Namespace(entry["name"] for entry in pinned.values())
    drafts = []
    for operation in operations:
        entry = pinned.get((operation.method, operation.path), {})
        found = handlers.arguments(operation, schemas, entry.get("arguments", {}))
        drafts.append(_Draft(entry.get("name") or tool_name(operation, taken), operation, found))
    return drafts


def _pinned(previous: Record) -> dict[tuple[str, str], Mapping[str, Json]]:
    return {(entry["method"], entry["path"]): entry for entry in previous.get("tools", ())}


def tool_name(operation: Operation, taken: names.Namespace) -> str:
    """snake_case of the operationId, or of method and path; kept apart by the path and then by a digest of both."""
    identity = f"{operation.method} {operation.path}"
    by_path = names.path_words(operation.method, operation.path)
    first = names.snake(operation.id or "") or by_path or "operation"
    marked = f"{first[: names.MAX_NAME - 7]}_{names.digest(identity)}"
    return taken.take(names.shorten(first, identity), names.shorten(by_path, identity), marked)


def annotations(method: str) -> dict[str, Json]:
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
    places: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def of(self, tool: str, key: str) -> str:
        found = dict.fromkeys(
            self.models.annotations[index] for index in self.places.get((tool, key), ())
        )
        return " | ".join(found)

    def classes(self, tool: str) -> set[str]:
        indexes = [
            index for (name, _), found in self.places.items() if name == tool for index in found
        ]
        return {one for index in indexes for one in self.models.names[index]}


def _types(drafts: Sequence[_Draft], schemas: ToolSchemas) -> tuple[Models, _Types]:
    wanted: list[Wanted] = []
    places: dict[tuple[str, str], list[int]] = {}

    def want(tool: str, key: str, name: str, schema: Json) -> None:
        places.setdefault((tool, key), []).append(len(wanted))
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
        for content in response.contents
        if handlers.media_kind(content.type) == Kind.JSON
    ]


def _returns(draft: _Draft, types: _Types) -> str:
    """The type of a handler's answer: what the document's success responses may hold, in their order."""
    found: list[str] = []
    responses = handlers.successes(draft.operation.responses)
    for response in responses:
        for content in response.contents:
            kind = handlers.media_kind(content.type)
            if kind == Kind.JSON:
                found.append(types.of(draft.name, "") or "Any")
            else:
                found.append("Blob" if kind == Kind.BINARY else "str")
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
    api: Api, drafts: Sequence[_Draft], schemas: ToolSchemas, types: _Types
) -> tuple[NamespacePlan, ...]:
    groups: dict[str, list[_Draft]] = {}
    for draft in drafts:
        groups.setdefault(_group(draft.operation), []).append(draft)
    described = {tag.name: tag.description for tag in api.tags}
    order = [tag.name for tag in api.tags if tag.name in groups]
    taken = names.Namespace()
    made = []
    for group in dict.fromkeys([*order, *groups]):
        module = taken.take(names.module_name(group, f"tag_{names.digest(group)}"))
        tools = _tools(groups[group], schemas, types)
        classes = sorted({one for draft in groups[group] for one in types.classes(draft.name)})
        made.append(
            NamespacePlan(
                name=module,
                module=module,
                class_name=f"{names.identifier(names.camel(module), 'Tag')}Tools",
                description=descriptions.first_line(described.get(group, ""), 200),
                tools=tools,
                models=tuple(classes),
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


def _tools(drafts: Sequence[_Draft], schemas: ToolSchemas, types: _Types) -> tuple[ToolPlan, ...]:
    taken = names.Namespace(RESERVED_METHODS)
    return tuple(_tool(draft, taken, schemas, types) for draft in drafts)


def _tool(draft: _Draft, taken: names.Namespace, schemas: ToolSchemas, types: _Types) -> ToolPlan:
    operation = draft.operation
    description = descriptions.describe(
        operation.summary, operation.description, deprecated=operation.deprecated
    )
    answers = [one for one in _json_answers(operation)]
    method_name = names.identifier(draft.name.replace("-", "_"), "operation")
    local = handlers.REQUEST
    while local in {one.name for one in draft.arguments}:
        local += "_"
    return ToolPlan(
        name=draft.name,
        method_name=taken.take(method_name, f"{method_name}_"),
        operation=operation,
        arguments=draft.arguments,
        description=description or f"{operation.method} {operation.path}",
        input_schema=schemas.input_schema([one.property for one in draft.arguments]),
        output_schema=schemas.output_schema(answers[0]) if answers else None,
        annotations=annotations(operation.method),
        parameters=tuple(_parameter(one, types.of(draft.name, one.key)) for one in draft.arguments),
        statements=tuple(handlers.statements(operation, draft.arguments, schemas)),
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
