"""MCP over Streamable HTTP, as an ASGI application: one endpoint for both eras, no state between requests.

`App(server)` mounts into any ASGI program; `serve(server)` runs it on uvicorn. An answer is JSON, unless something is
to be said before it: then it is a stream of server-sent events that ends with the answer.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Mapping, MutableMapping
from types import FrameType
from typing import Any, NamedTuple

from .catalog import load_catalog
from .collector import spare_collector
from .http_replies import Receive, Refused, Reply, Send, respond
from .http_streams import HttpSession, Sessions, Stream
from .messages import INVALID_PARAMS, METHOD_NOT_FOUND, decode
from .options import Options
from .protection import Protection
from .routing_headers import check_headers
from .server import Server, prefix_of
from .session import Answer, Batch, Exchange, Session, is_stateless, not_json
from .stdio import on_hangup
from .versions import HANDSHAKE, HTTP_DEFAULT

Scope = MutableMapping[str, Any]

ENDPOINTS = ("/mcp", "/mcp/")
EXPLORER = ("", "/", "/explorer.json")
LONGEST_BODY = 64 * 2**20  # a base64 file in an argument is long
GRACE = 5  # seconds for requests under way when told to stop
FILES = 10_240  # a connection is one; macOS gives no more
SPARE_FILES = 256  # for connections to the API, and whatever handlers open


class Caller(NamedTuple):
    """Who sends a request: its headers, names in lower case, and the claims of its token."""

    headers: Mapping[str, str]
    claims: Mapping[str, Any]


class App:
    """The ASGI application."""

    def __init__(self, server: Server, protection: Protection) -> None:
        self._server = server
        self._protection = protection
        self._under_way: set[asyncio.Task[None]] = set()
        self._sessions = Sessions(server) if server.features else None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._preloading: asyncio.Future[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._lifespan(receive, send)
        if scope["type"] != "http":
            return None
        try:
            await self._request(scope, receive, send)
        except Refused as refused:
            body = json.dumps({"error": str(refused)}).encode()
            await respond(send, refused.status, body, refused.headers)
        return None

    def reload(self) -> None:
        """Take a changed catalog; safe to call from a signal's handler."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._server.reload)

    def stop(self) -> None:
        """End the streams that would never end; safe to call from a signal's handler."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._server.stop)
            if self._sessions:
                self._loop.call_soon_threadsafe(self._sessions.stop)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        self._loop = asyncio.get_running_loop()
        self._preloading = self._loop.run_in_executor(None, self._server.preload)
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                for task in list(self._under_way):
                    task.cancel()
                await self._server.close()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if path == "/healthz":
            return await respond(send, 200, b'{"status":"ok"}')
        if metadata := self._protection.authorization.metadata.get(path):
            if scope["method"] not in ("GET", "HEAD"):
                raise Refused(405, "Metadata is read by GET", {"Allow": "GET, HEAD"})
            return await respond(send, 200, metadata)
        headers = _headers(scope)
        if path in EXPLORER and self._server.options.explorer:
            return await self._explore(path, scope, headers, send)
        if path not in ENDPOINTS:
            raise Refused(404, "MCP is at /mcp")
        caller = await self._protection.check(scope, headers)
        if not self._protection.is_open:
            headers.pop(
                "authorization", None
            )  # it is for this server alone: no handler hands it on
        method, held = scope["method"], headers.get("mcp-session-id")
        if self._sessions and held is not None and method == "DELETE":
            self._sessions.find(held, caller)
            self._sessions.end(held)
            return await respond(send, 200, b"")
        if self._sessions and held is not None and method == "GET":
            return await self._resume(self._sessions.find(held, caller), headers, receive, send)
        if method != "POST":
            raise Refused(405, "Send requests by POST", {"Allow": "POST"})
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "The body must be application/json")
        if not _accepts(headers.get("accept", "*/*")):
            raise Refused(406, "Accept application/json and text/event-stream")
        try:
            message = decode(await _body(headers, receive))
        except ValueError as error:
            return await respond(send, 400, not_json(error).data)
        version = headers.get("mcp-protocol-version")
        params = message.get("params") if isinstance(message, dict) else None
        if is_stateless(params) or (version is not None and version not in HANDSHAKE):
            return await self._stateless(message, Caller(headers, caller), receive, send)
        return await self._with_handshake(message, Caller(headers, caller), receive, send)

    async def _explore(
        self, path: str, scope: Scope, headers: Mapping[str, str], send: Send
    ) -> None:
        """The page is for anybody who may ask this host; what it shows is for those who may call."""
        from .explorer import about, page

        if scope["method"] not in ("GET", "HEAD"):
            raise Refused(405, "The page is read by GET", {"Allow": "GET, HEAD"})
        if path == "/explorer.json":
            await self._protection.check(scope, headers)
            return await respond(send, 200, about(self._server))
        self._protection.check_names(scope, headers)
        return await respond(send, 200, *page())

    async def _stateless(self, message: Any, caller: Caller, receive: Receive, send: Send) -> None:
        headers = caller.headers
        session = Session(self._server, _nowhere)
        outcome = session.take(
            message,
            stateless=True,
            check=lambda method, params: check_headers(headers, method, params, self._server.tools),
        )
        if isinstance(outcome, Answer):
            return await respond(send, _status(outcome), outcome.data)
        if outcome is None:
            return await respond(send, 202, b"")
        stream = Stream()
        task = self._begin(outcome, stream, caller)
        if not await stream.flow(_reply(headers, send), receive) and isinstance(outcome, Exchange):
            outcome.cancel()  # 2026-07-28: who goes has cancelled
            task.cancel()
        return None

    async def _with_handshake(
        self, message: Any, caller: Caller, receive: Receive, send: Send
    ) -> None:
        """A message of an older revision: in its session where one is kept, else by itself."""
        headers = caller.headers
        held: HttpSession | None = None
        is_first = isinstance(message, dict) and message.get("method") == "initialize"
        if self._sessions and is_first:
            held = self._sessions.open(caller.claims)
        elif self._sessions and "mcp-session-id" in headers:
            held = self._sessions.find(headers["mcp-session-id"], caller.claims)
        version = headers.get("mcp-protocol-version", HTTP_DEFAULT)
        session = held.session if held else Session(self._server, _nowhere, version=version)
        outcome = session.take(message)
        if isinstance(outcome, Answer):
            shown: dict[str, str] = {}
            if self._sessions and held and is_first and outcome.code is None:
                self._sessions.keep(held)
                shown["Mcp-Session-Id"] = held.identifier
            lenient = outcome.code in (METHOD_NOT_FOUND, INVALID_PARAMS)
            return await respond(send, 200 if lenient else _status(outcome), outcome.data, shown)
        if outcome is None:
            return await respond(send, 202, b"")
        stream = held.stream() if held else Stream()
        self._begin(outcome, stream, caller, leaves=held is not None and held.is_resumable)
        resumable = held is not None and held.is_resumable
        await stream.flow(_reply(headers, send, resumable=resumable), receive)
        return None

    async def _resume(
        self, held: HttpSession, headers: Mapping[str, str], receive: Receive, send: Send
    ) -> None:
        """A GET: go on with a stream that broke off, or hear what belongs to no request."""
        stream, after = held.find(headers.get("last-event-id"))
        reply = _reply(headers, send, resumable=held.is_resumable)
        await reply.open(f"{stream.name}-{after}")
        await stream.flow(reply, receive, after=after)

    def _begin(
        self,
        work: Exchange | Batch,
        stream: Stream,
        caller: Caller,
        *,
        leaves: bool = False,
    ) -> asyncio.Task[None]:
        """Let the work run on its own: it may outlive the response that waits for it."""
        for exchange in work.exchanges if isinstance(work, Batch) else [work]:
            exchange.send = stream.put
            exchange.headers = caller.headers
            exchange.caller = caller.claims
            exchange.leave_stream = stream.leave if leaves else None
        task = asyncio.create_task(self._work(work, stream))
        if isinstance(work, Exchange):
            work.task = task
        self._under_way.add(task)
        return task

    async def _work(self, work: Exchange | Batch, stream: Stream) -> None:
        answer: Answer | None = None
        try:
            answer = await work.run()
        finally:
            self._under_way.discard(asyncio.current_task())
            if isinstance(work, Exchange):
                work.end()
            stream.finish(answer)


def _nowhere(message: bytes) -> None:
    """Where a session that ends with its request says what belongs to no request."""


def _reply(headers: Mapping[str, str], send: Send, *, resumable: bool = False) -> Reply:
    streams = "text/event-stream" in headers.get("accept", "text/event-stream")
    return Reply(send, streams=streams, resumable=resumable)


def _status(answer: Answer) -> int:
    """The status of a request that was refused before it was carried out."""
    if answer.code is None:
        return 200
    return 404 if answer.code == METHOD_NOT_FOUND else 400


def _headers(scope: Scope) -> dict[str, str]:
    """Names in lower case. A routing header that comes twice could be read in two ways."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name in found and name in (
            "host",
            "origin",
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
        ):
            raise Refused(400, f"The header {name} came twice")
        text = value.decode("latin-1").strip()
        found[name] = f"{found[name]}, {text}" if name in found else text
    return found


