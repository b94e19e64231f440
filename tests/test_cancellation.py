"""A client that gives up a call, over each transport and in each era: the API sees its request end."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import aiohttp
import pytest
from upstream import Upstream, upstream

SPEC = """\
openapi: 3.1.0
info: {title: Slow, version: "1"}
paths:
  /slow:
    get: {operationId: getSlow, responses: {"200": {description: ok}}}
    post: {operationId: postSlow, responses: {"200": {description: ok}}}
"""
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}
ERAS = ("2025-11-25", "2026-07-28")
TOOLS = ("get_slow", "post_slow")
Json = Any
Test: TypeAlias = Callable[[Process, Upstream], Awaitable[None]]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slow")
    (folder / "slow.yaml").write_text(SPEC, encoding="utf-8")
    command = [sys.executable, "-m", "mcpgen", "slow.yaml", "-o", "out", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "out"


async def hang(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


def served(package: Path, test: Test, *options: str) -> None:
    """Run a test with a server and the API that it calls, which never answers."""

    async def run() -> None:
        async with upstream(hang) as api:
            server = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "slow_mcp", "--base-url", api.url, *options),
                cwd=package,
                env={**os.environ, "SLOW_TIMEOUT": "0", "no_proxy": "*"},
                stdin=PIPE,
                stdout=PIPE,
            )
            try:
                await asyncio.wait_for(test(server, api), 60)
            finally:
                if server.returncode is None:
                    server.kill()
                await server.communicate()

    asyncio.run(run())


def call(era: str, tool: str) -> Json:
    meta = META if era == "2026-07-28" else {}
    params = {"name": tool, "arguments": {}, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


async def asked(api: Upstream) -> None:
    while not api.requests:
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("era", ERAS)
def test_cancelling_over_stdio_ends_the_request(package: Path, era: str, tool: str) -> None:
    async def test(server: Process, api: Upstream) -> None:
        assert server.stdin and server.stdout

        def send(message: Json) -> None:
            assert server.stdin
            server.stdin.write(json.dumps(message).encode() + b"\n")

        if era != "2026-07-28":
            send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO})
            await server.stdout.readline()
        send(call(era, tool))
        await asked(api)
        params = {"requestId": 7, "_meta": META if era == "2026-07-28" else {}}
        send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        await api.left.wait()
        server.stdin.close()
        assert (await server.stdout.read(), await server.wait()) == (b"", 0), "no answer to it"
        assert len(api.requests) == 1

    served(package, test)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_client_that_goes_on_stdio_ends_the_request(package: Path, tool: str) -> None:
    async def test(server: Process, api: Upstream) -> None:
        assert server.stdin
        server.stdin.write(json.dumps(call("2026-07-28", tool)).encode() + b"\n")
        await asked(api)
        server.stdin.close()
        await api.left.wait()
        assert (await server.wait(), len(api.requests)) == (0, 1)

    served(package, test)


async def post(port: int, message: Json, **headers: str) -> str | None:
    """Send a message as soon as the server listens; gives the session that its answer names."""
    shown = {name.replace("_", "-"): value for name, value in headers.items()}
    shown["Accept"] = "application/json, text/event-stream"
    url = f"http://127.0.0.1:{port}/mcp"
    async with aiohttp.ClientSession() as client:
        while True:
            try:
                async with client.post(url, json=message, headers=shown) as response:
                    assert response.status in (200, 202), await response.text()
                    await response.read()
                    return response.headers.get("Mcp-Session-Id")
            except aiohttp.ClientConnectorError:
                await asyncio.sleep(0.05)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize("tool", TOOLS)
def test_a_client_that_goes_over_http_ends_the_request(package: Path, tool: str) -> None:
    """In the newer era that is how a call is cancelled over HTTP."""
    port = free_port()

    async def test(server: Process, api: Upstream) -> None:
        version = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call"}
        calling = asyncio.create_task(
            post(port, call("2026-07-28", tool), **version, Mcp_Name=tool)
        )
        await asked(api)
        calling.cancel()
        await api.left.wait()
        assert (server.returncode, len(api.requests)) == (None, 1)

    served(package, test, "--transport", "http", "--port", str(port))


@pytest.mark.parametrize("tool", TOOLS)
def test_cancelling_in_a_session_over_http_ends_the_request(
    package: Path, tmp_path: Path, tool: str
) -> None:
    port = free_port()
    shutil.copytree(package, tmp_path / "out")
    catalog = tmp_path / "out" / "slow_mcp" / "catalog.json"
    text = catalog.read_text("utf-8").replace('"server":{', '"server":{"features":["logging"],', 1)
    catalog.write_text(text, "utf-8")

    async def test(server: Process, api: Upstream) -> None:
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
        session = await post(port, hello)
        assert session
        headers = {"Mcp_Session_Id": session, "MCP_Protocol_Version": "2025-11-25"}
        calling = asyncio.create_task(post(port, call("2025-11-25", tool), **headers))
        await asked(api)
        gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        await post(port, gone, **headers)
        await api.left.wait()
        calling.cancel()
        assert (server.returncode, len(api.requests)) == (None, 1)

    served(tmp_path / "out", test, "--transport", "http", "--port", str(port))
