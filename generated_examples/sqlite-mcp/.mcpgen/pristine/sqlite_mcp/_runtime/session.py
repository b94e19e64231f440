"""The protocol core, without I/O: a message in, an answer or a request under way out.

`Session.receive(bytes)` gives an `Answer` to write, an `Exchange` whose `await exchange.run()` gives one later, a
`Batch` of both, or None. Both eras are served at once: each request is routed by what it says of itself. What a
request has to say or ask before its answer goes through `exchange.send`, which the transport may set.
"""

from __future__ import annotations

import sys

from .messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    RpcError,
    decode,
    encode,
    error_message,
    notification,
    result_message,
)
from .versions import STATELESS, has, has_method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol, TypeAlias

    from .messages import Id, Json
    from .server import Server

    Outcome: TypeAlias = "Answer | Exchange | Batch | None"
    Send: TypeAlias = Callable[[bytes], None]
    # Whether the routing headers of an HTTP request say what its body says; raises RpcError.
    Check: TypeAlias = Callable[[str, Mapping[str, Json]], None]

    class Cancellable(Protocol):
        def cancel(self) -> object: ...


PREFIX = "io.modelcontextprotocol/"
VERSION_KEY = PREFIX + "protocolVersion"
CAPABILITIES_KEY = PREFIX + "clientCapabilities"
CLIENT_KEY = PREFIX + "clientInfo"
LOG_LEVEL_KEY = PREFIX + "logLevel"
SERVER_KEY = PREFIX + "serverInfo"
# RFC 5424, from the least to the most severe.
LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Answer:
    """A response as bytes; `code` is the error's, for the transport that has statuses of its own."""

    __slots__ = ("code", "data")

    def __init__(self, data: bytes, code: int | None = None) -> None:
        self.data = data
        self.code = code


