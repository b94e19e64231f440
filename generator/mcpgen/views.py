"""What the templates see: frozen views with ready names, types and data, and the record made of them.

Made by `plan.py`; everything that a template prints is a property here, so that templates need not decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from mcpgen import __version__
from mcpgen import descriptions
from mcpgen.credentials import Credential
from mcpgen.diagnostics import Location
from mcpgen.handlers import Argument, Choice, Statement
from mcpgen.ir import (
    Built,
    Fixed,
    Given,
    Joined,
    Json,
    Operation,
    Picked,
    Security,
    Skipped,
    Value,
)
from mcpgen.models import Models
from mcpgen.options import Options
from mcpgen.tool_schemas import ToolSchemas


@dataclass(frozen=True, slots=True)
class ParameterView:
    """One parameter of a handler's signature, as code; a default is a name or a constant."""

    name: str
    annotation: str
    default: str | Fixed | None


@dataclass(frozen=True, slots=True)
class MethodView:
    """The signature of a method: `others` says that it takes more than it names."""

    method_name: str
    parameters: tuple[ParameterView, ...]
    returns: str
    doc: str
    others: str = ""

    @property
    def annotations(self) -> tuple[str, ...]:
        return (
            self.returns,
            *(one.annotation for one in self.parameters),
            "Any" * bool(self.others),
        )


@dataclass(frozen=True, slots=True)
class RequestView:
    """One request of a handler. `variable` is a local name; `step` the key under which the answer is kept."""

    variable: str
    method: str
    path: str
    options: tuple[tuple[str, Json], ...]
    statements: tuple[Statement | Choice, ...]
    step: str = ""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the user is asked, and the arguments that are shown."""

    message: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """One tool: what is listed, and what its handler looks like.

    `operation` is the one that it sends; None where it sends none, or several. A tool without requests and command is
    `written_in` a file of the person's.
    """

    name: str
    location: Location
    method: MethodView
    operation: Operation | None
    arguments: tuple[Argument, ...]
    summary: str
    description: str
    input_schema: Mapping[str, Json]
    output_schema: Mapping[str, Json] | None
    annotations: Mapping[str, Json]
    requests: tuple[RequestView, ...] = ()
    values: str = ""  # the local variable of the arguments and answers, where steps need them
    answer: str = ""  # JMESPath
    command: CommandView | None = None
    confirmation: Confirmation | None = None
    written_in: str = ""
    is_marked: bool = False  # by `@tool` in custom/
    operations: tuple[Operation, ...] = ()  # all that it sends
    listing: Mapping[str, Json] | None = None  # see runtime/pages.py
    original: str = ""  # the name without the setting `rename`

    @property
    def method_name(self) -> str:
        return self.method.method_name

    is_completion: ClassVar[bool] = False

    @property
    def label(self) -> str:
        return self.name

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.arguments)

    @property
    def title(self) -> str:
        return descriptions.first_line(self.summary or self.description, 80).rstrip(".")

    @property
    def request_line(self) -> str:
        """What carries the tool out, in a few words."""
        if self.operations:
            return ", ".join(f"{one.method} {one.path}" for one in self.operations)
        if self.command:
            return f"$ {self.command.program}"
        return self.written_in

    @property
    def operation_schema(self) -> dict[str, Json]:
        """The input schema without what we have added to the operation's arguments."""
        own = {one.name for one in self.arguments}
        properties = self.input_schema["properties"]
        kept = {name: schema for name, schema in properties.items() if name in own}
        return {**self.input_schema, "properties": kept}

    @property
    def listed(self) -> dict[str, Json]:
        """The tool as tools/list gives it."""
        listed: dict[str, Json] = {"name": self.name}
        if self.summary:
            listed["title"] = self.title
        listed["description"] = self.description
        listed["inputSchema"] = self.input_schema
        if self.output_schema:
            listed["outputSchema"] = self.output_schema
        if self.annotations:
            listed["annotations"] = self.annotations
        return listed

    @property
    def record(self) -> dict[str, Json]:
        sent = self.operation
        marked: dict[str, Json] = {"custom": True} if self.is_marked else {}
        return {
            **marked,
            "name": self.name,
            "operation_id": sent.id if sent else None,
            "method": sent.method if sent else "",
            "path": sent.path if sent else "",
            "arguments": {one.key: one.name for one in self.arguments},
            **({"original": self.original} if self.original not in ("", self.name) else {}),
        }


