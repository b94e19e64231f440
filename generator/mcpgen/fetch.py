"""Fetch a document over http(s), within limits of size and time, and never where it must not lead."""

from __future__ import annotations

import ipaddress
import socket
from base64 import b64encode
from dataclasses import dataclass
from http.client import HTTPException
from time import monotonic
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

MAX_BYTES = 64 * 2**20  # the largest real document seen has 13 MB
TIMEOUT = 30.0  # seconds without a byte
DEADLINE = 120.0  # seconds for all of it
ACCEPT = "application/json, application/yaml, text/yaml, */*;q=0.5"


class FetchError(Exception):
    """Why there is no document, in words for the user."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`url` is where the redirects ended."""

    url: str
    data: bytes


def is_url(text: str) -> bool:
    return text[:8].lower().startswith(("http://", "https://"))


def fetch(url: str, *, stay: bool = False) -> Answer:
    """With `stay`, a redirect to another host is refused."""
    request = Request(without_credentials(url), headers={"Accept": ACCEPT, "User-Agent": "mcpgen"})
    parts = urlsplit(url)
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        # Unredirected: the credentials are for this host alone.
        header = "Basic " + b64encode(pair.encode()).decode()
        request.add_unredirected_header("Authorization", header)
    opener = build_opener(_Redirects(url, stay))
    try:
        with opener.open(request, timeout=TIMEOUT) as response:
            return Answer(response.url, _read(response))
    except HTTPError as error:
        raise FetchError(f"the server answered {error.code} {error.reason}") from None
    except URLError as error:
        raise FetchError(str(error.reason)) from None
    except TimeoutError:
        raise FetchError("the server was too slow") from None
    except (OSError, ValueError, HTTPException) as error:
        raise FetchError(str(error) or type(error).__name__) from None


def _read(response: Any) -> bytes:
    started = monotonic()
    parts: list[bytes] = []
    size = 0
    while part := response.read1(2**16):
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            raise FetchError(f"the document is larger than {MAX_BYTES // 2**20} MiB")
        if monotonic() - started > DEADLINE:
            raise FetchError(f"the server took more than {DEADLINE:.0f} seconds")
    return b"".join(parts)


def without_credentials(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def join(base: str, url: str) -> str:
    """`url` counted from `base`; as it is, where it is no URL at all."""
    try:
        return urljoin(base, url)
    except ValueError:
        return url


def same_host(one: str, other: str) -> bool:
    return _host(one) == _host(other)


def _host(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return (parts.hostname or "").lower(), parts.port or (443 if parts.scheme == "https" else 80)


def is_private(host: str) -> bool:
    """Whether a name leads to this machine or its network. Names that lead nowhere fail later."""
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return False
    addresses = (ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found)
    return any(not address.is_global for address in addresses)


class _Redirects(HTTPRedirectHandler):
    def __init__(self, start: str, stay: bool) -> None:
        self.start = start
        self.stay = stay

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        if not is_url(newurl):
            raise FetchError(f"it redirects to {newurl}, which is not http")
        if not same_host(self.start, newurl):
            if self.stay:
                raise FetchError("it redirects to another host")
            # A public address must not lead into the user's own network.
            if is_private(urlsplit(newurl).hostname or "") and not is_private(
                urlsplit(self.start).hostname or ""
            ):
                raise FetchError("it redirects to a private address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
