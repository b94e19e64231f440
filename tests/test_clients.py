"""The official SDK as a client, both generations, lists and calls every tool of each example over stdio."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from examples import EXAMPLES, ROOT, Example

SDK1 = ROOT / ".venv-clients" / "1.30.0" / "bin" / "python"
LIMIT = 120  # seconds for one server

each_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)


def command(example: Example, *options: str) -> list[str]:
    return [sys.executable, "-m", example.package, "--mock", *options]


def calls(example: Example) -> dict[str, dict[str, Any]]:
    return {name: given for name, given in example.arguments().items() if given is not None}


async def drive(example: Example, mode: str) -> tuple[str, list[str], dict[str, str]]:
    """The revision agreed on, the tools listed, and what went wrong by tool."""
    program, *arguments = command(example, "--mode", "all")
    server = StdioServerParameters(command=program, args=arguments, cwd=example.directory)
    async with asyncio.timeout(LIMIT), Client(server, mode=mode) as client:
        tools: list[str] = []
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
        errors = {}
        for name, given in calls(example).items():
            result = await client.call_tool(name, given)
            if result.is_error:
                errors[name] = str(result.content)
        return client.protocol_version, tools, errors


@each_example
@pytest.mark.parametrize(
    ("mode", "revision"),
    [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")],
)
def test_the_official_sdk_2_uses_every_tool(example: Example, mode: str, revision: str) -> None:
    version, tools, errors = asyncio.run(drive(example, mode))
    assert version == revision
    assert tools == list(example.arguments())
    assert errors == {}


@each_example
@pytest.mark.skipif(not SDK1.exists(), reason="`make test` sets the SDK 1.x up")
def test_the_official_sdk_1_uses_every_tool(example: Example) -> None:
    task = {
        "command": command(example, "--mode", "all"),
        "cwd": str(example.directory),
        "calls": calls(example),
    }
    done = subprocess.run(
        [SDK1, ROOT / "tests" / "clients" / "sdk1.py"],
        input=json.dumps(task),
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout)
    assert told == {"version": "2025-11-25", "tools": list(example.arguments()), "errors": {}}


def test_most_tools_have_arguments_to_call_them_with() -> None:
    for example in (one for one in EXAMPLES if not one.is_manifest):
        found = example.arguments()
        assert len(calls(example)) > 0.95 * len(found), example.name
