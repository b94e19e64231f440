"""Methods in custom/: tools of their own by `@tool`, and overrides that no longer fit what the server calls."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from conftest import Run
from test_manifest_server import LIMIT, call

Json = Any
SPEC = """
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      tags: [pet]
      operationId: listPets
      parameters: [{name: limit, in: query, schema: {type: integer}}]
      responses: {"200": {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}}
components:
  schemas:
    Pet: {type: object, properties: {name: {type: string}}, required: [name]}
"""
CUSTOM = '''
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from .._runtime.tools import tool
from ..tools import pet as generated

if TYPE_CHECKING:
    from ..models import Pet


class PetTools(generated.PetTools):
    @tool
    async def greet(
        self,
        *,
        name: Annotated[str, "Whom to greet."],
        times: int = 2,
        tone: Literal["warm", "cold"] | None = None,
        pets: list[Pet] | None = None,
    ) -> str:
        """Greet somebody.

        As often as wanted.
        """
        return f"Hello {name}! " * times

    @tool
    async def whatever(self, *, data: dict[str, int]) -> Any:
        """Sum up."""
        return sum(data.values())
'''


@pytest.fixture
def package(mcpgen: Run, tmp_path: Path) -> Path:
    (tmp_path / "openapi.yaml").write_text(SPEC, "utf-8")
    assert mcpgen("openapi.yaml", "-q", cwd=tmp_path).returncode == 0
    return tmp_path / "pets-mcp"


def passes_its_own_checks(package: Path) -> None:
    for module in (["mypy", "--strict"], ["pytest", "-q", "-p", "no:xdist"]):
        done = subprocess.run([sys.executable, "-m", *module], cwd=package, capture_output=True)
        assert done.returncode == 0, done.stdout.decode()


def server(package: Path) -> StdioServerParameters:
    command = ["-m", "pets_mcp", "--mock"]
    return StdioServerParameters(command=sys.executable, args=command, cwd=package)


def test_a_marked_method_is_a_tool(package: Path, mcpgen: Run) -> None:
    (package / "pets_mcp" / "custom" / "pet.py").write_text(CUSTOM, "utf-8")
    made = mcpgen(cwd=package)
    assert made.returncode == 0 and "greet: the tool is new" in made.stderr
    assert mcpgen("--check", cwd=package).returncode == 0
    catalog = json.loads((package / "pets_mcp" / "catalog.json").read_text("utf-8"))
    greet = next(one for one in catalog["tools"] if one["name"] == "greet")
    assert greet["description"] == "Greet somebody.\n\nAs often as wanted."
    assert greet["inputSchema"]["properties"] == {
        "name": {"type": "string", "description": "Whom to greet."},
        "times": {"type": "integer", "default": 2},
        "tone": {"anyOf": [{"type": "string", "enum": ["warm", "cold"]}, {"type": "null"}]},
        "pets": {
            "anyOf": [
                {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}},
                        "required": ["name"],
                    },
                },
                {"type": "null"},
            ]
        },
    }
    passes_its_own_checks(package)

    async def run() -> list[Json]:
        async with asyncio.timeout(LIMIT), Client(server(package)) as client:
            return [
                await call(client, "greet", **{"name": "Ada", "times": 1}),
                await call(client, "whatever", data={"a": 1, "b": 2}),
                (await call(client, "greet", times=1))["kind"],
            ]

    assert asyncio.run(run()) == [{"result": "Hello Ada! "}, {"result": 3}, "invalid_arguments"]
    # What a document leaves alone has not changed for an agent.
    same = mcpgen("changes", "../openapi.yaml", ".", "--fail-on", "additive", cwd=package)
    assert same.returncode == 0, same.stdout


FUNCTIONS = '''
import threading

from .._runtime.context import Context
from .._runtime.tools import tool


@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    assert threading.current_thread() is not threading.main_thread()
    return a + b


@tool
async def who(context: Context, greeting: str = "Hello") -> str:
    """Who calls."""
    return f"{greeting} {context.client['name']}"


def helper(a: int) -> int:
    return a
'''


def test_a_marked_function_is_a_tool(package: Path, mcpgen: Run) -> None:
    (package / "pets_mcp" / "custom" / "sums.py").write_text(FUNCTIONS, "utf-8")
    made = mcpgen(cwd=package)
    assert made.returncode == 0 and "add: the tool is new" in made.stderr
    assert "warning" not in made.stderr
    catalog = json.loads((package / "pets_mcp" / "catalog.json").read_text("utf-8"))
    tools = {one["name"]: one for one in catalog["tools"]}
    assert sorted(tools) == ["add", "list_pets", "who"]
    assert tools["add"]["description"] == "Add two numbers."
    assert tools["add"]["inputSchema"] == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert list(tools["who"]["inputSchema"]["properties"]) == ["greeting"]
    passes_its_own_checks(package)

    async def run() -> list[Json]:
        async with asyncio.timeout(LIMIT), Client(server(package)) as client:
            return [
                await call(client, "add", a=1),
                await call(client, "who"),
                (await call(client, "add", b=1))["kind"],
            ]

    first, second, third = asyncio.run(run())
    assert (first, third) == ({"result": 2}, "invalid_arguments")
    assert second["result"].startswith("Hello ")


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (
            "    @tool\n    async def t(self, *, when: datetime) -> None: ...\n",
            ":11:32: error[bad-annotation]: the type datetime has no schema",
        ),
        (
            "    @tool\n    def t(self) -> None: ...\n",
            ":11:5: error[bad-tool]: the tool 't' must be 'async def'",
        ),
        (
            "    @tool\n    async def t(self, **more: int) -> None: ...\n",
            ":11:5: error[bad-tool]: the tool 't' must name its arguments",
        ),
        (
            "    @tool\n    async def list_pets(self, *, limit: int | None = None) -> None: ...\n",
            ":11:5: error[duplicate-tool]: the tool 'list_pets' has the name of GET /pets",
        ),
        (
            "    async def list_pets(self) -> None: ...\n",
            ":10:5: warning[override-signature]: PetTools.list_pets does not fit its tool: it does not take 'limit'",
        ),
        (
            "    async def list_pets(self, *, limit: int) -> None: ...\n",
            ":10:5: warning[override-signature]: PetTools.list_pets does not fit its tool: it needs 'limit', which may be left out",
        ),
        (
            "    async def list_pets(self, *, page, **more) -> None: ...\n",
            ":10:5: warning[override-signature]: PetTools.list_pets does not fit its tool: it needs 'page', which the tool does not have",
        ),
        ("    def (\n", ":10:1: error[custom-syntax]: it cannot be read: invalid syntax"),
    ],
)
def test_what_does_not_fit_is_told(method: str, message: str, package: Path, mcpgen: Run) -> None:
    head = CUSTOM.partition("class PetTools")[0].partition("if TYPE_CHECKING")[0]
    source = f"{head.strip()}\n\n\nclass PetTools(generated.PetTools):\n{method}"
    (package / "pets_mcp" / "custom" / "pet.py").write_text(source, "utf-8")
    told = mcpgen("--check", cwd=package).stderr
    assert message in told, told
