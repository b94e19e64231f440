"""The half of stdio that waits: an event loop that runs requests side by side and writes their answers.

Imported when the first request has to wait, or in the background once the tools were listed.
"""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Awaitable

from .collector import spare_collector
from .session import Answer, Batch, Exchange, Session
from .stdio import GRACE, Lines, Pipes, on_hangup, receive

Work = Exchange | Batch
MUCH = 16 * 2**20  # bytes that wait for a client to read them


def serve_in_loop(
    session: Session, pipes: Pipes, lines: Lines, first: Work, rest: list[bytes | None]
) -> None:
    """Serve until the input ends. Threads and tasks may be left that would hold the process up."""
    spare_collector()
    # Not asyncio.run: on its way out it waits for threads and for tasks that will not be cancelled.
    loop = asyncio.new_event_loop()
    on_hangup(lambda: loop.call_soon_threadsafe(session.server.reload))
    loop.run_until_complete(StdioLoop(session, pipes, lines).serve(first, rest))


class StdioLoop:
    """One client. What is to be said is written in one go per turn of the loop, by nobody else.

    A client that does not read has what it is told kept for it, and no longer is read from once that is much.
    """

    def __init__(self, session: Session, pipes: Pipes, lines: Lines) -> None:
        self._session = session
        self._pipes = pipes
        self._lines = lines
        self._out = bytearray()
        self._is_flushing = False
        self._is_waiting = False  # for the client to read
        self._transport: asyncio.ReadTransport | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended: asyncio.Event
        self._loop: asyncio.AbstractEventLoop

    async def serve(self, first: Work, rest: list[bytes | None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._session.send = self._put
        if "subscriptions" in self._session.server.features:
            self._session.server.subscriptions.add(self._session)
        self._begin(first)
        for line in rest:
            self._take(line)
        if self._pipes.wakeup is not None:  # the turn that it starts is where the signal is handled
            self._loop.add_reader(self._pipes.wakeup, os.read, self._pipes.wakeup, 1)
        self._transport = await self._start_reading()
        await self._ended.wait()
        self._session.server.stop()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GRACE)
        self._session.close()
        self._flush()
        if self._transport:
            self._transport.close()
        await _within(self._session.server.close(), GRACE / 2)

    async def _start_reading(self) -> asyncio.ReadTransport | None:
        """From a pipe by the loop; from a file, a console or on Windows by a thread, since loops cannot."""
        if os.name == "posix" and stat.S_ISFIFO(os.fstat(self._pipes.source).st_mode):
            pipe = os.fdopen(self._pipes.source, "rb", buffering=0)
            transport, _ = await self._loop.connect_read_pipe(lambda: _Reader(self), pipe)
            return transport
        threading.Thread(target=self._read, daemon=True).start()
        return None

    def _read(self) -> None:
        self._pipes.wakeup = None  # which is the loop's
        try:
            while data := self._pipes.read():
                self._loop.call_soon_threadsafe(self.feed, data)
            self._loop.call_soon_threadsafe(self.end)
        except RuntimeError:  # the loop is closed: we were told to stop
            pass

    def feed(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            self._take(line)

    def end(self) -> None:
        self._ended.set()

    def _take(self, line: bytes | None) -> None:
        outcome = receive(self._session, line)
        if isinstance(outcome, Answer):
            self._put(outcome.data)
        elif outcome is not None:
            self._begin(outcome)

    def _begin(self, work: Work) -> None:
        task = self._loop.create_task(self._run(work))
        if isinstance(work, Exchange):
            work.task = task
        self._tasks.add(task)

    async def _run(self, work: Work) -> None:
        try:
            answer = await work.run()
        finally:
            self._tasks.discard(asyncio.current_task())
            if isinstance(work, Exchange):
                work.end()
        if answer is not None:
            self._put(answer.data)

    def _put(self, message: bytes) -> None:
        self._out += message
        self._out += b"\n"
        if not self._is_flushing:
            self._is_flushing = True
            self._loop.call_soon(self._flush)
        elif self._transport and len(self._out) > MUCH:
            self._transport.pause_reading()

    def _flush(self) -> None:
        try:
            del self._out[: self._pipes.write_some(self._out)]
        except OSError:  # the client is gone
            self._out.clear()
            self.end()
        if self._out and not self._is_waiting:
            self._loop.add_writer(self._pipes.sink, self._flush)
            self._is_waiting = True
        if self._out:
            return
        self._is_flushing = False
        if self._is_waiting:
            self._loop.remove_writer(self._pipes.sink)
            self._is_waiting = False
            if self._transport:
                self._transport.resume_reading()


class _Reader(asyncio.Protocol):
    def __init__(self, stdio: StdioLoop) -> None:
        self._stdio = stdio

    def data_received(self, data: bytes) -> None:
        self._stdio.feed(data)

    def connection_lost(self, error: Exception | None) -> None:
        self._stdio.end()


async def _within(work: Awaitable[None], seconds: float) -> None:
    try:
        await asyncio.wait_for(work, seconds)
    except TimeoutError:
        pass
