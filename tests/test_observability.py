"""What a server tells of its calls: the log on stderr, and traces that go on to the API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SPEC = """\
openapi: 3.1.0
info: {title: Seen, version: "1"}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      security: [{api_key: []}]
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object}}}}}
components: {securitySchemes: {api_key: {type: apiKey, in: query, name: key}}}
"""
SECRET = "s3cr3t-value"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
Json = Any


class Receiver(BaseHTTPRequestHandler):
    """The API, and the collector of OTLP."""

    def do_GET(self) -> None:
        self.server.seen.append((self.path, dict(self.headers)))  # type: ignore[attr-defined]
        body = b"{}"
        if length := int(self.headers.get("Content-Length") or 0):
            self.server.exported.append((self.path, self.rfile.read(length)))  # type: ignore[attr-defined]
        missing = self.path.startswith("/pets/none")
        self.send_response(404 if missing else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, format: str, *arguments: Json) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.seen, server.exported = [], []
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seen")
    (folder / "seen.yaml").write_text(SPEC, encoding="utf-8")
    command = [sys.executable, "-m", "mcpgen", "seen.yaml", "-o", "out", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "out"


def run(
    package: Path,
    url: str,
    *options: str,
    meta: Json = None,
    last_id: Json = 3,
    **environment: str,
) -> str:
    """Call three times, well, wrongly and in vain; gives what went to stderr."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t"}}
    calls: list[Json] = [{"id": "p1"}, {}, {"id": "none-such"}]
    messages = [("initialize", hello)] + [
        ("tools/call", {"name": "get_pet", "arguments": one, "_meta": meta or {}}) for one in calls
    ]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in zip((0, 1, 2, last_id), messages, strict=True)
    ]
    done = subprocess.run(
        [sys.executable, "-m", "seen_mcp", "--base-url", url, *options],
        cwd=package,
        env={**os.environ, "SEEN_API_KEY": SECRET, **environment},
        input="\n".join(lines) + "\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert len(done.stdout.splitlines()) == 4
    assert SECRET not in done.stdout + done.stderr
    return done.stderr


def test_each_call_is_a_line_of_json(package: Path, receiver: Any) -> None:
    told = run(package, receiver.url, "--log-level", "info", "--log-format", "json")
    lines = [json.loads(line) for line in told.splitlines()]
    calls = {one["request_id"]: one for one in lines if one["logger"] == "calls"}
    assert sorted(calls) == [1, 2, 3]
    assert [calls[number]["outcome"] for number in (1, 2, 3)] == [
        "ok",
        "invalid_arguments",
        "upstream_status",
    ]
    assert [calls[number].get("status") for number in (1, 2, 3)] == [200, None, 404]
    assert (calls[1]["received"], "received" in calls[2]) == (2, False)
    assert {type(calls[1][name]) for name in ("duration_ms", "bytes")} == {float, int}
    assert all(one["tool"] == "get_pet" and one["level"] == "info" for one in calls.values())
    assert "p1" not in told, "no arguments"


def test_or_of_text(package: Path, receiver: Any) -> None:
    told = run(package, receiver.url, "--log-level", "info")
    [line] = [one for one in told.splitlines() if "request_id=1" in one]
    assert " INFO calls: tool=get_pet outcome=ok duration_ms=" in line
    assert " status=200 received=2 request_id=1" in line
    assert run(package, receiver.url) == "", "and by default there is none"


def test_an_id_makes_no_line_of_its_own(package: Path, receiver: Any) -> None:
    number = "7\n2026-01-01 INFO calls: tool=forged"
    told = run(package, receiver.url, "--log-level", "info", last_id=number)
    assert [one for one in told.splitlines() if one.startswith("2026-01-01 INFO")] == []
    assert f"request_id={json.dumps(number)}" in told


def test_the_trace_context_of_the_client_goes_on_to_the_api(package: Path, receiver: Any) -> None:
    meta = {"traceparent": PARENT, "tracestate": "a=1", "baggage": "user=ann"}
    run(package, receiver.url, meta=meta)
    _, headers = receiver.seen[0]
    assert {name: headers[name] for name in meta} == meta


@pytest.mark.parametrize(
    "meta",
    [
        {"traceparent": "x"},
        {"traceparent": PARENT + "\r\nX-Evil: 1"},
        {"tracestate": "a=1\nb"},
        {"baggage": "ä" * 9},
        {"baggage": "a" * 9000},
        {"traceparent": 7},
        {"traceparent": PARENT.replace("00-", "ff-", 1)},
        {"traceparent": "00-" + "0" * 32 + "-b7ad6b7169203331-01"},
        {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"},
        {"tracestate": "a=1"},  # without a parent
        {"baggage": "no pair"},
        {"baggage": "a=1\tb"},
    ],
)
def test_what_is_no_trace_context_does_not(package: Path, receiver: Any, meta: Json) -> None:
    run(package, receiver.url, meta=meta)
    for _, headers in receiver.seen:
        assert not {"traceparent", "tracestate", "baggage", "X-Evil"} & headers.keys()


def test_spans_and_durations_are_sent_where_the_environment_says(
    package: Path, receiver: Any
) -> None:
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    told = run(
        package,
        receiver.url,
        meta={"traceparent": PARENT},
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url,
        OTEL_EXPORTER_OTLP_COMPRESSION="none",
    )
    assert told == ""
    spans: list[Any] = []
    metrics: set[str] = set()
    for path, body in receiver.exported:
        if path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                [service] = [
                    one.value.string_value
                    for one in resource.resource.attributes
                    if one.key == "service.name"
                ]
                assert service == "seen_mcp"
                spans += [span for scope in resource.scope_spans for span in scope.spans]
        else:
            for found in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                metrics |= {one.name for scope in found.scope_metrics for one in scope.metrics}
    calls = [span for span in spans if span.name == "tools/call get_pet"]
    requests = [span for span in spans if span.name == "GET"]
    assert (len(calls), len(requests)) == (3, 2)
    trace = bytes.fromhex(PARENT.split("-")[1])
    assert {span.trace_id for span in spans} == {trace}
    assert {span.parent_span_id for span in calls} == {bytes.fromhex(PARENT.split("-")[2])}
    assert {span.parent_span_id for span in requests} <= {span.span_id for span in calls}
    failed = [span for span in calls if span.status.code == 2]
    assert len(failed) == 2
    assert metrics == {"mcp.server.operation.duration", "http.client.request.duration"}
    sent = {
        headers["traceparent"].split("-")[2] for path, headers in receiver.seen if "/pets" in path
    }
    assert sent == {span.span_id.hex() for span in requests}
    assert all(SECRET.encode() not in body for _, body in receiver.exported)
