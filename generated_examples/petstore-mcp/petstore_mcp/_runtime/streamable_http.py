"""MCP over Streamable HTTP, as an ASGI application: one endpoint for both eras, no state between requests.

`App(server)` mounts into any ASGI program; `serve(server)` runs it on uvicorn. An answer is JSON, unless something is
to be said before it: then it is a stream of server-sent events that ends with the answer.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import os
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from .messages import HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from .server import Server
from .session import VERSION_KEY, Answer, Batch, Exchange, Session
from .versions import HANDSHAKE, HTTP_DEFAULT, STATELESS

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

ENDPOINTS = ("/mcp", "/mcp/")
LONGEST_BODY = 64 * 2**20  # a base64 file in an argument is long
QUIET = 15.0  # seconds without a word before a stream is opened or kept alive: proxies give up after 30 to 60
LOCAL = ("127.0.0.1", "localhost", "[::1]", "::1")
# The member of params that Mcp-Name repeats (2026-07-28, transports).
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
OFF = "off"


class Refused(Exception):
    """An answer of HTTP alone."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.headers = dict(headers or {})


class Protection:
    """Who may ask: names in Host and Origin, and a bearer token.

    Environment: `<prefix>_SERVER_TOKEN` is the token that callers must show, `off` for none;
    `<prefix>_ALLOWED_HOSTS` and `<prefix>_ALLOWED_ORIGINS` are comma-separated names beside the server's own, `*` for any.
    """

    def __init__(self, prefix: str, host: str, port: int) -> None:
        token = os.environ.get(f"{prefix}_SERVER_TOKEN", "")
        self.is_local = host in LOCAL
        if not self.is_local and not token:
            raise SystemExit(
                f"error: {host} can be reached by others: set {prefix}_SERVER_TOKEN to a secret that callers must"
                f" send as a bearer token, or to {OFF!r} to let anybody call"
            )
        self.token = "" if token == OFF else token
        own = {host, *(LOCAL if self.is_local else ())}
        self.hosts = {f"{name}:{port}" for name in own} | own | _names(f"{prefix}_ALLOWED_HOSTS")
        self.origins = {f"http://{name}:{port}" for name in own} | _names(
            f"{prefix}_ALLOWED_ORIGINS"
        )

    def check(self, headers: Mapping[str, str]) -> None:
        """Raises Refused. A page that a browser was led to must not speak for its user (DNS rebinding)."""
        if "*" not in self.hosts and headers.get("host", "").lower() not in self.hosts:
            raise Refused(421, "This Host is not served here")
        origin = headers.get("origin")
        if origin is not None and "*" not in self.origins and origin.lower() not in self.origins:
            raise Refused(403, "This Origin may not call")
        if self.token:
            kind, _, shown = headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(
                shown.strip().encode(), self.token.encode()
            ):
                raise Refused(401, "A bearer token is needed", {"WWW-Authenticate": "Bearer"})


def _names(variable: str) -> set[str]:
    return {one.strip().lower() for one in os.environ.get(variable, "").split(",") if one.strip()}


class App:
    """The ASGI application."""

    def __init__(self, server: Server, protection: Protection) -> None:
        self._server = server
        self._protection = protection
        self._under_way: set[asyncio.Task[Any]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._lifespan(receive, send)
        if scope["type"] != "http":
            return None
        try:
            await self._request(scope, receive, send)
        except Refused as refused:
            body = json.dumps({"error": str(refused)}).encode()
            await _respond(send, refused.status, body, refused.headers)
        return None

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                for task in self._under_way:
                    task.cancel()
                await self._server.close()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if path == "/healthz":
            return await _respond(send, 200, b'{"status":"ok"}')
        if path not in ENDPOINTS:
            raise Refused(404, "MCP is at /mcp")
        headers = _headers(scope)
        self._protection.check(headers)
        if scope["method"] != "POST":
            raise Refused(405, "Send requests by POST", {"Allow": "POST"})
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "The body must be application/json")
        if not _accepts(headers.get("accept", "*/*")):
            raise Refused(406, "Accept application/json and text/event-stream")
        await self._message(headers, await _body(headers, receive), receive, send)

    async def _message(
        self, headers: Mapping[str, str], body: bytes, receive: Receive, send: Send
    ) -> None:
        version = headers.get("mcp-protocol-version")
        stateless = version is not None and version not in HANDSHAKE
        if (
            version is not None
            and stateless
            and VERSION_KEY.encode() not in body
            and version not in STATELESS
        ):
            raise Refused(
                400,
                f"Revision {version!r} is not served; {', '.join((*HANDSHAKE, *STATELESS))} are",
            )
        modern = stateless or VERSION_KEY.encode() in body
        session = Session(
            self._server, lambda data: None, version=None if modern else version or HTTP_DEFAULT
        )
        outcome = session.receive(
            body,
            stateless=stateless,
            check=lambda method, params: check_headers(headers, method, params),
        )
        if outcome is None:
            return await _respond(send, 202, b"")
        if isinstance(outcome, Answer):
            return await _respond(send, status_of(outcome, modern=modern), outcome.data)
        reply = Reply(
            send,
            streams="text/event-stream" in headers.get("accept", "") or "accept" not in headers,
        )
        await self._run(outcome, reply, receive, cancels=modern)
        return None

    async def _run(
        self, work: Exchange | Batch, reply: Reply, receive: Receive, *, cancels: bool
    ) -> None:
        """Answer when the work is done; say what it says before. A client that goes cancels what it asked (2026-07-28)."""
        said: asyncio.Queue[bytes] = asyncio.Queue()
        for exchange in work.exchanges if isinstance(work, Batch) else [work]:
            exchange.send = said.put_nowait
        task = asyncio.create_task(work.run())
        if isinstance(work, Exchange):
            work.task = task
        gone = asyncio.create_task(_gone(receive))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            while not task.done():
                word = asyncio.create_task(said.get())
                await asyncio.wait(
                    {task, gone, word}, timeout=QUIET, return_when=asyncio.FIRST_COMPLETED
                )
                if word.done():
                    await reply.event(word.result())
                    continue
                word.cancel()
                if gone.done():
                    return _leave(work, task, cancels=cancels)
                if not task.done():
                    await reply.keep_alive()
            while not said.empty():
                await reply.event(said.get_nowait())
            await reply.end(None if task.cancelled() else task.result())
        finally:
            gone.cancel()
            if isinstance(work, Exchange):
                work.end()


