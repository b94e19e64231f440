"""A program as a tool: an argument vector that no argument can break out of, with limits on time and output.

There is never a shell. An argument is one word, cannot become an option, and as a path stays in the command's folder.
"""

from __future__ import annotations

import asyncio
import os
import signal

from .errors import ToolError, invalid
from .messages import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from .messages import Json

    Value = TypeVar("Value")

TIMEOUT = 50.0  # as of requests: clients give a call about a minute
MAX_BYTES = 1024 * 1024
MOST_SAID = 4000  # characters of what a program that failed said
# What a program needs to be found and to speak; the rest of the environment may hold secrets.
ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")


class Command:
    """One run of a program. `folder` is where it works, by default the server's own; relative to that."""

    def __init__(
        self,
        program: str,
        *,
        folder: str = ".",
        environment: Sequence[str] = (),
        timeout: float = TIMEOUT,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """`environment` names the variables that it sees beside those that every program needs."""
        self.program = program
        self.folder = os.path.abspath(os.path.expanduser(folder))
        self.environment = (*ENVIRONMENT, *environment)
        self.timeout = timeout
        self.max_bytes = max_bytes
        self.words = [program]
        self._are_operands = False  # "--" was said: nothing is an option any more

    def add(self, *words: str) -> None:
        """Words that are the same in every call."""
        self.words += words
        self._are_operands = self._are_operands or "--" in words

    def argument(
        self,
        name: str,
        value: Json,
        *,
        before: str = "",
        after: str = "",
        leading: Sequence[str] = (),
        trailing: Sequence[str] = (),
        is_path: bool = False,
    ) -> None:
        """A word made of an argument, or one for each element of a list; nothing where it was not given.

        `before` and `after` are parts of the word; `leading` and `trailing` words that stand beside each.
        """
        for one in value if isinstance(value, list) else [] if value is None else [value]:
            text = self._text(name, one)
            if is_path:
                self._check_path(name, text)
            if text.startswith("-") and not before and not self._are_operands:
                raise invalid(name, f"{name!r} must not begin with '-': it would be an option")
            self.add(*leading)
            self.words.append(before + text + after)
            self.add(*trailing)

    def _text(self, name: str, value: Json) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, (str, int, float)):
            raise invalid(name, f"{name!r} must be a text or a number to be a word of a command")
        text = str(value)
        if "\0" in text:
            raise invalid(name, f"{name!r} has a null character, which a command cannot take")
        return text

    def _check_path(self, name: str, text: str) -> None:
        """Whether a path stays in the folder, also behind its links."""
        home = os.path.realpath(self.folder)
        target = os.path.realpath(os.path.join(home, text))
        if target != home and not target.startswith(os.path.join(home, "")):
            raise invalid(name, f"{name!r} leads out of the folder that this tool works in")

    # --- running

    async def text(self, stdin: str | None = None) -> str:
        return (await self._run(stdin)).decode("utf-8", "replace")

    async def lines(self, stdin: str | None = None) -> list[str]:
        return (await self.text(stdin)).splitlines()

    async def json(self, stdin: str | None = None) -> Value:
        """The output, parsed; the handler says what comes."""
        output = await self._run(stdin)
        try:
            return decode(output)  # type: ignore[no-any-return]  # see above
        except ValueError as error:
            message = f"{self.program} wrote no JSON: {error}"
            raise ToolError("upstream_invalid", message, detail=_shown(output)) from None

    async def _run(self, stdin: str | None) -> bytes:
        process = await self._start(stdin is not None)
        said = asyncio.ensure_future(_read(process.stderr, self.max_bytes, drops=True))
        try:
            async with asyncio.timeout(self.timeout):
                written, output = await asyncio.gather(
                    _write(process, stdin), _read(process.stdout, self.max_bytes)
                )
                del written
                status = await process.wait()
                errors = await said
        except TimeoutError:
            message = f"{self.program} did not end within {self.timeout:g} seconds"
            raise ToolError("upstream_timeout", message) from None
        except _TooLarge:
            message = f"{self.program} wrote more than {self.max_bytes:,} bytes: ask for less"
            raise ToolError("too_large", message) from None
        finally:
            said.cancel()
            await _end(process)
        if status:
            what = f"status {status}" if status > 0 else f"signal {-status}"
            message = f"{self.program} ended with {what}"
            shown = {"stderr": _shown(errors), "stdout": _shown(output)}
            detail = {name: text for name, text in shown.items() if text}
            raise ToolError("upstream_status", message, status=status, detail=detail or None)
        return output

    async def _start(self, has_input: bool) -> asyncio.subprocess.Process:
        pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        known = {name: os.environ[name] for name in self.environment if name in os.environ}
        try:
            return await asyncio.create_subprocess_exec(
                *self.words,
                stdin=pipe if has_input else null,
                stdout=pipe,
                stderr=pipe,
                cwd=self.folder,
                env=known,
                start_new_session=True,
            )
        except FileNotFoundError:
            is_there = os.path.isdir(self.folder)
            what = f"there is no program {self.program}" if is_there else "its folder is not there"
            raise ToolError("upstream_unreachable", f"The command cannot be run: {what}") from None
        except OSError as error:
            message = f"The command cannot be run: {error.strerror}"
            raise ToolError("upstream_unreachable", message) from None


class _TooLarge(Exception):
    """A program wrote more than it may."""


async def _write(process: asyncio.subprocess.Process, text: str | None) -> None:
    if process.stdin is None or text is None:
        return
    try:
        process.stdin.write(text.encode("utf-8", "surrogatepass"))
        await process.stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        pass  # a program need not read all of its input
    process.stdin.close()


async def _read(stream: asyncio.StreamReader | None, limit: int, *, drops: bool = False) -> bytes:
    """Everything; what is beyond the limit is dropped, or too much."""
    chunks: list[bytes] = []
    size = 0
    while stream is not None and (chunk := await stream.read(65536)):
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        elif not drops:
            raise _TooLarge
    return b"".join(chunks)


async def _end(process: asyncio.subprocess.Process) -> None:
    """No process is left, nor what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, ProcessLookupError, PermissionError):  # Windows has no groups
        if process.returncode is None:
            process.kill()
    await process.wait()


def _shown(output: bytes) -> str:
    text = output.decode("utf-8", "replace").strip()
    return text if len(text) <= MOST_SAID else text[:MOST_SAID] + "…"
