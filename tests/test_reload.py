"""A catalog that changes while its server runs: SIGHUP has it read again, and the clients told."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from test_http_sessions import EVERYTHING, Server, call, events, modern, request

Json = Any
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGHUP")
CHANGED = {f"notifications/{one}/list_changed" for one in ("tools", "prompts", "resources")}
TOOL = "test_simple_text"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EVERYTHING, tmp_path / "everything-mcp"))


def describe(package: Path, text: str) -> None:
    """As a person, or the next run of mcpgen, would."""
    path = package / "everything_mcp" / "catalog.json"
    lines = path.read_text("utf-8").split("\n")
    [at] = [number for number, line in enumerate(lines) if line.startswith(f'{{"name":"{TOOL}"')]
    tool = json.loads(lines[at].rstrip(","))
    comma = "," if lines[at].endswith(",") else ""
    lines[at] = json.dumps({**tool, "description": text}, separators=(",", ":")) + comma
    path.write_text("\n".join(lines), encoding="utf-8", newline="\n")


class Client:
    """On stdio, in lines."""

    def __init__(self, package: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "everything_mcp"],
            cwd=package,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin and self.process.stdout
        self._in, self._out = self.process.stdin, self.process.stdout
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        capabilities = self.ask("initialize", **hello)["capabilities"]
        assert capabilities["tools"] == {"listChanged": True}
        self._in.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def ask(self, method: str, **params: Json) -> Json:
        self._in.write(json.dumps(request(method, **params)).encode() + b"\n")
        self._in.flush()
        return self.hear()["result"]

    def hear(self) -> Json:
        return json.loads(self._out.readline())

    def described(self) -> str:
        [tool] = [one for one in self.ask("tools/list")["tools"] if one["name"] == TOOL]
        return str(tool["description"])


@pytest.fixture
def client(package: Path) -> Iterator[Client]:
    client = Client(package)
    yield client
    client.process.kill()
    client.process.communicate()


@pytest.mark.parametrize("calls_first", [False, True])
def test_a_changed_catalog_is_told_on_stdio(
    calls_first: bool, client: Client, package: Path
) -> None:
    assert client.described()
    if calls_first:
        assert client.ask("tools/call", name=TOOL, arguments={})["content"]
    for text in ("Once.", "Twice."):
        describe(package, text)
        client.process.send_signal(signal.SIGHUP)
        assert {client.hear()["method"] for _ in CHANGED} == CHANGED
        assert client.described() == text
    assert client.ask("tools/call", name=TOOL, arguments={})["content"]


def test_a_catalog_that_cannot_be_read_changes_nothing(client: Client, package: Path) -> None:
    before = client.described()
    (package / "everything_mcp" / "catalog.json").write_text('{"server":', "utf-8")
    client.process.send_signal(signal.SIGHUP)
    assert client.process.stderr
    assert client.process.stderr.readline().startswith(b"catalog.json is not taken:")
    assert client.described() == before


def test_a_changed_catalog_is_told_over_http(package: Path) -> None:
    server = Server(package)
    body, headers = modern("subscriptions/listen", notifications={"toolsListChanged": True})
    listening = events(server.send("POST", body, **headers))
    assert next(listening)["data"]["method"] == "notifications/subscriptions/acknowledged"
    session = server.open()
    standing = events(server.send("GET", Mcp_Session_Id=session))
    assert next(standing)["data"] == ""
    assert server.send("POST", call(TOOL), Mcp_Session_Id=session).status == 200
    describe(package, "Another.")
    server.process.send_signal(signal.SIGHUP)
    assert next(listening)["data"]["method"] == "notifications/tools/list_changed"
    assert {next(standing)["data"]["method"] for _ in CHANGED} == CHANGED
    body, headers = modern("tools/list")
    assert b'"Another."' in server.send("POST", body, **headers).read()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(20) == 0
