"""Where a call belongs in a distributed trace: from the client's `_meta` on to the API, as spans where OpenTelemetry is on.

It is on where the environment says where to send to (OTEL_EXPORTER_OTLP_ENDPOINT, with the extra `otel`), and where the program
that we are mounted into has loaded it. Without it the client's trace context is handed on as it came.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# W3C Trace Context and Baggage: what is no such value is not handed on.
VALUES = {
    "traceparent": r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}",
    "tracestate": r"[\x21-\x7e \t]{1,512}",
    "baggage": r"[\x21-\x7e \t]{1,8192}",
}
# What the requests of the call under way carry, and who traces it.
CARRIED: ContextVar[Mapping[str, str]] = ContextVar("CARRIED", default={})
CURRENT: ContextVar[Tracing | None] = ContextVar("CURRENT", default=None)


def trace_of(meta: Mapping[str, Any]) -> dict[str, str]:
    """The trace context of a request's `_meta` (2026-07-28, basic)."""
    return {
        name: value
        for name, pattern in VALUES.items()
        if isinstance(value := meta.get(name), str) and re.fullmatch(pattern, value)
    }


class Tracing:
    """The spans and durations of one server; made once, and cheap where OpenTelemetry is off."""

    def __init__(self, service: str) -> None:
        self._api: Any = None
        is_wanted = any(name.startswith("OTEL_EXPORTER_OTLP_") for name in os.environ)
        if not is_wanted and "opentelemetry.trace" not in sys.modules:
            return
        try:
            from opentelemetry import metrics, propagate, trace
        except ModuleNotFoundError:
            from logging import getLogger

            getLogger(__name__).warning("OTEL_EXPORTER_OTLP_… is set: install the extra `otel`")
            return
        if is_wanted:
            _configure(service)
        self._api = trace
        self._propagate = propagate
        self._tracer = trace.get_tracer("mcpgen")
        meter = metrics.get_meter("mcpgen")
        self._calls = meter.create_histogram("mcp.server.operation.duration", "s")
        self._requests = meter.create_histogram("http.client.request.duration", "s")

    async def close(self) -> None:
        """Send what has not been sent."""
        if self._api is not None:
            import asyncio

            from opentelemetry import metrics

            providers = (self._api.get_tracer_provider(), metrics.get_meter_provider())
            flushes = [getattr(one, "force_flush", None) for one in providers]
            await asyncio.gather(*[asyncio.to_thread(one) for one in flushes if one])

    @contextmanager
    def call(self, tool: str, meta: Mapping[str, Any], version: str) -> Iterator[dict[str, Any]]:
        """A tool call. What is put into the mapping becomes attributes at its end; `error.type` marks a failure."""
        carried = trace_of(meta)
        CURRENT.set(self)
        if self._api is None:
            CARRIED.set(carried)
            yield {}
            return
        attributes = {
            "mcp.method.name": "tools/call",
            "gen_ai.tool.name": tool,
            "mcp.protocol.version": version,
        }
        kind = self._api.SpanKind.SERVER
        parent = self._propagate.extract(carried)
        with self._span(f"tools/call {tool}", kind, attributes, self._calls, parent) as said:
            CARRIED.set(carried)
            yield said

    @contextmanager
    def request(self, method: str, url: str) -> Iterator[dict[str, Any]]:
        """A request to the API; `url` has nothing secret."""
        if self._api is None:
            yield {}
            return
        from urllib.parse import urlsplit

        attributes = {
            "http.request.method": method,
            "server.address": urlsplit(url).hostname or "",
            "url.full": url.partition("?")[0],
        }
        with self._span(method, self._api.SpanKind.CLIENT, attributes, self._requests) as said:
            yield said

    def headers(self) -> dict[str, str]:
        """What a request carries: the span that is open, or the client's own context."""
        carried = dict(CARRIED.get())
        if self._api is not None:
            self._propagate.inject(carried)
        return carried

    @contextmanager
    def _span(
        self, name: str, kind: Any, attributes: dict[str, str], durations: Any, parent: Any = None
    ) -> Iterator[dict[str, Any]]:
        said: dict[str, Any] = {}
        begun = time.perf_counter()
        with self._tracer.start_as_current_span(
            name, parent, kind, attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield said
            except BaseException as error:
                said.setdefault("error.type", type(error).__name__)
                raise
            finally:
                span.set_attributes(said)
                if "error.type" in said:
                    span.set_status(self._api.StatusCode.ERROR)
                shown = {
                    key: one for key, one in {**attributes, **said}.items() if key != "url.full"
                }
                durations.record(time.perf_counter() - begun, shown)


def _configure(service: str) -> None:
    """Send by OTLP over HTTP, unless the program that we are part of has its own way."""
    from opentelemetry import metrics, trace

    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME") or service})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    metrics.set_meter_provider(MeterProvider([reader], resource=resource))
