"""What a handler can know and say of its call: `self.context`."""

from __future__ import annotations

from .session import Exchange
from .versions import has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .messages import Id, Json


class Context:
    """One call. `meta` is the request's `_meta`, `client` who says to be calling, `result_meta` the answer's `_meta`."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._progress: float | None = None

    @property
    def request_id(self) -> Id:
        return self._exchange.identifier

    @property
    def protocol_version(self) -> str:
        return self._exchange.version

    @property
    def client(self) -> Mapping[str, Json]:
        """The client's own description. It is a claim: never decide anything by it."""
        return self._exchange.client

    @property
    def meta(self) -> Mapping[str, Json]:
        return self._exchange.meta

    @property
    def result_meta(self) -> dict[str, Json]:
        return self._exchange.result_meta

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Say how far the call is, to a client that asked for it. The value must increase; one that does not is dropped."""
        token = self.meta.get("progressToken")
        if token is None or (self._progress is not None and progress <= self._progress):
            return
        self._progress = progress
        params: dict[str, Json] = {"progressToken": token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None and has(self.protocol_version, "progress message"):
            params["message"] = message
        self._exchange.notify("notifications/progress", params)
