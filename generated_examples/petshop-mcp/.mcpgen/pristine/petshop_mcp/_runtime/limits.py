"""What keeps us from hurting an API, and an API that is down from holding us up: a rate, and a circuit for each host."""

from __future__ import annotations

import time

from .errors import ToolError

FAILURES = 10  # in a row, before a host is left alone
PAUSE = 15.0  # seconds, twice as long each time it fails again
LONGEST_PAUSE = 240.0


class Rate:
    """At most so many requests a second, evenly; 0 for any number."""

    def __init__(self, per_second: float) -> None:
        self._step = 1 / per_second if per_second > 0 else 0.0
        self._next = 0.0

    async def wait(self, deadline: float | None) -> None:
        """Until the next request may go. Raises ToolError at once where that is after the deadline."""
        if not self._step:
            return
        now = time.monotonic()
        at = max(now, self._next)
        if deadline is not None and at >= deadline:
            message = "This server sends no more requests for now, to keep to its own rate limit"
            raise ToolError("refused", message, retryable=True, retry_after=round(at - now, 1))
        self._next = at + self._step
        if at > now:
            import asyncio

            await asyncio.sleep(at - now)


class Circuit:
    """Of one host: open after many failures in a row, then one request tries whether it is back.

    A failure is no answer or one of 5xx; what the API refuses (4xx) says that it is well.
    """

    def __init__(self) -> None:
        self._failures = 0
        self._pause = PAUSE
        self._until = 0.0

    def check(self, host: str) -> None:
        """Raises ToolError while the host is left alone."""
        if self._failures < FAILURES:
            return
        rest = self._until - time.monotonic()
        if rest > 0:
            message = f"{host} has failed {self._failures} times in a row and is left alone for now"
            retry_after = round(rest, 1)
            raise ToolError(
                "upstream_unreachable", message, retryable=True, retry_after=retry_after
            )
        self._leave()  # this one tries; the others go on waiting

    def note(self, *, failed: bool) -> None:
        if not failed:
            self._failures, self._pause = 0, PAUSE
            return
        self._failures += 1
        if self._failures == FAILURES:
            self._leave()

    def _leave(self) -> None:
        self._until = time.monotonic() + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE)
