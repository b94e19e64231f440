"""A generated server on Streamable HTTP: both eras on one endpoint, its protection, and the official client."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

SPEC = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      tags: [pets]
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        "200": {description: ok, content: {application/json: {schema: {type: object}, example: {name: "Größe"}}}}
"""

OVERRIDE = """
import asyncio
import sys

from ..tools import pets as generated


class PetsTools(generated.PetsTools):
    async def get_pet(self, *, id):
        if id == 1:
            await self.context.progress(0.5, 1, "half")
        if id == 2:
            print("waiting", file=sys.stderr, flush=True)
            try:
                await asyncio.Event().wait()
            finally:
                print("stopped", file=sys.stderr, flush=True)
        return await super().get_pet(id=id)
"""

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
BOTH = "application/json, text/event-stream"


class Server:
    def __init__(self, package: Path, files: int | None = None, **environment: str) -> None:
        """`files` is how many the system lets it open."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = package / f"stderr-{self.port}.txt"
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "pets_mcp",
                "--mock",
                "--transport",
                "http",
                "--port",
                str(self.port),
            ],
            cwd=package,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.log.open("wb"),
            preexec_fn=None if files is None else lambda: _limit(files),
        )
        self.wait_until(self.is_up)

    def is_up(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def told(self, text: str) -> bool:
        return text in self.log.read_text("utf-8")

    def wait_until(self, holds: Any, *arguments: Any) -> None:
        deadline = time.monotonic() + 20
        while not holds(*arguments):
            assert time.monotonic() < deadline, self.log.read_text("utf-8")
            time.sleep(0.01)

    def send(
        self, body: bytes, method: str = "POST", path: str = "/mcp", **headers: str
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        shown = {"Content-Type": "application/json", "Accept": BOTH}
        shown |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(
            method, path, body, {name: value for name, value in shown.items() if value}
        )
        return connection.getresponse()

    def legacy(
        self, method: str, number: Any = 1, version: str = "2025-11-25", **params: Any
    ) -> tuple[int, Any]:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        response = self.send(json.dumps(message).encode(), MCP_Protocol_Version=version)
        return response.status, json.loads(response.read())

    def modern(
        self, method: str, headers: dict[str, str] | None = None, **params: Any
    ) -> tuple[int, Any]:
        body, shown = call(method, headers, **params)
        response = self.send(body, **shown)
        return response.status, json.loads(response.read())

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)


def _limit(files: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


def call(
    method: str, headers: dict[str, str] | None = None, **params: Any
) -> tuple[bytes, dict[str, str]]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    shown = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}
    if "name" in params:
        shown["Mcp_Name"] = params["name"]
    return json.dumps(message).encode(), {**shown, **(headers or {})}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("http")
    (folder / "spec.yaml").write_text(SPEC, encoding="utf-8")
    command = [sys.executable, "-m", "mcpgen", "spec.yaml", "-o", "out", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    (folder / "out" / "pets_mcp" / "custom" / "pets.py").write_text(OVERRIDE, encoding="utf-8")
    return folder / "out"


@pytest.fixture(scope="module")
def server(package: Path) -> Iterator[Server]:
    server = Server(package)
    yield server
    server.process.kill()
    server.process.wait()


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_the_official_client_lists_and_calls(server: Server, mode: str, path: str) -> None:
    async def use() -> tuple[str, list[str], Any]:
        async with Client(f"http://127.0.0.1:{server.port}{path}", mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("get_pet", {"id": 7})
            return client.protocol_version, tools, result.structured_content

    version, tools, content = asyncio.run(use())
    assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert (tools, content) == (["get_pet"], {"name": "Größe"})


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_each_revision_of_the_handshake_is_served_without_a_session(
    server: Server, version: str
) -> None:
    hello = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    status, answer = server.legacy("initialize", version="", **hello)
    assert (status, answer["result"]["protocolVersion"]) == (200, version)
    assert server.legacy("ping", version=version) == (
        200,
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    )
    status, answer = server.legacy(
        "tools/call", version=version, name="get_pet", arguments={"id": 7}
    )
    assert json.loads(answer["result"]["content"][0]["text"]) == {"name": "Größe"}


def test_a_request_without_a_revision_is_read_as_2025_03_26(server: Server) -> None:
    body = (
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]'
    )
    response = server.send(body)
    assert json.loads(response.read()) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    assert server.send(body, MCP_Protocol_Version="2025-06-18").status == 400


def test_a_notification_is_accepted_without_a_word(server: Server) -> None:
    response = server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert (response.status, response.read()) == (202, b"")


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{}", {"Content_Type": "text/plain"}, 415),
        (b"{}", {"Accept": "text/html"}, 406),
        (b"{", {}, 400),
        (b'"x"', {}, 400),
        (b"{}", {"MCP_Protocol_Version": "2031-01-01"}, 400),
        (b"{}", {"Origin": "http://evil.example"}, 403),
        (b"{}", {"Origin": "null"}, 403),
        (b"{}", {"Host": "evil.example"}, 421),
    ],
)
def test_what_is_no_request_is_refused(
    server: Server, body: bytes, headers: dict[str, str], status: int
) -> None:
    assert server.send(body, **headers).status == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_served(server: Server, method: str) -> None:
    response = server.send(b"", method)
    assert (response.status, response.headers["Allow"]) == (405, "POST")


def test_the_own_page_may_call(server: Server) -> None:
    body, headers = call("tools/list")
    assert server.send(body, Origin=f"http://localhost:{server.port}", **headers).status == 200


def test_other_paths_are_not_there_and_health_is(server: Server) -> None:
    assert server.send(b"", "GET", "/other").status == 404
    assert server.send(b"", "GET", "/healthz").read() == b'{"status":"ok"}'


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Mcp_Method": "tools/call"}, -32020),
        ({"Mcp_Method": ""}, -32020),
        ({"MCP_Protocol_Version": "2031-01-01"}, -32020),
        ({"Mcp_Method": "=?base64?dG9vbHMvbGlzdA==?="}, None),
        ({"Mcp_Method": "=?base64?dG9vbHMvbGlzdA?="}, -32020),
    ],
)
def test_the_routing_headers_say_what_the_body_says(
    server: Server, headers: dict[str, str], code: int | None
) -> None:
    status, answer = server.modern("tools/list", headers)
    assert (status, answer.get("error", {}).get("code")) == (400 if code else 200, code)


def test_an_unknown_method_is_not_found_in_the_stateless_era_alone(server: Server) -> None:
    assert server.modern("no/such")[0] == 404
    assert server.modern("ping")[0] == 404
    assert server.legacy("no/such")[0] == 200


def test_a_request_of_the_stateless_era_names_its_revision_and_capabilities(server: Server) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'
    response = server.send(body, MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/list")
    assert (response.status, json.loads(response.read())["error"]["code"]) == (400, -32602)


def test_what_is_said_before_the_answer_makes_a_stream(server: Server) -> None:
    message = {"name": "get_pet", "arguments": {"id": 1}, "_meta": {**META, "progressToken": "p"}}
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": message}
    ).encode()
    response = server.send(body, **call("tools/call", name="get_pet")[1])
    assert response.headers["Content-Type"] == "text/event-stream"
    events = [
        json.loads(part.partition("data: ")[2])
        for part in response.read().decode().split("\n\n")
        if part
    ]
    assert events[0]["params"] == {
        "progressToken": "p",
        "progress": 0.5,
        "total": 1,
        "message": "half",
    }
    assert events[1]["result"]["structuredContent"] == {"name": "Größe"}


def test_a_client_that_goes_cancels_its_call(package: Path) -> None:
    server = Server(package)
    body, headers = call("tools/call", name="get_pet", arguments={"id": 2})
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        lines += [
            f"Host: 127.0.0.1:{server.port}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]
        client.sendall("\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode() + body)
        server.wait_until(server.told, "waiting")
    server.wait_until(server.told, "stopped")
    assert server.stop() in (0, -signal.SIGTERM)


def test_a_token_is_asked_for_where_one_is_set(package: Path) -> None:
    server = Server(package, PETS_SERVER_TOKEN="secret")
    body, headers = call("tools/list")
    refused = server.send(body, **headers)
    assert (refused.status, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert server.send(body, Authorization="Bearer wrong", **headers).status == 401
    assert server.send(body, Authorization="Bearer secret", **headers).status == 200
    assert server.stop() in (0, -signal.SIGTERM)


def test_others_are_not_served_without_protection(package: Path) -> None:
    command = [sys.executable, "-m", "pets_mcp", "--transport", "http", "--host", "0.0.0.0"]
    done = subprocess.run(
        command, cwd=package, capture_output=True, encoding="utf-8", timeout=20, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: others can reach this address: set PETS_SERVER_TOKEN")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(("clients", "files"), [(1_000, None), (700, 900)])
def test_a_crowd_is_answered_or_refused(package: Path, clients: int, files: int | None) -> None:
    """Each client keeps its connection. Where the system gives files for all of them, each is answered."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = clients + 100
    if hard != resource.RLIM_INFINITY and hard < needed + (0 if files else clients):
        pytest.skip(f"this system gives a process {hard} files")
    server = Server(package, files)

    async def ask(number: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        asked = {"name": "get_pet", "arguments": {"id": 3}}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": asked}
        body = json.dumps(message).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
            f"Accept: {BOTH}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answered = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status = int(answered.split()[1])
        if status == 200:
            length = int(answered.partition("content-length:")[2].split()[0])
            answer = json.loads(await reader.readexactly(length))
            assert answer["id"] == number
            assert answer["result"]["content"] == [{"type": "text", "text": '{"name":"Größe"}'}]
        await held.wait()
        writer.close()
        return status

    async def crowd() -> list[int]:
        tasks = [asyncio.create_task(ask(number)) for number in range(clients)]
        asyncio.get_running_loop().call_later(8, held.set)
        return await asyncio.wait_for(asyncio.gather(*tasks), 60)

    held = asyncio.Event()
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    try:
        statuses = asyncio.run(crowd())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert set(statuses) == {200} if files is None else 503 in statuses
    assert set(statuses) <= {200, 503}
    assert server.legacy("tools/call", name="get_pet", arguments={"id": 3})[0] == 200
    assert "Traceback" not in server.log.read_text("utf-8")
    assert server.stop() in (0, -signal.SIGTERM)
