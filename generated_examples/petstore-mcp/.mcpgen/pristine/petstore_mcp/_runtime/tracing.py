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
    from contextlib import AbstractContextManager
    from typing import Any

    from .session import Exchange

# W3C Trace Context §3.2 and §3.3, W3C Baggage §3: what is no such value is not handed on.
TRACEPARENT = r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
LISTS = {  # how long they may be, and what each of their entries is
    "tracestate": (512, r"[a-z0-9][a-z0-9_\-*/@]{0,255}=[ -+\--<>-~]{1,256}"),
    "baggage": (8192, r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+ ?= ?[!#-+\--:<-\[\]-~]* ?(;[ -~]*)?"),
}
# The names that the convention knows; any other is one, so that there are not too many.
METHODS = "GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY".split()
# What the conventions advise, in seconds: those of the SDK are for milliseconds.
CALL_BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
REQUEST_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)

# The tool call under way.
CURRENT: ContextVar[Trace | None] = ContextVar("CURRENT", default=None)


def trace_of(meta: Mapping[str, Any]) -> dict[str, str]:
    """The trace context of a request's `_meta` (2026-07-28, basic), as far as it is one."""
    found: dict[str, str] = {}
    if not meta:
        return found
    if _fits(meta.get("traceparent"), 55, TRACEPARENT):
        found["traceparent"] = meta["traceparent"]
    for name, (longest, entry) in LISTS.items():
        text = meta.get(name)
        if name == "tracestate" and not found:  # it says nothing without its parent
            continue
        if isinstance(text, str) and all(_fits(one, longest, entry) for one in text.split(",")):
            if len(text) <= longest:
                found[name] = text
    return found


def _fits(value: Any, longest: int, pattern: str) -> bool:
    if not isinstance(value, str) or len(value) > longest:
        return False
    return re.fullmatch(pattern, value.strip(" ")) is not None


class Trace:
    """One tool call: the context that its requests carry, what its span says in the end, and what the API answered."""

    def __init__(self, tracing: Tracing, carried: dict[str, str]) -> None:
        self._tracing = tracing
        self._carried = carried
        self.said: dict[str, Any] = {}
        self.status: int | None = None  # of the last answer
        self.received = 0  # bytes

    def answered(self, status: int, size: int) -> None:
        self.status = status
        self.received += size

    @property
    def is_silent(self) -> bool:
        """Whether a request has nothing to carry and nobody to be told of it."""
        return not self._carried and not self._tracing.is_on

    def __enter__(self) -> Trace:
        self._token = CURRENT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        CURRENT.reset(self._token)

    def request(self, method: str, url: str) -> AbstractContextManager[dict[str, Any]]:
        """A request to the API; `url` has nothing secret. What is put into the mapping becomes attributes at its end."""
        return self._tracing.request(method, url)

    def headers(self) -> dict[str, str]:
        """What a request carries: the span that is open, or the client's own context."""
        return self._tracing.inject(self._carried)


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
        self._calls, self._requests = [
            meter.create_histogram(name, "s", explicit_bucket_boundaries_advisory=buckets)
            for name, buckets in (
                ("mcp.server.operation.duration", CALL_BUCKETS),
                ("http.client.request.duration", REQUEST_BUCKETS),
            )
        ]

    async def close(self) -> None:
        """Send what has not been sent."""
        if self.is_on:
            import asyncio

            from opentelemetry import metrics

            providers = (self._api.get_tracer_provider(), metrics.get_meter_provider())
            flushes = [getattr(one, "force_flush", None) for one in providers]
            await asyncio.gather(*[asyncio.to_thread(one) for one in flushes if one])

    @property
    def is_on(self) -> bool:
        return self._api is not None

    def call(self, tool: str, exchange: Exchange) -> AbstractContextManager[Trace]:
        """A tool call. Its trace may say more at its end; `error.type` marks a failure."""
        trace = Trace(self, trace_of(exchange.meta))
        return self._spanned(trace, tool, exchange) if self.is_on else trace

    @contextmanager
    def _spanned(self, trace: Trace, tool: str, exchange: Exchange) -> Iterator[Trace]:
        attributes = {
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "mcp.protocol.version": exchange.version,
            "network.transport": "tcp" if exchange.headers else "pipe",
        }
        with (
            trace,
            self._span(
                f"tools/call {tool}",
                self._api.SpanKind.SERVER,
                attributes,
                {"jsonrpc.request.id": str(exchange.identifier)},
                durations=self._calls,
                said=trace.said,
                parent=self._propagate.extract(trace_of(exchange.meta)),
            ),
        ):
            yield trace

    @contextmanager
    def request(self, method: str, url: str) -> Iterator[dict[str, Any]]:
        said: dict[str, Any] = {}
        if not self.is_on:
            yield said
            return
        from urllib.parse import urlsplit

        parts = urlsplit(url)
        attributes = {
            "http.request.method": method if method in METHODS else "_OTHER",
            "server.address": parts.hostname or "",
            "server.port": parts.port or (443 if parts.scheme == "https" else 80),
        }
        with self._span(
            method if method in METHODS else "HTTP",
            self._api.SpanKind.CLIENT,
            attributes,
            {"url.full": url.partition("?")[0]},
            durations=self._requests,
            said=said,
        ):
            yield said

    def inject(self, carried: dict[str, str]) -> dict[str, str]:
        headers = dict(carried)
        if self.is_on:
            self._propagate.inject(headers)
        return headers

    @contextmanager
    def _span(
        self,
        name: str,
        kind: Any,
        attributes: dict[str, Any],
        details: dict[str, Any],
        *,
        durations: Any,
        said: dict[str, Any],
        parent: Any = None,
    ) -> Iterator[None]:
        """Both a span and a duration; `details`, of which there are too many values, are the span's only."""
        from asyncio import CancelledError

        from .messages import RpcError

        begun = time.perf_counter()
        with self._tracer.start_as_current_span(
            name,
            parent,
            kind,
            {**attributes, **details},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except RpcError as error:
                said["error.type"] = said["rpc.response.status_code"] = str(error.code)
                raise
            except (Exception, CancelledError) as error:  # what else there is asks the client
                said.setdefault("error.type", type(error).__name__)
                raise
            finally:
                description = said.pop("description", None)
                span.set_attributes(said)
                if "error.type" in said:
                    span.set_status(self._api.StatusCode.ERROR, description)
                durations.record(time.perf_counter() - begun, {**attributes, **said})


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
