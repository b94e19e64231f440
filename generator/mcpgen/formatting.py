"""Format Python as people read it, on all cores where there is much of it.

black takes more than half of the time that a large package takes, and each of its files stands alone.
"""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any

MANY_LINES = 600  # starting processes takes as long as formatting about so many


def formatted_source(text: str) -> str:
    # A third of a second that only a run with something to format should pay.
    import black
    from black.mode import Mode, TargetVersion

    return black.format_str(text, mode=Mode(line_length=100, target_versions={TargetVersion.PY311}))


def workers(lines: int) -> Executor:
    """What to submit work to: processes where there are many lines to format, this one for few."""
    cores = os.cpu_count() or 1
    if lines < MANY_LINES or cores < 2:
        return Here()
    return ProcessPoolExecutor(min(cores, 4))


class Here(Executor):
    """Does the work at once, in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done
