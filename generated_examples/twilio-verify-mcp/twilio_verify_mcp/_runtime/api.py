"""The API that the tools call: its address, what it is shown, and who may repeat what.

`await api.send(request)` gives the answer's value or raises a `ToolError`.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Mapping, Sequence

from .credentials import (
    CALLERS_TOKEN,
    INBOUND,
    Added,
    ApiKey,
    Basic,
    Bearer,
    Caller,
    ClientCertificate,
    Credential,
)
from .errors import ToolError
from .http_client import SAFE, Call, HttpClient
from .oauth import OAuth2
from .request import Request, Security

__all__ = [
    "Api",
    "ApiKey",
    "Basic",
    "Bearer",
    "Caller",
    "ClientCertificate",
    "Credential",
    "OAuth2",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from .errors import Json

    Value = TypeVar("Value")

IDEMPOTENT = (*SAFE, "PUT", "DELETE", "TRACE")  # RFC 9110 §9.2.2
# Clients give a tool call about a minute: an answer must come before that, also one that says "too slow".
TIMEOUT = 50.0
CONNECT_TIMEOUT = 10.0
CONCURRENCY = 64
MAX_BYTES = 16 * 2**20
ABSOLUTE = re.compile(r"https?://[^/?#]", re.IGNORECASE)
USERINFO = re.compile(r"^(https?://)[^/?#]*@", re.IGNORECASE)


class Api:
    """The API that the tools call, shared by all calls.

    Environment: `<prefix>_BASE_URL` replaces `servers`; `<prefix>_TIMEOUT` is the time in seconds that one call may take and
    `<prefix>_CONNECT_TIMEOUT` that a connection may, `<prefix>_RATE` how many requests go out a second, `<prefix>_CONCURRENCY` how many
    at once; 0 is no limit. The credentials name their own variables.
    """

    def __init__(
        self,
        prefix: str,
        servers: Sequence[str] = (),
        credentials: Mapping[str, Credential] | None = None,
        security: Security = (),
        *,
        headers: Mapping[str, str] | None = None,
        pass_through: Sequence[str] = (),
        timeout: float = TIMEOUT,
        connect_timeout: float = CONNECT_TIMEOUT,
        concurrency: int = CONCURRENCY,
        rate: float = 0,
        retries: int = 2,
        max_bytes: int = MAX_BYTES,
        idempotency_key: str | None = None,
    ) -> None:
        """`headers` go with every request, and so do those of the caller's own that `pass_through` names. `idempotency_key` names a header that makes any method safe to repeat."""
        self.prefix = prefix
        self.servers = tuple(servers)
        self.credentials = dict(credentials or {})
        self.security = security
        self.headers = dict(headers or {})
        self.pass_through = tuple(pass_through)
        self.program = f"{prefix.lower().replace('_', '-')}-mcp"
        for name, one in self.credentials.items():
            if isinstance(one, OAuth2):
                one.program, one.scheme = self.program, name
        self.client = HttpClient(
            prefix,
            self.program,
            [one for one in self.credentials.values() if isinstance(one, ClientCertificate)],
            timeout=timeout,
            connect_timeout=connect_timeout,
            concurrency=concurrency,
            rate=rate,
            retries=retries,
            max_bytes=max_bytes,
        )
        self.idempotency_key = idempotency_key
        self._given_url = ""
        self._base_url: str | None = None  # once it was found
        self._is_mock = False

    # --- address

    @property
    def base_url(self) -> str:
        """Where requests go that name no server of their own."""
        if self._base_url is None:
            self._base_url = self._find_base_url()
        return self._base_url

    @base_url.setter
    def base_url(self, url: str) -> None:
        self._given_url, self._base_url = url, None

    def _find_base_url(self) -> str:
        variable = f"{self.prefix}_BASE_URL"
        url = self._given_url or os.environ.get(variable) or (*self.servers, "")[0]
        if not is_absolute(url):
            known = f"only {url!r} is known, which is not absolute" if url else "none is known"
            example = "such as https://api.example.com/v1"
            raise ToolError(
                "refused",
                f"The API needs a base URL, but {known}: set {variable} (or --base-url) to one, {example}",
            )
        return url

    def use_mock(self, base_url: str) -> None:
        """Send every request to a mock of the API, whatever its server; missing credentials are no error then."""
        self.base_url = base_url
        self._is_mock = True
        self.client.uses_proxies = False

    def _server(self, request: Request) -> str:
        if self._is_mock or not request.server:
            return self.base_url
        return self.absolute(request.server)

    # --- sending

    def preload(self) -> None:
        """Do now, in a thread if you like, what would hold up the first request."""
        self.client.preload()

    async def close(self) -> None:
        await self.client.close()

    async def send(self, request: Request) -> Value:
        """Send a request; JSON is parsed, text is str, anything else a Blob, nothing None."""
        url = request.url(self._server(request))
        shown = {"method": request.method, "url": without_userinfo(url)}
        added = Added()
        try:
            try:
                return await self._authorized(request, url, added, shown)  # type: ignore[no-any-return]  # see above
            except ToolError as error:
                if error.status != 401 or not self._forget(request, added):
                    raise
            return await self._authorized(request, url, added, shown)  # type: ignore[no-any-return]  # see above
        except ToolError as error:
            added.hide(error)
            raise

    async def _authorized(
        self, request: Request, url: str, added: Added, shown: dict[str, str]
    ) -> Json:
        added.begin()
        if choices := self._choices(request):
            for name in {name for choice in choices for name in choice} & self.credentials.keys():
                await self.credentials[name].look()
            for name in self._scheme_names(choices):
                await self.credentials[name].apply(added, self.exchange)
        headers = {
            "Accept": "application/json, */*;q=0.8",
            **self.headers,
            **self._passed_on(),
            **request.headers,
            **added.headers,
        }
        if self.idempotency_key and request.method not in IDEMPOTENT:
            headers.setdefault(self.idempotency_key, f"{random.getrandbits(128):032x}")
        method, url, headers, body = request.build(
            url, headers=headers, query=added.query, cookies=added.cookies
        )
        call = Call(method, url, headers, body, shown, self._is_repeatable(method, headers))
        call.carries_trace = True
        return await self.client.send(call)

    def _passed_on(self) -> dict[str, str]:
        if not self.pass_through:
            return {}
        inbound = INBOUND.get()
        return {
            name: inbound[name.lower()] for name in self.pass_through if name.lower() in inbound
        }

    def _choices(self, request: Request) -> Security:
        """What the request may be shown with; a mock wants nothing, and no authorization server is to be asked for it."""
        if self._is_mock:
            return ()
        return self.security if request.security is None else request.security

    def _scheme_names(self, choices: Security) -> Sequence[str]:
        """The credentials to use: of the choices that are met the first, one that uses any before one that uses none."""
        wanting = {choice: self._missing(choice) for choice in choices}
        for choice in sorted(choices, key=lambda one: not one):
            if not wanting[choice]:
                return choice
        if not choices:
            return ()
        ways = dict.fromkeys(" and ".join(one) for one in wanting.values())
        variables = " or ".join(one for one in ways if CALLERS_TOKEN not in one)
        missing = [f"set {variables} in the environment of this server"] if variables else []
        missing += [one for one in ways if CALLERS_TOKEN in one]
        raise ToolError(
            "missing_credentials", f"This tool needs credentials: {' or '.join(missing)}"
        )

    def _missing(self, choice: Sequence[str]) -> list[str]:
        unknown = [name for name in choice if name not in self.credentials]
        if unknown:
            return [f"(unknown security scheme {name!r})" for name in unknown]
        return [variable for name in choice for variable in self.credentials[name].missing()]

    def _forget(self, request: Request, refused: Added) -> bool:
        names = self._scheme_names(self._choices(request))
        return any([self.credentials[name].forget(refused) for name in names])

    def _is_repeatable(self, method: str, headers: Mapping[str, str]) -> bool:
        key = (self.idempotency_key or "Idempotency-Key").lower()
        return method.upper() in IDEMPOTENT or any(name.lower() == key for name in headers)

    async def exchange(
        self, url: str, form: dict[str, str] | None, headers: dict[str, str]
    ) -> Json:
        """Post a form to an endpoint of an authorization server, or without one get it. Redirects are not followed."""
        method = "GET" if form is None else "POST"
        request = Request(method, "", security=())
        if form is not None:
            request.form(form)
        url = self.absolute(url)
        shown = {"method": method, "url": without_userinfo(url)}
        headers = {"Accept": "application/json", **request.headers, **headers}
        call = Call(method, url, headers, request.body, shown, True)
        call.follows = False
        return await self.client.send(call)

    def absolute(self, url: str) -> str:
        """A URL of the document, which may be relative to the API's."""
        from urllib.parse import urljoin

        return url if is_absolute(url) else urljoin(self.base_url, url)


def is_absolute(url: str) -> bool:
    return ABSOLUTE.match(url) is not None


def without_userinfo(url: str) -> str:
    return USERINFO.sub(r"\1", url) if "@" in url else url
