"""What a handler can know, say and ask in its call: `self.context`."""

from __future__ import annotations

from .inputs import Inputs
from .messages import encode
from .server import LISTS
from .session import LOG_LEVELS, Exchange
from .subscriptions import RESOURCE_UPDATED
from .versions import has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from .messages import Id, Json


class Elicited:
    """What the user did: `accept`, with the `content` of the form, `decline` or `cancel`."""

    def __init__(self, action: str, content: Mapping[str, Json]) -> None:
        self.action = action
        self.content = content

    @property
    def accepted(self) -> bool:
        """Whether the user said yes."""
        return self.action == "accept"


class Context:
    """One call. `meta` is the request's `_meta`, `client` who says to be calling, `result_meta` the answer's `_meta`."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._progress: float | None = None
        self.inputs = Inputs(exchange)

    @property
    def request_id(self) -> Id:
        """As the client numbered the request."""
        return self._exchange.identifier

    @property
    def protocol_version(self) -> str:
        """The revision of MCP that the request is in."""
        return self._exchange.version

    @property
    def client(self) -> Mapping[str, Json]:
        """The client's own description. It is a claim: never decide anything by it."""
        return self._exchange.client

    @property
    def caller(self) -> Mapping[str, Json]:
        """The claims of the caller's access token, which has been checked; empty where none is asked for."""
        return self._exchange.caller

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of the request, names in lower case; empty on stdio."""
        return self._exchange.headers

    @property
    def meta(self) -> Mapping[str, Json]:
        """The `_meta` of the request."""
        return self._exchange.meta

    @property
    def result_meta(self) -> dict[str, Json]:
        """The `_meta` of the answer, to be filled in."""
        return self._exchange.result_meta

    # --- saying

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

    async def log(
        self,
        level: Literal[
            "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
        ],
        data: Json,
        logger: str | None = None,
    ) -> None:
        """Tell the client something, if it wants to hear of this level. Nothing secret: it may show it to anyone.

        Needs the feature `logging`.
        """
        wanted = self._exchange.log_level
        if "logging" not in self._exchange.session.server.features or wanted is None:
            return
        if LOG_LEVELS.index(level) >= LOG_LEVELS.index(wanted):
            params = {"level": level, "data": data, **({"logger": logger} if logger else {})}
            self._exchange.notify("notifications/message", params)

    async def list_changed(self, what: Literal["tools", "prompts", "resources"]) -> None:
        """Tell the clients that listen that a list is another now. Needs the feature `subscriptions`."""
        self._publish(LISTS[f"{what}ListChanged"], {})

    async def resource_updated(self, uri: str) -> None:
        """Tell the clients that subscribed to this resource. Needs the feature `subscriptions`."""
        self._publish(RESOURCE_UPDATED, {"uri": uri})

    def _publish(self, method: str, params: Json) -> None:
        self._exchange.session.server.subscriptions.publish(method, params)

    async def leave_stream(self) -> None:
        """Let go of the connection; the client comes back for the answer (2025-11-25 over HTTP, else nothing happens)."""
        if self._exchange.leave_stream is not None:
            self._exchange.leave_stream()

    # --- asking

    def can(self, capability: Literal["elicitation", "sampling", "roots"]) -> bool:
        """Whether the client can be asked this."""
        return self.inputs.allows(capability)

    async def elicit(
        self, message: str, schema: Mapping[str, Json] | None = None, *, key: str | None = None
    ) -> Elicited:
        """Ask the user to fill in a form: a flat JSON Schema of an object, without any secret. With none, yes or no.

        Raises a ToolError or RpcError where the client cannot ask. Since 2026-07-28 the handler is run again from its
        start with the answer: ask before changing anything. `key` names the question, unique within the call.
        """
        form = {"type": "object", "properties": {}, **(schema or {})}
        params = {"message": message, "requestedSchema": form}
        return await self._elicit(params, "form", form, key)

    async def elicit_url(self, message: str, url: str, *, key: str | None = None) -> Elicited:
        """Ask the user to go to a page, for what must not pass through the client: a password, a payment."""
        params = {"message": message, "mode": "url", "url": url, "elicitationId": url}
        return await self._elicit(params, "url", {}, key)

    async def _elicit(self, params: Json, mode: str, form: Json, key: str | None) -> Elicited:
        def fits(answer: Json) -> bool:
            if not isinstance(answer, dict) or answer.get("action") not in (
                "accept",
                "decline",
                "cancel",
            ):
                return False
            return answer["action"] != "accept" or mode == "url" or _is_valid(form, answer)

        needs: dict[str, Json] = {"elicitation": {mode: {}}}
        answer = await self.inputs.ask(key, "elicitation/create", params, needs, fits)
        return Elicited(answer["action"], answer.get("content") or {})

    async def confirm(self, message: str, **arguments: Json) -> None:
        """Go on only if the user agrees, who is shown the arguments. Raises a ToolError if not, or if nobody can ask."""
        from .errors import ToolError

        if not self.can("elicitation"):
            raise ToolError("refused", "The user has to agree to this, and this client cannot ask")
        shown = {name: value for name, value in arguments.items() if value is not None}
        text = f"{message} {encode(shown).decode()}" if shown else message
        answer = await self.elicit(text, key="confirm")
        if not answer.accepted:
            raise ToolError("refused", "The user did not agree")

    async def sample(
        self,
        messages: str | Sequence[Json],
        *,
        max_tokens: int,
        key: str | None = None,
        **params: Json,
    ) -> Mapping[str, Json]:
        """Have the client's model answer: gives `role`, `content`, `model`. `params` are more of CreateMessageRequest's."""
        if isinstance(messages, str):
            messages = [{"role": "user", "content": {"type": "text", "text": messages}}]
        asked = {"messages": messages, "maxTokens": max_tokens, **params}
        answer: Mapping[str, Json] = await self.inputs.ask(
            key,
            "sampling/createMessage",
            asked,
            {"sampling": {}},
            lambda answer: isinstance(answer, dict) and {"role", "content"} <= answer.keys(),
        )
        return answer

    async def roots(self, *, key: str | None = None) -> Sequence[Mapping[str, Json]]:
        """The folders that the client works in: each a `uri` and perhaps a `name`."""
        answer = await self.inputs.ask(
            key,
            "roots/list",
            {},
            {"roots": {}},
            lambda answer: isinstance(answer, dict) and isinstance(answer.get("roots"), list),
        )
        roots: Sequence[Mapping[str, Json]] = answer["roots"]
        return roots


def _is_valid(form: Json, answer: Json) -> bool:
    from .arguments import compile_schema

    return compile_schema(form).is_valid(answer.get("content") or {})
