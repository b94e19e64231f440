"""What is said in the course of one request, and the sessions of the handshake era that need what was said to be kept.

A session is only kept for a server whose catalog names `features`: things that an answer alone cannot do. It lives in
one process, so that replicas of such a server need a balancer that keeps to `Mcp-Session-Id`.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from .http_replies import Receive, Refused, Reply
from .messages import MISSING_CAPABILITY
from .server import Server
from .session import Answer, Session
from .versions import has

QUIET = 15.0  # seconds without a word before a stream is opened or kept alive: proxies give up after 30 to 60
UNWATCHED = 0.05  # seconds, in which most answers come, before it is looked whether the client is still there
MOST_SESSIONS = 1_000
IDLE = 1_800.0  # seconds after which an unused session may be ended
KEPT_EVENTS = 1_000
KEPT_STREAMS = 32


class Stream:
    """What one request says, in order; for one response at a time, which may leave and be followed by another."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.answer: Answer | None = None
        self.done = False
        self._events: deque[bytes] = deque(maxlen=KEPT_EVENTS)
        self._said = 0
        self._left = False
        self._changed: asyncio.Future[bool] | None = None  # True: there is something to do

    def put(self, message: bytes) -> None:
        self._events.append(message)
        self._said += 1
        self._wake()

    def finish(self, answer: Answer | None) -> None:
        self.answer, self.done = answer, True
        self._wake()

    def leave(self) -> None:
        """Let the client go; it comes back for the rest."""
        self._left = True
        self._wake()

    def _wake(self) -> None:
        if self._changed:
            _settle(self._changed, True)

    async def flow(self, reply: Reply, receive: Receive, *, after: int = 0) -> bool:
        """Pass on what is said from an event on. False if the client goes before the end."""
        at = after
        loop = asyncio.get_running_loop()
        gone: asyncio.Task[None] | None = None
        self._wake()  # whoever waits here is to go
        self._left = False
        try:
            while True:
                at = max(at, self._said - len(self._events))
                while at < self._said:
                    await reply.open(self._id(at))
                    message = self._events[at - self._said + len(self._events)]
                    at += 1
                    await reply.event(message, self._id(at))
                if self.done:
                    data = self.answer.data if self.answer else None
                    missing = self.answer is not None and self.answer.code == MISSING_CAPABILITY
                    await reply.end(data, self._id(at + 1), 400 if missing else 200)
                    return True
                if self._left:
                    await reply.open(self._id(at))
                    await reply.end(None, "")
                    return True
                mine = self._changed = loop.create_future()
                timer = loop.call_later(QUIET if gone else UNWATCHED, _settle, mine, False)
                try:
                    is_said = await mine
                finally:
                    timer.cancel()
                if gone and gone.done():
                    return False
                if self._changed is not mine:
                    await reply.end(None, "")
                    return True
                if is_said:
                    continue
                if gone is None:
                    gone = asyncio.create_task(_gone(receive))
                    gone.add_done_callback(lambda _: self._wake())
                else:
                    await reply.open(self._id(at))
                    await reply.keep_alive()
        finally:
            if gone:
                gone.cancel()

    def _id(self, at: int) -> str:
        return f"{self.name}-{at}"


class HttpSession:
    """A client of the handshake era, and what was said to it that it may want to hear again."""

    def __init__(self, server: Server, user: str | None) -> None:
        self.user = user
        self.identifier = secrets.token_urlsafe(24)
        self.used = time.monotonic()
        self.standing = Stream("0")  # what belongs to no request; it never ends by itself
        self._streams = {"0": self.standing}
        self._count = 0
        self.session = Session(server, self.standing.put, can_ask=True)

    @property
    def is_resumable(self) -> bool:
        return self.session.version is not None and has(self.session.version, "stream polling")

    def stream(self) -> Stream:
        """A stream for one more request."""
        for name in list(self._streams)[1:-KEPT_STREAMS]:
            if self._streams[name].done:
                del self._streams[name]
        self._count += 1
        stream = self._streams[str(self._count)] = Stream(str(self._count))
        return stream

    def find(self, last_event: str | None) -> tuple[Stream, int]:
        """The stream to go on with after this event; without one, that of what belongs to no request."""
        name, _, number = (last_event or "0-0").rpartition("-")
        if name not in self._streams or not number.isdecimal():
            raise Refused(404, "What was said there is not kept any more")
        return self._streams[name], int(number)


class Sessions:
    """The sessions of one process."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._sessions: dict[str, HttpSession] = {}

    def open(self, claims: Mapping[str, Any]) -> HttpSession:
        """One that is not known yet: `keep` it once the handshake is done."""
        for held in list(self._sessions.values()):
            if held.used < time.monotonic() - IDLE and not held.session.under_way:
                self.end(held.identifier)
        if len(self._sessions) >= MOST_SESSIONS:
            raise Refused(503, "Too many sessions are open", {"Retry-After": "60"})
        return HttpSession(self._server, claims.get("sub"))

    def keep(self, held: HttpSession) -> None:
        self._sessions[held.identifier] = held
        if "subscriptions" in self._server.features:
            self._server.subscriptions.add(held.session)

    def find(self, identifier: str, claims: Mapping[str, Any]) -> HttpSession:
        held = self._sessions.get(identifier)
        if held is None or held.user != claims.get("sub"):
            raise Refused(404, "There is no such session (any more): begin with initialize")
        held.used = time.monotonic()
        return held

    def stop(self) -> None:
        for held in self._sessions.values():
            held.standing.leave()

    def end(self, identifier: str) -> None:
        held = self._sessions.pop(identifier)
        held.standing.leave()
        held.session.close()
        self._server.subscriptions.remove(held.session)


def _settle(future: asyncio.Future[bool], value: bool) -> None:
    if not future.done():
        future.set_result(value)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
