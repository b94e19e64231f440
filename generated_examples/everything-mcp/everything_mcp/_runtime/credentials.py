"""The credentials of an API: where their values come from, and what they add to a request.

Values are read from the environment at each call (`NAME`, or the file that `NAME_FILE` names), so that a rotated secret
counts at once. Nothing here is ever logged or shown.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Awaitable, Callable, Sequence

from .errors import ToolError
from .serialize import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Task
    from typing import Literal

    from .errors import Json

    # Posts a form with headers to a URL and gives the parsed answer.
    Exchange = Callable[[str, dict[str, str], dict[str, str]], Awaitable[Json]]


def read_variable(name: str) -> str | None:
    """The value of an environment variable, or of the mounted file that `<name>_FILE` names."""
    value = os.environ.get(name)
    if not value and (path := os.environ.get(f"{name}_FILE")):
        try:
            with open(path, encoding="utf-8") as file:
                value = file.read()
        except (OSError, UnicodeDecodeError) as error:
            reason = f"The file that {name}_FILE names cannot be read: {type(error).__name__}"
            raise ToolError("missing_credentials", reason) from None
    value = None if value is None else value.strip()
    if value and not value.isprintable():
        raise ToolError(
            "missing_credentials", f"{name} holds a line break or another control character"
        )
    return value


class Added:
    """What credentials add to one request, and the secrets that may not be shown."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.query: list[tuple[str, str]] = []
        self.cookies: list[tuple[str, str]] = []
        self.secrets: list[str] = []

    def mask(self, value: Json) -> Json:
        """A JSON value without the secrets, in case the API repeats them."""
        if isinstance(value, str):
            for secret in self.secrets:
                if len(secret) >= 4:  # a shorter one would blot out ordinary words
                    value = value.replace(secret, "***").replace(quote(secret), "***")
            return value
        if isinstance(value, list):
            return [self.mask(one) for one in value]
        if isinstance(value, dict):
            return {self.mask(name): self.mask(one) for name, one in value.items()}
        return value


class Credential:
    """One security scheme."""

    def missing(self) -> tuple[str, ...]:
        """The variables that would have to be set; () if it can be used."""
        raise NotImplementedError

    async def apply(self, added: Added, exchange: Exchange) -> None:
        raise NotImplementedError

    def forget(self) -> bool:
        """The API refused it: drop what was cached. True if another try could do better."""
        return False


class ApiKey(Credential):
    """A key in a header, the query or a cookie."""

    def __init__(
        self, name: str, *, place: Literal["header", "query", "cookie"] = "header", variable: str
    ) -> None:
        self.name = name
        self.place = place
        self.variable = variable

    def missing(self) -> tuple[str, ...]:
        return () if read_variable(self.variable) else (self.variable,)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        key = read_variable(self.variable) or ""
        added.secrets.append(key)
        if self.place == "header":
            added.headers[self.name] = key
        elif self.place == "query":
            added.query.append((self.name, key))
        else:
            added.cookies.append((self.name, key))


class Basic(Credential):
    """User name and password (RFC 7617). Either may be empty, as with APIs that take a key for a name, but is set."""

    def __init__(self, *, username: str, password: str) -> None:
        self.username = username
        self.password = password

    def missing(self) -> tuple[str, ...]:
        values = {name: read_variable(name) for name in (self.username, self.password)}
        if not any(values.values()):
            return (self.username, self.password)
        return tuple(name for name, value in values.items() if value is None)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        username, password = read_variable(self.username) or "", read_variable(self.password) or ""
        added.headers["Authorization"] = basic(username, password)
        added.secrets += [password or username, added.headers["Authorization"][6:]]


class Bearer(Credential):
    """A token in the Authorization header, after the name of its scheme."""

    def __init__(self, *, variable: str, scheme: str = "Bearer") -> None:
        self.variable = variable
        self.scheme = "Bearer" if scheme.lower() == "bearer" else scheme

    def missing(self) -> tuple[str, ...]:
        return () if read_variable(self.variable) else (self.variable,)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        token = read_variable(self.variable) or ""
        if token.lower().startswith(f"{self.scheme.lower()} "):  # pasted with its scheme
            token = token[len(self.scheme) + 1 :].strip()
        added.headers["Authorization"] = f"{self.scheme} {token}"
        added.secrets.append(token)


