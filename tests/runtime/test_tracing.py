"""Spans and durations by the conventions of OpenTelemetry, from the SDK's own exporter and reader in memory."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from upstream import Answer, Upstream, answer, upstream

from mcpgen.runtime.api import Api, OAuth2
from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.inputs import InputRequired
from mcpgen.runtime.messages import RpcError
from mcpgen.runtime.request import Request
from mcpgen.runtime.tracing import CURRENT, Tracing, trace_of

Json = Any
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
META = {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "a=1,b@c=2", "baggage": "user=ann"}


class Told:
    """What was exported since the last look."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._spans = InMemorySpanExporter()
        self._metrics = InMemoryMetricReader()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._spans))
        meters = MeterProvider([self._metrics])
        # The global ones can be set but once in a process.
        monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
        monkeypatch.setattr(metrics, "get_meter", meters.get_meter)

    def spans(self) -> list[Any]:
        return list(self._spans.get_finished_spans())

    def durations(self) -> dict[str, list[Any]]:
        read: Any = self._metrics.get_metrics_data()
        [resource] = read.resource_metrics
        [scope] = resource.scope_metrics
        return {one.name: list(one.data.data_points) for one in scope.metrics}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    return Told(monkeypatch)


def exchange(**headers: str) -> Json:
    return SimpleNamespace(meta=META, identifier=7, version="2026-07-28", headers=headers)


def traced(request: Request, *answers: Answer, **options: Json) -> Upstream:
    """One tool call that sends one request."""

    async def run() -> Upstream:
        async with upstream(*answers) as server:
            api = Api("T", (server.url,), **options)
            with Tracing("t").call("get_pet", exchange()) as call:
                try:
                    await api.send(request)
                except ToolError as error:
                    call.said |= {"error.type": "tool_error", "description": error.kind}
            await api.close()
            assert CURRENT.get() is None
            return server

    return asyncio.run(run())


def test_a_call_and_its_requests_are_spans_of_the_clients_trace(told: Told) -> None:
    request = Request("GET", "/pets/{id}")
    request.path("id", "7")
    request.query("token", "s3cr3t")
    made = traced(request, answer(503, Retry_After="0"), answer())
    first, second, call = told.spans()
    port = int(made.url.rpartition(":")[2])

    assert (call.name, call.kind, call.status.status_code) == (
        *("tools/call get_pet", trace.SpanKind.SERVER, trace.StatusCode.UNSET),
    )
    assert (f"{call.parent.span_id:016x}", call.parent.is_remote) == (SPAN, True)
    assert dict(call.attributes) == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2026-07-28",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_pet",
        "jsonrpc.request.id": "7",
        "network.transport": "pipe",
    }
    shared = {"http.request.method": "GET", "server.address": "127.0.0.1", "server.port": port}
    url = {"url.full": f"{made.url}/pets/7"}
    failed = {"http.response.status_code": 503, "error.type": "503"}
    assert dict(first.attributes) == {**shared, **url, **failed}
    assert dict(second.attributes) == {**shared, **url, "http.response.status_code": 200}
    assert [one.status.status_code.name for one in (first, second)] == ["ERROR", "UNSET"]
    assert {one.parent.span_id for one in (first, second)} == {call.context.span_id}

    for index, span in enumerate((first, second)):
        headers = made.headers(index)
        assert headers["traceparent"] == f"00-{TRACE}-{span.context.span_id:016x}-01"
        assert (headers["tracestate"], headers["baggage"]) == ("a=1,b@c=2", "user=ann")

    durations = told.durations()
    [point] = durations["mcp.server.operation.duration"]
    assert (point.count, point.explicit_bounds[0]) == (1, 0.01)
    assert not {"jsonrpc.request.id", "url.full"} & point.attributes.keys()
    points = durations["http.client.request.duration"]
    assert sorted(one.attributes["http.response.status_code"] for one in points) == [200, 503]
    assert all(one.explicit_bounds[0] == 0.005 for one in points)
    assert not any("url.full" in one.attributes for one in points)


def test_a_failed_call_says_so_in_the_words_of_the_conventions(told: Told) -> None:
    traced(Request("PURGE", "/"), answer(404))
    request, call = told.spans()
    assert (request.name, request.attributes["http.request.method"]) == ("HTTP", "_OTHER")
    assert call.attributes["error.type"] == "tool_error"
    assert call.status.description == "upstream_status"
    assert "description" not in call.attributes


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (RpcError(-32602, "no"), {"error.type": "-32602", "rpc.response.status_code": "-32602"}),
        (ZeroDivisionError(), {"error.type": "ZeroDivisionError"}),
        (asyncio.CancelledError(), {"error.type": "CancelledError"}),
        (InputRequired(), {}),
    ],
)
def test_how_a_call_ends_is_told(told: Told, ending: BaseException, expected: Json) -> None:
    with pytest.raises(type(ending)):
        with Tracing("t").call("get_pet", exchange(host="x")):
            raise ending
    [call] = told.spans()
    assert call.attributes["network.transport"] == "tcp"
    names = ("error.type", "rpc.response.status_code")
    assert {name: call.attributes[name] for name in names if name in call.attributes} == expected
    assert call.status.is_ok == (not expected)
    assert not call.events, "an exception's text may hold anything"


def test_who_gives_out_tokens_learns_nothing_of_the_call(
    monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    monkeypatch.setenv("T_ID", "id")
    monkeypatch.setenv("T_SECRET", "s3cr3t")

    async def run() -> tuple[dict[str, str], dict[str, str]]:
        async with upstream(answer(200, b'{"access_token":"t"}')) as issuer, upstream() as server:
            scheme = OAuth2(
                token="T_TOKEN",
                client_id="T_ID",
                client_secret="T_SECRET",
                token_url=f"{issuer.url}/token",
            )
            api = Api("T", (server.url,), {"oauth": scheme}, (("oauth",),))
            with Tracing("t").call("get_pet", exchange()):
                await api.send(Request("GET", "/"))
            await api.close()
            return issuer.headers(), server.headers()

    issuer, server = asyncio.run(run())
    assert not META.keys() & issuer.keys()
    assert META.keys() <= server.keys()
    assert "s3cr3t" not in str([span.to_json() for span in told.spans()])


def test_a_header_of_the_document_is_not_sent_twice(told: Told) -> None:
    request = Request("GET", "/")
    request.header("Traceparent", "mine")
    made = traced(request)
    lines = [line for line in made.lines() if line.lower().startswith("traceparent")]
    assert lines == ["Traceparent: mine"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
        ("tracestate", "a@b=x y , c=1"),
        ("baggage", "userId=alice,serverNode=DF%2028,isProduction=false"),
        ("baggage", "a = 1;prop;other=2, b=3"),
    ],
)
def test_what_the_recommendations_show_is_handed_on(name: str, text: str) -> None:
    meta = {"traceparent": META["traceparent"], name: text}
    assert trace_of(meta) == meta


def test_it_costs_no_import_where_nothing_is_set_up() -> None:
    code = (
        "import sys; sys.path[:0] = [%r]; from mcpgen.runtime.tracing import Tracing; Tracing('t');"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    path = next(one for one in sys.path if one.endswith("generator"))
    done = subprocess.run(
        [sys.executable, "-S", "-c", code % path], capture_output=True, encoding="utf-8", timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
