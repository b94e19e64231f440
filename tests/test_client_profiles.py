"""What strict clients refuse is told, and what mcpgen makes is taken by all that take JSON Schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import Run
from examples import EXAMPLES, Example
from mcpgen.clients import CLIENTS, problems


def tool(**schema: Any) -> dict[str, Any]:
    return {"name": "t", "description": "", "inputSchema": {"type": "object", **schema}}


def told(client: str, *tools: dict[str, Any]) -> list[str]:
    return [one.message for one in problems(CLIENTS[client], list(tools))]


@pytest.mark.parametrize(
    ("client", "listed", "message"),
    [
        ("claude", tool(oneOf=[]), "the input schema has oneOf at its root"),
        (
            "claude",
            tool(properties={"a b": {}}),
            "/: the property 'a b' does not match [A-Za-z0-9_.-]{1,64}",
        ),
        (
            "openai",
            {**tool(), "description": "x" * 1025},
            "the description has more than 1024 characters",
        ),
        ("openai", {**tool(), "name": "a.b"}, "the name does not match [A-Za-z0-9_-]{1,64}"),
        (
            "vscode",
            tool(properties={"a": {"type": "array"}}),
            "/properties/a: an array without items",
        ),
        (
            "gemini",
            tool(properties={"a": {"$ref": "#/$defs/A"}}),
            "/properties/a: $ref is not taken",
        ),
        (
            "gemini",
            tool(properties={"a": {"enum": [1]}}),
            "/properties/a: an enum of other values than text is not taken",
        ),
        (
            "gemini",
            tool(properties={"a": {"type": ["string", "integer"]}}),
            "/properties/a: several types at once are not taken",
        ),
    ],
)
def test_what_a_client_refuses_is_told(client: str, listed: dict[str, Any], message: str) -> None:
    assert told(client, listed) == [message]


def test_a_property_called_like_a_keyword_is_no_keyword() -> None:
    assert (
        told("gemini", tool(properties={"const": {"type": "string"}, "$ref": {"type": "string"}}))
        == []
    )


def test_too_many_tools_are_told_once() -> None:
    assert told("vscode", *[tool()] * 129) == ["129 tools, of which vscode takes 128 at once"]


# What the conformance suite wants to see is more than clients take.
SUITE = ("json_schema_2020_12_tool",)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
@pytest.mark.parametrize("client", ["claude", "openai", "vscode"])
def test_the_examples_are_taken(example: Example, client: str) -> None:
    import json

    catalog = json.loads((example.directory / example.package / "catalog.json").read_text("utf-8"))
    tools = [one for one in catalog["tools"] if one["name"] not in SUITE]
    assert told(client, *tools) == []


def test_inspect_tells_and_fails(mcpgen: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths:\n  /a:\n    get:\n"
        "      parameters: [{name: n, in: query, schema: {enum: [1, 2]}}]\n".replace("\\\n", "\n"),
        encoding="utf-8",
    )
    done = mcpgen("inspect", "a.yaml", "--client", "gemini", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == (
        "a.yaml:5:5: warning[client-gemini]: the tool get_a:"
        " /properties/n: an enum of other values than text is not taken"
    )
    assert done.stderr.splitlines()[-1] == "gemini would refuse 1 of 1 tools"
    assert mcpgen("inspect", "a.yaml", "--client", "claude", cwd=tmp_path).returncode == 0
