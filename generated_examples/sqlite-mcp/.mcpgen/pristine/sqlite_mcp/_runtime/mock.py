"""A mock of the API on a free loopback port: it answers from mock.json and remembers what it was asked."""

from __future__ import annotations

import base64
import json
import re
from collections import deque
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aiohttp import web

    from .errors import Json

PLACEHOLDER = re.compile(r"\{[^{}]+\}")
REMEMBERED = 1_000


class Recorded:
    """One request as it came: `path` and `query` raw."""

    def __init__(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body

    def __repr__(self) -> str:
        return f"Recorded({self.method} {self.path}?{self.query})"


class Route:
    """One operation of mock.json: which requests are its, and its answer."""

    def __init__(self, operation: dict[str, Json]) -> None:
        path, _, query = operation["path"].partition("?")
        self.method: str = operation["method"]
        self.status: int = operation.get("status", 200)
        self.content_type: str | None = operation.get("content_type")
        self.body = _body(operation)
        self.query = [one for one in query.split("&") if one]
        self._segments = [_pattern(one) for one in path.strip("/").split("/")]
        self._slash = path.endswith("/")
        # Literal text counts, the earlier segment first (OpenAPI 3.2 §4.8.2); of equal paths the one with more query.
        literals = [
            len(PLACEHOLDER.sub("", one)) if "{" in one else 1_000
            for one in path.strip("/").split("/")
        ]
        self.rank = (literals, len(self.query))

    def matches(self, path: str, query: str) -> bool:
        segments = path.strip("/").split("/")
        return (
            len(segments) == len(self._segments)
            and path.endswith("/") == self._slash
            and all(
                pattern.fullmatch(one)
                for pattern, one in zip(self._segments, segments, strict=True)
            )
            and set(self.query) <= set(query.split("&"))
        )


def _pattern(segment: str) -> re.Pattern[str]:
    from urllib.parse import quote

    literals = [re.escape(quote(one, safe="%!$&'()*+,;=:@~")) for one in PLACEHOLDER.split(segment)]
    return re.compile("(.+)".join(literals))


def _body(operation: dict[str, Json]) -> bytes:
    if "base64" in operation:
        return base64.b64decode(operation["base64"])
    if "text" in operation:
        return str(operation["text"]).encode()
    if "body" in operation:
        return json.dumps(operation["body"], ensure_ascii=False).encode()
    return b""


class Mock:
    """A running mock. `requests` holds the last ones, the newest at the end."""

    def __init__(self, operations: list[dict[str, Json]]) -> None:
        self.base_url = ""
        self.requests: deque[Recorded] = deque(maxlen=REMEMBERED)
        self._routes = sorted(map(Route, operations), key=lambda route: route.rank, reverse=True)
        self._runner: web.ServerRunner | None = None

    def answer(self, method: str, path: str, query: str) -> tuple[int, str | None, bytes]:
        """Status, content type and body."""
        fitting = [route for route in self._routes if route.matches(path, query)]
        for route in fitting:
            if route.method == method:
                return route.status, route.content_type, route.body
        status, title = (405, "Method Not Allowed") if fitting else (404, "Not Found")
        problem = {
            "title": title,
            "status": status,
            "detail": f"The mock has no operation {method} {path}",
        }
        return status, "application/problem+json", json.dumps(problem).encode()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        from aiohttp import web

        path, _, query = request.raw_path.partition("?")
        body = await request.content.read()  # request.read() stops at a megabyte
        self.requests.append(Recorded(request.method, path, query, request.headers, body))
        status, content_type, answer = self.answer(request.method, path, query)
        headers = {"Content-Type": content_type} if content_type else {}
        return web.Response(status=status, body=answer or None, headers=headers)

    async def _open(self) -> None:
        from aiohttp import web

        self._runner = web.ServerRunner(
            web.Server(self._handle, access_log=None), shutdown_timeout=1
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None


async def start(path: str) -> Mock:
    """Serve the operations of a mock.json."""
    with open(path, encoding="utf-8") as file:
        mock = Mock(json.load(file)["operations"])
    await mock._open()
    return mock
