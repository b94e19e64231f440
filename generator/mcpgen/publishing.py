"""What registries and clients are told of a package: `server.json` of the MCP registry, the manifest of an MCP bundle.

Takes a plan, gives JSON. Both ask a user for the package's variables, and both are told which of them are secrets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.descriptions import first_line
from mcpgen.ir import Json, SecurityKind
from mcpgen.views import PackagePlan

SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
LONGEST = 100  # characters of a title or description in server.json
PUBLIC = ("username", "client_id")  # parts of a credential that are no secret


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of the environment that a user may have to set."""

    name: str
    title: str
    description: str
    secret: bool = False
    file: bool = False
    default: str = ""
    required: bool = False


def variables(plan: PackagePlan) -> Iterator[Variable]:
    """The credentials, then the address of the API."""
    for one in plan.credentials:
        for part, name in one.variables.items():
            title = f"{part.replace('_', ' ').capitalize()} of {one.scheme.name}"
            is_file = one.scheme.kind is SecurityKind.MUTUAL_TLS
            secret = part not in PUBLIC and not is_file
            yield Variable(name, title, one.summary or title, secret=secret, file=is_file)
    if plan.is_called:
        yield Variable(
            plan.base_url_variable,
            "Base URL",
            f"Where {plan.title} is",
            default=plan.default_url,
            required=not plan.default_url,
        )


def server_json(plan: PackagePlan) -> Json:
    """For the MCP registry. Its name begins with a namespace that the publisher owns, which only they know."""
    return {
        "$schema": SERVER_SCHEMA,
        "name": plan.registry_name,
        "title": first_line(plan.title, LONGEST),
        "description": first_line(plan.summary, LONGEST),
        "version": plan.release,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": plan.distribution,
                "version": plan.release,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "environmentVariables": [_environment(one) for one in variables(plan)],
            }
        ],
    }


def _environment(variable: Variable) -> Json:
    return {
        "name": variable.name,
        "description": variable.description,
        "isRequired": variable.required,
        "isSecret": variable.secret,
        **({"format": "filepath"} if variable.file else {}),
        **({"default": variable.default} if variable.default else {}),
    }


def bundle_manifest(plan: PackagePlan) -> Json:
    """For `bundle`, which adds the tools. What the user leaves empty is an empty variable, which counts as unset."""
    asked = {one.name.lower(): one for one in variables(plan)}
    return {
        "manifest_version": "0.4",
        "name": plan.distribution,
        "display_name": plan.title,
        "version": plan.release,
        "description": plan.summary,
        "author": {"name": plan.title},
        "server": {
            "type": "uv",
            "entry_point": f"{plan.package}/__main__.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", plan.distribution],
                "env": {one.name: f"${{user_config.{key}}}" for key, one in asked.items()},
            },
        },
        "user_config": {key: _config(one) for key, one in asked.items()},
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": ">=3.11"},
        },
    }


def _config(variable: Variable) -> Json:
    return {
        "type": "file" if variable.file else "string",
        "title": variable.title,
        "description": variable.description,
        "required": variable.required,
        **({} if variable.required else {"default": variable.default}),
        **({"sensitive": True} if variable.secret else {}),
    }
