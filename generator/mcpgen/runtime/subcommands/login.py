"""`login` and `logout`: an access token by the user's own consent, in a browser here or on another device.

Authorization code with PKCE (RFC 7636, RFC 8252) or device authorization (RFC 8628). The token is kept by `token_store`.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import secrets
import time
import webbrowser
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from ..api import Api
from ..credentials import value_of
from ..errors import ToolError
from ..oauth import OAuth2
from ..tools import import_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..catalog import Catalog

PATIENCE = 300.0  # seconds for the user
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def login(api: Api, words: Sequence[str]) -> None:
    """`login [SCHEME] [--device]`. Raises SystemExit with what went wrong."""
    parser = argparse.ArgumentParser(prog=f"{api.program} login", description="Log in to the API.")
    parser.add_argument("scheme", nargs="?", help="which security scheme, where there are several")
    parser.add_argument("--device", action="store_true", help="confirm on another device")
    options = parser.parse_args(words)
    one = _choose(api, options.scheme)
    try:
        answer = asyncio.run(_log_in(api, one, device=options.device))
    except ToolError as error:
        raise SystemExit(f"error: {error.message}") from None
    except KeyboardInterrupt:
        raise SystemExit("error: given up") from None
    print(f"Logged in. The token is kept in {one.keep(answer)}.")


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


async def _log_in(api: Api, one: OAuth2, *, device: bool) -> dict[str, Any]:
    try:
        metadata = await one.discover(api.exchange)
        client_id = await value_of(one.client_id) if one.client_id else None
        if not client_id:
            raise ToolError(
                "missing_credentials", f"set {one.client_id} to the id of your OAuth client"
            )
        if device or not one.authorization_url:
            if not one.device_url:
                raise ToolError("refused", "this API has no login by another device")
            return await _by_device(api, one, client_id)
        return await _by_browser(api, one, client_id, metadata.get("issuer"))
    finally:
        await api.close()


async def _by_browser(api: Api, one: OAuth2, client_id: str, issuer: str | None) -> dict[str, Any]:
    verifier, state = secrets.token_urlsafe(64), secrets.token_urlsafe(32)
    digest = hashlib.sha256(verifier.encode()).digest()
    with _Redirect() as redirect:
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": redirect.url,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            **({"scope": " ".join(one.scopes)} if one.scopes else {}),
        }
        place = one.authorization_url or ""
        url = f"{place}{'&' if '?' in place else '?'}{urlencode(asked)}"
        print(f"Log in with your browser:\n\n    {url}\n", flush=True)
        webbrowser.open(url)
        said = await asyncio.to_thread(redirect.wait, state)
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
    return await one.ask(form, api.exchange)


async def _by_device(api: Api, one: OAuth2, client_id: str) -> dict[str, Any]:
    form = {"client_id": client_id, **({"scope": " ".join(one.scopes)} if one.scopes else {})}
    asked = await api.exchange(one.device_url or "", form, {})
    place = asked.get("verification_uri_complete") or asked["verification_uri"]
    print(f"On any device open {place} and enter the code {asked['user_code']}\n", flush=True)
    interval = float(asked.get("interval", 5))
    deadline = time.monotonic() + float(asked.get("expires_in", PATIENCE))
    while time.monotonic() < deadline:
        await asyncio.sleep(interval)
        try:
            form = {"grant_type": DEVICE, "device_code": asked["device_code"]}
            return await one.ask(form, api.exchange)
        except ToolError as error:
            reason = str(error.detail)
            if "slow_down" in reason:
                interval += 5
            elif "authorization_pending" not in reason:
                raise
    raise ToolError("refused", "the code was not confirmed in time")


class _Redirect:
    """A page on loopback that the authorization server sends the browser back to."""

    def __enter__(self) -> _Redirect:
        said = self.said = dict[str, str]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                if url.path == "/callback":
                    said.update({name: values[0] for name, values in parse_qs(url.query).items()})
                self.send_response(200 if url.path == "/callback" else 404)
                self.send_header("Content-Type", "text/plain; charset=utf-8")
                self.end_headers()
                self.wfile.write(b"You may close this page.")

            def log_message(self, format: str, *arguments: Any) -> None:
                """The address holds the code."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._server.timeout = 1.0
        self.url = f"http://127.0.0.1:{self._server.server_port}/callback"
        return self

    def __exit__(self, *error: object) -> None:
        self._server.server_close()

    def wait(self, state: str) -> dict[str, str]:
        """What came back with our state; anything else is not for us."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self._server.handle_request()
            if secrets.compare_digest(self.said.get("state", ""), state):
                return self.said
            self.said.clear()
        raise ToolError("refused", "nobody logged in within five minutes")


def run(package: str, catalog: Catalog, words: Sequence[str]) -> int:
    module = import_optional(f"{package}.api")
    if module is None:
        raise SystemExit("error: this server has no API to log in to")
    (login if words[0] == "login" else logout)(module.API, words[1:])
    return 0
