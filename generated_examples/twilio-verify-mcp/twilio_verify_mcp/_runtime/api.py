"""The way to the API: address, credentials, time-outs, retries, redirects.

`await api.send(request)` gives the answer's value or raises a `ToolError`.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import random
import re
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import aiohttp
from yarl import URL

from . import responses
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
from .limits import Circuit, Limits
from .oauth import OAuth2
from .pages import HEADERS
from .request import Request, Security
from .tracing import CURRENT, Trace

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
    from ssl import SSLContext
    from typing import TypeVar

    from .errors import Json, Kind

    Value = TypeVar("Value")

log = logging.getLogger(__name__)

# RFC 9110 §9.2, and the registry of methods.
SAFE = ("GET", "HEAD", "OPTIONS", "QUERY", "PROPFIND", "SEARCH", "REPORT")
IDEMPOTENT = (*SAFE, "PUT", "DELETE", "TRACE")
REDIRECTS = (301, 302, 303, 307, 308)
MAX_REDIRECTS = 5
# Clients give a tool call about a minute: an answer must come before that, also one that says "too slow".
TIMEOUT = 50.0
CONNECT_TIMEOUT = 10.0
CONCURRENCY = 64
LONGEST_WAIT = 20.0  # a longer Retry-After is for the model to decide
MAX_BYTES = 16 * 2**20
ABSOLUTE = re.compile(r"https?://[^/?#]", re.IGNORECASE)
USERINFO = re.compile(r"^(https?://)[^/?#]*@", re.IGNORECASE)


class Api:
    """The API that the tools call, shared by all calls.

    Environment: `<prefix>_BASE_URL` replaces `servers`; `<prefix>_TIMEOUT` is the time in seconds that one call may take and
    `<prefix>_CONNECT_TIMEOUT` that a connection may, `<prefix>_RATE` how many requests go out a second, `<prefix>_CONCURRENCY` how many
    at once; 0 is no limit. The credentials name their own variables. For `--mock`, `use_mock(url)` sends every request to that
    URL, whatever its server, and takes missing credentials for no error.
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
        self.timeout = timeout
        self.connect_timeout = connect_timeout
        self.concurrency = concurrency
        self.rate = rate
        self.retries = retries
        self.max_bytes = max_bytes
        self.idempotency_key = idempotency_key
        self._given_url = ""
        self._base_url: str | None = None  # once it was found
        self._is_mock = False
        self._context: SSLContext | bool | None = None  # once it was made
        self._opened: Opened | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}
        self._circuits: dict[str, Circuit] = {}

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
        """Send everything to a mock of the API."""
        self.base_url = base_url
        self._is_mock = True

    def _server(self, request: Request) -> str:
        if self._is_mock or not request.server:
            return self.base_url
        return self.absolute(request.server)

    # --- sending

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
        return await self._repeat(call)

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
        return await self._repeat(call)

    def absolute(self, url: str) -> str:
        """A URL of the document, which may be relative to the API's."""
        from urllib.parse import urljoin

        return url if is_absolute(url) else urljoin(self.base_url, url)

    async def _repeat(self, call: Call) -> Json:
        """Try until it works, cannot work, or time is up."""
        opened = self._open()
        deadline = time.monotonic() + self.timeout if self.timeout else None
        for attempt in range(self.retries + 1):
            try:
                return await self._attempt(call, opened, deadline)
            except ToolError as error:
                wait = error.retry_after
                if wait is None:
                    wait = 0.2 * 2**attempt * random.uniform(0.5, 1.5)
                late = deadline is not None and time.monotonic() + wait >= deadline
                allowed = error.retryable and (call.repeatable or call.unsent)
                if attempt == self.retries or not allowed or late or wait > LONGEST_WAIT:
                    raise
                if self._circuit(call.shown["url"]).is_open:
                    raise
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(self, call: Call, opened: Opened, deadline: float | None) -> Json:
        """One try, when the limits let it go out and if its host is not left alone."""
        circuit = call.circuit = self._circuit(call.shown["url"])
        circuit.check(call.shown)
        call.unsent = True
        await opened.limits.take(deadline)
        try:
            circuit.enter(call.shown)
            trace = CURRENT.get()
            try:
                if trace is None or trace.is_silent:
                    value = await self._try(call, opened, deadline)
                else:
                    value = await self._traced(trace, call, opened, deadline)
            except ToolError as error:
                call.circuit.note(failed=_is_failure(error))
                raise
            call.circuit.note(failed=False)
            return value
        finally:
            opened.limits.leave()

    def _circuit(self, url: str) -> Circuit:
        host = "/".join(url.split("/", 3)[:3])
        circuit = self._circuits.get(host)
        if circuit is None:
            circuit = self._circuits[host] = Circuit(host)
        return circuit

    def _setting(self, name: str, default: float) -> float:
        """A number from the environment, else what the code says."""
        variable = f"{self.prefix}_{name}"
        text = os.environ.get(variable)
        if not text:
            return default
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ToolError("refused", f"{variable} must be a number, not {text!r}")
        return max(0.0, number)

    async def _traced(
        self, trace: Trace, call: Call, opened: Opened, deadline: float | None
    ) -> Json:
        with trace.request(call.method, call.shown["url"]) as said:
            if call.carries_trace:
                own = {name.lower() for name in call.headers}
                carried = trace.headers().items()
                call.trace = {name: text for name, text in carried if name not in own}
            try:
                return await self._try(call, opened, deadline)
            except ToolError as error:
                said["error.type"] = str(error.status or error.kind)
                raise
            finally:
                if call.status:
                    said["http.response.status_code"] = call.status

    async def _try(self, call: Call, opened: Opened, deadline: float | None) -> Json:
        """One request with its redirects; whatever goes wrong becomes a ToolError here."""
        remaining = None if deadline is None else max(0.001, deadline - time.monotonic())
        connect = self.connect_timeout or None
        timeout = aiohttp.ClientTimeout(total=remaining, sock_connect=connect)
        call.unsent = call.is_redirected = False
        call.status = 0
        try:
            return await self._follow(call, opened.session, timeout)
        except asyncio.TimeoutError as error:
            is_connecting = isinstance(error, aiohttp.ConnectionTimeoutError)
            call.unsent = is_connecting and not call.is_redirected
            where = "the connection was not made" if is_connecting else "no complete answer came"
            raise call.error("upstream_timeout", f"{where} in time") from None
        except aiohttp.ClientConnectorError as error:
            call.unsent = not call.is_redirected
            failure = call.error("upstream_unreachable", f"cannot connect ({_reason(error)})")
            failure.retryable &= not isinstance(error, aiohttp.ClientSSLError)
            raise failure from None
        except ValueError:  # also aiohttp.InvalidURL
            message = f"{call.shown['url']} cannot be asked: it, a header or the proxy is not valid"
            raise ToolError("refused", message, request=call.shown) from None
        except (aiohttp.ClientPayloadError, aiohttp.ClientResponseError) as error:
            what = f"the answer is broken ({type(error).__name__})"
            raise call.error("upstream_invalid", what) from None
        except (aiohttp.ClientError, OSError) as error:
            what = f"the connection broke ({_reason(error)})"
            raise call.error("upstream_unreachable", what) from None

    async def _follow(
        self, call: Call, session: aiohttp.ClientSession, timeout: aiohttp.ClientTimeout
    ) -> Json:
        url = URL(call.url, encoded=True)
        method, headers, body = call.method, {**call.trace, **call.headers}, call.body
        for _ in range(MAX_REDIRECTS + 1):
            async with session.request(
                method,
                url,
                headers=headers,
                data=body,
                timeout=timeout,
                allow_redirects=False,
                proxy=self._proxy(url.scheme, url.raw_authority),
            ) as response:
                location = response.headers.get("Location")
                goes_on = call.follows and (method in SAFE or response.status == 303)
                if response.status not in REDIRECTS or location is None or not goes_on:
                    return await self._value(call, response)
                target = redirect_target(url, location)
                if target is None:
                    return await self._value(call, response)
                if target.origin() != url.origin():
                    call.circuit.note(failed=False)
                    host = str(target.origin())
                    call.circuit = self._circuits.get(host) or Circuit(host)
                    # Nothing but the question goes to another host: any header may be a credential.
                    headers = {name: headers[name] for name in headers if name == "Accept"}
                    body = None
                if response.status == 303 and method != "HEAD":
                    method, body = "GET", None
                if body is None:
                    headers = {name: headers[name] for name in headers if name != "Content-Type"}
                url = target
                call.is_redirected = True
        raise call.error("upstream_invalid", f"it redirects more than {MAX_REDIRECTS} times")

    async def _value(self, call: Call, response: aiohttp.ClientResponse) -> Json:
        call.status = response.status
        body = await self._read(call, response)
        took = 1000 * (time.monotonic() - call.begun)
        answered = (call.method, call.shown["url"], response.status, len(body), took)
        if trace := CURRENT.get():
            trace.answered(response.status, len(body))
        log.debug("%s %s answered %d with %d bytes in %.0f ms", *answered)
        if not 200 <= response.status < 300:
            raise responses.status_error(
                response.status,
                response.headers,
                body,
                request=call.shown,
                repeatable=call.repeatable,
            )
        HEADERS.set(response.headers)
        kind = response.headers.get("Content-Type", "")
        return responses.value_of(body, kind, response.headers.get("Content-Disposition", ""))

    async def _read(self, call: Call, response: aiohttp.ClientResponse) -> bytes:
        """The body, if it keeps to the limit; of an error's body, or of a stream that may have no end, what fits."""
        content = response.content
        if content.is_eof() and content.total_bytes <= self.max_bytes:
            return content.read_nowait()  # as short answers come: all at once
        is_stream = responses.is_stream(response.headers.get("Content-Type", ""))
        chunks: list[bytes] = []
        size = 0
        try:
            async for chunk in content.iter_any():
                size += len(chunk)
                if size > self.max_bytes:
                    break
                chunks.append(chunk)
            else:
                return chunks[0] if len(chunks) == 1 else b"".join(chunks)
        except asyncio.TimeoutError:
            if not (is_stream and chunks):
                raise
        if is_stream or response.status >= 300:
            body = b"".join(chunks)
            return body[: body.rfind(b"\n") + 1] if is_stream else body
        limit = f"the limit of {self.max_bytes:,} bytes"
        message = f"The answer is larger than {limit}: ask for less, by a filter or page"
        raise ToolError("too_large", message, request=call.shown)

    # --- session

    def _open(self) -> Opened:
        """What is open on the running loop, made when first needed."""
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened.loop is not loop:
            context = self._tls() if self._context is None else self._context
            self.timeout = self._setting("TIMEOUT", self.timeout)
            self.connect_timeout = self._setting("CONNECT_TIMEOUT", self.connect_timeout)
            self._opened = Opened(
                loop,
                Limits(
                    self.prefix,
                    rate=self._setting("RATE", self.rate),
                    most=int(self._setting("CONCURRENCY", self.concurrency)),
                ),
                aiohttp.ClientSession(
                    connector=aiohttp.TCPConnector(ssl=context, limit=0),  # the limit is ours
                    cookie_jar=aiohttp.DummyCookieJar(),  # one caller's session is not another's
                    headers={"User-Agent": self.program},
                    skip_auto_headers=("Content-Type",),
                ),
            )
        return self._opened

    def preload(self) -> None:
        """Do now, in a thread if you like, what would hold up the first request: a bundle of authorities takes a while."""
        self._context = self._tls()

    def _tls(self) -> SSLContext | bool:
        """OpenSSL reads SSL_CERT_FILE itself; the bundles of requests and curl, and a certificate of ours, it does not."""
        bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
        if bundle == os.environ.get("SSL_CERT_FILE"):
            bundle = None
        kinds = self.credentials.values()
        own = [one for one in kinds if isinstance(one, ClientCertificate) and not one.missing()]
        if not bundle and not own:
            return True
        import ssl

        try:
            context = ssl.create_default_context(cafile=bundle or None)
            for one in own:
                key = os.environ.get(one.key) or None
                context.load_cert_chain(os.environ[one.certificate], key)
        except OSError as error:  # also ssl.SSLError
            names = [name for one in own for name in (one.certificate, one.key)]
            what = ", ".join(["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", *names])
            reason = f"A file that one of {what} names cannot be used ({type(error).__name__})"
            raise ToolError("missing_credentials", reason) from None
        return context

    def _proxy(self, scheme: str, host: str) -> str | None:
        """The proxy of the usual variables. aiohttp's own trust_env would read ~/.netrc too, and in a thread each time."""
        if self._is_mock:
            return None
        if (scheme, host) not in self._proxies:
            from urllib.request import getproxies, proxy_bypass

            self._proxies[scheme, host] = None if proxy_bypass(host) else getproxies().get(scheme)
        return self._proxies[scheme, host]

    async def close(self) -> None:
        if self._opened is not None:
            opened, self._opened = self._opened, None
            await opened.session.close()