class Session:
    """One peer. `version` is what the handshake agreed on, or None before it; `can_ask`: its answers come back here."""

    def __init__(
        self, server: Server, send: Send, *, version: str | None = None, can_ask: bool = False
    ) -> None:
        self.server = server
        self.send = send
        self.version = version
        self.can_ask = can_ask
        self.capabilities: Mapping[str, Json] = {}
        self.client: Mapping[str, Json] = {}
        self.log_level = "info"  # what logging/setLevel says
        self.subscribed: set[str] = set()  # by resources/subscribe
        self.under_way: dict[Id, Exchange] = {}
        self._asked: dict[Id, Future[Json]] = {}
        self._questions = 0

    def receive(self, data: bytes) -> Outcome:
        """Take one message as it came."""
        try:
            return self.take(decode(data))
        except ValueError as error:
            return not_json(error)

    def take(
        self, message: Json, *, stateless: bool = False, check: Check | None = None
    ) -> Outcome:
        """Take one message. `stateless` says that the transport already knows it to be of the newer era."""
        if isinstance(message, list):
            return self._take_batch(message)
        return self._take_one(message, stateless, check)

    def refuse(self, reason: str) -> Answer:
        """The answer to what was no message at all."""
        return _failure(None, RpcError(INVALID_REQUEST, reason))

    def _take_batch(self, messages: list[Json]) -> Outcome:
        if not messages or self.version is None or not has(self.version, "batch"):
            return _failure(None, RpcError(INVALID_REQUEST, "Send one message at a time"))
        if any(isinstance(one, dict) and one.get("method") == "initialize" for one in messages):
            return _failure(None, RpcError(INVALID_REQUEST, "initialize comes in no batch"))
        outcomes = [self._take_one(message, False, None) for message in messages]
        work = [outcome for outcome in outcomes if outcome is not None]
        return Batch(work) if work else None

    def _take_one(self, message: Json, stateless: bool, check: Check | None) -> Outcome:
        identifier: Id | None = None
        try:
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                raise RpcError(INVALID_REQUEST, 'A message is an object with "jsonrpc": "2.0"')
            if "method" not in message and ("result" in message or "error" in message):
                self._take_response(message)
                return None
            if "id" in message:
                identifier = _identifier(message["id"])
            method, params = message.get("method"), message.get("params")
            if not isinstance(method, str):
                raise RpcError(INVALID_REQUEST, "A request names its method")
            if params is not None and not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, "params must be an object")
            if identifier is None:
                self._take_notification(method, params or {})
                return None
            if identifier in self.under_way:
                raise RpcError(INVALID_REQUEST, f"The id {identifier!r} is still in use")
            return self._start(identifier, method, params or {}, stateless, check)
        except RpcError as error:
            return _failure(identifier, error)
        except Exception as error:
            return _failure(identifier, wire_error(error))

    def _start(
        self, identifier: Id, method: str, params: Json, stateless: bool, check: Check | None
    ) -> Answer | Exchange:
        if stateless or is_stateless(params):
            exchange = self._stateless(identifier, method, params, check)
        else:
            exchange = self._with_handshake(identifier, method, params)
        if not has_method(exchange.version, method) or not self.server.offers(method):
            raise RpcError(METHOD_NOT_FOUND, f"There is no method {method!r} here")
        handle = self.server.immediate.get(method)
        if handle:
            return Answer(exchange.result(handle(exchange)))
        self.under_way[identifier] = exchange
        return exchange

    def _stateless(
        self, identifier: Id, method: str, params: Json, check: Check | None
    ) -> Exchange:
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        version, capabilities = meta.get(VERSION_KEY), meta.get(CAPABILITIES_KEY)
        for key, value, kind in (
            (VERSION_KEY, version, str),
            (CAPABILITIES_KEY, capabilities, dict),
        ):
            if not isinstance(value, kind):
                what = "an object" if kind is dict else "a string"
                raise RpcError(INVALID_PARAMS, f"params._meta needs {key!r}, {what}")
        if check:
            check(method, params)
        if version not in STATELESS:
            supported = {"supported": list(STATELESS), "requested": version}
            raise RpcError(UNSUPPORTED_VERSION, f"Revision {version!r} is not served", supported)
        exchange = Exchange(self, identifier, method, params, str(version))
        exchange.capabilities = capabilities or {}
        client = meta.get(CLIENT_KEY)
        exchange.client = client if isinstance(client, dict) else {}
        exchange.log_level = log_level(meta[LOG_LEVEL_KEY]) if LOG_LEVEL_KEY in meta else None
        return exchange

    def _with_handshake(self, identifier: Id, method: str, params: Json) -> Exchange:
        if self.version is None and method not in ("initialize", "ping"):
            raise RpcError(
                INVALID_PARAMS,
                f"Send initialize first, or name a revision in params._meta[{VERSION_KEY!r}]",
            )
        exchange = Exchange(self, identifier, method, params, self.version or "2024-11-05")
        exchange.capabilities = self.capabilities
        exchange.client = self.client
        exchange.log_level = self.log_level
        return exchange

    def _take_notification(self, method: str, params: Mapping[str, Json]) -> None:
        if method == "notifications/cancelled":
            target = params.get("requestId")
            # True would be found as the id 1
            known = isinstance(target, (str, int)) and not isinstance(target, bool)
            exchange = self.under_way.get(target) if known else None  # type: ignore[arg-type]
            if exchange:
                exchange.cancel()

    async def ask(self, send: Send, method: str, params: Json) -> Json:
        """Send the client a request and wait for its result. Raises RpcError with what it says instead."""
        from asyncio import get_running_loop

        self._questions += 1
        identifier = f"server-{self._questions}"
        answer = self._asked[identifier] = get_running_loop().create_future()
        send(encode({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}))
        try:
            return await answer
        finally:
            del self._asked[identifier]

    def _take_response(self, message: Mapping[str, Json]) -> None:
        """An answer of the client; one that nobody waits for is dropped."""
        identifier = message.get("id")
        answer = self._asked.get(identifier) if isinstance(identifier, str) else None
        if answer is None or answer.done():
            return
        if "result" in message:
            answer.set_result(message["result"])
        else:
            error = message["error"] if isinstance(message["error"], dict) else {}
            answer.set_exception(
                RpcError(INTERNAL_ERROR, f"The client answered: {error.get('message')}")
            )

    def close(self) -> None:
        for exchange in list(self.under_way.values()):
            exchange.cancel()


