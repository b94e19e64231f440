"""What a handler asks of its client while it works: an answer of the user, of the model, or its roots.

In the handshake era that is a request to the client. Since 2026-07-28 the call ends with `input_required` and the client
calls again with the answers: the handler is run again from its start, and what was answered is at hand. The answers
of earlier rounds travel in `requestState`, sealed so that nobody can change them or use them for another call.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import time
from collections.abc import Callable
from typing import Any

from .errors import ToolError
from .messages import INVALID_PARAMS, MISSING_CAPABILITY, RpcError, decode, encode
from .session import Exchange
from .versions import has

Json = Any
STATE_SECONDS = 3600
_random_key = os.urandom(32)


class InputRequired(BaseException):
    """Ends a handler that cannot go on without an answer; not an Exception, so that no handler catches it unawares."""


class Inputs:
    """The questions of one request."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._pending: dict[str, Json] = {}
        self._count = 0
        self._answers: dict[str, Json] = {}
        if has(exchange.version, "resultType"):
            self._answers = self._given()

    def allows(self, capability: str, mode: str | None = None) -> bool:
        """Whether the client has said that it can be asked this. An elicitation of no mode is one by form."""
        declared = self._exchange.capabilities.get(capability)
        if not isinstance(declared, dict) or not has(self._exchange.version, capability):
            return False
        return mode is None or mode in declared or (mode == "form" and not declared)

    async def ask(
        self,
        key: str | None,
        method: str,
        params: Json,
        needs: dict[str, Json],
        fits: Callable[[Json], bool],
    ) -> Json:
        """The client's answer to a request of this method. `needs` is the capability; an answer that does not fit is none."""
        self._count += 1
        key = key or f"input-{self._count}"
        exchange = self._exchange
        [(capability, modes)] = needs.items()
        if not self.allows(capability, next(iter(modes), None)):
            reason = f"This call must ask through the client, which does not offer {capability}"
            if has(exchange.version, "resultType"):
                raise RpcError(MISSING_CAPABILITY, reason, {"requiredCapabilities": needs})
            raise ToolError("refused", reason)
        if not has(exchange.version, "resultType"):
            if not exchange.session.can_ask:
                raise ToolError("refused", "This connection has no session to ask the client in")
            answer = await exchange.session.ask(exchange.send, method, params)
            if not fits(answer):
                raise ToolError("refused", f"The client's answer to {method} is not valid")
            return answer
        if key in self._answers and fits(self._answers[key]):
            return self._answers[key]
        self._pending[key] = {"method": method, "params": params}
        raise InputRequired

    def result(self) -> bytes:
        """The members of the result that asks what is pending."""
        state = {
            "answers": {k: v for k, v in self._answers.items() if k not in self._pending},
            "call": self._call(),
            "until": int(time.time()) + STATE_SECONDS,
        }
        members = {"inputRequests": self._pending, "requestState": self._seal(encode(state))}
        return encode(members)[1:-1]

    def _given(self) -> dict[str, Json]:
        """The answers of this round and of those before it."""
        params = self._exchange.params
        state, answers = params.get("requestState"), params.get("inputResponses")
        known: dict[str, Json] = self._unseal(state) if state is not None else {}
        return {**known, **answers} if isinstance(answers, dict) else known

    def _call(self) -> str:
        """What a state belongs to: the method, what it is asked, and who asks."""
        exchange = self._exchange
        asked = {key: exchange.params.get(key) for key in ("name", "arguments", "uri")}
        who = exchange.caller.get("sub")
        text = encode([exchange.method, asked, who])
        return hashlib.sha256(text).hexdigest()

    def _seal(self, data: bytes) -> str:
        return ".".join(
            base64.urlsafe_b64encode(part).decode() for part in (data, self._signature(data))
        )

    def _unseal(self, text: Json) -> dict[str, Json]:
        try:
            data, signature = [
                base64.b64decode(part, altchars=b"-_", validate=True) for part in text.split(".")
            ]
            if hmac.compare_digest(signature, self._signature(data)):
                state = decode(data)
                if state["call"] == self._call() and state["until"] >= time.time():
                    answers: dict[str, Json] = state["answers"]
                    return answers
        except (AttributeError, ValueError):
            pass
        raise RpcError(
            INVALID_PARAMS, "requestState is not what this server gave for this call, or is too old"
        )

    def _signature(self, data: bytes) -> bytes:
        """With a key of this process, or one that several replicas share: `<prefix>_STATE_KEY`."""
        shared = os.environ.get(f"{self._exchange.session.server.prefix}_STATE_KEY", "").encode()
        return hmac.digest(shared or _random_key, data, "sha256")
