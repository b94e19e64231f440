"""A thousand tools behind a few: listed in kilobytes, found, described and called as each by itself."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from mcpgen.runtime.exposure import Command, Exposure, Grouped, Searched, expose
from mcpgen.runtime.messages import encode
from mcpgen.runtime.search import Index, words

MODES = {"all": Exposure, "namespace": Grouped, "search": Searched}
ANIMALS = ("cat", "dog", "bird", "fish", "horse", "snake", "mouse", "goat", "sheep", "bear")
WORDY = {"type": "string", "description": "w" * 190}
VERBS = {"get": "Show", "put": "Replace", "delete": "Remove", "patch": "Change"}


def document() -> dict[str, Any]:
    """1,000 operations in 25 namespaces."""
    paths: dict[str, Any] = {}
    for shop in range(25):
        for animal in ANIMALS:
            paths[f"/shop{shop}/{animal}s/{{id}}"] = {
                method: {
                    "operationId": f"{method}{animal.title()}OfShop{shop}",
                    "summary": f"{verb} a {animal} of shop {shop}",
                    "tags": [f"shop{shop}"],
                    "parameters": [
                        {
                            "name": "id",
                            "in": "path",
                            "required": True,
                            "schema": {"type": "integer"},
                        },
                        {"name": "dryRun", "in": "query", "schema": {"type": "boolean"}},
                    ],
                    "responses": {"200": {"description": "ok"}},
                }
                for method, verb in VERBS.items()
            }
    return {"openapi": "3.1.0", "info": {"title": "Zoo", "version": "1"}, "paths": paths}


class Upstream(BaseHTTPRequestHandler):
    seen: list[str] = []

    def respond(self) -> None:
        self.seen.append(f"{self.command} {self.path}")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_PUT = do_DELETE = do_PATCH = respond

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("zoo")
    (folder / "zoo.json").write_text(json.dumps(document()), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "mcpgen", "zoo.json", "-q"], cwd=folder, check=True)
    return folder / "zoo-mcp"


def client(package: Path, base_url: str, *options: str) -> Client:
    arguments = ["-m", "zoo_mcp", "--base-url", base_url, *options]
    return Client(StdioServerParameters(command=sys.executable, args=arguments, cwd=package))


def calls() -> list[tuple[str, str, dict[str, Any]]]:
    """50 operations with their namespaces and arguments."""
    chance = random.Random(8)
    everything = [
        (f"{method}_{animal}_of_shop{shop}", f"shop{shop}")
        for shop in range(25)
        for animal in ANIMALS
        for method in VERBS
    ]
    return [
        (name, namespace, {"id": number, "dry_run": bool(number % 2)})
        for number, (name, namespace) in enumerate(chance.sample(everything, 50))
    ]


async def requests(package: Path, base_url: str, mode: str) -> tuple[int, list[str]]:
    """How many bytes the list takes, and what reached the API."""
    Upstream.seen.clear()
    async with client(package, base_url, "--mode", mode) as session:
        listed = (await session.list_tools()).tools
        size = sum(len(tool.model_dump_json(exclude_none=True, by_alias=True)) for tool in listed)
        for name, namespace, arguments in calls():
            inner = {"command": name, "arguments": arguments}
            front = {"all": name, "namespace": namespace, "single": "zoo", "search": "call_tool"}[
                mode
            ]
            result = await session.call_tool(front, arguments if mode == "all" else inner)
            assert not result.is_error, result.content
    return size, list(Upstream.seen)


def test_every_exposure_makes_the_same_requests_in_kilobytes(package: Path, base_url: str) -> None:
    _, direct = asyncio.run(requests(package, base_url, "all"))
    assert len(direct) == 50
    for mode, most in (("namespace", 20_000), ("single", 1_500), ("search", 3_000)):
        size, made = asyncio.run(requests(package, base_url, mode))
        assert made == direct
        assert size < most, mode


async def ask(package: Path, base_url: str, mode: str, tool: str, **arguments: Any) -> Any:
    async with client(package, base_url, "--mode", mode) as session:
        result = await session.call_tool(tool, arguments)
        content = json.loads(result.content[0].text)  # type: ignore[union-attr]  # the only kind that it answers
        return (content["error"] if result.is_error else content), result.is_error


@pytest.mark.parametrize(
    ("mode", "tool", "more"),
    [
        ("namespace", "shop3", {}),
        ("single", "zoo", {}),
        ("search", "find_tools", {"query": "shop3", "limit": 50}),
    ],
)
def test_a_tool_that_stands_for_others_lists_them(
    package: Path, base_url: str, mode: str, tool: str, more: Any
) -> None:
    found, _ = asyncio.run(ask(package, base_url, mode, tool, **more))
    assert {
        "name": "put_bird_of_shop3",
        "description": "Replace a bird of shop 3.",
        "arguments": ["id", "dry_run?"],
    } in found["commands"]


@pytest.mark.parametrize(
    ("mode", "tool"), [("namespace", "shop3"), ("single", "zoo"), ("search", "describe_tool")]
)
def test_a_command_alone_gives_its_schema(
    package: Path, base_url: str, mode: str, tool: str
) -> None:
    found, _ = asyncio.run(ask(package, base_url, mode, tool, command="put_bird_of_shop3"))
    assert found["name"] == "put_bird_of_shop3"
    assert found["inputSchema"]["required"] == ["id"]
    assert found["annotations"]["idempotentHint"] is True


@pytest.mark.parametrize(
    ("mode", "tool"), [("namespace", "shop3"), ("single", "zoo"), ("search", "call_tool")]
)
def test_a_wrong_call_is_told_as_by_the_tool_itself(
    package: Path, base_url: str, mode: str, tool: str
) -> None:
    command = "put_bird_of_shop3"
    error, failed = asyncio.run(
        ask(package, base_url, mode, tool, command=command, arguments={"id": "x"})
    )
    assert (failed, error["kind"], error["argument"]) == (True, "invalid_arguments", "id")
    error, failed = asyncio.run(
        ask(package, base_url, mode, tool, command="put_bird_of_shop33", arguments={})
    )
    assert (failed, error["argument"]) == (True, "command")
    assert "did you mean" in error["message"]


def test_a_large_api_is_grouped_unasked_and_hints_hold_for_the_group(
    package: Path, base_url: str
) -> None:
    async def listed(*options: str) -> dict[str, Any]:
        async with client(package, base_url, *options) as session:
            return {tool.name: tool.annotations for tool in (await session.list_tools()).tools}

    grouped = asyncio.run(listed())
    assert sorted(grouped) == sorted(f"shop{number}" for number in range(25))
    assert (grouped["shop1"].read_only_hint, grouped["shop1"].destructive_hint) == (False, True)
    reading = asyncio.run(listed("--read-only"))
    assert (reading["shop1"].read_only_hint, reading["shop1"].destructive_hint) == (True, None)
    few = asyncio.run(listed("--namespaces", "shop1"))
    assert len(few) == 40


@pytest.mark.parametrize(
    ("tools", "namespaces", "mode"),
    [(64, 3, "all"), (65, 3, "namespace"), (65, 65, "search")],
)
def test_auto_shows_what_a_context_bears(tools: int, namespaces: int, mode: str) -> None:
    entries = {str(n): b"{}" for n in range(tools)}
    spread = {str(n): {"tools": [*entries][n::namespaces]} for n in range(namespaces)}
    assert type(expose("auto", "zoo", entries, spread)) is MODES[mode]


def test_few_but_heavy_tools_are_grouped() -> None:
    entries = {"a": b"x" * 100_001}
    assert type(expose("auto", "zoo", entries, {"n": {"tools": ["a"]}})) is Grouped


@pytest.mark.parametrize(
    ("budget", "mode"), [(100_000, "all"), (10_000, "namespace"), (500, "search")]
)
def test_auto_keeps_to_a_budget(budget: int, mode: str) -> None:
    entries = {str(n): b"x" * 400 for n in range(1_000)}
    spread = {str(n): {"tools": [*entries][n::10]} for n in range(10)}
    assert type(expose("auto", "zoo", entries, spread, budget)) is MODES[mode]


@pytest.mark.parametrize(
    ("mode", "describe", "call"),
    [("namespace", "shop", "shop"), ("single", "zoo", "zoo"), ("search", "describe_tool", "call_tool")],
)  # fmt: skip
def test_a_schema_that_is_too_large_is_given_in_parts(mode: str, describe: str, call: str) -> None:
    rules = {"type": "object", "properties": {f"rule{n}": WORDY for n in range(40)}}
    body = {"type": "object", "properties": {"name": WORDY, "rules": rules}}
    made = tool("make", "Make a shop.", "id")
    made["inputSchema"] = {"type": "object", "properties": {"id": {}, "body": body}}
    exposed = expose(mode, "zoo", {"make": encode(made)}, {"shop": {"tools": ["make"]}})
    told = exposed.route(describe, {"command": "make"})
    assert isinstance(told, dict)
    assert len(encode(told)) < 9_000
    at = told["inputSchema"]["properties"]["body"]["properties"]["rules"]["part"]
    part = exposed.route(describe, {"command": "make", "part": at, "arguments": {}})
    assert part == {"name": "make", "part": at, "schema": rules}
    assert isinstance(exposed.route(call, {"command": "make", "arguments": {}}), Command)
    assert "part" in exposed.schemas[describe]["properties"]


def tool(name: str, description: str, *arguments: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "inputSchema": {"properties": dict.fromkeys(arguments, {})},
    }


def test_search_ranks_rare_words_and_names_first() -> None:
    index = Index(
        [
            tool("list_pets", "List the pets of a shop.", "status"),
            tool("list_orders", "List the orders; an order may name pets.", "status"),
            tool("delete_pet", "Remove a pet for good."),
            tool("upload_image", "Store a picture."),
        ],
        {"pet": ["list_pets", "delete_pet"], "store": ["list_orders"]},
    )
    assert index.find("deleting pets")[0] == "delete_pet"
    assert index.find("list")[:2] == ["list_pets", "list_orders"]
    assert index.find("pet", "store") == ["list_orders"]
    assert index.find("images") == ["upload_image"]
    assert index.find("nothing of that kind") == []


def test_words_are_found_in_any_spelling() -> None:
    assert words("listPets list_pets Listing categories, addresses") == [
        "list",
        "pet",
        "list",
        "pet",
        "list",
        "category",
        "address",
    ]