class Exchange:
    """One request under way: what it asks, in which revision, and how it is answered."""

    __slots__ = (
        "caller",
        "cancelled",
        "capabilities",
        "client",
        "headers",
        "identifier",
        "leave_stream",
        "log_level",
        "meta",
        "method",
        "params",
        "result_meta",
        "result_type",
        "send",
        "session",
        "task",
        "version",
    )

    def __init__(
        self, session: Session, identifier: Id, method: str, params: Json, version: str
    ) -> None:
        self.session = session
        self.identifier = identifier
        self.method = method
        self.params: Mapping[str, Json] = params
        self.version = version
        self.capabilities: Mapping[str, Json] = {}
        self.client: Mapping[str, Json] = {}
        meta = params.get("_meta")
        self.meta: Mapping[str, Json] = meta if isinstance(meta, dict) else {}
        self.result_meta: dict[str, Json] = {}
        self.result_type = "complete"
        self.log_level: str | None = None
        self.send: Send = session.send
        # What the transport knows besides: the request's headers, the claims of its token, how to let a stream rest.
        self.headers: Mapping[str, str] = {}
        self.caller: Mapping[str, Json] = {}
        self.leave_stream: Callable[[], None] | None = None
        self.task: Cancellable | None = None
        self.cancelled = False

    async def run(self) -> Answer | None:
        """Do what was asked. None when it was cancelled, since nothing may be said then."""
        try:
            answer = Answer(self.result(await self.session.server.handle(self)))
        except Exception as error:
            answer = _failure(self.identifier, wire_error(error))
        return None if self.cancelled else answer

    def result(self, members: bytes) -> bytes:
        """The response with these members, and what the revision wants in every result."""
        server = self.session.server
        if has(self.version, "resultType"):
            start = server.result_start(self.method, self.result_type)
            members = start + (b"," + members if members else b"")
            meta = {SERVER_KEY: server.identity(self.version), **self.result_meta}
        else:
            meta = self.result_meta
        if meta:
            members += (b"," if members else b"") + b'"_meta":' + encode(meta)
        return result_message(self.identifier, members)

    def notify(self, method: str, params: Json) -> None:
        """Say something before the answer."""
        if not self.cancelled:
            self.send(notification(method, params))

    def cancel(self) -> None:
        self.cancelled = True
        if self.task:
            self.task.cancel()
        self.end()

    def end(self) -> None:
        """The transport has done with it: its id is free again."""
        if self.session.under_way.get(self.identifier) is self:
            del self.session.under_way[self.identifier]


class Batch:
    """Several messages that came as one, which only 2025-03-26 knows; answered as one, as far as there are answers."""

    def __init__(self, outcomes: list[Answer | Exchange | Batch]) -> None:
        self.outcomes = outcomes

    @property
    def exchanges(self) -> list[Exchange]:
        return [one for one in self.outcomes if isinstance(one, Exchange)]

    async def run(self) -> Answer | None:
        from asyncio import create_task, gather

        for exchange in self.exchanges:
            exchange.task = create_task(exchange.run())
        tasks: list[Any] = [exchange.task for exchange in self.exchanges]
        done = await gather(*tasks, return_exceptions=True)
        for exchange in self.exchanges:
            exchange.end()
        answers = [one for one in [*self.outcomes, *done] if isinstance(one, Answer)]
        if not answers:
            return None
        return Answer(b"[" + b",".join([answer.data for answer in answers]) + b"]")


def is_stateless(params: Json) -> bool:
    """Whether a request says its revision itself, which makes it one of the newer era."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def log_level(value: Json) -> str:
    if value not in LOG_LEVELS:
        raise RpcError(INVALID_PARAMS, f"A log level is one of {', '.join(LOG_LEVELS)}")
    return str(value)


def not_json(error: ValueError) -> Answer:
    return _failure(None, RpcError(PARSE_ERROR, f"Not JSON in UTF-8: {error}"))


def wire_error(error: Exception) -> RpcError:
    """The one place where an exception becomes what a peer sees. What it was goes to the log only."""
    if isinstance(error, RpcError):
        return error
    import traceback

    print("".join(traceback.format_exception(error)), file=sys.stderr, end="")
    return RpcError(INTERNAL_ERROR, "Internal error; the server's log says more")


def _failure(identifier: Id | None, error: RpcError) -> Answer:
    return Answer(error_message(identifier, error), error.code)


def _identifier(value: Json) -> Id:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise RpcError(INVALID_REQUEST, "The id of a request is a string or an integer")
