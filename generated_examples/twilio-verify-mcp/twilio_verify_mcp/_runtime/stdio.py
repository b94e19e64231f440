"""MCP over stdin and stdout: a message a line, UTF-8, and nothing else on stdout.

Serves with plain reads until a request has to wait; only then comes an event loop. Knows bytes only: what they
mean is the session's. While it serves, file descriptor 1 is stderr and 0 is empty, so that neither a handler's
print nor its subprocess can touch the wire.
"""

from __future__ import annotations

import _thread
import os
import sys

from .messages import notification
from .server import LISTS
from .session import Answer, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .server import Server
    from .session import Batch, Exchange, Outcome

LONGEST_LINE = (
    64 * 1024 * 1024
)  # a base64 file in an argument is long; a stream without newlines must end somewhere
CHUNK = 65536
GRACE = 0.25  # seconds for calls under way after the input has ended; the whole exit takes less than half a second


class Lines:
    """Bytes in, whole lines out. A line longer than the limit comes out as None, once."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._rest = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes | None]:
        lines: list[bytes | None] = []
        *ends, rest = data.split(b"\n")
        for part in ends:
            line = bytes(self._rest + part) if self._rest else part
            self._rest.clear()
            if self._skipping:
                self._skipping = False
            elif len(line) > self._longest:
                lines.append(None)
            elif line.strip():
                lines.append(line)
        if not self._skipping:
            self._rest += rest
            if len(self._rest) > self._longest:
                self._rest.clear()
                self._skipping = True
                lines.append(None)
        return lines


class Pipes:
    """The wire, as file descriptors of our own; the standard ones are taken out of harm's way."""

    def __init__(self) -> None:
        if sys.platform == "win32":
            import msvcrt

            for descriptor in (0, 1):
                msvcrt.setmode(descriptor, os.O_BINARY)
        sys.stdout.flush()
        self.wakeup = _wakeup()
        self.source = os.dup(0)
        self.sink = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        try:
            os.dup2(2, 1)
        except OSError:  # stderr is closed
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.close(nothing)

    def read(self) -> bytes | None:
        """Some bytes, or none at the end, which a lost peer is too. None where a signal came first."""
        if self.wakeup is not None:
            import select

            ready = select.poll()
            for descriptor in (self.source, self.wakeup):
                ready.register(descriptor, select.POLLIN)
            # A signal that comes just before a plain read would not end it.
            if self.wakeup in dict(ready.poll()):
                os.read(self.wakeup, 64)
                return None
        try:
            return os.read(self.source, CHUNK)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Write it all, however long the client takes to read."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.sink, rest) :]

    def write_some(self, data: bytes | bytearray) -> int:
        """Write what the client has room for now, and give its length. On Windows, which cannot tell: all."""
        if sys.platform == "win32":
            self.write(data)
            return len(data)
        import select

        written = 0
        room = select.poll()
        room.register(self.sink, select.POLLOUT)
        with memoryview(data) as rest:
            while written < len(data) and room.poll(0):
                # A pipe that has room has room for PIPE_BUF bytes (POSIX, write).
                written += os.write(self.sink, rest[written : written + select.PIPE_BUF])
        return written


def _wakeup() -> int | None:
    """What becomes readable when a signal comes, except on Windows."""
    if sys.platform == "win32":
        return None
    import signal

    source, sink = os.pipe()
    os.set_blocking(sink, False)
    signal.set_wakeup_fd(sink)
    return source


def serve(server: Server) -> None:
    """Serve one client until its input ends or we are told to stop."""
    import signal

    if sys.stdin and sys.stdin.isatty():
        print(
            "An MCP client starts this program and speaks to it over stdin and stdout. Ctrl+D ends it;"
            " --help tells what else it can do.",
            file=sys.stderr,
        )
    pipes = Pipes()
    session = Session(server, lambda message: pipes.write(message + b"\n"), can_ask=True)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    on_hangup(lambda: setattr(server, "is_stale", True))
    preloading = Preloading(server)
    stuck = True
    try:
        first = _serve_plainly(session, pipes, preloading)
        if first is None:
            stuck = False
        else:
            from .stdio_loop import serve_in_loop

            serve_in_loop(session, pipes, *first)
    except (BrokenPipeError, SystemExit):  # the client is gone, or we were told to go
        pass
    preloading.leave(stuck)


def on_hangup(act: Callable[[], object]) -> None:
    """Act on SIGHUP, which asks a server to read its configuration again; at a terminal it ends the program, as always."""
    import signal

    if sys.platform != "win32" and not (sys.stderr and sys.stderr.isatty()):
        signal.signal(signal.SIGHUP, lambda *_: act())


def _stop(number: int, frame: object) -> None:
    raise SystemExit(0)


def _serve_plainly(
    session: Session, pipes: Pipes, preloading: Preloading
) -> tuple[Lines, Exchange | Batch, list[bytes | None]] | None:
    """Answer what needs no waiting. Gives the first request that does, with what came after it; None at the end."""
    lines = Lines()
    while (data := pipes.read()) != b"":
        if data is None:
            if session.server.is_stale:
                _reload(session)
            continue
        arrived = lines.feed(data)
        for at, line in enumerate(arrived):
            outcome = receive(session, line)
            if isinstance(outcome, Answer):
                pipes.write(outcome.data + b"\n")
                preloading.begin()
            elif outcome is not None:
                return lines, outcome, arrived[at + 1 :]
    return None


def _reload(session: Session) -> None:
    told = session.server.reload() and session.version is not None
    if told and "subscriptions" in session.server.features:
        for method in LISTS.values():
            session.send(notification(method, {}))


def receive(session: Session, line: bytes | None) -> Outcome:
    if line is None:
        return session.refuse(f"A message has more than {LONGEST_LINE} bytes")
    return session.receive(line)


class Preloading:
    """Loads what the first call will need in the background, once the tools were listed."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._begun = False
        self._under_way = False

    def begin(self) -> None:
        if self._server.listed and not self._begun:
            self._begun = self._under_way = True
            _thread.start_new_thread(self._load, ())

    def _load(self) -> None:
        try:
            from . import stdio_loop  # noqa: F401

            self._server.preload()
        finally:
            self._under_way = False

    def leave(self, stuck: bool = False) -> None:
        """End the process. A thread that is still importing extension modules or blocked may not hold us up."""
        if self._under_way or stuck:
            sys.stderr.flush()
            os._exit(0)
