"""A generated server on stdio, spoken to in raw lines: both eras, order, cancellation, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Run
from mcpgen.runtime.stdio import Lines

SPEC = """\
openapi: 3.1.0
info: {title: Größe, version: "1"}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      tags: [pets]
      summary: Ein Tier — 靴
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        "200": {description: ok, content: {application/json: {schema: {type: object}, example: {name: "Größe"}}}}
"""

OVERRIDE = """
from __future__ import annotations

import asyncio
import subprocess
import sys
import time

from .._runtime.errors import ToolError
from ..tools import pets as generated


class PetsTools(generated.PetsTools):
    async def get_pet(self, *, pet_id: int = 0, id: int = 0):
        match id:
            case 1:
                print("to stdout")
                subprocess.run([sys.executable, "-c", "print('from a child')"])
            case 2:
                print("waiting", file=sys.stderr, flush=True)
                try:
                    await asyncio.Event().wait()
                finally:
                    print("stopped", file=sys.stderr, flush=True)
            case 5:
                print("waiting", file=sys.stderr, flush=True)
                await asyncio.to_thread(time.sleep, 20)
            case 6:
                while True:
                    try:
                        print("waiting", file=sys.stderr, flush=True)
                        await asyncio.sleep(20)
                    except asyncio.CancelledError:
                        pass
            case 3:
                raise ZeroDivisionError("secret of the house")
            case 4:
                raise ToolError("refused", "not this one", argument="id")
        return await super().get_pet(id=id)
