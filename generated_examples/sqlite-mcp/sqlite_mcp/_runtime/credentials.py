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
    from asyncio import Task
    from collections.abc import Coroutine
    from typing import Any, Literal

    from .errors import Json

    # Posts a form with headers to a URL, or gets it without a form, and gives the parsed answer.
    Exchange = Callable[[str, dict[str, str] | None, dict[str, str]], Awaitable[Json]]


def read_variable(name: str) -> str | None:
    """The value of an environment variable, or of the mounted file that `<name>_FILE` names."""
    value = os.environ.get(name)
    if value and value.startswith("${"):  # a client has left a reference to a variable as it is
        value = None
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


# Seconds that what a command printed is used again, unless the API refuses it, and that it may run.
COMMAND_LASTS = 300.0
COMMAND_TIMEOUT = 30.0
# The HTTP headers of the request that is being answered, names in lower case.
INBOUND: ContextVar[Mapping[str, str]] = ContextVar("INBOUND", default={})


def is_set(name: str) -> bool:
    return bool(read_variable(name) or os.environ.get(f"{name}_COMMAND"))


async def value_of(name: str | None) -> str | None:
    """The value of a variable, its file, or what its command prints."""
    if name is None:
        return None
    command = os.environ.get(f"{name}_COMMAND")
    return read_variable(name) or (await _command(name, command).value() if command else None)


def forget_command(name: str, refused: Added) -> bool:
    """What the command printed was refused. True if it is worth running again, or has been run since."""
    command = os.environ.get(f"{name}_COMMAND")
    return bool(command) and _command(name, command or "").forget(refused)


class Once:
    """Work that is done once for all calls that wait for it; a call that is cancelled leaves it to the others."""

    def __init__(self) -> None:
        self._task: Task[None] | None = None

    async def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        import asyncio

        loop = asyncio.get_running_loop()
        task = self._task
        if task is None or task.done() or task.get_loop() is not loop:
            task = self._task = loop.create_task(work())
            # Of what failed while nobody waited any more, nobody is to be told.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(task)


class Command:
    """What a command prints, used again until it is old or refused."""

    def __init__(self, name: str, line: str) -> None:
        self._name = name
        self._line = line
        self._printed = ""
        self._until = 0.0
        self._once = Once()

    async def value(self) -> str:
        if time.monotonic() >= self._until:
            await self._once.run(self._renew)
        return self._printed

    def forget(self, refused: Added) -> bool:
        if self._printed in refused.secrets:
            self._until = 0.0
        return bool(self._printed)

    async def _renew(self) -> None:
        import asyncio

        self._printed = await asyncio.to_thread(self._run)
        self._until = time.monotonic() + COMMAND_LASTS

    def _run(self) -> str:
        import shlex
        import subprocess

        try:
            done = subprocess.run(
                # Windows takes a command as one text, and has its own rules for quotes.
                shlex.split(self._line) if os.name == "posix" else self._line,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=COMMAND_TIMEOUT,
                check=True,
            )
            printed = done.stdout.decode().strip()
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            reason = f"The command that {self._name}_COMMAND names failed ({type(error).__name__})"
            raise ToolError("missing_credentials", reason) from None
        if not printed or not printed.isprintable():
            reason = f"{self._name}_COMMAND printed no value of one line"
            raise ToolError("missing_credentials", reason)
        return printed


_commands: dict[tuple[str, str], Command] = {}


def _command(name: str, line: str) -> Command:
    return _commands.setdefault((name, line), Command(name, line))


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

    def hide(self, error: ToolError) -> None:
        """Take the secrets out of an error."""
        error.message = self.mask(error.message)
        error.args = (error.message,)
        error.detail = self.mask(error.detail)

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

    def variables(self) -> tuple[str, ...]:
        """The variables that it reads."""
        raise NotImplementedError

    async def look(self) -> None:
        """Find out what `missing` tells, where that takes time."""

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

    def variables(self) -> tuple[str, ...]:
        return (self.variable,)

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

    def variables(self) -> tuple[str, ...]:
        return (self.username, self.password)

    def missing(self) -> tuple[str, ...]:
        both = (self.username, self.password)
        if not any(is_set(name) for name in both):
            return both
        return tuple(name for name in both if read_variable(name) is None and not is_set(name))

    async def apply(self, added: Added, exchange: Exchange) -> None:
        username, password = [await value_of(one) or "" for one in (self.username, self.password)]
        added.headers["Authorization"] = basic(username, password)
        added.secrets += [password or username, added.headers["Authorization"][6:]]

    def forget(self, refused: Added) -> bool:
        return forget_command(self.password, refused)


class Bearer(Credential):
    """A token in the Authorization header, after the name of its scheme."""

    def __init__(self, *, variable: str, scheme: str = "Bearer") -> None:
        self.variable = variable
        self.scheme = "Bearer" if scheme.lower() == "bearer" else scheme

    def variables(self) -> tuple[str, ...]:
        return (self.variable,)

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


CALLERS_TOKEN = "a bearer token in the request to this server"


class Caller(Credential):
    """The bearer token that the caller of this server showed, handed on: only for an API that it was made for.

    Over HTTP only, and where this server itself asks for no token: one that it checks is for it alone, and stays here.
    Nothing uses it unless api.py names it.
    """

    def variables(self) -> tuple[str, ...]:
        return ()

    def missing(self) -> tuple[str, ...]:
        return () if _callers_token() else (CALLERS_TOKEN,)

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

    def variables(self) -> tuple[str, ...]:
        return (self.certificate, self.key)

    def missing(self) -> tuple[str, ...]:
        return () if os.environ.get(self.certificate) else (self.certificate,)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        """Nothing is added to a request: the connection carries it."""


def basic(username: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
