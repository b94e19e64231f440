"""Who may call over HTTP: anybody, who knows a secret, or who shows an access token made for this server.

The last makes the server an OAuth 2.1 resource server (MCP 2026-07-28, authorization; RFC 9728, RFC 9068): it validates
tokens of one issuer and makes none. A token is for this server alone: it never goes on to the API.
"""

from __future__ import annotations

import asyncio
import hmac
import importlib.util
import json
import logging
import os
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from .http_replies import Refused

log = logging.getLogger(__name__)

OFF = "off"
WELL_KNOWN = "/.well-known/oauth-protected-resource"
# Signatures that a public key verifies: with a shared secret, who may check a token could make one.
ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
)
LEEWAY = 30  # seconds that two clocks may differ
KEYS_LAST = 3_600.0  # seconds
PAUSE = 30.0  # seconds between two looks at the issuer's keys, whoever shows what and whether or not it answers
TIMEOUT = 10.0


class Authorization:
    """Anybody may call."""

    metadata: Mapping[str, bytes] = {}  # RFC 9728, by the paths that answer with it

    async def check(self, headers: Mapping[str, str], root: str = "") -> Mapping[str, Any]:
        """The claims of the caller's token, of an application that is mounted at `root`. Raises Refused."""
        return {}


class StaticToken(Authorization):
    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def check(self, headers: Mapping[str, str], root: str = "") -> Mapping[str, Any]:
        shown = _bearer(headers)
        if shown is None or not hmac.compare_digest(shown.encode(), self._token):
            raise Refused(401, "A bearer token is needed", {"WWW-Authenticate": "Bearer"})
        return {}


class ResourceServer(Authorization):
    """Tokens that `issuer` signed for `audience`, the public URL of this endpoint, with every one of `scopes`."""

    def __init__(self, issuer: str, audience: str, scopes: tuple[str, ...]) -> None:
        self._issuer = issuer
        self._audience = audience
        self._scopes = scopes
        self._keys: Mapping[str | None, Any] = {}
        self._keys_last = self._asked = float("-inf")
        self._is_failing = True  # until the issuer has answered
        self._asking = asyncio.Lock()
        document = {
            "resource": audience,
            "authorization_servers": [issuer],
            "bearer_methods_supported": ["header"],
            **({"scopes_supported": list(scopes)} if scopes else {}),
        }
        path = urlsplit(audience).path.rstrip("/")
        places = (WELL_KNOWN, f"{WELL_KNOWN}/mcp", WELL_KNOWN + path)
        self.metadata = dict.fromkeys(places, json.dumps(document).encode())

    async def check(self, headers: Mapping[str, str], root: str = "") -> Mapping[str, Any]:
        token = _bearer(headers)
        if token is None:
            raise self._refusal(root, 401, "An access token is needed")
        claims = await self._claims(token, root)
        granted = claims.get("scope") or claims.get("scp")
        if isinstance(granted, str):
            granted = granted.split()
        if not isinstance(granted, list):
            granted = []
        missing = [scope for scope in self._scopes if scope not in granted]
        if missing:
            reason = f"The token lacks the scope {' '.join(missing)}"
            raise self._refusal(root, 403, reason, "insufficient_scope")
        return claims

    async def _claims(self, token: str, root: str) -> Mapping[str, Any]:
        import jwt

        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in ALGORITHMS:
                raise jwt.InvalidAlgorithmError("its algorithm is not accepted here")
            key = await self._key(header.get("kid"))
            if key is None:
                raise jwt.InvalidKeyError("the issuer has no such key")
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[header["alg"]],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
            return claims
        except jwt.PyJWTError as error:
            log.info("an access token was refused: %s", type(error).__name__)
            reason = "The access token is not valid here, or not any more"
            raise self._refusal(root, 401, reason, "invalid_token") from None

    async def _key(self, identifier: str | None) -> Any:
        """The issuer's key of that name, or None. Raises Refused while the issuer cannot be asked.

        Anybody can show an unknown name: it makes nobody wait who shows a known one, and the issuer is asked seldom.
        """
        if (key := self._kept(identifier)) is None:
            async with self._asking:
                if self._kept(identifier) is None and time.monotonic() - self._asked > PAUSE:
                    await self._ask()
            key = self._kept(identifier)
        if key is None and self._is_failing:
            reason = "Access tokens cannot be checked now"
            raise Refused(503, reason, {"Retry-After": str(int(PAUSE))})
        return key

    def _kept(self, identifier: str | None) -> Any:
        if time.monotonic() > self._keys_last:
            return None
        if identifier is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(identifier)

    async def _ask(self) -> None:
        import aiohttp
        import jwt

        self._is_failing = True
        try:
            timeout = aiohttp.ClientTimeout(total=TIMEOUT)
            async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
                found = await _document(session, await self._jwks_uri(session))
            self._keys = {key.key_id: key for key in jwt.PyJWKSet.from_dict(found).keys}
            self._keys_last = time.monotonic() + KEYS_LAST
            self._is_failing = False
        except Exception as error:  # an issuer may answer anything: callers are told the same
            kind = type(error).__name__
            log.error("the keys of the issuer %s cannot be read: %s: %s", self._issuer, kind, error)
        finally:
            self._asked = time.monotonic()

    async def _jwks_uri(self, session: Any) -> str:
        """By the metadata of the issuer: RFC 8414, or OpenID Connect Discovery in its two places."""
        url = urlsplit(self._issuer)
        origin, path = f"{url.scheme}://{url.netloc}", url.path.rstrip("/")
        for place in (
            f"{origin}/.well-known/oauth-authorization-server{path}",
            f"{origin}/.well-known/openid-configuration{path}",
            f"{origin}{path}/.well-known/openid-configuration",
        ):
            try:
                said = await _document(session, place)
            except ValueError:
                continue
            if said.get("issuer") != self._issuer:
                raise ValueError(f"{place} is about another issuer, {said.get('issuer')!r}")
            if "jwks_uri" in said:
                return str(said["jwks_uri"])
        raise ValueError("no metadata of it names its keys")

    def _refusal(self, root: str, status: int, reason: str, error: str | None = None) -> Refused:
        said = {"error": error, "error_description": reason} if error else {}
        said["resource_metadata"] = self._metadata_url(root)
        if self._scopes:
            said["scope"] = " ".join(self._scopes)
        shown = ", ".join(f'{name}="{value}"' for name, value in said.items())
        return Refused(status, reason, {"WWW-Authenticate": f"Bearer {shown}"})

    def _metadata_url(self, root: str) -> str:
        """RFC 9728 §3.1 puts it at the root of the host, which is not ours where we are mounted below it."""
        url = urlsplit(self._audience)
        path = url.path.rstrip("/")
        if root and path.startswith(f"{root}/"):
            return f"{url.scheme}://{url.netloc}{root}{WELL_KNOWN}{path.removeprefix(root)}"
        return f"{url.scheme}://{url.netloc}{WELL_KNOWN}{path}"


