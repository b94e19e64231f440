"""Format Python as people read it, on all cores where there is much of it.

black takes more than half of the time that a large package takes, and each of its files stands alone.
"""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any

import black
from black.mode import Mode, TargetVersion

MODE = Mode(line_length=100, target_versions={TargetVersion.PY311})
MANY_TOOLS = 60  # starting processes takes as long as formatting the handlers of about so many


def formatted_source(text: str) -> str:
    return black.format_str(text, mode=MODE)


def workers(tools: int) -> Executor:
    """What to submit work to: processes for a large package, this one for a small."""
    cores = os.cpu_count() or 1
    if tools < MANY_TOOLS or cores < 2:
        return Here()
    return ProcessPoolExecutor(min(cores, 4))


class Here(Executor):
    """Does the work at once, in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done
