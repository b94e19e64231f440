"""tools/call: the tool is found, its arguments are checked, the user is asked where that is wanted, the handler awaited."""

from __future__ import annotations

import json
import logging
import re
import time

from .answers import KEPT_SECONDS, budget, fit
from .arguments import Checker
from .content import Blob, Content, call_result, error_result, text_block
from .context import Context
from .errors import ToolError
from .exposure import Command
from .inputs import InputRequired
from .messages import INVALID_PARAMS, RpcError, decode, encode
from .pages import HEADERS, Listing
from .session import Exchange
from .tools import Tools
from .tracing import Trace, Tracing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Calls
    from .messages import Id, Json
    from .server import Server

log = logging.getLogger(__name__)
calls_log = logging.getLogger("calls")

NEXT_KEY = "org.mcpgen/nextPage"
LONGEST_SHOWN = 1_000  # characters of the arguments that the user is asked about


class Tool:
    """One tool, once it was called."""

    def __init__(
        self, entry: Json, handler: type[Tools], method: str, listing: Json | None
    ) -> None:
        self.name: str = entry["name"]
        self.title: str = entry.get("title") or entry["name"]
        self.checker = Checker(entry["inputSchema"])
        self.lists_output = "outputSchema" in entry
        self.handler = handler
        self.method = method
        self.listing = Listing(listing, entry["inputSchema"]) if listing else None


class Outcome:
    """What the log says of one call: nothing that was sent or answered."""

    def __init__(self, tool: str, request: Id) -> None:
        self.tool = tool
        self.error = ""
        self.outcome = "cancelled"
        self.trace: Trace | None = None
        self._request = request
        self._begun = time.perf_counter()
        self._bytes = 0

    def done(self, result: bytes) -> bytes:
        self.outcome, self._bytes = self.error or "ok", len(result)
        return result

    def failed(self, error: ToolError) -> bytes:
        self.error = error.kind
        return self.done(error_result(error.as_json()))

    def log(self) -> None:
        if not calls_log.isEnabledFor(logging.INFO):
            return
        members: dict[str, Json] = {
            "tool": self.tool,
            "outcome": self.outcome,
            "duration_ms": round((time.perf_counter() - self._begun) * 1000, 1),
            "bytes": self._bytes,
        }
        if self.trace and self.trace.status:
            members |= {"status": self.trace.status, "received": self.trace.received}
        members["request_id"] = self._request
        shown = " ".join(f"{name}={_plain(value)}" for name, value in members.items())
        calls_log.info("%s", shown, extra={"members": members})


def _plain(value: Json) -> str:
    """As it is if it is a word; an id is the client's, and must not make lines of its own."""
    text = str(value)
    return text if re.fullmatch(r"[\w.:/-]+", text, re.ASCII) else json.dumps(text)