@dataclass(frozen=True, slots=True)
class CommandView:
    """A command: its options, and the words, each a call of a method of the runtime's `Command`."""

    program: str
    options: tuple[tuple[str, Json], ...]
    words: tuple[Statement, ...]
    output: str
    stdin: str
    variable: str


@dataclass(frozen=True, slots=True)
class OfferPlan:
    """A prompt, resource or completion: its key in the namespace, what is listed, and its method.

    `section` is the catalog's. `text` is what the method returns, where that is known; else it is `written_in` a file.
    """

    section: str
    key: str
    listed: Mapping[str, Json]
    method: MethodView
    text: tuple[Fixed | Given, ...] = ()
    optional: frozenset[str] = frozenset()
    written_in: str = ""
    is_completion: bool = False
    confirmation: ClassVar[None] = None

    @property
    def label(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True)
class NamespacePlan:
    """One module of tools, made of the operations of one tag, or of what a manifest puts there."""

    name: str
    module: str
    class_name: str
    description: str
    tools: tuple[ToolPlan, ...]
    models: tuple[str, ...]
    offers: tuple[OfferPlan, ...] = ()
    completions: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What the module is about, in a line."""
        return self.description or f"The tools of {self.name}."

    @property
    def methods(self) -> tuple[MethodView, ...]:
        return (*(one.method for one in self.tools), *(one.method for one in self.offers))

    @property
    def unwritten(self) -> tuple[ToolPlan | OfferPlan, ...]:
        """What a person writes in custom/."""
        tools = tuple(one for one in self.tools if one.written_in)
        return (*tools, *(one for one in self.offers if one.written_in))

    @property
    def raises(self) -> bool:
        """Whether something is not written yet that cannot do without."""
        return any(not one.is_completion for one in self.unwritten)

    @property
    def typing(self) -> tuple[str, ...]:
        return _typing(self.methods, bool(self.models), bool(self.stepped))

    @property
    def stepped(self) -> tuple[ToolPlan, ...]:
        return tuple(one for one in self.tools if one.values)

    @property
    def custom_typing(self) -> tuple[str, ...]:
        methods = tuple(one.method for one in self.unwritten)
        return _typing(methods, bool(self.custom_models), False)

    @property
    def custom_models(self) -> tuple[str, ...]:
        words = _words(one.method for one in self.unwritten)
        return tuple(one for one in self.models if one in words)

    @property
    def imports(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What the module takes from the runtime: module → names."""
        words = _words(self.methods)
        needed: dict[str, set[str]] = {"tools": {"Tools"}}
        if any(one.requests for one in self.tools):
            needed["request"] = {"Request"} | ({"UNSET", "Unset"} if "Unset" in words else set())
        if any(one.command for one in self.tools):
            needed["commands"] = {"Command"}
        if self.raises:
            needed["errors"] = {"ToolError"}
        if helpers := {name for tool in self.tools for name in _helpers(tool)}:
            needed["values"] = helpers
        order = str.isupper
        return tuple(
            (module, tuple(sorted(found, key=lambda one: (not order(one), one))))
            for module, found in sorted(needed.items())
        )

    @property
    def uses_blob(self) -> bool:
        return "Blob" in _words(self.methods)


def _helpers(tool: ToolPlan) -> Iterator[str]:
    """The functions of the runtime's `values` that a handler calls."""
    if tool.answer:
        yield "pick"
    for request in tool.requests:
        for statement in request.statements:
            if isinstance(statement, Statement) and not isinstance(statement.argument, str):
                yield from _value_helpers(statement.argument)


def _value_helpers(value: Value) -> Iterator[str]:
    if isinstance(value, Picked):
        yield "pick"
    elif isinstance(value, Joined):
        yield "join"
    elif isinstance(value, Built):
        if isinstance(value.members, Mapping):
            yield "present"
        inside = value.members.values() if isinstance(value.members, Mapping) else value.members
        for one in inside:
            yield from _value_helpers(one)


