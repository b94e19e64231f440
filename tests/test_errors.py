"""Every kind of error reaches a client in the one shape, over both transports and in both eras."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

Json = Any
OPERATIONS = ("status", "slow", "broken", "large", "locked", "mine", "bug", "gone", "fine")


def spec(url: str) -> Json:
    paths: dict[str, Json] = {}
    for name in OPERATIONS:
        operation: Json = {
            "operationId": name,
            "tags": ["all"],
            "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer"}}],
            "responses": {"200": {"description": "ok"}},
        }
        if name == "locked":
            operation["security"] = [{"key": []}]
        if name == "gone":
            operation["servers"] = [{"url": "http://127.0.0.1:9"}]
        paths[f"/{name}"] = {"get": operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Errors", "version": "1"},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "K"}}},
    }


CUSTOM = """
from .._runtime.errors import ToolError
from ..tools import all as generated


class AllTools(generated.AllTools):
    async def mine(self, *, n=None):
        raise ToolError("refused", "Not on Sundays", argument="n")

    async def bug(self, *, n=None):
        return {}["secret of the house"]
"""


class Upstream(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/slow":
            time.sleep(3)
        problem = {"type": "about:blank", "title": "No such thing", "detail": "n is out of stock"}
        body, status, kind, headers = b"{}", 200, "application/json", {}
        if path == "/status":
            body, status, kind = json.dumps(problem).encode(), 409, "application/problem+json"
        elif path == "/broken":
            headers = {"Content-Encoding": "gzip"}
        elif path == "/large":
            body = b'"' + b"x" * (17 * 2**20) + b'"'
        self.send_response(status)
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, format: str, *arguments: Json) -> None:
        pass


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("errors")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    (folder / "errors.json").write_text(json.dumps(spec(url)), encoding="utf-8")
    command = [sys.executable, "-m", "mcpgen", "errors.json", "-o", "out", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    (folder / "out" / "errors_mcp" / "custom" / "all.py").write_text(CUSTOM, encoding="utf-8")
    yield folder / "out"
    server.shutdown()


@pytest.fixture(scope="module")
def url(package: Path) -> Iterator[str]:
    """The same server over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "errors_mcp", "--transport", "http", "--port", str(port)]
    process = subprocess.Popen(
        command,
        cwd=package,
        env={**os.environ, "ERRORS_TIMEOUT": "1"},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while socket.socket().connect_ex(("127.0.0.1", port)):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    process.terminate()
    assert process.wait(20) == 0


# tool → kind, members of the error beside kind and message
WANTED: dict[str, tuple[str, dict[str, Json]]] = {
    "status": ("upstream_status", {"status": 409, "retryable": False}),
    "slow": ("upstream_timeout", {"retryable": True}),
    "broken": ("upstream_invalid", {"retryable": True}),
    "large": ("too_large", {"retryable": False}),
    "locked": ("missing_credentials", {"retryable": False}),
    "mine": ("refused", {"retryable": False, "argument": "n"}),
    "bug": ("internal", {"retryable": False}),
    "gone": ("upstream_unreachable", {"retryable": True}),
    "fine": ("invalid_arguments", {"retryable": False, "argument": "n"}),
}


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_every_kind_of_error_has_the_one_shape(
    package: Path, transport: str, mode: str, request: pytest.FixtureRequest
) -> None:
    async def work() -> dict[str, Json]:
        server: Any = StdioServerParameters(
            command=sys.executable,
            args=["-m", "errors_mcp"],
            cwd=package,
            env={"ERRORS_TIMEOUT": "1"},
        )
        if transport == "http":
            server = request.getfixturevalue("url")
        found = {}
        async with asyncio.timeout(120), Client(server, mode=mode) as client:
            for name in OPERATIONS:
                arguments = {"n": "seven"} if name == "fine" else {"n": 1}
                result = await client.call_tool(name, arguments)
                assert result.is_error and result.structured_content is None
                [block] = result.content
                found[name] = json.loads(block.text)  # type: ignore[union-attr]
        return found

    found = asyncio.run(work())
    assert found.keys() == WANTED.keys()
    for name, (kind, members) in WANTED.items():
        assert list(found[name]) == ["error"]
        error = found[name]["error"]
        assert error["kind"] == kind, (name, error)
        assert {key: error.get(key) for key in members} == members, (name, error)
        known = "kind message status retryable retry_after argument detail request".split()
        assert set(error) <= set(known) and len(error["message"]) > 10
    assert "out of stock" in json.dumps(found["status"])
    assert found["status"]["error"]["request"]["method"] == "GET"
    assert "ERRORS_API_KEY" in found["locked"]["error"]["message"]
    assert "secret" not in json.dumps(found["bug"])
    assert "seven" in json.dumps(found["fine"])
