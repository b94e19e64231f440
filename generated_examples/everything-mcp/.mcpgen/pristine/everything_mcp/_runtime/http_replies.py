"""HTTP responses over ASGI: JSON at once, or server-sent events from the moment that something is said before the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

RETRY_MS = 500  # when a client that was let go may come back


class Refused(Exception):
    """An answer of HTTP alone."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.headers = dict(headers or {})


class Reply:
    """One HTTP response. `resumable`: its events have ids, and it says at its start where to go on from."""

    def __init__(self, send: Send, *, streams: bool, resumable: bool = False) -> None:
        self._send = send
        self._streams = streams
        self._resumable = resumable
        self._open = False

    async def open(self, identifier: str) -> None:
        """Begin the stream, if it has not begun."""
        if self._open or not self._streams:
            return
        self._open = True
        headers = {
            "Content-Type": "text/event-stream",
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",
        }
        await self._send({"type": "http.response.start", "status": 200, "headers": pairs(headers)})
        if self._resumable:  # 2025-11-25, transports: prime the client to come back
            await self._write(b"id: %s\nretry: %d\ndata:\n\n" % (identifier.encode(), RETRY_MS))

    async def event(self, message: bytes, identifier: str) -> None:
        if self._open:
            mark = b"id: %s\n" % identifier.encode() if self._resumable else b""
            await self._write(mark + b"event: message\ndata: " + message + b"\n\n")

    async def keep_alive(self) -> None:
        if self._open:
            await self._write(b": still at it\n\n")

    async def end(self, answer: bytes | None, identifier: str, status: int = 200) -> None:
        """Say the answer, if there is one, and close."""
        if not self._open:
            return await respond(self._send, status if answer else 202, answer or b"")
        if answer:
            await self.event(answer, identifier)
        await self._send({"type": "http.response.body", "body": b""})

    async def _write(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


def pairs(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


async def respond(
    send: Send, status: int, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    shown = {
        **({"Content-Type": "application/json"} if body else {}),
        "Content-Length": str(len(body)),
        **(headers or {}),
    }
    await send({"type": "http.response.start", "status": status, "headers": pairs(shown)})
    await send({"type": "http.response.body", "body": body})
