"""Real APIs on loopback, and the official client at the tools that were made of them.

`make test` keeps the APIs in an environment of their own, `.venv-real`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".venv-real" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
LIMIT = 120  # seconds for all calls of one test

needs_real_apis = pytest.mark.skipif(
    not PYTHON.exists(), reason="`make test` makes .venv-real for the APIs"
)

Json = Any
Calls = Sequence[tuple[str, dict[str, Json]]]


def generate(document: Path, directory: Path, *options: str) -> dict[str, Json]:
    """The record of the package that mcpgen makes in a folder."""
    command = [sys.executable, "-m", "mcpgen", str(document), "-o", str(directory), "--json"]
    done = subprocess.run(
        [*command, *options],
        cwd=document.parent,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    record: dict[str, Json] = json.loads(done.stdout)
    return record


class Package:
    """A generated package, to be called with the official SDK."""

    def __init__(
        self, directory: Path, record: Mapping[str, Json], environment: Mapping[str, str]
    ) -> None:
        self.record = record
        self._directory = directory
        self._environment = environment
        self._server = StdioServerParameters(
            command=sys.executable,
            args=["-m", record["package"], "--mode", "all"],
            cwd=directory,
            env={**os.environ, **environment},
        )

    def without(self, variable: str, **instead: str) -> Package:
        """The same with another environment."""
        kept = {key: value for key, value in self._environment.items() if key != variable}
        return Package(self._directory, self.record, {**kept, **instead})

    def tool(self, method: str, path: str) -> str:
        found: str = next(
            one["name"]
            for one in self.record["tools"]
            if (one["method"], one["path"]) == (method, path)
        )
        return found

    def call(self, *calls: tuple[str, dict[str, Json]]) -> list[Json]:
        """The answers in order: what is structured, else the one block; an error as `{"error": …}`."""
        return asyncio.run(self._call(calls))

    async def _call(self, calls: Calls) -> list[Json]:
        async with asyncio.timeout(LIMIT), Client(self._server) as client:
            return [_answer(await client.call_tool(name, given)) for name, given in calls]


def _answer(result: Any) -> Json:
    if result.is_error:
        return json.loads(result.content[0].text)
    if result.structured_content is not None:
        return result.structured_content
    if not result.content:
        return None
    block = result.content[0]
    return (
        block.text if block.type == "text" else block.model_dump(by_alias=True, exclude_none=True)
    )