"""

MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


class Server:
    def __init__(self, folder: Path) -> None:
        self.log = folder / "stderr.txt"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grosse_mcp", "--mock"],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log.open("wb"),
        )

    def send(self, *messages: Any) -> None:
        assert self.process.stdin
        for message in messages:
            line = (
                message
                if isinstance(message, bytes)
                else json.dumps(message, ensure_ascii=False).encode()
            )
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def request(self, number: Any, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def ask(self, number: Any, method: str, **params: Any) -> Any:
        self.request(number, method, **params)
        return self.receive()

    def initialize(self, revision: str) -> Any:
        client = {"name": "test", "version": "1"}
        return self.ask(
            0, "initialize", protocolVersion=revision, capabilities={}, clientInfo=client
        )

    def wait_for(self, told: str) -> None:
        deadline = time.monotonic() + 10
        while told not in self.log.read_text("utf-8"):
            assert time.monotonic() < deadline, f"the server never said {told!r}"
            time.sleep(0.01)

    def end(self) -> float:
        """Close its input; how long it took to go."""
        assert self.process.stdin
        begun = time.monotonic()
        self.process.stdin.close()
        self.process.wait(10)
        return time.monotonic() - begun


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stdio")
    (folder / "spec.yaml").write_text(SPEC, encoding="utf-8")
    command = [sys.executable, "-m", "mcpgen", "spec.yaml", "-o", "out", "--name", "grosse", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    (folder / "out" / "grosse_mcp" / "custom" / "pets.py").write_text(OVERRIDE, encoding="utf-8")
    return folder / "out"


@pytest.fixture
def server(package: Path) -> Iterator[Server]:
    server = Server(package)
    yield server
    server.process.kill()
    server.process.wait()


def text(answer: Any) -> str:
    found: str = answer["result"]["content"][0]["text"]
    return found


def error(answer: Any) -> Any:
    assert answer["result"]["isError"] is True
    return json.loads(text(answer))["error"]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_each_revision_of_the_handshake_is_served(server: Server, revision: str) -> None:
    hello = server.initialize(revision)["result"]
    assert hello["protocolVersion"] == revision
    assert hello["serverInfo"]["name"] == "grosse"
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert server.ask(1, "ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}
    (tool,) = server.ask(2, "tools/list")["result"]["tools"]
    assert (tool["name"], tool["title"]) == ("get_pet", "Ein Tier — 靴")
    answer = server.ask(3, "tools/call", name="get_pet", arguments={"id": 7})
    assert json.loads(text(answer)) == {"name": "Größe"}
    assert answer["result"].get("structuredContent", {"name": "Größe"}) == {"name": "Größe"}
    assert ("structuredContent" in answer["result"]) == (revision >= "2025-06-18")
    assert "resultType" not in answer["result"]


def test_an_unknown_revision_is_answered_with_the_latest_of_the_handshake(server: Server) -> None:
    assert server.initialize("2031-01-01")["result"]["protocolVersion"] == "2025-11-25"


def test_the_stateless_revision_needs_no_handshake(server: Server) -> None:
    found = server.ask("a", "server/discover", **MODERN)["result"]
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["resultType"] == "complete"
    answer = server.ask("b", "tools/call", name="get_pet", arguments={"id": 7}, **MODERN)
    assert answer["result"]["structuredContent"] == {"name": "Größe"}
    assert answer["result"]["resultType"] == "complete"
    assert server.ask("c", "ping", **MODERN)["error"]["code"] == -32601


def test_a_stateless_revision_that_is_not_served_is_refused_by_name(server: Server) -> None:
    meta = {**MODERN["_meta"], "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    refused = server.ask(1, "tools/list", _meta=meta)["error"]
    assert (refused["code"], refused["data"]) == (
        -32022,
        {"supported": ["2026-07-28"], "requested": "2031-01-01"},
    )


def test_both_eras_are_served_in_one_process(server: Server) -> None:
    assert "result" in server.ask(1, "tools/list", **MODERN)
    server.initialize("2025-06-18")
    assert "resultType" not in server.ask(2, "tools/list")["result"]
    assert server.ask(3, "tools/list", **MODERN)["result"]["resultType"] == "complete"


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[]", -32600, None),
        (b'"text"', -32600, None),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32602, 1),
    ],
)
def test_a_line_that_is_no_request_is_answered_and_survived(
    server: Server, line: bytes, code: int, number: int | None
) -> None:
    server.send(line)
    answer = server.receive()
    assert answer["error"]["code"] == code
    assert answer.get("id") == number
    assert server.ask(9, "ping")["result"] == {}


def test_a_line_may_come_byte_by_byte(server: Server) -> None:
    assert server.process.stdin
    for byte in b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n':
        server.process.stdin.write(bytes([byte]))
        server.process.stdin.flush()
    assert server.receive() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_an_unknown_tool_is_an_error_of_the_protocol(server: Server) -> None:
    assert server.ask(1, "tools/call", name="nope", **MODERN)["error"]["code"] == -32602


def test_bad_arguments_are_named_with_rule_and_value(server: Server) -> None:
    told = error(
        server.ask(1, "tools/call", name="get_pet", arguments={"id": "x", "ids": 1}, **MODERN)
    )
    assert told["kind"] == "invalid_arguments"
    assert sorted(told["detail"], key=lambda one: str(one["rule"])) == [
        {
            "argument": "ids",
            "rule": "additionalProperties",
            "message": "there is no such argument; did you mean 'id'?",
            "value": 1,
        },
        {"argument": "id", "rule": "type", "message": '"x" is not of type "integer"', "value": "x"},
    ]
    missing = error(server.ask(2, "tools/call", name="get_pet", **MODERN))
    assert (missing["argument"], missing["message"]) == ("id", "id: it is required and missing")


def test_a_handler_that_breaks_tells_nothing_of_its_inside(server: Server) -> None:
    answer = server.ask(1, "tools/call", name="get_pet", arguments={"id": 3}, **MODERN)
    assert error(answer)["kind"] == "internal"
    assert "secret" not in json.dumps(answer)
    server.wait_for("secret of the house")


def test_what_a_handler_raises_for_the_model_reaches_it(server: Server) -> None:
    told = error(server.ask(1, "tools/call", name="get_pet", arguments={"id": 4}, **MODERN))
    assert (told["kind"], told["message"], told["argument"]) == ("refused", "not this one", "id")


def test_what_a_handler_prints_does_not_reach_the_wire(server: Server) -> None:
    answer = server.ask(1, "tools/call", name="get_pet", arguments={"id": 1}, **MODERN)
    assert answer["result"]["structuredContent"] == {"name": "Größe"}
    server.wait_for("to stdout")
    server.wait_for("from a child")


def test_a_slow_call_does_not_hold_up_others(server: Server) -> None:
    server.request(1, "tools/call", name="get_pet", arguments={"id": 2}, **MODERN)
    assert server.ask(2, "tools/call", name="get_pet", arguments={"id": 7}, **MODERN)["id"] == 2
    assert server.ask(3, "tools/list", **MODERN)["id"] == 3


def test_a_client_that_does_not_read_does_not_stop_it(server: Server) -> None:
    server.initialize("2025-11-25")
    server.ask(1, "tools/call", name="get_pet", arguments={"id": 9})
    for number in range(100, 600):  # far more than a pipe holds
        server.request(number, "tools/list")
    server.request(2, "tools/call", name="get_pet", arguments={"id": 2})
    server.wait_for("waiting")
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
    server.wait_for("stopped")
    assert [server.receive()["id"] for _ in range(500)] == list(range(100, 600))
    assert server.end() < 0.5


def test_a_client_that_never_reads_again_does_not_hold_it_up(server: Server) -> None:
    server.initialize("2025-11-25")
    server.ask(1, "tools/call", name="get_pet", arguments={"id": 9})
    for number in range(100, 600):
        server.request(number, "tools/list")
    assert server.end() < 0.5


def test_lines_are_bounded() -> None:
    lines = Lines(longest=10)
    assert lines.feed(b"0123456789\n01234567890\nshort\n") == [b"0123456789", None, b"short"]
    assert lines.feed(b"0" * 11) == [None], "at once: it may never end"
    assert lines.feed(b"0" * 1000) == []
    assert lines.feed(b"0\nnext\n\n  \r\n") == [b"next"]
    assert lines.feed(b"half") == []
    assert lines.feed(b"\r\n") == [b"half\r"]


def test_a_cancelled_call_stops_and_is_not_answered(server: Server) -> None:
    server.request(1, "tools/call", name="get_pet", arguments={"id": 2}, **MODERN)
    server.wait_for("waiting")
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    server.wait_for("stopped")
    assert server.ask(2, "tools/list", **MODERN)["id"] == 2


@pytest.mark.parametrize("under_way", [None, 2, 5, 6])
def test_it_goes_half_a_second_after_its_input_ended(server: Server, under_way: int | None) -> None:
    server.ask(1, "tools/call", name="get_pet", arguments={"id": 7}, **MODERN)
    if under_way:
        server.request(2, "tools/call", name="get_pet", arguments={"id": under_way}, **MODERN)
        server.wait_for("waiting")
    assert server.end() < 2  # half a second on an idle machine; this one runs tests beside
    assert server.process.returncode == 0


def test_what_was_asked_before_the_input_ended_is_answered(server: Server) -> None:
    server.request(1, "tools/call", name="get_pet", arguments={"id": 7}, **MODERN)
    server.end()
    assert server.receive()["id"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
@pytest.mark.parametrize("busy", [None, 2, 5, 6])
def test_it_goes_quietly_when_told_to(server: Server, busy: int | None) -> None:
    server.ask(1, "tools/list", **MODERN)
    if busy:
        server.request(2, "tools/call", name="get_pet", arguments={"id": busy}, **MODERN)
        server.wait_for("waiting")
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(10) == 0
    assert "Traceback" not in server.log.read_text("utf-8")


HEAVY = ("asyncio", "aiohttp", "argparse", "dataclasses", "jsonschema_rs", "logging", "typing")


def test_lists_are_answered_before_anything_heavy_is_loaded(package: Path) -> None:
    script = f"""
import sys
from grosse_mcp._runtime.main import run
def stop(*_):
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
    raise SystemExit
import grosse_mcp, grosse_mcp._runtime.stdio as stdio
stdio.Preloading.begin = lambda self: None
stdio.Preloading.leave = stop
sys.argv = ["grosse-mcp"]
run("grosse_mcp")
"""
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": MODERN},
        {"jsonrpc": "2.0", "id": 2, "method": "server/discover", "params": MODERN},
    ]
    done = subprocess.run(
        [sys.executable, "-c", script],
        input="".join(json.dumps(line) + "\n" for line in lines),
        cwd=package,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert len(done.stdout.splitlines()) == 2, done.stderr
    assert done.stderr == "[]\n"
