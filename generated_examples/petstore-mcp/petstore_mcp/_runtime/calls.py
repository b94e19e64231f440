"""The methods that take time: what is asked for is found, checked, and its handler awaited.

Imported at the first call, with asyncio and everything that handlers need.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from .answers import Kept
from .context import Context
from .credentials import INBOUND
from .errors import ToolError
from .inputs import InputRequired
from .logs import configure
from .messages import INTERNAL_ERROR, INVALID_PARAMS, RpcError, decode
from .prompts import complete, get_prompt
from .resources import read_resource
from .session import Exchange
from .tool_calls import ToolCalls
from .tools import Tools, find_class, import_optional
from .uploads import ALLOWED, LocalFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from .messages import Json
    from .server import Server

log = logging.getLogger(__name__)


class Calls:
    """What the calls of one server share: the API, the handlers, and the answers that are kept."""

    def __init__(self, server: Server) -> None:
        configure(server.options.log_level, server.options.log_format)
        self._server = server
        self.kept = Kept()
        self._api: Any = None
        self._mock: Any = None
        self._starting: asyncio.Future[Any] | None = None
        self._tool_calls = ToolCalls(server, self)
        self._handlers: dict[str, Callable[[Exchange, Context], Awaitable[bytes]]] = {
            "tools/call": self._tool_calls.call,
            "prompts/get": lambda exchange, context: get_prompt(self, exchange, context),
            "completion/complete": lambda exchange, context: complete(self, exchange, context),
            "resources/read": lambda exchange, context: read_resource(self, exchange, context),
            "subscriptions/listen": lambda exchange, _: server.subscriptions.listen(exchange),
        }

    async def handle(self, exchange: Exchange) -> bytes:
        context = Context(exchange)
        try:
            return await self._handlers[exchange.method](exchange, context)
        except InputRequired:
            exchange.result_type = "input_required"
            return context.inputs.result()
        except ToolError as error:  # of a prompt or resource: those have no result for a failure
            code = INVALID_PARAMS if error.kind == "invalid_arguments" else INTERNAL_ERROR
            raise RpcError(code, error.message, error.as_json()) from error

    def entry(self, section: str, key: str, value: str) -> Json | None:
        """What the catalog lists under this name or URI."""
        for line in self._server.catalog.entries(section) or ():
            entry = decode(line)
            if entry[key] == value:
                return entry
        return None

    def templates(self) -> list[Json]:
        return [decode(line) for line in self._server.catalog.entries("resourceTemplates") or ()]

    def said(self, section: str, name: str) -> Json | None:
        """What some namespace says of a tool, prompt or resource."""
        for namespace in self._server.catalog.namespaces.values():
            if name in namespace.get(section, {}):
                return namespace[section][name]
        return None

    def serving(self, section: str, name: str) -> tuple[type[Tools], Json] | None:
        """Who serves a tool, prompt or resource: the class, and what its namespace says of it."""
        for namespace in self._server.catalog.namespaces.values():
            if name in namespace.get(section, {}):
                module, title = namespace["module"], namespace["class"]
                said = namespace[section][name]
                method = said if isinstance(said, str) else ""
                return find_class(self._server.package, module, title, method), said
        return None

    async def run(
        self, handler: type[Tools], method: str, context: Context, arguments: dict[str, Json]
    ) -> Json:
        """Call a method of a handler, which may be a coroutine or not."""
        api = await self._start_api()
        if prefix := getattr(api, "prefix", None):
            ALLOWED.set(LocalFiles(f"{prefix}_FILES"))
            INBOUND.set(context.headers)
        value = getattr(handler(api, context), method)(**arguments)
        return await value if hasattr(value, "__await__") else value

    def forget(self) -> None:
        """What was made of a catalog that is another now."""
        self._tool_calls.forget()

    def preload(self) -> None:
        """Import what the first call will need; run in a thread beside the transport."""
        import jsonschema_rs  # noqa: F401

        if module := import_optional(f"{self._server.package}.api"):
            module.API.preload()

    async def close(self) -> None:
        await self._tool_calls.close()
        if self._api is not None:
            await self._api.close()
        if self._mock is not None:
            await self._mock.close()

    async def _start_api(self) -> Any:
        """The API as its module made it, pointed where the command line says. None where there is no module."""
        if self._api is None:
            if self._starting is None:
                self._starting = asyncio.ensure_future(self._prepare_api())
            # A call that is cancelled must not take the start away from the calls that wait beside it.
            try:
                self._api = await asyncio.shield(self._starting)
            except Exception:
                self._starting = None
                raise
        return self._api

    async def _prepare_api(self) -> Any:
        options = self._server.options
        module = import_optional(f"{self._server.package}.api")
        api = module.API if module else None
        if api is not None and options.base_url:
            api.base_url = options.base_url
        elif api is not None and options.mock:
            from .mock import start

            folder = os.path.dirname(sys.modules[self._server.package].__file__ or "")
            self._mock = await start(os.path.join(folder, "mock.json"))
            api.use_mock(self._mock.base_url)
            log.info("the mock upstream answers at %s", self._mock.base_url)
        return api
