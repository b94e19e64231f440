"""Every document in specs/ becomes a server that lists every operation, or the run names the one it skips."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client, StdioServerParameters

from conftest import Run
from examples import ROOT, is_manifest

DOCUMENTS = sorted(one for one in (ROOT / "specs").iterdir() if one.suffix in (".yaml", ".json"))
SPECS = [one for one in DOCUMENTS if not is_manifest(one)]
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def operations(spec: Path) -> set[str]:
    document = yaml.load(spec.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    }


async def listed(package: str, folder: Path) -> list[str]:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", package, "--mode", "all"], cwd=folder
    )
    async with asyncio.timeout(60), Client(server) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.name)
def test_every_operation_is_listed_or_its_skip_is_named(
    spec: Path, mcpgen: Run, tmp_path: Path
) -> None:
    made = mcpgen(str(spec), "-o", str(tmp_path / "server"), "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    record: dict[str, Any] = json.loads(made.stdout)
    told = [f"{one['method']} {one['path']}" for one in record["tools"] + record["skipped"]]
    assert set(told) == operations(spec)
    assert len(told) == len(set(told))
    names = asyncio.run(listed(record["package"], tmp_path / "server"))
    assert names == [one["name"] for one in record["tools"]]


def test_the_documents_are_of_different_taste() -> None:
    sizes = [len(operations(spec)) for spec in SPECS]
    assert len(sizes) >= 6
    assert max(sizes) > 200
