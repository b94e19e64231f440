"""The examples that are made of manifests, used by the official client as a person's agent would."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, PromptReference

from examples import EXAMPLES
from test_manifest_server import LIMIT, call

Json = Any


def server(name: str, *options: str, **environment: str) -> StdioServerParameters:
    (example,) = (one for one in EXAMPLES if one.name == name)
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", example.package, *options],
        cwd=example.directory,
        env={**os.environ, **environment},
    )


def test_a_database_is_read_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT)")
        made.execute("INSERT INTO pet VALUES (1, 'Rex'), (2, 'Tom')")
    made.close()

    async def run() -> list[Json]:
        parameters = server("sqlite", SQLITE_DATABASE=str(path))
        async with asyncio.timeout(LIMIT), Client(parameters) as client:
            schema = await client.read_resource("sqlite://schema/pet")
            prompt = await client.get_prompt("explore", {"table": "pet"})
            reference = PromptReference(type="ref/prompt", name="explore")
            completed = await client.complete(reference, {"name": "table", "value": "p"})
            return [
                await call(client, "list_tables"),
                (await call(client, "describe_table", table="pet"))["columns"][1]["name"],
                await call(
                    client, "query", sql="SELECT name FROM pet WHERE id = ?", parameters=[2]
                ),
                (await call(client, "query", sql="DROP TABLE pet"))["kind"],
                getattr(schema.contents[0], "text"),
                "the table pet with" in getattr(prompt.messages[0].content, "text"),
                completed.completion.values,
            ]

    assert asyncio.run(run()) == [
        {"result": [{"name": "pet", "kind": "table", "rows": 2}]},
        "name",
        {"columns": ["name"], "rows": [["Tom"]], "is_complete": True},
        "invalid_arguments",
        "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT);\n",
        True,
        ["pet"],
    ]


def test_tools_without_hints_are_described_and_called_behind_one() -> None:
    async def run() -> list[Json]:
        parameters = server("everything", "--mode", "single")
        async with asyncio.timeout(LIMIT), Client(parameters) as client:
            return [
                await call(client, "everything", command="test_sampling"),
                await call(client, "everything", command="test_simple_text", arguments={}),
            ]

    assert asyncio.run(run()) == [
        {
            "name": "test_sampling",
            "description": "Has the client's model answer.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "prompt": {"type": "string", "description": "What to ask the model."}
                },
                "required": ["prompt"],
                "additionalProperties": False,
            },
        },
        "This is a simple text response for testing.",
    ]


def test_a_shop_sells_a_pet_when_the_user_agrees() -> None:
    asked: list[str] = []

    async def agree(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={})

    async def run() -> list[Json]:
        parameters = server("petshop", "--mock")
        async with asyncio.timeout(LIMIT), Client(parameters, elicitation_callback=agree) as client:
            return [
                await call(client, "pets_for_sale"),
                await call(client, "sell_pet", id=10),
                (await call(client, "rename_pet", id=10, name="Rex the Second"))["name"],
                (await call(client, "sell_pet", id="ten"))["argument"],
            ]

    offers, sale, name, wrong = asyncio.run(run())
    assert offers["result"][0] == {"id": 10, "name": "Rex", "kind": "Dogs"}
    assert (sale, name, wrong) == (
        {"order": 5, "pet": "Rex", "status": "pending"},
        "Rex the Second",
        "id",
    )
    assert asked == ['Sell this pet? {"id":10}']
