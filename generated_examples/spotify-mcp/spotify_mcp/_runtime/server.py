"""What a server is, whoever its peers are: its catalog, its capabilities, and what answers each method.

Methods that need no waiting give the members of their result at once, from the catalog's bytes. The others are in
`calls.py`, which is imported, with everything it needs, when the first of them comes.
"""

from __future__ import annotations

import sys

from .catalog import Catalog, load_catalog
from .exposure import Exposure, expose, shows_all
from .messages import INVALID_PARAMS, RpcError, decode, encode
from .session import log_level
from .versions import STATELESS, has, negotiate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .calls import Calls
    from .messages import Json
    from .options import Options
    from .session import Exchange
    from .subscriptions import Subscriptions

# What handlers may do beyond answering, as the catalog's `features` says; a method that is there for one of them.
FEATURE_METHODS = {
    "logging/setLevel": "logging",
    "resources/subscribe": "subscriptions",
    "resources/unsubscribe": "subscriptions",
    "completion/complete": "completions",
}
# What a client may listen for, and the notification that it means.
LISTS = {
    "toolsListChanged": "notifications/tools/list_changed",
    "promptsListChanged": "notifications/prompts/list_changed",
    "resourcesListChanged": "notifications/resources/list_changed",
}
# Methods whose answers may be kept, all by anyone: they are the same for every caller.
CACHED = (
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
)
TTL_MS = 3_600_000
PAGE = 2_000  # entries of a list that are sent at once; many clients never ask for a second page

# From which revision on the server's own description has a member.
IDENTITY = {
    "title": "title",
    "description": "description",
    "websiteUrl": "description",
    "icons": "description",
}


class Server:
    """Shared by all sessions. `listed` turns true once the tools were listed, when it is time to preload; `is_stale`: `reload` is wanted."""

    def __init__(self, package: str, catalog: Catalog, options: Options) -> None:
        self.package = package
        self.prefix = prefix_of(package)
        self.options = options
        self.listed = False
        self.is_stale = False
        self._take(catalog)
        self.immediate: dict[str, Callable[[Exchange], bytes]] = {
            "initialize": self._initialize,
            "ping": lambda exchange: b"",
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "prompts/list": lambda exchange: self._list(exchange, "prompts"),
            "resources/list": lambda exchange: self._list(exchange, "resources"),
            "resources/templates/list": lambda exchange: self._list(exchange, "resourceTemplates"),
            "logging/setLevel": self._set_log_level,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
        }
        self._calls: Calls | None = None
        self._subscriptions: Subscriptions | None = None
        self._identities: dict[str, Json] = {}

    def _take(self, catalog: Catalog) -> None:
        options = self.options
        self.catalog = catalog
        self.tools = _selected_tools(catalog, options)
        # The tools that the user is asked about first.
        self.confirmed = frozenset(catalog.server.get("confirm", ()))
        if options.confirm:
            self.confirmed |= {name for name, entry in self.tools.items() if _destroys(entry)}
        asks = ("elicitation",) if self.confirmed else ()
        self.features = frozenset((*catalog.server.get("features", ()), *asks))
        self.exposure = _exposure(self.tools, catalog, options)

    def reload(self) -> bool:
        """Take what catalog.json says now, and tell the clients that listen. Code that was loaded stays as it is.

        False: the file cannot be read, and nothing has changed.
        """
        self.is_stale = False
        try:
            self._take(load_catalog(self.package))
        except (OSError, ValueError, KeyError, SystemExit) as error:
            print(f"catalog.json is not taken: {type(error).__name__}: {error}", file=sys.stderr)
            return False
        if self._calls:
            self._calls.forget()
        if self._subscriptions:
            for method in LISTS.values():
                self._subscriptions.publish(method, {})
        return True

    def offers(self, method: str) -> bool:
        feature = FEATURE_METHODS.get(method)
        return feature is None or feature in self.features

    @property
    def calls(self) -> Calls:
        if self._calls is None:
            from .calls import Calls

            self._calls = Calls(self)
        return self._calls

    @property
    def subscriptions(self) -> Subscriptions:
        if self._subscriptions is None:
            from .subscriptions import Subscriptions

            self._subscriptions = Subscriptions()
        return self._subscriptions

    def preload(self) -> None:
        """Import what the first call will need, in a thread beside the transport. It meets again, and can say, what fails."""
        try:
            self.calls.preload()
        except Exception:
            pass

    async def handle(self, exchange: Exchange) -> bytes:
        """Answer a method that takes time."""
        return await self.calls.handle(exchange)

    def stop(self) -> None:
        """End what would wait for ever: the streams of those who listen."""
        if self._subscriptions:
            self._subscriptions.close()

    async def close(self) -> None:
        self.stop()
        if self._calls:
            await self._calls.close()

    def identity(self, version: str) -> Json:
        """Who the server is, in the members that a revision knows."""
        found = self._identities.get(version)
        if found is None:
            said = self.catalog.server
            found = {key: said[key] for key in ("name", "version")}
            for key, feature in IDENTITY.items():
                if key in said and has(version, feature):
                    found[key] = said[key]
            self._identities[version] = found
        return found

    def capabilities(self, version: str) -> dict[str, Json]:
        found: dict[str, Json] = {
            section: {"listChanged": True} if "subscriptions" in self.features else {}
            for section in ("tools", "prompts", "resources")
        }
        if "subscriptions" in self.features:
            found["resources"]["subscribe"] = True
        if "logging" in self.features:
            found["logging"] = {}
        if "completions" in self.features and has(version, "completions capability"):
            found["completions"] = {}
        return found

    def result_start(self, method: str, result_type: str) -> bytes:
        """What every result begins with since 2026-07-28. What a handler reads may differ from caller to caller."""
        start = b'"resultType":"%s"' % result_type.encode()
        if result_type != "complete":
            return start
        if method in CACHED:
            return start + b',"ttlMs":%d,"cacheScope":"public"' % TTL_MS
        if method == "resources/read":
            return start + b',"ttlMs":0,"cacheScope":"private"'
        return start

    def _initialize(self, exchange: Exchange) -> bytes:
        params, session = exchange.params, exchange.session
        if not isinstance(params.get("protocolVersion"), str):
            raise RpcError(INVALID_PARAMS, "initialize needs protocolVersion, a string")
        session.version = exchange.version = negotiate(params["protocolVersion"])
        session.capabilities = _object(params.get("capabilities"))
        session.client = _object(params.get("clientInfo"))
        result = {
            "protocolVersion": session.version,
            "capabilities": self.capabilities(session.version),
            "serverInfo": self.identity(session.version),
        }
        return self._with_instructions(result)

    def _discover(self, exchange: Exchange) -> bytes:
        result = {
            "supportedVersions": list(STATELESS),
            "capabilities": self.capabilities(exchange.version),
        }
        return self._with_instructions(result)

    def _with_instructions(self, result: dict[str, Json]) -> bytes:
        instructions = self.catalog.server.get("instructions")
        if instructions:
            result["instructions"] = instructions
        return encode(result)[1:-1]

    def _list_tools(self, exchange: Exchange) -> bytes:
        self.listed = True
        return _page(exchange, "tools", self.exposure.listed)

    def _list(self, exchange: Exchange, section: str) -> bytes:
        return _page(exchange, section, self.catalog.entries(section) or [])

    def _set_log_level(self, exchange: Exchange) -> bytes:
        exchange.session.log_level = log_level(exchange.params.get("level"))
        return b""

    def _subscribe(self, exchange: Exchange) -> bytes:
        exchange.session.subscribed.add(uri_of(exchange))
        return b""

    def _unsubscribe(self, exchange: Exchange) -> bytes:
        exchange.session.subscribed.discard(uri_of(exchange))
        return b""


