"""Requests on the wire: connections, TLS, time-outs, limits, retries, redirects, and what comes back.

Knows hosts and nothing of the API behind them. Whatever goes wrong is a ToolError.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import random
import time
from collections.abc import Sequence
from typing import NamedTuple

import aiohttp
from yarl import URL

from . import responses
from .credentials import ClientCertificate
from .errors import ToolError
from .limits import Circuit, Limits
from .pages import HEADERS
from .tracing import CURRENT, Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ssl import SSLContext

    from .errors import Json, Kind

log = logging.getLogger(__name__)

# RFC 9110 §9.2.1, and the registry of methods.
SAFE = ("GET", "HEAD", "OPTIONS", "QUERY", "PROPFIND", "SEARCH", "REPORT")
REDIRECTS = (301, 302, 303, 307, 308)
MAX_REDIRECTS = 5
LONGEST_WAIT = 20.0  # a longer Retry-After is for the model to decide


class HttpClient:
    """One for an API, shared by all calls.

    Environment: `<prefix>_TIMEOUT`, `<prefix>_CONNECT_TIMEOUT`, `<prefix>_RATE` and `<prefix>_CONCURRENCY` replace what
    the code says, from the first request on.
    """

    def __init__(
        self,
        prefix: str,
        program: str,
        certificates: Sequence[ClientCertificate],
        *,
        timeout: float,
        connect_timeout: float,
        concurrency: int,
        rate: float,
        retries: int,
        max_bytes: int,
    ) -> None:
        """Times are seconds, `rate` is requests a second, and 0 is no limit. `certificates` are shown to whoever asks for one."""
        self.prefix = prefix
        self.program = program
        self.certificates = certificates
        self.timeout = timeout
        self.connect_timeout = connect_timeout
        self.concurrency = concurrency
        self.rate = rate
        self.retries = retries
        self.max_bytes = max_bytes
        self.uses_proxies = True
        self._context: SSLContext | bool | None = None  # once it was made
        self._opened: Opened | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}
        self._circuits: dict[str, Circuit] = {}

    async def send(self, call: Call) -> Json:
        """Try until it works, cannot work, or time is up. Gives the value of the answer."""
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
        own = [one for one in self.certificates if not one.missing()]
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
        if not self.uses_proxies:
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


def redirect_target(url: URL, location: str) -> URL | None:
    """Where a Location leads, its quoting untouched; None if that is no place on the web."""
    try:
        target = url.join(URL(location, encoded=location.isascii() and " " not in location))
        return target if target.scheme in ("http", "https") and target.raw_host else None
    except ValueError:
        return None


def _reason(error: BaseException) -> str:
    cause = getattr(error, "os_error", error)
    return getattr(cause, "strerror", None) or type(cause).__name__
