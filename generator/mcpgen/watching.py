"""Wait until one of some files changes. Knows nothing of what is in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

Signature: TypeAlias = tuple[int, int, int] | None  # None: there is no file
CHECK_EVERY = 1000  # milliseconds; what changed before the watch began is seen then


class NotInstalled(Exception):
    """watchfiles is an extra."""


def signatures(paths: Iterable[Path]) -> dict[Path, Signature]:
    """What tells whether a file is as it was."""
    return {path: _signature(path) for path in paths}


def _signature(path: Path) -> Signature:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def require() -> None:
    """Raises NotInstalled where nothing can be watched."""
    try:
        import watchfiles  # noqa: F401 - only whether it is there
    except ImportError:
        raise NotInstalled from None


def wait_for_change(seen: Mapping[Path, Signature]) -> None:
    """Come back once one of the files is not as it was seen. Raises KeyboardInterrupt."""
    from watchfiles import watch

    # An editor puts a new file in the place of the old one: what lasts is the folder.
    folders = {folder for path in seen if (folder := path.parent).is_dir()}
    changes = watch(
        *folders,
        watch_filter=None,
        recursive=False,
        yield_on_timeout=True,
        rust_timeout=CHECK_EVERY,
    )
    while signatures(seen) == seen:
        next(changes)
