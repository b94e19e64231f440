"""The garbage collector of a program that does nothing but serve.

What was loaded stays until the end, so that it need not be looked at again; and a call leaves next to nothing in cycles,
while it makes hundreds of objects that the collector would count.
"""

from __future__ import annotations

import gc

OBJECTS = 10_000  # new ones before the youngest are looked through; CPython begins with 700


def spare_collector() -> None:
    """For a process of our own: one that we are mounted into has its own ideas."""
    gc.freeze()
    gc.set_threshold(OBJECTS)
