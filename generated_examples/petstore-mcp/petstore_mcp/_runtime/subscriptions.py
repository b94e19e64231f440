"""Who wants to hear that a list or a resource has changed, and telling them.

In the newer era that is whoever has a `subscriptions/listen` under way; before it, every session that the transport
can say something to at any time.
"""

from __future__ import annotations

import asyncio

from .messages import INVALID_PARAMS, RpcError, notification
from .server import LISTS
from .session import PREFIX, Exchange, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .messages import Json

SUBSCRIPTION_KEY = PREFIX + "subscriptionId"
RESOURCE_UPDATED = "notifications/resources/updated"


class Subscriptions:
    """Shared by all sessions of a server."""

    def __init__(self) -> None:
        self._sessions: set[Session] = set()
        self._listening: dict[Exchange, tuple[set[str], set[str]]] = {}
        self._closed = asyncio.Event()

    def add(self, session: Session) -> None:
        """A session of the handshake era, whose `send` reaches its client at any time."""
        self._sessions.add(session)

    def remove(self, session: Session) -> None:
        self._sessions.discard(session)

    def close(self) -> None:
        self._closed.set()

    def publish(self, method: str, params: Json) -> None:
        """Tell everyone who asked for it."""
        uri = params.get("uri")
        for session in self._sessions:
            if session.version and (uri is None or uri in session.subscribed):
                session.send(notification(method, params))
        for exchange, (methods, uris) in self._listening.items():
            if method in methods or (method == RESOURCE_UPDATED and uri in uris):
                exchange.notify(method, {**params, "_meta": self._mark(exchange)})

    async def listen(self, exchange: Exchange) -> bytes:
        """Hold a `subscriptions/listen` until the client or the server has had enough (2026-07-28, subscriptions)."""
        wanted = exchange.params.get("notifications")
        if not isinstance(wanted, dict):
            raise RpcError(INVALID_PARAMS, "subscriptions/listen needs notifications, an object")
        honoured, methods, uris = self._honoured(exchange, wanted)
        params = {"notifications": honoured, "_meta": self._mark(exchange)}
        exchange.notify("notifications/subscriptions/acknowledged", params)
        exchange.result_meta.update(self._mark(exchange))
        self._listening[exchange] = methods, uris
        try:
            await self._closed.wait()
        finally:
            del self._listening[exchange]
        return b""

    def _honoured(self, exchange: Exchange, wanted: Json) -> tuple[Json, set[str], set[str]]:
        """The part of what is wanted that this server can say."""
        if "subscriptions" not in exchange.session.server.features:
            return {}, set(), set()
        honoured = {key: True for key in LISTS if wanted.get(key) is True}
        uris = wanted.get("resourceSubscriptions")
        uris = [uri for uri in uris if isinstance(uri, str)] if isinstance(uris, list) else []
        shown = {**honoured, **({"resourceSubscriptions": uris} if uris else {})}
        return shown, {LISTS[key] for key in honoured}, set(uris)

    def _mark(self, exchange: Exchange) -> dict[str, Json]:
        return {SUBSCRIPTION_KEY: exchange.identifier}