class Reply:
    """One HTTP response: JSON, or a stream from the moment that something is said before the answer."""

    def __init__(self, send: Send, *, streams: bool) -> None:
        self._send = send
        self._streams = streams
        self._open = False

    async def event(self, message: bytes) -> None:
        if self._streams:
            await self._start()
            await self._write(b"event: message\ndata: " + message + b"\n\n")

    async def keep_alive(self) -> None:
        if self._streams:
            await self._start()
            await self._write(b": still at it\n\n")

    async def end(self, answer: Answer | None) -> None:
        if not self._open:
            return await _respond(
                self._send, 200 if answer else 202, answer.data if answer else b""
            )
        if answer:
            await self.event(answer.data)
        await self._send({"type": "http.response.body", "body": b""})

    async def _start(self) -> None:
        if not self._open:
            self._open = True
            headers = {
                "Content-Type": "text/event-stream",
                "Cache-Control": "no-store",
                "X-Accel-Buffering": "no",
            }
            await self._send(
                {"type": "http.response.start", "status": 200, "headers": _pairs(headers)}
            )

    async def _write(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


def _leave(work: Exchange | Batch, task: asyncio.Task[Answer | None], *, cancels: bool) -> None:
    """The client is gone: it gets nothing more, and its work stops where its revision says so."""
    if cancels:
        work.cancel() if isinstance(work, Exchange) else task.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def check_headers(headers: Mapping[str, str], method: str, params: Mapping[str, Any]) -> None:
    """The routing headers say what the body says (2026-07-28, transports). Raises RpcError."""
    wanted = {"mcp-protocol-version": params["_meta"][VERSION_KEY], "mcp-method": method}
    if method in NAMED:
        wanted["mcp-name"] = params.get(NAMED[method])
    for name, value in wanted.items():
        shown = _decoded(headers.get(name))
        if shown is None or shown != value:
            raise RpcError(
                HEADER_MISMATCH, f"The header {name} must be there and say what the body says"
            )


def _decoded(value: str | None) -> str | None:
    """A header's value; what is no plain text comes as `=?base64?…?=`."""
    found = re.fullmatch(r"=\?base64\?([A-Za-z0-9+/]*={0,2})\?=", value or "")
    if found is None:
        return value
    try:
        return base64.b64decode(found[1], validate=True).decode("utf-8")
    except ValueError:
        return None


def status_of(answer: Answer, *, modern: bool) -> int:
    """The status of a request that was refused before it was carried out."""
    if answer.code is None:
        return 200
    if not modern and answer.code in (METHOD_NOT_FOUND, INVALID_PARAMS):
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


def _pairs(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


async def _respond(
    send: Send, status: int, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    shown = {
        **({"Content-Type": "application/json"} if body else {}),
        "Content-Length": str(len(body)),
    }
    pairs = _pairs({**shown, **(headers or {})})
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


def serve(server: Server) -> None:
    """Run on uvicorn until told to stop."""
    try:
        import uvicorn
    except ModuleNotFoundError:
        name = server.package.replace("_", "-")
        raise SystemExit(f"error: HTTP needs uvicorn: pip install '{name}[http]'") from None
    options = server.options
    prefix = server.package.removesuffix("_mcp").upper()
    app = App(server, Protection(prefix, options.host, options.port))
    uvicorn.run(
        app,
        host=options.host,
        port=options.port,
        log_level=options.log_level,
        access_log=False,
        timeout_graceful_shutdown=5,
    )