def _typing(methods: tuple[MethodView, ...], has_models: bool, has_any: bool) -> tuple[str, ...]:
    """What annotations need from `typing`."""
    words = _words(methods)
    needs_types = {"TYPE_CHECKING"} if has_models or "Blob" in words else set()
    needs_types |= {"Any"} if has_any else set()
    return tuple(
        sorted(needs_types | words & {"Any", "Literal"}, key=lambda one: (not one.isupper(), one))
    )


def _words(methods: Iterable[MethodView]) -> set[str]:
    code = (part for one in methods for part in one.annotations)
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
    models: Models
    schemas: ToolSchemas
    options: Options
    confirmed: tuple[str, ...] = ()  # the tools that ask the user first
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    identity: Mapping[str, Json] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    is_manifest: bool = False
    is_called: bool = True  # whether there is an API to send requests to

    @property
    def picks(self) -> bool:
        """Whether a handler evaluates JMESPath."""
        return any("pick" in _helpers(tool) for tool in self.tools)

    @property
    def offers(self) -> tuple[OfferPlan, ...]:
        return tuple(one for namespace in self.namespaces for one in namespace.offers)

    @property
    def prompts(self) -> tuple[OfferPlan, ...]:
        return tuple(one for one in self.offers if one.section == "prompts")

    @property
    def shown_resources(self) -> tuple[OfferPlan, ...]:
        return tuple(one for one in self.offers if one.section.startswith("resource"))

    @property
    def prompt_names(self) -> list[str]:
        return [one.key for one in self.prompts]

    @property
    def uris(self) -> list[str]:
        """Of resources, then of templates, as they are listed."""
        order = sorted(self.shown_resources, key=lambda one: one.section != "resources")
        return [one.key for one in order]

    @property
    def custom_modules(self) -> tuple[NamespacePlan, ...]:
        """The namespaces of which a person writes a part."""
        return tuple(one for one in self.namespaces if one.unwritten)

    @property
    def tooled(self) -> tuple[NamespacePlan, ...]:
        return tuple(one for one in self.namespaces if one.tools)

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
    def default_url(self) -> str:
        """Where the API is if nothing else is said; empty where the document names no host."""
        return self.servers[0] if self.servers and "://" in self.servers[0] else ""

    @property
    def needed_variables(self) -> tuple[str, ...]:
        """What has to be set before the first call: the address where it is not known, and the credentials."""
        is_lost = self.is_called and not self.default_url
        return (*((self.base_url_variable,) if is_lost else ()), *self.variables)

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables of all credentials."""
        return tuple(
            dict.fromkeys(name for one in self.credentials for name in one.variables.values())
        )

    @property
    def has_login(self) -> bool:
        return any(one.has_login for one in self.credentials)

    @property
    def credential_classes(self) -> tuple[str, ...]:
        return tuple(sorted({one.class_name for one in self.credentials}))

    @property
    def distribution(self) -> str:
        return f"{self.name.replace('_', '-')}-mcp"

    @property
    def resource_name(self) -> str:
        """The name of what runs it in Kubernetes: a label of DNS (RFC 1035)."""
        return self.distribution[:63].rstrip("-")

    @property
    def image(self) -> str:
        return f"registry.example.com/{self.distribution}:{self.release}"

    @property
    def generator_version(self) -> str:
        return __version__

    @property
    def registry_name(self) -> str:
        """In the MCP registry: a namespace that the publisher owns comes first, which only they know."""
        return f"io.github.your-name/{self.distribution}"

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
                {**tool.record, "namespace": namespace.module}
                for namespace in self.namespaces
                for tool in namespace.tools
            ],
            "credentials": {one.scheme.name: dict(one.variables) for one in self.credentials},
            "base_url": self.base_url_variable if self.is_called else "",
            "skipped": [
                {"method": one.method, "path": one.path, "reason": one.reason}
                for one in self.skipped
            ],
            "warnings": list(self.warnings),
        }