class ToolCalls:
    """The tools of one server that were called so far."""

    def __init__(self, server: Server, calls: Calls) -> None:
        self._server = server
        self._calls = calls
        self._tools: dict[str, Tool] = {}
        self._fronts: dict[str, Checker] = {}
        self._tracing = Tracing(server.package)
        self._limit = budget(server.prefix)
        self.close = self._tracing.close

    def forget(self) -> None:
        self._tools.clear()
        self._fronts.clear()

    async def call(self, exchange: Exchange, context: Context) -> bytes:
        """Answer tools/call. Whatever goes wrong in the tool is a result that the model can read."""
        name, arguments = exchange.params.get("name"), exchange.params.get("arguments")
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "tools/call needs the name of a tool")
        if arguments is not None and not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "arguments must be an object")
        exposure = self._server.exposure
        if name not in (exposure.schemas or self._server.tools):
            raise RpcError(INVALID_PARAMS, f"There is no tool {name!r}")
        call = Outcome(name, exchange.identifier)
        try:
            with self._tracing.call(name, exchange) as call.trace:
                result = await self._call(name, arguments or {}, exchange, context, call)
                if call.error:
                    call.trace.said |= {"error.type": "tool_error", "description": call.error}
                return result
        except RpcError as error:
            call.outcome = f"error {error.code}"
            raise
        except InputRequired:
            call.outcome = "input_required"
            raise
        finally:
            call.log()

    async def _call(
        self,
        name: str,
        arguments: dict[str, Json],
        exchange: Exchange,
        context: Context,
        call: Outcome,
    ) -> bytes:
        exposure = self._server.exposure
        try:
            if name in exposure.schemas:
                routed = exposure.route(name, self._front(name).check(arguments))
                if not isinstance(routed, Command):
                    return call.done(call_result(routed, exchange.version, lists_output=False))
                name, arguments = routed.name, routed.arguments
                call.tool = name
                if call.trace:
                    call.trace.said["gen_ai.tool.name"] = name
            tool = self._tools.get(name) or self._find(name)
            given = tool.checker.check(arguments)
            if name in self._server.confirmed:
                await self._confirm(tool, given, context)
            return call.done(await self._run(tool, given, exchange, context, call))
        except ToolError as error:
            return call.failed(error)
        except RpcError:
            raise
        except Exception:
            log.exception("the tool %s failed", name)
            message = f"The tool {name} failed inside the server; the server's log says why"
            return call.failed(ToolError("internal", message))

    def _front(self, name: str) -> Checker:
        """The checker of a tool that stands for others."""
        if name not in self._fronts:
            self._fronts[name] = Checker(self._server.exposure.schemas[name])
        return self._fronts[name]

    def _find(self, name: str) -> Tool:
        served = self._calls.serving("tools", name)
        if served is None:
            raise LookupError(f"no namespace of catalog.json serves {name!r}")
        listing = self._calls.said("lists", name)
        tool = self._tools[name] = Tool(decode(self._server.tools[name]), *served, listing)
        return tool

    async def _confirm(self, tool: Tool, given: dict[str, Json], context: Context) -> None:
        """Ask the user first. Raises where they say no, or cannot be asked."""
        shown = json.dumps(given, ensure_ascii=False)
        if len(shown) > LONGEST_SHOWN:
            shown = shown[:LONGEST_SHOWN] + "…"
        question = f"{tool.title}: let the tool {tool.name} do this with {shown}?"
        answer = await context.elicit(question, key="confirm")
        if not answer.accepted:
            raise ToolError(
                "refused", f"The user did not agree to {tool.name}: do not try it again"
            )

    async def _run(
        self,
        tool: Tool,
        given: dict[str, Json],
        exchange: Exchange,
        context: Context,
        call: Outcome,
    ) -> bytes:
        more = None
        run = self._calls.run
        if tool.listing:
            HEADERS.set(None)
            value, more = await tool.listing.call(
                lambda arguments: run(tool.handler, tool.method, context, arguments), given
            )
        else:
            value = await run(tool.handler, tool.method, context, given)
        if isinstance(value, Content) and value.is_error:
            call.error = "tool"
        data: bytes | None = None
        blocks: list[Json] = []
        limit = self._limit
        if not isinstance(value, Blob | Content) and value is not None:
            data = encode(value)
            if limit and len(data) > limit:
                value, blocks = self._cut(value, data, limit, exchange)
                data = None
        if more:
            exchange.result_meta[NEXT_KEY] = more
            blocks.append(text_block(f"There is more: call again with {json.dumps(more)}"))
        return call_result(value, exchange.version, tool.lists_output, data=data, more=blocks)

    def _cut(
        self, value: Json, data: bytes, limit: int, exchange: Exchange
    ) -> tuple[Json, list[Json]]:
        """As much of an answer as fits, and what is said of the rest."""
        shown, left_out = fit(value, limit)
        uri = self._calls.kept.keep(data, exchange.caller.get("sub"))
        minutes = int(KEPT_SECONDS / 60)
        note = (
            f"The answer has {len(data):,} bytes and was cut: {'; '.join(left_out)}."
            f" Ask for less, or read it whole at {uri} within {minutes} minutes."
        )
        link = {
            "type": "resource_link",
            "uri": uri,
            "name": "The whole answer",
            "mimeType": "application/json",
            "size": len(data),
        }
        return shown, [text_block(note), link]