def prefix_of(package: str) -> str:
    """What the names of the environment's variables begin with."""
    return package.removesuffix("_mcp").upper()


def uri_of(exchange: Exchange) -> str:
    uri = exchange.params.get("uri")
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, f"{exchange.method} needs uri, a string")
    return uri


def _page(exchange: Exchange, section: str, entries: list[bytes]) -> bytes:
    """The part of a list that the cursor asks for. A cursor is ours: where the next page begins."""
    cursor = exchange.params.get("cursor")
    begins = {str(at): at for at in range(PAGE, len(entries), PAGE)}
    if cursor is not None and (not isinstance(cursor, str) or cursor not in begins):
        raise RpcError(INVALID_PARAMS, "This cursor is not one that the server gave")
    start = 0 if cursor is None else begins[cursor]
    end = start + PAGE
    members = b'"%s":[%s]' % (section.encode(), b",".join(entries[start:end]))
    return members + (b',"nextCursor":"%d"' % end if end < len(entries) else b"")


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _exposure(tools: Mapping[str, bytes], catalog: Catalog, options: Options) -> Exposure:
    if options.mode == "all" or (options.mode == "auto" and shows_all(tools, options.budget)):
        return Exposure(tools, {})  # without reading the namespaces
    name = catalog.server["name"]
    return expose(options.mode, name, tools, catalog.namespaces, options.budget)


def _selected_tools(catalog: Catalog, options: Options) -> Mapping[str, bytes]:
    """The entries to list, by name, as --namespaces, --tools and --read-only leave them."""
    tools = catalog.tools()
    if options.namespaces:
        chosen = {
            name
            for namespace in _known(options.namespaces, catalog.namespaces, "namespace")
            for name in catalog.namespaces[namespace]["tools"]
        }
        tools = {name: entry for name, entry in tools.items() if name in chosen}
    if options.tools:
        chosen = set(_known(options.tools, tools, "tool"))
        tools = {name: entry for name, entry in tools.items() if name in chosen}
    if options.read_only:
        tools = {name: entry for name, entry in tools.items() if _only_reads(entry)}
    return tools


def _known(names: tuple[str, ...], known: Mapping[str, Json], what: str) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            raise SystemExit(f"error: there is no {what} {name!r}; there are {', '.join(known)}")
    return names


def _only_reads(entry: bytes) -> bool:
    return decode(entry).get("annotations", {}).get("readOnlyHint") is True


def _destroys(entry: bytes) -> bool:
    return decode(entry).get("annotations", {}).get("destructiveHint") is True
