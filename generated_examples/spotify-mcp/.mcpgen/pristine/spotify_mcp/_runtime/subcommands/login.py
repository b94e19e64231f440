"""`login` and `logout`: an access token by the user's own consent, in a browser here or on another device.

Authorization code with PKCE (RFC 7636, RFC 8252) or device authorization (RFC 8628). The token is kept by `token_store`.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import os
import secrets
import socketserver
import threading
import time
import webbrowser
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from ..api import Api, is_absolute
from ..credentials import value_of
from ..errors import ToolError
from ..oauth import OAuth2, error_code
from ..tools import import_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..catalog import Catalog

PATIENCE = 300.0  # seconds for the user
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def login(api: Api, words: Sequence[str]) -> None:
    """`login [SCHEME] [--device] [--port PORT]`. Raises SystemExit with what went wrong."""
    parser = argparse.ArgumentParser(prog=f"{api.program} login", description="Log in to the API.")
    parser.add_argument("scheme", nargs="?", help="which security scheme, where there are several")
    parser.add_argument("--device", action="store_true", help="confirm on another device")
    port = "the port of http://127.0.0.1:PORT/callback, where that address must be registered; else any"
    parser.add_argument("--port", type=int, default=0, help=port)
    options = parser.parse_args(words)
    one = _choose(api, options.scheme)
    try:
        answer = asyncio.run(_log_in(api, one, device=options.device, port=options.port))
        print(f"Logged in. The token is kept in {one.keep(answer)}.")
    except ToolError as error:
        raise SystemExit(f"error: {_plain(error.message)}") from None
    except (OSError, OverflowError) as error:
        raise SystemExit(f"error: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit("error: given up") from None


def logout(api: Api, words: Sequence[str]) -> None:
    """`logout [SCHEME]`: forget the token."""
    from ..token_store import save

    parser = argparse.ArgumentParser(prog=f"{api.program} logout", description="Forget the token.")
    parser.add_argument("scheme", nargs="?")
    one = _choose(api, parser.parse_args(words).scheme)
    save(api.program, one.scheme, None)
    print("Logged out.")


def _choose(api: Api, name: str | None) -> OAuth2:
    known = {
        name: one
        for name, one in api.credentials.items()
        if isinstance(one, OAuth2) and one.can_log_in
    }
    if not known:
        raise SystemExit("error: no security scheme of this API has a login")
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name not in known:
        raise SystemExit(f"error: say which: {', '.join(known)}")
    return known[name]


async def _log_in(api: Api, one: OAuth2, *, device: bool, port: int) -> dict[str, Any]:
    try:
        metadata = await one.discover(api.exchange)
        client_id = await value_of(one.client_id)
        if not client_id:
            raise ToolError(
                "missing_credentials", f"set {one.client_id} to the id of your OAuth client"
            )
        scope = _scope(one, metadata)
        if device or not one.authorization_url:
            return await _by_device(api, one, scope)
        with _Redirect(port) as redirect:
            asked = {
                "response_type": "code",
                "client_id": client_id,
                "redirect_uri": redirect.url,
                "state": redirect.state,
                **scope,
            }
            place = api.absolute(one.authorization_url)
            if not is_absolute(place):  # a browser would also open a file
                raise ToolError("refused", f"{_plain(place)} is no address of a login page")
            return await _by_browser(api, one, redirect, place, asked, metadata.get("issuer"))
    finally:
        await api.close()


def _scope(one: OAuth2, metadata: Mapping[str, Any]) -> dict[str, str]:
    """What to ask for: by OpenID Connect also who it is, and to renew it where that must be asked for (Core §11)."""
    wanted = list(one.scopes)
    if one.discovery_url:
        supported = metadata.get("scopes_supported") or ()
        wanted = ["openid", *(["offline_access"] if "offline_access" in supported else []), *wanted]
    return {"scope": " ".join(dict.fromkeys(wanted))} if wanted else {}


async def _by_browser(
    api: Api,
    one: OAuth2,
    redirect: _Redirect,
    place: str,
    asked: Mapping[str, str],
    issuer: str | None,
) -> dict[str, Any]:
    verifier = secrets.token_urlsafe(64)
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    query = urlencode({**asked, "code_challenge": challenge, "code_challenge_method": "S256"})
    url = f"{place}{'&' if '?' in place else '?'}{query}"
    print(f"Log in with your browser:\n\n    {url}\n", flush=True)
    # In a thread that nothing waits for: a browser of the terminal would run until the user leaves it.
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    try:
        said = await asyncio.wait_for(redirect.said, PATIENCE)
    except TimeoutError:
        raise ToolError("refused", "nobody logged in within five minutes") from None
    if issuer and said.get("iss", issuer) != issuer:  # RFC 9207: a mix-up of servers
        raise ToolError("refused", "the answer came from another authorization server")
    if "code" not in said:
        what = said.get("error_description") or said.get("error") or "no code came back"
        raise ToolError("refused", f"the login was refused: {what}")
    form = {
        "grant_type": "authorization_code",
        "code": said["code"],
        "redirect_uri": redirect.url,
        "code_verifier": verifier,
    }
    return await one.ask(one.token_url, form, api.exchange)


async def _by_device(api: Api, one: OAuth2, scope: dict[str, str]) -> dict[str, Any]:
    if not one.device_url:
        raise ToolError("refused", "this API has no login by another device")
    asked = await one.post(one.device_url, scope, api.exchange)
    place = asked.get("verification_uri_complete") or asked.get("verification_uri")
    try:
        interval = max(1.0, float(asked.get("interval", 5)))
        deadline = time.monotonic() + float(asked.get("expires_in", PATIENCE))
        form = {"grant_type": DEVICE, "device_code": str(asked["device_code"])}
        shown = f"On any device open {place} and enter the code {asked['user_code']}"
    except (KeyError, TypeError, ValueError):
        what = "the authorization server answered without a code for the device"
        raise ToolError("upstream_invalid", what) from None
    print(f"{_plain(shown)}\n", flush=True)
    while time.monotonic() < deadline:
        await asyncio.sleep(interval)
        try:
            return await one.ask(one.token_url, form, api.exchange)
        except ToolError as error:
            code = error_code(error)
            if code == "slow_down":  # RFC 8628 §3.5
                interval += 5
            elif code != "authorization_pending":
                raise
    raise ToolError("refused", "the code was not confirmed in time")


def _plain(text: str) -> str:
    """Text of a stranger, without what a terminal would act on."""
    return "".join(one if one.isprintable() else " " for one in text)


class _Redirect(socketserver.ThreadingTCPServer):
    """A page on loopback that the authorization server sends the browser back to; `said` is what it came with.

    Threads, since browsers open connections in advance and send nothing.
    """

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name == "posix"  # elsewhere that means to share a port

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Page)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/callback"
        self.state = secrets.token_urlsafe(32)
        self._loop = asyncio.get_running_loop()
        self.said: asyncio.Future[dict[str, str]] = self._loop.create_future()

    def __enter__(self) -> _Redirect:
        threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()

    def read(self, path: str) -> dict[str, str] | None:
        """What came back with our state; None for anything else, which is not for us."""
        url = urlsplit(path)
        said = {name: values[0] for name, values in parse_qs(url.query).items()}
        state = said.get("state", "").encode()
        is_ours = url.path == "/callback" and secrets.compare_digest(state, self.state.encode())
        return said if is_ours else None

    def take(self, said: dict[str, str]) -> None:
        self._loop.call_soon_threadsafe(self._set, said)

    def _set(self, said: dict[str, str]) -> None:
        if not self.said.done():
            self.said.set_result(said)


class _Page(BaseHTTPRequestHandler):
    server: _Redirect

    def do_GET(self) -> None:
        said = self.server.read(self.path)
        body = b"You may close this page." if said else b"This is not the page of a login."
        self.send_response(200 if said else 404)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if said:
            self.server.take(said)

    def log_message(self, format: str, *arguments: Any) -> None:
        """The address holds the code."""


def run(package: str, catalog: Catalog, words: Sequence[str]) -> int:
    module = import_optional(f"{package}.api")
    if module is None:
        raise SystemExit("error: this server has no API to log in to")
    (login if words[0] == "login" else logout)(module.API, words[1:])
    return 0
