"""What keeps us from hurting an API, and an API that is down from holding us up: limits, and a circuit for each host."""

from __future__ import annotations

import asyncio
import sys
import time

from .errors import ToolError

FAILURES = 10  # in a row, before a host is left alone
PAUSE = 15.0  # seconds, twice as long each time it fails again
LONGEST_PAUSE = 240.0


class Limits:
    """Of one API on one event loop: how many requests are under way, and how many go out a second, evenly. 0 is any number.

    What waits keeps its order. What would wait beyond the call's deadline is refused: at once where it is the rate that it
    waits for, at the deadline where it is a place. A refused request was not sent, so that it may be repeated.
    """

    def __init__(self, prefix: str, *, rate: float, most: int) -> None:
        self._prefix = prefix
        self._rate = rate
        self._step = 1 / rate if rate > 0 else 0.0
        self._most = most
        self._places = asyncio.Semaphore(most or sys.maxsize)
        self._turn = asyncio.Lock()
        self._next = 0.0  # when the next turn is
        self._waiting = 0

    async def take(self, deadline: float | None) -> None:
        """Wait until one request may go out; it holds its place until it is said to `leave`."""
        if not self._step and not self._places.locked():
            await self._places.acquire()  # at once
            return
        self._check_rate(deadline)
        self._waiting += 1
        try:
            await self._take_place(deadline)
            try:
                await self._take_turn()
            except BaseException:
                self._places.release()
                raise
        finally:
            self._waiting -= 1

    def leave(self) -> None:
        self._places.release()

    def _check_rate(self, deadline: float | None) -> None:
        if not self._step or deadline is None:
            return
        now = time.monotonic()
        wait = max(0.0, self._next - now) + self._waiting * self._step
        if now + wait >= deadline:
            message = (
                f"This server sends the API {self._rate:g} requests a second ({self._prefix}_RATE),"
                f" and others are before this one: try again in {wait:.1f} s"
            )
            raise ToolError("refused", message, retryable=True, retry_after=round(wait, 1))

    async def _take_place(self, deadline: float | None) -> None:
        is_bound = deadline is not None and self._places.locked()
        wait = max(0.0, (deadline or 0.0) - time.monotonic()) if is_bound else None
        try:
            async with asyncio.timeout(wait):
                await self._places.acquire()
        except TimeoutError:
            message = (
                f"{self._most} requests to the API are under way, as many as {self._prefix}_CONCURRENCY"
                " lets be, and none of them ended in time: try again later"
            )
            raise ToolError("refused", message, retryable=True) from None

    async def _take_turn(self) -> None:
        """One after the other, so that a call that is cancelled takes no turn."""
        if not self._step:
            return
        async with self._turn:
            now = time.monotonic()
            if self._next > now:
                await asyncio.sleep(self._next - now)
            self._next = max(now, self._next) + self._step


class Circuit:
    """Of one host: open after many failures in a row, then one request tries whether it is back.

    A failure is no answer or one of 5xx; what the API refuses (4xx) says that it is well.
    """

    def __init__(self, host: str) -> None:
        self._host = host
        self._failures = 0
        self._pause = PAUSE
        self._until = 0.0
        self._is_tried = False

    @property
    def is_open(self) -> bool:
        return self._failures >= FAILURES and time.monotonic() < self._until

    def check(self, request: dict[str, str]) -> None:
        """Raises ToolError while the host is left alone."""
        if not self.is_open:
            return
        rest = self._until - time.monotonic()
        message = (
            f"{self._host} has failed {self._failures} times in a row and is left alone for now:"
            f" try again in {rest:.0f} s"
        )
        raise ToolError(
            "upstream_unreachable",
            message,
            retryable=True,
            retry_after=round(rest, 1),
            request=request,
        )

    def enter(self, request: dict[str, str]) -> None:
        """A request goes out. The first after a pause is a try; while it lasts, at most as long again, others are refused."""
        self.check(request)
        if self._failures >= FAILURES:
            self._is_tried = True
            self._until = time.monotonic() + self._pause

    def note(self, *, failed: bool) -> None:
        """How a request ended. One that was cancelled says nothing."""
        if not failed:
            self._failures, self._pause, self._is_tried = 0, PAUSE, False
            return
        self._failures += 1
        if self._is_tried:
            self._is_tried = False
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        elif self._failures != FAILURES:
            return  # one that was under way when it opened
        self._until = time.monotonic() + self._pause