async def _document(session: Any, url: str) -> dict[str, Any]:
    """A JSON object. Raises ValueError for anything else."""
    async with session.get(url) as response:
        if response.status != 200:
            raise ValueError(f"{url} answers {response.status}")
        found = await response.json(content_type=None)
    if not isinstance(found, dict):
        raise ValueError(f"{url} answers with something else than an object")
    return found


def authorization(prefix: str, *, reachable: bool) -> Authorization:
    """As the environment says. A server that others can reach must say it; raises SystemExit otherwise.

    `<prefix>_SERVER_TOKEN` is a secret that callers show as a bearer token, `off` for none. Or `<prefix>_SERVER_ISSUER` is an
    authorization server, `<prefix>_SERVER_AUDIENCE` the public URL of this endpoint, `<prefix>_SERVER_SCOPES` what each token
    must have, separated by spaces.
    """
    names = [f"{prefix}_SERVER_{name}" for name in ("TOKEN", "ISSUER", "AUDIENCE", "SCOPES")]
    token, issuer, audience, scopes = (os.environ.get(name, "") for name in names)
    if token and issuer:
        raise SystemExit(f"error: set {names[0]} or {names[1]}, not both")
    if bool(issuer) != bool(audience):
        raise SystemExit(
            f"error: {names[1]} (whose access tokens are accepted) and {names[2]} (the public URL of /mcp that they must"
            " be made for) belong together"
        )
    if scopes and not issuer:
        raise SystemExit(
            f"error: {names[3]} is of access tokens: set {names[1]} and {names[2]} too"
        )
    if issuer:
        for name, value in zip(names[1:3], (issuer, audience)):
            if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).netloc:
                raise SystemExit(f"error: {name} must be a URL, not {value!r}")
        if not all(map(importlib.util.find_spec, ("aiohttp", "jwt"))):
            raise SystemExit(
                "error: access tokens need aiohttp and PyJWT: install the extra `oauth`"
            )
        return ResourceServer(issuer, audience, tuple(scopes.split()))
    if reachable and not token:
        raise SystemExit(
            f"error: others can reach this address: set {names[0]} to a secret that callers must send as a bearer"
            f" token, or to {OFF!r} to let anybody call; or {names[1]} and {names[2]} to accept access tokens"
        )
    return StaticToken(token) if token and token != OFF else Authorization()


def _bearer(headers: Mapping[str, str]) -> str | None:
    """The token that is shown. Raises Refused for a header that cannot be read (RFC 6750 §3.1)."""
    shown = headers.get("authorization")
    if shown is None:
        return None
    kind, _, token = shown.partition(" ")
    if kind.lower() != "bearer":
        return None
    token = token.strip()
    if not token or any(not 0x21 <= ord(character) <= 0x7E for character in token):
        raise Refused(
            400,
            "The Authorization header is not valid",
            {"WWW-Authenticate": 'Bearer error="invalid_request"'},
        )
    return token
