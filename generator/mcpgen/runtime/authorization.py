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
PAUSE = 30.0  # seconds between two looks at the issuer's keys, however many unknown ones are shown
TIMEOUT = 10.0


class Authorization:
    """Anybody may call."""

    metadata: bytes | None = None  # what `WELL_KNOWN` answers

    async def check(self, headers: Mapping[str, str]) -> Mapping[str, Any]:
        """The claims of the caller's token. Raises Refused."""
        return {}


class StaticToken(Authorization):
    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def check(self, headers: Mapping[str, str]) -> Mapping[str, Any]:
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
        self._fetched = float("-inf")
        self._fetching = asyncio.Lock()
        url = urlsplit(audience)
        place = f"{url.scheme}://{url.netloc}{WELL_KNOWN}{url.path.rstrip('/')}"
        self._challenge = [f'resource_metadata="{place}"']
        if scopes:
            self._challenge.append(f'scope="{" ".join(scopes)}"')
        self.metadata = json.dumps(
            {
                "resource": audience,
                "authorization_servers": [issuer],
                "bearer_methods_supported": ["header"],
                **({"scopes_supported": list(scopes)} if scopes else {}),
            }
        ).encode()

    async def check(self, headers: Mapping[str, str]) -> Mapping[str, Any]:
        token = _bearer(headers)
        if token is None:
            raise self._refusal(401, "An access token is needed")
        claims = await self._claims(token)
        granted = claims.get("scope") or claims.get("scp") or ()
        if isinstance(granted, str):
            granted = granted.split()
        missing = [scope for scope in self._scopes if scope not in granted]
        if missing:
            reason = f"The token lacks the scope {' '.join(missing)}"
            raise self._refusal(403, reason, "insufficient_scope")
        return claims

    async def _claims(self, token: str) -> Mapping[str, Any]:
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
            raise self._refusal(401, reason, "invalid_token") from None

    async def _key(self, identifier: str | None) -> Any:
        """The issuer's key of that name; the keys are looked up again when it has a new one."""
        async with self._fetching:
            age = time.monotonic() - self._fetched
            if age > KEYS_LAST or (identifier not in self._keys and age > PAUSE):
                self._keys = await self._fetch_keys()
                self._fetched = time.monotonic()
        if identifier is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(identifier)

    async def _fetch_keys(self) -> Mapping[str | None, Any]:
        import aiohttp
        import jwt

        try:
            timeout = aiohttp.ClientTimeout(total=TIMEOUT)
            async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
                place = await self._jwks_uri(session)
                async with session.get(place) as response:
                    found = jwt.PyJWKSet.from_dict(await response.json(content_type=None))
            return {key.key_id: key for key in found.keys}
        except (aiohttp.ClientError, TimeoutError, ValueError, KeyError, jwt.PyJWTError) as error:
            log.error("the keys of the issuer %s cannot be read: %r", self._issuer, error)
            reason = "Access tokens cannot be checked now"
            raise Refused(503, reason, {"Retry-After": str(int(PAUSE))}) from None

    async def _jwks_uri(self, session: Any) -> str:
        """By the metadata of the issuer (RFC 8414, or OpenID Connect Discovery)."""
        url = urlsplit(self._issuer)
        origin, path = f"{url.scheme}://{url.netloc}", url.path.rstrip("/")
        for place in (
            f"{origin}/.well-known/oauth-authorization-server{path}",
            f"{origin}{path}/.well-known/openid-configuration",
        ):
            async with session.get(place) as response:
                if response.status == 200:
                    said = await response.json(content_type=None)
                    if said["issuer"] != self._issuer:
                        raise ValueError(f"{place} is about another issuer, {said['issuer']!r}")
                    return str(said["jwks_uri"])
        raise ValueError(f"{self._issuer} has no metadata")

    def _refusal(self, status: int, reason: str, error: str | None = None) -> Refused:
        challenge = [f'error="{error}"', f'error_description="{reason}"'] if error else []
        shown = "Bearer " + ", ".join([*challenge, *self._challenge])
        return Refused(status, reason, {"WWW-Authenticate": shown})


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
    if scopes and not issuer:
        raise SystemExit(
            f"error: {names[3]} is of access tokens: set {names[1]} and {names[2]} too"
        )
