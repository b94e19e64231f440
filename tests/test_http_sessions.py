"""The everything server over HTTP: sessions of the handshake era, streams that break off, listening, and garbage."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples import ROOT

EVERYTHING = ROOT / "generated_examples" / "everything-mcp"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
Json = Any


class Server:
    """The server, and a client of plain HTTP."""

    def __init__(self, package: Path = EVERYTHING) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "everything_mcp", "--transport", "http", "--port"]
        self.process = subprocess.Popen(
            [*command, str(self.port)],
            cwd=package,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 20
        while not self.is_up():
            assert self.process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)

    def is_up(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def send(self, method: str, body: Json = None, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        shown = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, "/mcp", data, shown)
        return connection.getresponse()

    def open(self, version: str = "2025-11-25", **capabilities: Json) -> str:
        """The id of a new session."""
        params = {
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "t", "version": "1"},
        }
        response = self.send("POST", request("initialize", 0, **params))
        assert response.status == 200
        session = response.headers["Mcp-Session-Id"]
        assert json.loads(response.read())["result"]["protocolVersion"] == version
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert self.send("POST", done, Mcp_Session_Id=session).status == 202
        return session


def request(method: str, number: Json = 1, **params: Json) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(tool: str, number: Json = 1, **arguments: Json) -> Json:
    return request("tools/call", number, name=tool, arguments=arguments)


def events(response: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    """The events of a stream: `id`, `retry`, and `data` parsed."""
    assert response.headers["Content-Type"] == "text/event-stream"
    event: dict[str, Any] = {}
    for raw in response:
        line = raw.decode().rstrip("\n")
        if not line and event:
            yield event
            event = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            event[name] = json.loads(value) if name == "data" and value else value


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.process.terminate()
    assert running.process.wait(10) == 0


def test_a_session_lives_until_it_is_ended(server: Server) -> None:
    one, other = server.open(), server.open()
    assert one != other and one.isascii() and len(one) >= 32
    assert server.send("POST", request("tools/list"), Mcp_Session_Id=one).status == 200
    assert server.send("DELETE", Mcp_Session_Id=one).status == 200
    assert server.send("POST", request("tools/list"), Mcp_Session_Id=one).status == 404
    assert server.send("GET", Mcp_Session_Id=one).status == 404
    assert server.send("DELETE", Mcp_Session_Id=one).status == 404
    assert server.send("POST", request("ping"), Mcp_Session_Id=other).status == 200
    assert server.send("GET").status == server.send("DELETE").status == 405


def test_a_handshake_that_fails_opens_no_session(server: Server) -> None:
    response = server.send("POST", request("initialize"))
    assert response.headers["Mcp-Session-Id"] is None
    assert json.loads(response.read())["error"]["code"] == -32602


def test_without_a_session_requests_are_served_by_themselves(server: Server) -> None:
    response = server.send("POST", call("test_simple_text"), MCP_Protocol_Version="2025-06-18")
    assert response.headers["Mcp-Session-Id"] is None
    assert json.loads(response.read())["result"]["content"][0]["text"].startswith("This is")
    response = server.send("POST", call("test_sampling", prompt="x"))
    assert "does not offer sampling" in response.read().decode()


def test_a_question_is_asked_on_the_stream_of_its_call(server: Server) -> None:
    session = server.open("2025-06-18", elicitation={})
    stream = events(
        server.send("POST", call("test_elicitation", message="x"), Mcp_Session_Id=session)
    )
    asked = next(stream)["data"]
    assert asked["method"] == "elicitation/create"
    other = server.open(elicitation={})
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {}}}
    assert server.send("POST", answer, Mcp_Session_Id=other).status == 202, "not its question"
    assert server.send("POST", answer, Mcp_Session_Id=session).status == 202
    assert next(stream)["data"]["result"]["content"][0]["text"] == "User response: accept {}"
    assert list(stream) == []


def test_a_stream_that_the_server_leaves_is_taken_up_again(server: Server) -> None:
    session = server.open()
    first = list(events(server.send("POST", call("test_reconnection", 7), Mcp_Session_Id=session)))
    assert first == [{"id": first[0]["id"], "retry": "500", "data": ""}]
    rest = server.send("GET", Mcp_Session_Id=session, Last_Event_ID=first[0]["id"])
    *_, answer = events(rest)
    assert answer["data"]["id"] == 7


def test_a_stream_that_breaks_off_is_taken_up_after_its_last_event(server: Server) -> None:
    session = server.open()
    asked = call("test_tool_with_logging", 7)
    response = server.send("POST", asked, Mcp_Session_Id=session)
    stream = events(response)
    assert next(stream)["data"] == ""
    seen = next(stream)
    response.close()
    rest = list(events(server.send("GET", Mcp_Session_Id=session, Last_Event_ID=seen["id"])))
    said = [event["data"] for event in rest if event["data"]]
    assert [one.get("method") for one in said] == ["notifications/message"] * 2 + [None]
    again = server.send("GET", Mcp_Session_Id=session, Last_Event_ID=seen["id"])
    assert [event["data"] for event in events(again) if event["data"]] == said
    assert server.send("GET", Mcp_Session_Id=session, Last_Event_ID="99-0").status == 404
    assert server.send("GET", Mcp_Session_Id=session, Last_Event_ID="x").status == 404


def test_what_belongs_to_no_request_comes_by_get(server: Server) -> None:
    session, other = server.open(), server.open()
    stream = events(server.send("GET", Mcp_Session_Id=session))
    assert next(stream)["data"] == ""
    assert server.send("POST", call("test_trigger_tool_change"), Mcp_Session_Id=other).status == 200
    assert next(stream)["data"]["method"] == "notifications/tools/list_changed"


def test_old_revisions_get_no_ids_and_no_priming(server: Server) -> None:
    session = server.open("2025-06-18")
    response = server.send("POST", call("test_tool_with_logging"), Mcp_Session_Id=session)
    for event in events(response):
        assert event.keys() == {"event", "data"}


def test_text_that_looks_like_an_envelope_is_only_text(server: Server) -> None:
    text = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
    session = server.open(sampling={})
    body = call("test_x_mcp_header", region=text)
    response = server.send("POST", body, Mcp_Session_Id=session)
    assert json.loads(response.read())["result"]["content"][0]["text"] == f"Region {text}"


def test_an_unknown_revision_is_told_what_a_request_needs(server: Server) -> None:
    for body in (request("tools/list"), request("initialize", protocolVersion="x")):
        response = server.send("POST", body, MCP_Protocol_Version="2031-01-01")
        assert response.status == 400
        assert json.loads(response.read())["error"]["code"] == -32602


def test_a_batch_is_answered_in_the_revision_that_has_them(server: Server) -> None:
    batch = [request("ping", 1), call("test_simple_text", 2)]
    response = server.send("POST", batch, MCP_Protocol_Version="2025-03-26")
    assert [one["id"] for one in json.loads(response.read())] == [1, 2]
    assert server.send("POST", batch, MCP_Protocol_Version="2025-11-25").status == 400
    assert server.send("POST", batch, MCP_Protocol_Version="2026-07-28").status == 400


def modern(
    method: str, routed: str | None = None, /, **params: Json
) -> tuple[Json, dict[str, str]]:
    headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}
    return request(method, **params, _meta=META), headers | ({"Mcp_Name": routed} if routed else {})


@pytest.mark.parametrize(
    ("value", "header", "status"),
    [
        ("Hello", "Hello", 200),
        ("Hello", "=?base64?SGVsbG8=?=", 200),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8=", 200),
        ("Hello", "=?base64?SGVsbG8?=", 400),
        ("Hello", "=?base64?SGVs!G8=?=", 400),
        ("Hello", "hello", 400),
        ("Hello", None, 400),
        (None, None, 200),
    ],
)
def test_a_header_says_again_what_its_argument_says(
    server: Server, value: str | None, header: str | None, status: int
) -> None:
    arguments = {} if value is None else {"region": value}
    name = "test_x_mcp_header"
    body, headers = modern("tools/call", name, name=name, arguments=arguments)
    if header is not None:
        headers["Mcp_Param_Region"] = header
    response = server.send("POST", body, **headers)
    assert response.status == status
    if status == 400:
        assert json.loads(response.read())["error"]["code"] == -32020


def test_a_capability_that_is_missing_is_a_bad_request(server: Server) -> None:
    name = "test_missing_capability"
    body, headers = modern("tools/call", name, name=name, arguments={})
    response = server.send("POST", body, **headers)
    assert response.status == 400
    assert json.loads(response.read())["error"]["code"] == -32021


def test_those_who_listen_hear_and_are_let_go_at_the_end() -> None:
    server = Server()
    body, headers = modern("subscriptions/listen", notifications={"toolsListChanged": True})
    stream = events(server.send("POST", body, **headers))
    assert next(stream)["data"]["method"] == "notifications/subscriptions/acknowledged"
    session = server.open()
    standing = events(server.send("GET", Mcp_Session_Id=session))
    assert next(standing)["data"] == ""
    assert (
        server.send("POST", call("test_trigger_tool_change"), Mcp_Session_Id=session).status == 200
    )
    assert next(stream)["data"]["method"] == "notifications/tools/list_changed"
    begun = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    [end] = stream
    assert end["data"]["result"]["resultType"] == "complete"
    assert server.process.wait(20) == 0
    assert time.monotonic() - begun < 4, "open streams held it up"


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\xff\x00\xff" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /mcp HTTP/1.1\r\n" + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
    ],
)
def test_garbage_costs_its_own_connection_only(server: Server, garbage: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 20) as wire:
        with contextlib.suppress(OSError):
            wire.sendall(garbage)
            wire.shutdown(socket.SHUT_WR)
            answered = wire.recv(65536)
            assert b" 200 " not in answered.split(b"\r\n")[0] and b"Traceback" not in answered
    assert server.send("POST", request("ping"), MCP_Protocol_Version="2025-11-25").status == 200


def test_bodies_that_come_byte_by_byte(server: Server) -> None:
    body = json.dumps(call("test_simple_text")).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", server.port), 20) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in head + body:
            wire.sendall(bytes([byte]))
        answered = b"".join(iter(lambda: wire.recv(65536), b""))
    assert answered.startswith(b"HTTP/1.1 200")
    assert b"This is a simple text" in answered


def test_many_at_once_are_each_answered(server: Server) -> None:
    seen: dict[int, str] = {}

    def ask(number: int) -> None:
        response = server.send("POST", call("test_x_mcp_header", number, region=str(number)))
        answer = json.loads(response.read())
        assert answer["id"] == number
        seen[number] = answer["result"]["content"][0]["text"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {number: f"Region {number}" for number in range(60)}
