"""Text as it lies on the disk, and as the generator thinks of it: `\\n` only, no byte order mark.

A package made on Linux is checked out on Windows with CRLF, or saved by an editor that likes them; that is no edit.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """How one file writes its text."""

    newline: str = "\n"
    mark: bytes = b""

    def encode(self, text: str) -> bytes:
        return self.mark + text.replace("\n", self.newline).encode()


@dataclass(frozen=True, slots=True)
class DiskText:
    text: str
    style: Style


def decode(content: bytes) -> DiskText | None:
    """The text of a file, or None where it is not UTF-8 and so not a text of ours any more."""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        text = content[len(mark) :].decode()
    except UnicodeDecodeError:
        return None
    windows = text.count("\r\n")
    # In a file with both kinds, the kind that most lines have is the file's.
    newline = "\r\n" if windows * 2 > text.count("\n") else "\n"
    return DiskText(text.replace("\r\n", "\n"), Style(newline, mark))