class OAuth2(Credential):
    """An access token: given, or had for client credentials (RFC 6749 §4.4) and renewed before it ends."""

    def __init__(
        self,
        *,
        token: str,
        client_id: str | None = None,
        client_secret: str | None = None,
        token_url: str | None = None,
        scopes: Sequence[str] = (),
    ) -> None:
        self.token = token
        self.client_id = client_id
        self.client_secret = client_secret
        self.token_url = token_url
        self.scopes = scopes
        self._access_token = ""
        self._renew_at = 0.0
        self._renewal: Task[None] | None = None
        self._secret_in_body = False

    def missing(self) -> tuple[str, ...]:
        if read_variable(self.token):
            return ()
        if not (self.client_id and self.client_secret and self.token_url):
            return (self.token,)
        pair = (self.client_id, self.client_secret)
        unset = tuple(name for name in pair if not read_variable(name))
        return unset if len(unset) < 2 else (f"{self.token}, or {pair[0]} and {pair[1]}",)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        token = read_variable(self.token)
        if not token:
            added.secrets.append(read_variable(self.client_secret or "") or "")
            token = await self._own_token(exchange)
        added.headers["Authorization"] = f"Bearer {token}"
        added.secrets.append(token)

    def forget(self) -> bool:
        self._renew_at = 0.0
        return not read_variable(self.token) and bool(self._access_token)

    async def _own_token(self, exchange: Exchange) -> str:
        import asyncio

        if time.monotonic() >= self._renew_at:
            loop = asyncio.get_running_loop()
            if (
                self._renewal is None
                or self._renewal.done()
                or self._renewal.get_loop() is not loop
            ):
                # One renewal for all calls that wait; a call that is cancelled leaves it to the others.
                self._renewal = loop.create_task(self._renew(exchange))
                self._renewal.add_done_callback(lambda task: task.cancelled() or task.exception())
            await asyncio.shield(self._renewal)
        return self._access_token

    async def _renew(self, exchange: Exchange) -> None:
        assert self.client_id and self.client_secret and self.token_url
        name, secret = read_variable(self.client_id) or "", read_variable(self.client_secret) or ""
        form = {"grant_type": "client_credentials"}
        if self.scopes:
            form["scope"] = " ".join(self.scopes)
        in_body = form | {"client_id": name, "client_secret": secret}
        if self._secret_in_body:
            answer = await exchange(self.token_url, in_body, {})
        else:
            try:
                # RFC 6749 §2.3.1: every server takes it as Basic, each part form-encoded first.
                header = basic(quote(name), quote(secret))
                answer = await exchange(self.token_url, form, {"Authorization": header})
            except ToolError as error:
                if error.status not in (400, 401):
                    raise
                answer = await exchange(self.token_url, in_body, {})  # ... but some do not
                self._secret_in_body = True
        token = answer.get("access_token") if isinstance(answer, dict) else None
        if not isinstance(token, str) or not token:
            raise ToolError(
                "upstream_invalid", f"{self.token_url} answered without an access_token"
            )
        lifetime = _seconds(answer.get("expires_in"))
        self._access_token = token
        self._renew_at = time.monotonic() + lifetime - min(60.0, lifetime / 10)


class ClientCertificate(Credential):
    """Mutual TLS: variables that name the PEM files of the certificate and, if it is apart, of its key."""

    def __init__(self, *, certificate: str, key: str) -> None:
        self.certificate = certificate
        self.key = key

    def missing(self) -> tuple[str, ...]:
        return () if os.environ.get(self.certificate) else (self.certificate,)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        """Nothing is added to a request: the connection carries it."""


def basic(username: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


def _seconds(expires_in: Json) -> float:
    """How long a token lives; where the server does not say, five minutes, which any token lives."""
    try:
        return max(0.0, float(expires_in))
    except (TypeError, ValueError):
        return 300.0
