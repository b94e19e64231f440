"""The credentials of an API: where their values come from, and what they add to a request.

Values are read from the environment at each call (`NAME`, the file that `NAME_FILE` names, or what the command `NAME_COMMAND`
prints), so that a rotated secret counts at once. Nothing here is ever logged or shown.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar

from .errors import ToolError
from .serialize import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from .errors import Json

    # Posts a form with headers to a URL, or gets it without a form, and gives the parsed answer.
    Exchange = Callable[[str, dict[str, str] | None, dict[str, str]], Awaitable[Json]]


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


COMMAND_LASTS = (
    300.0  # seconds that what a command printed is used again, unless the API refuses it
)
COMMAND_TIMEOUT = 30.0
_printed: dict[str, tuple[str, float]] = {}
# The HTTP headers of the request that is being answered, names in lower case.
INBOUND: ContextVar[Mapping[str, str]] = ContextVar("INBOUND", default={})


def is_set(name: str) -> bool:
    return bool(read_variable(name) or os.environ.get(f"{name}_COMMAND"))


async def value_of(name: str) -> str | None:
    """The value of a variable, its file, or what its command prints."""
    value = read_variable(name)
    command = os.environ.get(f"{name}_COMMAND")
    if value or not command:
        return value
    printed, until = _printed.get(name, ("", 0.0))
    if time.monotonic() >= until:
        import asyncio

        printed = await asyncio.to_thread(_run, name, command)
        _printed[name] = printed, time.monotonic() + COMMAND_LASTS
    return printed


def forget_command(name: str, refused: Added) -> bool:
    """What the command printed was refused. True if it is worth running again, or has been run since."""
    printed, _ = _printed.get(name, ("", 0.0))
    if printed in refused.secrets:
        _printed.pop(name, None)
    return bool(printed)


def _run(name: str, command: str) -> str:
    import shlex
    import subprocess

    try:
        done = subprocess.run(
            shlex.split(command, posix=os.name == "posix"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=COMMAND_TIMEOUT,
            check=True,
        )
        printed = done.stdout.decode().strip()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = f"The command that {name}_COMMAND names failed ({type(error).__name__})"
        raise ToolError("missing_credentials", reason) from None
    if not printed or not printed.isprintable():
        raise ToolError("missing_credentials", f"{name}_COMMAND printed no value of one line")
    return printed


class Added:
    """What credentials add to one request, and the secrets that may not be shown."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.query: list[tuple[str, str]] = []
        self.cookies: list[tuple[str, str]] = []
        self.secrets: list[str] = []

    def begin(self) -> None:
        """Add to a request anew; what was secret stays so."""
        self.headers.clear()
        self.query.clear()
        self.cookies.clear()

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

    def forget(self, refused: Added) -> bool:
        """The API refused what was added: drop what was cached. True if another try could do better."""
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
        return () if is_set(self.variable) else (self.variable,)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        key = await value_of(self.variable) or ""
        added.secrets.append(key)
        if self.place == "header":
            added.headers[self.name] = key
        elif self.place == "query":
            added.query.append((self.name, key))
        else:
            added.cookies.append((self.name, key))

    def forget(self, refused: Added) -> bool:
        return forget_command(self.variable, refused)


class Basic(Credential):
    """User name and password (RFC 7617). Either may be empty, as with APIs that take a key for a name, but is set."""

    def __init__(self, *, username: str, password: str) -> None:
        self.username = username
        self.password = password

    def missing(self) -> tuple[str, ...]:
        both = (self.username, self.password)
        if not any(is_set(name) for name in both):
            return both
        return tuple(name for name in both if read_variable(name) is None and not is_set(name))

    async def apply(self, added: Added, exchange: Exchange) -> None:
        username, password = [await value_of(one) or "" for one in (self.username, self.password)]
        added.headers["Authorization"] = basic(username, password)
        added.secrets += [password or username, added.headers["Authorization"][6:]]


class Bearer(Credential):
    """A token in the Authorization header, after the name of its scheme."""

    def __init__(self, *, variable: str, scheme: str = "Bearer") -> None:
        self.variable = variable
        self.scheme = "Bearer" if scheme.lower() == "bearer" else scheme

    def missing(self) -> tuple[str, ...]:
        return () if is_set(self.variable) else (self.variable,)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        token = await value_of(self.variable) or ""
        if token.lower().startswith(f"{self.scheme.lower()} "):  # pasted with its scheme
            token = token[len(self.scheme) + 1 :].strip()
        added.headers["Authorization"] = f"{self.scheme} {token}"
        added.secrets.append(token)

    def forget(self, refused: Added) -> bool:
        return forget_command(self.variable, refused)


class Caller(Credential):
    """The bearer token that the caller of this server showed, handed on: only for an API that it was made for.

    Over HTTP only, and where this server itself asks for no token: one that it checks is for it alone, and stays here.
    Nothing uses it unless api.py names it.
    """

    def missing(self) -> tuple[str, ...]:
        return () if _callers_token() else ("the caller's own bearer token",)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        token = _callers_token()
        added.headers["Authorization"] = f"Bearer {token}"
        added.secrets.append(token)


def _callers_token() -> str:
    kind, _, token = INBOUND.get().get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


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
