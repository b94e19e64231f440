"""Files that a caller names by their path: only those in the one folder that the operator allowed.

`<PREFIX>_FILES=/folder` allows it. A path is meant from that folder; links are followed before it is judged.
"""

from __future__ import annotations

import os
from contextvars import ContextVar

from .errors import ToolError

MAX_BYTES = 64 * 2**20  # a body is held in memory


class LocalFiles:
    """What one call may read. `variable` is where the operator names the folder."""

    def __init__(self, variable: str) -> None:
        self.variable = variable

    def read(self, path: str, *, argument: str) -> bytes:
        """The bytes of a file, or a ToolError that says nothing of what lies outside the folder."""
        folder = os.environ.get(self.variable)
        if not folder:
            raise ToolError(
                "refused",
                f"{argument!r}: this server sends no files by path, since {self.variable} names no folder; give 'base64'",
                argument=argument,
            )
        root = os.path.realpath(folder)
        try:
            found = os.path.realpath(os.path.join(root, path))
            is_inside = os.path.commonpath([root, found]) == root
        except ValueError:  # a null byte, or another drive
            is_inside = False
        if not is_inside or not os.path.isfile(found):
            raise ToolError(
                "refused",
                f"{argument!r}: there is no file {path!r} in the folder of {self.variable}",
                argument=argument,
            )
        try:
            with open(found, "rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise ToolError(
                "refused",
                f"{argument!r}: {path!r} cannot be read ({error.strerror})",
                argument=argument,
            ) from None
        if len(content) > MAX_BYTES:
            raise ToolError(
                "too_large",
                f"{argument!r}: {path!r} is larger than the limit of {MAX_BYTES:,} bytes",
                argument=argument,
            )
        return content


# What the call that is under way may read; nothing, where nobody said.
ALLOWED: ContextVar[LocalFiles | None] = ContextVar("ALLOWED", default=None)


def read_local(path: str, *, argument: str) -> bytes:
    allowed = ALLOWED.get()
    if allowed is None:
        raise ToolError(
            "refused", f"{argument!r}: files by path are not allowed", argument=argument
        )
    return allowed.read(path, argument=argument)
