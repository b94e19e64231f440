"""The protocol core in memory: messages in, messages out, in every revision, with nothing between."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.runtime import inputs
from mcpgen.runtime.catalog import Catalog
from mcpgen.runtime.options import Options
from mcpgen.runtime.server import PAGE, Server
from mcpgen.runtime.session import Answer, Batch, Exchange, Session
from mcpgen.runtime.versions import HANDSHAKE

Json = Any
MODERN = "2026-07-28"
KEY = "io.modelcontextprotocol/"
EMPTY = {"type": "object", "additionalProperties": False}
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = {
    **dict.fromkeys("plain wait talk ask ask_at_once visit change blocks broken".split(), EMPTY),
    "echo": TEXT,
}
CATALOG = {
    "server": {
        "name": "echo",
        "title": "Echo",
        "version": "1",
        "websiteUrl": "https://example.com",
        "instructions": "Call echo.",
        "features": ["completions", "elicitation", "logging", "sampling", "subscriptions"],
    },
    "namespaces": {
        "echo": {
            "module": "echo",
            "class": "EchoTools",
            "description": "",
            "tools": {name: name for name in TOOLS},
            "prompts": {"greet": "greet", "asks": "asking_prompt", "refuses": "refused"},
            "resources": {
                "echo://here": "here",
                "echo://binary": "binary",
                "echo://refused": "refused",
            },
            "resourceTemplates": {"echo://{kind}/{id}": "item"},
            "completions": {
                "greet": {"name": "names", "tone": ["cold", "warm", "Wild"]},
                "echo://{kind}/{id}": {"kind": ["cat", "cow", "dog"]},
            },
        }
    },
    "tools": [
        {"name": name, "description": name, "inputSchema": schema} for name, schema in TOOLS.items()
    ],
    "prompts": [
        {
            "name": "greet",
            "description": "Greets",
            "arguments": [{"name": "name", "required": True}, {"name": "tone"}],
        },
        {"name": "asks"},
        {"name": "refuses"},
    ],
    "resources": [
        {"uri": "echo://here", "name": "here", "mimeType": "text/markdown"},
        {"uri": "echo://binary", "name": "binary", "mimeType": "image/png"},
        {"uri": "echo://refused", "name": "refused"},
    ],
    "resourceTemplates": [{"uriTemplate": "echo://{kind}/{id}", "name": "item"}],
}


@pytest.fixture(autouse=True)
def echo_package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    __import__("echo_mcp")
    yield
    for name in [one for one in sys.modules if one.split(".")[0] == "echo_mcp"]:
        del sys.modules[name]


class Peer:
    """A client. What the server said is in `said`; `answers` gives what is answered to its requests, by method."""

    def __init__(self, version: str, *, capabilities: Json = None, catalog: Json = None) -> None:
        self.version = version
        self.capabilities = {} if capabilities is None else capabilities
        self.said: list[Json] = []
        self.answers: dict[str, Json] = {}
        self.number = 0
        self.server = Server(
            "echo_mcp", Catalog(json.dumps(catalog or CATALOG).encode()), Options()
        )
        self.session = Session(self.server, self.hear, can_ask=True)
        if version != MODERN:
            self.shaken = self.immediate("initialize", **self.hello())

    def hello(self) -> Json:
        return {
            "protocolVersion": self.version,
            "capabilities": self.capabilities,
            "clientInfo": {"name": "peer", "version": "1"},
        }

    def hear(self, data: bytes) -> None:
        assert b"\n" not in data
        message = json.loads(data)
        self.said.append(message)
        if "id" in message and message["method"] in self.answers:
            reply = {"jsonrpc": "2.0", "id": message["id"], **self.answers[message["method"]]}
            assert self.session.receive(json.dumps(reply).encode()) is None

    def request(self, method: str, **params: Json) -> Json:
        self.number += 1
        if self.version == MODERN:
            meta = {
                KEY + "protocolVersion": MODERN,
                KEY + "clientCapabilities": self.capabilities,
                **params.get("_meta", {}),
            }
            params["_meta"] = meta
        return {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}

    def take(self, message: Json) -> Json:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.session.receive(data)

    def immediate(self, method: str, **params: Json) -> Json:
        outcome = self.take(self.request(method, **params))
        assert isinstance(outcome, Answer)
        return json.loads(outcome.data)

    async def call(self, method: str, **params: Json) -> Json:
        return await self.finish(self.take(self.request(method, **params)))

    async def finish(self, outcome: Json) -> Json:
        if isinstance(outcome, Exchange):
            outcome.task = asyncio.create_task(outcome.run())
            try:
                outcome = await outcome.task
            finally:
                self.session.close()
        elif isinstance(outcome, Batch):
            outcome = await outcome.run()
        return json.loads(outcome.data) if outcome else None


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(20):
            await work()

    asyncio.run(limited())


def code(answer: Json) -> int:
    found: int = answer["error"]["code"]
    return found


each_revision = pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
each_old = pytest.mark.parametrize("version", HANDSHAKE)


@each_old
def test_the_handshake_says_what_its_revision_knows(version: str) -> None:
    result = Peer(version).shaken["result"]
    assert result["protocolVersion"] == version
    assert result["instructions"] == "Call echo."
    assert result["capabilities"] == {
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "logging": {},
        **({"completions": {}} if version >= "2025-03-26" else {}),
    }
    known = {"name", "version"}
    known |= {"title"} if version >= "2025-06-18" else set()
    known |= {"websiteUrl"} if version >= "2025-11-25" else set()
    assert set(result["serverInfo"]) == known


@pytest.mark.parametrize("asked", ["2023-01-01", MODERN, "2099-01-01", ""])
def test_an_unknown_revision_is_answered_by_the_newest_with_a_handshake(asked: str) -> None:
    peer = Peer("2024-11-05")
    answer = peer.immediate("initialize", **{**peer.hello(), "protocolVersion": asked})
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    wrong = peer.immediate("initialize", **{**peer.hello(), "protocolVersion": 7})
    assert code(wrong) == -32602


def test_ping_and_set_level_are_answered_by_nothing_at_all() -> None:
    peer = Peer("2025-11-25")
    assert peer.immediate("ping")["result"] == {}
    assert peer.immediate("logging/setLevel", level="error")["result"] == {}
    assert code(peer.immediate("logging/setLevel", level="loud")) == -32602


def test_before_the_handshake_only_ping_is_answered() -> None:
    peer = Peer("2025-11-25")
    peer.session = Session(peer.server, peer.hear)
    assert code(peer.immediate("tools/list")) == -32602
    assert peer.immediate("ping")["result"] == {}


@each_revision
def test_methods_that_a_revision_does_not_know(version: str) -> None:
    peer = Peer(version)
    gone = (
        ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]
        if version == MODERN
        else ["server/discover", "subscriptions/listen"]
    )
    for method in [*gone, "unknown/method", "tools/CALL", ""]:
        assert code(peer.immediate(method)) == -32601, method


def test_a_server_without_features_does_not_know_their_methods() -> None:
    catalog = {key: CATALOG[key] for key in ("server", "namespaces", "tools")}
    catalog["server"] = {"name": "echo", "version": "1"}
    peer = Peer("2025-11-25", catalog=catalog)
    capabilities = peer.shaken["result"]["capabilities"]
    assert capabilities == {"tools": {}, "prompts": {}, "resources": {}}
    for method in ("completion/complete", "logging/setLevel", "resources/subscribe"):
        assert code(peer.immediate(method)) == -32601, method
    for method, section in (("prompts/list", "prompts"), ("resources/list", "resources")):
        assert peer.immediate(method)["result"] == {section: []}


@pytest.mark.parametrize(
    ("sent", "wanted"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b'{"a":NaN}', -32700),
        (b"[" * 100_000, -32700),
        (b'"text"', -32600),
        (b"17", -32600),
        (b"null", -32600),
        (b"[]", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
    ],
)
def test_what_is_no_message_is_answered_as_such(sent: bytes, wanted: int) -> None:
    outcome = Peer("2025-11-25").take(sent)
    answer = json.loads(outcome.data)
    assert code(answer) == wanted
    assert answer.get("id", 1) == 1, "an id that cannot be read is left out"


@pytest.mark.parametrize("identifier", [0, -1, 2**70, "", "a", "ä" * 100])
def test_ids_come_back_as_they_were(identifier: Json) -> None:
    outcome = Peer("2025-11-25").take({"jsonrpc": "2.0", "id": identifier, "method": "ping"})
    assert json.loads(outcome.data)["id"] == identifier


def test_answers_and_notifications_that_nobody_waits_for_are_dropped() -> None:
    peer = Peer("2025-11-25")
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/unheard", "params": {"a": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": "server-9", "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "id": [], "error": "odd"},
    ):
        assert peer.take(message) is None


@each_revision
def test_batches_are_for_one_revision_only(version: str) -> None:
    async def work() -> None:
        peer = Peer(version)
        calls = [
            peer.request("ping"),
            {"jsonrpc": "2.0", "method": "notifications/unheard"},
            peer.request("tools/call", name="echo", arguments={"text": "a"}),
            peer.request("no/such"),
            7,
        ]
        answer = await peer.finish(peer.take(calls))
        if version == "2025-03-26":
            assert [one.get("id") for one in answer] == [2, 4, None, 3]
            assert [code(one) for one in answer if "error" in one] == [-32601, -32600]
        else:
            assert code(answer) == -32600

    run(work)


def test_a_batch_of_nothing_to_answer_and_one_with_a_handshake() -> None:
    peer = Peer("2025-03-26")
    assert peer.take([{"jsonrpc": "2.0", "method": "notifications/initialized"}]) is None
    outcome = peer.take([peer.request("initialize", **peer.hello())])
    assert code(json.loads(outcome.data)) == -32600
    assert peer.session.version == "2025-03-26"


def test_both_eras_in_one_session() -> None:
    async def work() -> None:
        peer = Peer("2025-11-25", capabilities={"elicitation": {}})
        modern = Peer(MODERN)
        modern.session, modern.number = peer.session, 100
        assert "resultType" not in (await peer.call("tools/list"))["result"]
        assert (await modern.call("tools/list"))["result"]["resultType"] == "complete"
        assert code(await modern.call("ping")) == -32601
        assert (await peer.call("ping"))["result"] == {}

    run(work)


@pytest.mark.parametrize(
    ("meta", "wanted"),
    [
        ({KEY + "protocolVersion": MODERN}, -32602),
        ({KEY + "protocolVersion": 7, KEY + "clientCapabilities": {}}, -32602),
        ({KEY + "protocolVersion": MODERN, KEY + "clientCapabilities": []}, -32602),
        ({KEY + "protocolVersion": "v999", KEY + "clientCapabilities": {}}, -32022),
        ({KEY + "protocolVersion": "2025-11-25", KEY + "clientCapabilities": {}}, -32022),
    ],
)
def test_half_an_envelope(meta: Json, wanted: int) -> None:
    peer = Peer("2025-11-25")
    answer = json.loads(peer.take({**peer.request("tools/list"), "params": {"_meta": meta}}).data)
    assert code(answer) == wanted
    if wanted == -32022:
        asked = meta[KEY + "protocolVersion"]
        assert answer["error"]["data"] == {"supported": [MODERN], "requested": asked}


def test_discover() -> None:
    result = Peer(MODERN).immediate("server/discover")["result"]
    assert result["supportedVersions"] == [MODERN]
    assert result["resultType"] == "complete"
    assert (result["ttlMs"], result["cacheScope"]) == (3_600_000, "public")
    assert result["_meta"][KEY + "serverInfo"]["name"] == "echo"
    assert set(result["capabilities"]) == {
        "tools",
        "prompts",
        "resources",
        "logging",
        "completions",
    }


@each_revision
@pytest.mark.parametrize(
    ("method", "section"),
    [
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ],
)
def test_lists(version: str, method: str, section: str) -> None:
    peer = Peer(version)
    result = peer.immediate(method)["result"]
    assert result[section] == CATALOG[section]
    assert ("ttlMs" in result) == (version == MODERN)
    wrong: list[Json] = ["", "1", "2000", "x", 7, []]
    for cursor in wrong:
        assert code(peer.immediate(method, cursor=cursor)) == -32602, cursor


def test_a_long_list_comes_in_pages() -> None:
    tools = [
        {"name": f"t{n}", "description": "x", "inputSchema": EMPTY} for n in range(2 * PAGE + 5)
    ]
    peer = Peer("2025-11-25", catalog={**CATALOG, "tools": tools})
    # a list this long would be shown behind a few tools, were it not for the mode
    options = Options()
    options.mode = "all"
    peer.session.server = Server("echo_mcp", peer.server.catalog, options)
    seen: list[str] = []
    cursor: Json = {}
    for _ in range(3):
        result = peer.immediate("tools/list", **cursor)["result"]
        seen += [tool["name"] for tool in result["tools"]]
        cursor = {"cursor": result.get("nextCursor")}
    assert seen == [tool["name"] for tool in tools]
    assert cursor == {"cursor": None}


@each_revision
def test_a_tool(version: str) -> None:
    async def work() -> None:
        peer = Peer(version)
        sent = {"com.example/sent": "42", "progressToken": "p"}
        answer = await peer.call(
            "tools/call", name="echo", arguments={"text": "grüß\u2028"}, _meta=sent
        )
        assert answer["result"]["content"] == [{"type": "text", "text": "grüß\u2028"}]
        assert answer["result"]["_meta"]["com.example/seen"] == "42"
        assert (await peer.call("tools/call", name="plain"))["result"]["content"][0][
            "type"
        ] == "text"

    run(work)


@each_revision
def test_calls_that_cannot_be_carried_out(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        peer = Peer(version)
        assert code(await peer.call("tools/call", name="nosuch")) == -32602
        assert code(await peer.call("tools/call", arguments={})) == -32602
        assert code(await peer.call("tools/call", name="echo", arguments=[1])) == -32602
        wrong = (await peer.call("tools/call", name="echo", arguments={"text": 1}))["result"]
        assert wrong["isError"] is True
        assert json.loads(wrong["content"][0]["text"])["error"]["argument"] == "text"
        broken = await peer.call("tools/call", name="broken")
        assert json.loads(broken["result"]["content"][0]["text"])["error"]["kind"] == "internal"
        assert "secret" not in json.dumps(broken) and "Traceback" not in json.dumps(broken)

    run(work)


@each_revision
def test_content_is_what_the_revision_can_read(version: str) -> None:
    async def work() -> None:
        blocks = (await Peer(version).call("tools/call", name="blocks"))["result"]["content"]
        kinds = [block["type"] for block in blocks]
        audio = "audio" if version >= "2025-03-26" else "resource"
        link = "resource_link" if version >= "2025-06-18" else "text"
        assert kinds == ["text", audio, link]

    run(work)


@each_revision
def test_progress_and_logs(version: str) -> None:
    async def work() -> None:
        peer = Peer(version)
        meta: dict[str, Json] = {"progressToken": 7}
        if version == MODERN:
            await peer.call("tools/call", name="talk", _meta=meta)
            assert [one["method"] for one in peer.said] == ["notifications/progress"] * 2
            meta[KEY + "logLevel"] = "info"
            peer.said.clear()
        await peer.call("tools/call", name="talk", _meta=meta)
        progress = [one["params"] for one in peer.said if one["method"].endswith("/progress")]
        message = {} if version == "2024-11-05" else {"message": "half"}
        assert progress == [
            {"progressToken": 7, "progress": 1, "total": 2, **message},
            {"progressToken": 7, "progress": 2, "total": 2},
        ]
        logs = [one["params"] for one in peer.said if one["method"] == "notifications/message"]
        assert [one["level"] for one in logs] == ["info", "error"]
        assert logs[0] == {"level": "info", "data": {"at": "info"}, "logger": "echo"}
        peer.said.clear()
        if version == MODERN:
            wrong = await peer.call("tools/call", name="talk", _meta={KEY + "logLevel": "loud"})
            assert code(wrong) == -32602
        else:
            peer.immediate("logging/setLevel", level="error")
            await peer.call("tools/call", name="talk")
            assert [one["params"]["level"] for one in peer.said] == ["error"]

    run(work)


@each_revision
def test_cancelling(version: str) -> None:
    async def work() -> None:
        peer = Peer(version)
        asked = peer.request("tools/call", name="wait")
        outcome = peer.take(asked)
        assert code(json.loads(peer.take(asked).data)) == -32600, "the id is in use"
        outcome.task = asyncio.create_task(outcome.run())
        await asyncio.sleep(0.05)
        for other in (True, 99, "1", None, [asked["id"]], float(asked["id"]) + 0.5):
            message = {"requestId": other, "reason": "x"}
            peer.take({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": message})
        assert not outcome.cancelled
        message = {"requestId": asked["id"]}
        peer.take({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": message})
        assert outcome.cancelled
        with pytest.raises(asyncio.CancelledError):
            await outcome.task
        assert peer.session.under_way == {}

    run(work)


@each_revision
def test_prompts(version: str) -> None:
    async def work() -> None:
        peer = Peer(version)
        answer = await peer.call("prompts/get", name="greet", arguments={"name": "Ann"})
        assert answer["result"]["description"] == "Greets"
        assert answer["result"]["messages"] == [
            {"role": "user", "content": {"type": "text", "text": "Greet Ann, warm"}},
            {"role": "assistant", "content": {"type": "text", "text": "Hello"}},
        ]
        for params in (
            {"name": "nosuch"},
            {},
            {"name": 7},
            {"name": "greet"},
            {"name": "greet", "arguments": {"name": 7}},
            {"name": "greet", "arguments": []},
            {"name": "greet", "arguments": {"name": "Ann", "other": "x"}},
        ):
            assert code(await peer.call("prompts/get", **params)) == -32602, params
        refused = await peer.call("prompts/get", name="refuses")
        assert refused["error"]["code"] == -32603
        assert refused["error"]["message"] == "Not today"

    run(work)


@each_revision
def test_resources(version: str) -> None:
    async def work() -> None:
        peer = Peer(version)

        async def read(uri: str) -> Json:
            return await peer.call("resources/read", uri=uri)

        [here] = (await read("echo://here"))["result"]["contents"]
        assert here == {"uri": "echo://here", "mimeType": "text/markdown", "text": "here"}
        [binary] = (await read("echo://binary"))["result"]["contents"]
        assert binary["blob"] == "AAE=" and binary["mimeType"] == "image/png"
        [item] = (await read("echo://cat/a%20b"))["result"]["contents"]
        assert json.loads(item["text"]) == {"kind": "cat", "id": "a b"}
        assert item["mimeType"] == "application/json"
        for uri in (
            "echo://cat/none",
            "echo://cat/a/b",
            "echo://cat/",
            "other://cat/a",
            "file:///etc/passwd",
        ):
            error = (await read(uri))["error"]
            assert error["code"] == (-32602 if version == MODERN else -32002), uri
            assert error["data"] == {"uri": uri}
        assert code(await peer.call("resources/read")) == -32602
        assert code(await read("echo://refused")) == -32603
        if version == MODERN:
            kept = (await read("echo://here"))["result"]
            assert (kept["ttlMs"], kept["cacheScope"]) == (0, "private")

    run(work)


@each_revision
def test_completion(version: str) -> None:
    async def work() -> None:
        peer = Peer(version)

        async def complete(reference: Json, name: str, value: str, **more: Json) -> Json:
            answer = await peer.call(
                "completion/complete",
                ref=reference,
                argument={"name": name, "value": value},
                **more,
            )
            return answer["result"]["completion"]

        greet = {"type": "ref/prompt", "name": "greet"}
        item = {"type": "ref/resource", "uri": "echo://{kind}/{id}"}
        assert (await complete(greet, "tone", "w"))["values"] == ["warm", "Wild"]
        assert (await complete(item, "kind", "c"))["values"] == ["cat", "cow"]
        assert (await complete(item, "id", "c"))["values"] == []
        many = await complete(greet, "name", "x", context={"arguments": {"tone": "!"}})
        assert (len(many["values"]), many["total"], many["hasMore"]) == (100, 150, True)
        assert many["values"][0] == "x0!"
        assert (await complete({"type": "ref/prompt", "name": "nosuch"}, "a", ""))["values"] == []
        for params in (
            {},
            {"ref": greet},
            {"ref": greet, "argument": {"name": "tone"}},
            {"ref": 1},
        ):
            assert code(await peer.call("completion/complete", **params)) == -32602

    run(work)


ANSWERS: dict[str, Json] = {
    "elicitation/create": {"action": "accept", "content": {"name": "Ann"}},
    "sampling/createMessage": {
        "role": "assistant",
        "content": {"type": "text", "text": "hi"},
        "model": "m",
    },
    "roots/list": {"roots": [{"uri": "file:///home"}]},
}
ALL: dict[str, Json] = {"elicitation": {}, "sampling": {}, "roots": {}}


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_asking_by_requests(version: str) -> None:
    async def work() -> None:
        peer = Peer(version, capabilities=ALL)
        peer.answers = {method: {"result": answer} for method, answer in ANSWERS.items()}
        answer = await peer.call("tools/call", name="ask")
        assert answer["result"]["content"][0]["text"] == "Ann: hi"
        form, sampling = peer.said
        assert form["params"]["requestedSchema"]["required"] == ["name"]
        assert sampling["params"]["maxTokens"] == 9
        assert form["id"] != sampling["id"]
        at_once = await peer.call("tools/call", name="ask_at_once")
        assert at_once["result"]["content"][0]["text"] == "Ann in file:///home"

        peer.answers["elicitation/create"] = {"result": {"action": "decline"}}
        declined = await peer.call("tools/call", name="ask")
        assert declined["result"]["content"][0]["text"] == "decline"
        wrong: Json
        for wrong in (
            {"result": {"action": "accept", "content": {"name": 7}}},
            {"result": "yes"},
            {"error": {"code": -1, "message": "the user is out"}},
        ):
            peer.answers["elicitation/create"] = wrong
            failed = await peer.call("tools/call", name="ask")
            assert "error" in failed or failed["result"]["isError"], wrong

    run(work)


@each_old
def test_a_client_that_cannot_be_asked_is_told(version: str) -> None:
    async def work() -> None:
        answer = await Peer(version).call("tools/call", name="ask")
        error = json.loads(answer["result"]["content"][0]["text"])["error"]
        assert error["kind"] == "refused" and "elicitation" in error["message"]

    run(work)


def test_a_connection_without_a_way_back_cannot_ask() -> None:
    async def work() -> None:
        peer = Peer("2025-11-25", capabilities=ALL)
        peer.session.can_ask = False
        answer = await peer.call("tools/call", name="ask")
        assert "session" in answer["result"]["content"][0]["text"]
        assert peer.said == []

    run(work)


def test_asking_by_rounds() -> None:
    async def work() -> None:
        peer = Peer(MODERN, capabilities=ALL)
        states: list[str] = []
        answers: dict[str, Json] = {}
        seen: list[str] = []
        for _ in range(3):
            more = {"requestState": states[-1]} if states else {}
            result = (await peer.call("tools/call", name="ask", inputResponses=answers, **more))[
                "result"
            ]
            if result["resultType"] == "complete":
                break
            assert "ttlMs" not in result and "content" not in result
            [(key, asked)] = result["inputRequests"].items()
            seen.append(asked["method"])
            answers = {key: ANSWERS[asked["method"]], "unheard": {"x": 1}}
            states.append(result["requestState"])
        assert result["content"][0]["text"] == "Ann: hi"
        assert seen == ["elicitation/create", "sampling/createMessage"]
        assert states[0] != states[1]
        assert peer.said == []

    run(work)


def test_several_questions_in_one_round() -> None:
    async def work() -> None:
        peer = Peer(MODERN, capabilities=ALL)
        first = (await peer.call("tools/call", name="ask_at_once"))["result"]
        asked = {key: one["method"] for key, one in first["inputRequests"].items()}
        assert sorted(asked.values()) == ["elicitation/create", "roots/list"]
        second = await peer.call(
            "tools/call",
            name="ask_at_once",
            requestState=first["requestState"],
            inputResponses={key: ANSWERS[method] for key, method in asked.items()},
        )
        assert second["result"]["content"][0]["text"] == "Ann in file:///home"
        prompt = (await peer.call("prompts/get", name="asks"))["result"]
        assert prompt["resultType"] == "input_required"

    run(work)


@pytest.mark.parametrize(
    "given",
    [None, {}, {"other": {"action": "accept"}}, {"who": 12345}, {"who": {"action": "maybe"}}]
    + [{"who": {"action": "accept", "content": content}} for content in (None, {}, {"name": 7})],
)
def test_what_is_no_answer_is_asked_again(given: Json) -> None:
    async def work() -> None:
        peer = Peer(MODERN, capabilities=ALL)
        answer = await peer.call("tools/call", name="ask", inputResponses=given)
        assert list(answer["result"]["inputRequests"]) == ["who"]

    run(work)


def test_a_state_that_is_not_ours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        peer = Peer(MODERN, capabilities=ALL)
        state = (await peer.call("tools/call", name="ask"))["result"]["requestState"]
        data, _, signature = state.partition(".")
        others: list[Json] = [
            state + "-TAMPERED",
            state[:-4],
            "",
            "x",
            signature,
            f"{data}.",
            7,
            {},
        ]
        for wrong in others:
            answer = await peer.call("tools/call", name="ask", requestState=wrong)
            assert code(answer) == -32602, wrong
        assert code(await peer.call("tools/call", name="ask_at_once", requestState=state)) == -32602
        assert "result" in await peer.call("tools/call", name="ask", requestState=state)
        monkeypatch.setattr(time, "time", lambda: 4e9)
        assert code(await peer.call("tools/call", name="ask", requestState=state)) == -32602

    run(work)


def test_a_state_of_another_process_needs_the_key_that_both_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work() -> None:
        peer = Peer(MODERN, capabilities=ALL)

        async def state_and_answer() -> tuple[str, Json]:
            state = (await peer.call("tools/call", name="ask"))["result"]["requestState"]
            monkeypatch.setattr(inputs, "_random_key", b"another process")
            return state, await peer.call("tools/call", name="ask", requestState=state)

        assert code((await state_and_answer())[1]) == -32602
        monkeypatch.setenv("ECHO_STATE_KEY", "shared")
        monkeypatch.setattr(inputs, "_random_key", b"the first")
        state, answer = await state_and_answer()
        assert "result" in answer
        assert "shared" not in state

    run(work)


def test_a_capability_that_the_client_has_not_declared() -> None:
    async def work() -> None:
        answer = await Peer(MODERN, capabilities={"sampling": {}}).call("tools/call", name="ask")
        assert code(answer) == -32021
        assert answer["error"]["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}
        only_form = Peer(MODERN, capabilities={"elicitation": {}})
        assert code(await only_form.call("tools/call", name="visit")) == -32021
        both = Peer(MODERN, capabilities={"elicitation": {"form": {}, "url": {}}})
        asked = (await both.call("tools/call", name="visit"))["result"]["inputRequests"]
        assert asked["input-1"]["params"]["url"] == "https://example.com/pay"

    run(work)


def test_old_sessions_hear_of_changes() -> None:
    async def work() -> None:
        peer, other = Peer("2025-11-25"), Peer("2025-11-25")
        peer.server.subscriptions.add(peer.session)
        peer.server.subscriptions.add(other.session)
        assert peer.immediate("resources/subscribe", uri="echo://here")["result"] == {}
        assert code(peer.immediate("resources/subscribe")) == -32602
        await peer.call("tools/call", name="change")
        lists, updated = "notifications/tools/list_changed", "notifications/resources/updated"
        assert [one["method"] for one in peer.said] == [lists, updated]
        assert [one["method"] for one in other.said] == [lists]
        peer.immediate("resources/unsubscribe", uri="echo://here")
        peer.said.clear()
        await peer.call("tools/call", name="change")
        assert [one["method"] for one in peer.said] == [lists]

    run(work)


@pytest.mark.parametrize(
    ("wanted", "honoured", "heard"),
    [
        ({"toolsListChanged": True}, {"toolsListChanged": True}, ["tools/list_changed"]),
        ({"promptsListChanged": True, "new": 1}, {"promptsListChanged": True}, []),
        (
            {"resourceSubscriptions": ["echo://here", 7]},
            {"resourceSubscriptions": ["echo://here"]},
            ["resources/updated"],
        ),
        ({}, {}, []),
    ],
)
def test_listening(wanted: Json, honoured: Json, heard: list[str]) -> None:
    async def work() -> None:
        peer = Peer(MODERN)
        listen = peer.take(peer.request("subscriptions/listen", notifications=wanted))
        identifier = peer.number
        listening = asyncio.create_task(listen.run())
        await asyncio.sleep(0)
        caller = Peer(MODERN)
        caller.session.server, caller.number = peer.server, 500
        await caller.call("tools/call", name="change")
        first, *rest = peer.said
        assert first["method"] == "notifications/subscriptions/acknowledged"
        assert first["params"]["notifications"] == honoured
        assert [one["method"].removeprefix("notifications/") for one in rest] == heard
        for one in peer.said:
            assert one["params"]["_meta"] == {KEY + "subscriptionId": identifier}
        peer.server.stop()
        answer = json.loads((await listening).data)
        assert answer["result"]["resultType"] == "complete"
        assert answer["result"]["_meta"][KEY + "subscriptionId"] == identifier
        assert code(await peer.call("subscriptions/listen")) == -32602

    run(work)