def _accepts(accept: str) -> bool:
    types = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    return bool(types & {"*/*", "application/*", "application/json"})


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes:
    chunks: list[bytes] = []
    size = (
        int(headers.get("content-length", "0"))
        if headers.get("content-length", "0").isdigit()
        else 0
    )
    more = True
    while more and size <= LONGEST_BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "The body is not complete")
        chunks.append(message.get("body", b""))
        size = max(size, sum(map(len, chunks)))
        more = message.get("more_body", False)
    if size > LONGEST_BODY:
        raise Refused(413, f"A message has at most {LONGEST_BODY} bytes")
    return b"".join(chunks)


def application(package: str) -> App:
    """The application to mount into another one, or to give to an ASGI server: whoever listens, and where, is theirs."""
    return App(Server(package, load_catalog(package), Options()), Protection(prefix_of(package)))


def serve(server: Server) -> None:
    """Run on uvicorn until told to stop."""
    try:
        import uvicorn
    except ModuleNotFoundError:
        name = server.package.replace("_", "-")
        raise SystemExit(f"error: HTTP needs uvicorn: pip install '{name}[http]'") from None
    options = server.options
    app = App(server, Protection(server.prefix, options.host, options.port))
    config = uvicorn.Config(
        app,
        host=options.host,
        port=options.port,
        log_level=options.log_level,
        access_log=False,
        limit_concurrency=_most_connections(),
        proxy_headers=False,  # nobody here asks where a request came from
        timeout_graceful_shutdown=GRACE,
        workers=1,
    )

    class Running(uvicorn.Server):
        def handle_exit(self, number: int, frame: FrameType | None) -> None:
            app.stop()  # else it waits for them
            super().handle_exit(number, frame)

    for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises it again when all is done
        signal.signal(number, lambda *_: sys.exit(0))
    on_hangup(app.reload)
    spare_collector()
    Running(config).run()


def _most_connections() -> int | None:
    """How many there may be before others are refused (503), after we have asked the system for more files. None: any number."""
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    except (OSError, ValueError):  # macOS has a limit that it does not tell
        most = soft
    return max(most - SPARE_FILES, most // 2)