class Opened(NamedTuple):
    """What an API has open on one event loop."""

    loop: asyncio.AbstractEventLoop
    limits: Limits
    session: aiohttp.ClientSession


class Call:
    """One request ready to send. `shown` is what an error may say of it; `unsent`: the last attempt did not reach the API."""

    def __init__(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        body: bytes | None,
        shown: dict[str, str],
        repeatable: bool,
    ) -> None:
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.shown = shown
        self.repeatable = repeatable
        self.follows = True  # redirects
        self.unsent = False
        self.is_redirected = False
        self.circuit: Circuit  # of the host that is asked
        self.status = 0  # of the last answer
        self.carries_trace = False  # whose it is does not concern who gives out tokens
        self.trace: dict[str, str] = {}
        self.begun = time.monotonic()

    def error(self, kind: Kind, what: str) -> ToolError:
        retryable = self.repeatable or self.unsent
        message = f"{self.method} {self.shown['url']}: {what}"
        if not retryable:
            message += "; it may have been carried out all the same, so check before you repeat it"
        return ToolError(kind, message, retryable=retryable, request=self.shown)


def _is_failure(error: ToolError) -> bool:
    """Of the API's health: no answer, or one of 5xx."""
    if error.status is not None:
        return error.status >= 500
    return error.kind in ("upstream_unreachable", "upstream_timeout")


def is_absolute(url: str) -> bool:
    return ABSOLUTE.match(url) is not None


def redirect_target(url: URL, location: str) -> URL | None:
    """Where a Location leads, its quoting untouched; None if that is no place on the web."""
    try:
        target = url.join(URL(location, encoded=location.isascii() and " " not in location))
        return target if target.scheme in ("http", "https") and target.raw_host else None
    except ValueError:
        return None


def without_userinfo(url: str) -> str:
    return USERINFO.sub(r"\1", url) if "@" in url else url


def _reason(error: BaseException) -> str:
    cause = getattr(error, "os_error", error)
    return getattr(cause, "strerror", None) or type(cause).__name__
