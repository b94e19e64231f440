"""What the templates see: frozen views with ready names, types and data, and the record made of them.

Made by `plan.py`; everything that a template prints is a property here, so that templates need not decide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen import descriptions
from mcpgen.credentials import Credential
from mcpgen.handlers import Argument, Choice, Statement
from mcpgen.ir import Json, Operation, Security, Skipped
from mcpgen.models import Models
from mcpgen.options import Options
from mcpgen.tool_schemas import ToolSchemas


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
    original: str  # the name without the setting `rename`
    method_name: str
    operation: Operation
    arguments: tuple[Argument, ...]
    description: str
    input_schema: Mapping[str, Json]
    listing: Mapping[str, Json] | None  # see runtime/pages.py
    output_schema: Mapping[str, Json] | None
    annotations: Mapping[str, Json]
    parameters: tuple[ParameterView, ...]
    statements: tuple[Statement | Choice, ...]
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
        needs_types = {"TYPE_CHECKING"} if self.models or self.uses_blob else set()
        return tuple(
            sorted(
                needs_types | self._words & {"Any", "Literal"},
                key=lambda one: (not one.isupper(), one),
            )
        )

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
    models: Models
    schemas: ToolSchemas
    options: Options
    confirmed: tuple[str, ...] = ()  # the tools that ask the user first
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
                    "namespace": namespace.module,
                    **({"original": tool.original} if tool.original != tool.name else {}),
                }
                for namespace in self.namespaces
                for tool in namespace.tools
            ],
            "credentials": {one.scheme.name: dict(one.variables) for one in self.credentials},
            "base_url": self.base_url_variable,
            "skipped": [
                {"method": one.method, "path": one.path, "reason": one.reason}
                for one in self.skipped
            ],
            "warnings": list(self.warnings),
        }
