"""catalog.json: what the server offers, ready to send.

The file is valid JSON laid out in lines (the server, the namespaces, one entry a line), so that the lists are
answered with its bytes. An entry is cut out and parsed when it is needed; a file in another layout is parsed whole.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from .messages import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .messages import Json

SECTIONS = ("tools", "prompts", "resources", "resourceTemplates")
Span = tuple[int, int]


class Catalog:
    """`server` is the first line; `entries(section)` the bytes of each entry; `namespaces` who serves them.

    A section that the file does not have is not offered; one that is empty is offered and empty.
    """

    def __init__(self, data: bytes) -> None:
        self._sections: dict[str, list[Span]] = {}
        self._namespaces: Json = None
        self._data = data
        if not self._read_lines(_lines(data)):
            self._read_whole()

    @classmethod
    def load(cls, path: str) -> Catalog:
        with open(path, "rb") as file:
            return cls(file.read())

    def _read_lines(self, lines: list[Span]) -> bool:
        data, server, namespaces = self._data, b'{"server":', b'"namespaces":'
        if len(lines) < 4:
            return False
        for (start, end), beginning in zip(lines, (server, namespaces), strict=False):
            if not data.startswith(beginning, start) or data[end - 2 : end] != b"},":
                return False
        entries: list[Span] | None = None
        for at, (start, end) in enumerate(lines[2:], 2):
            if entries is not None and data.startswith(b"{", start, end):
                end -= data.endswith(b",", start, end)
                if not data.endswith(b"}", start, end):
                    break
                entries.append((start, end))
            elif entries is None and data.startswith(b'"', start) and data.endswith(b'":[', 0, end):
                entries = self._sections[data[start + 1 : end - 3].decode()] = []
            elif data[start:end] == b"],":
                entries = None
            elif data[start:end] == b"]}" and not any(
                end > start for start, end in lines[at + 1 :]
            ):
                (begun, ended), (start, end) = lines[:2]
                self.server: dict[str, Json] = decode(data[begun + len(server) : ended - 1])
                self._namespaces = data[start + len(namespaces) : end - 1]
                return True
            else:
                break
        self._sections.clear()
        return False

    def _read_whole(self) -> None:
        whole = decode(self._data.removeprefix(b"\xef\xbb\xbf"))
        self.server = whole["server"]
        self._namespaces = encode(whole["namespaces"])
        made = bytearray()
        for section in SECTIONS:
            if section in whole:
                spans = self._sections[section] = []
                for entry in whole[section]:
                    start = len(made)
                    made += encode(entry)
                    spans.append((start, len(made)))
        self._data = bytes(made)

    def entries(self, section: str) -> list[bytes] | None:
        spans = self._sections.get(section)
        return None if spans is None else [self._data[start:end] for start, end in spans]

    def tools(self) -> Mapping[str, bytes]:
        """The entries of the tools by name."""
        return Entries(self._data, self._sections.get("tools", ()))

    @property
    def namespaces(self) -> dict[str, Json]:
        """Name → {module, class, description, tools: {name: method}, …}."""
        if isinstance(self._namespaces, bytes):
            self._namespaces = decode(self._namespaces)
        found: dict[str, Json] = self._namespaces
        return found


def load_catalog(package: str) -> Catalog:
    """That of an imported package."""
    folder = os.path.dirname(sys.modules[package].__file__ or "")
    return Catalog.load(os.path.join(folder, "catalog.json"))


class Entries(Mapping[str, bytes]):
    """Entries by name, cut out when asked for: most of those of a large API never are."""

    def __init__(self, data: bytes, spans: Iterable[Span]) -> None:
        self._data = data
        self._spans: dict[str, Span] = {}
        beginning, after = b'{"name":"', len(b'{"name":"')
        for start, end in spans:
            at = start + after
            name = data[at : data.find(b'"', at, end)]
            if not data.startswith(beginning, start) or b"\\" in name:
                self._spans[decode(data[start:end])["name"]] = start, end
            else:
                self._spans[name.decode()] = start, end

    def __getitem__(self, name: str) -> bytes:
        start, end = self._spans[name]
        return self._data[start:end]

    def __contains__(self, name: object) -> bool:
        return name in self._spans

    def __iter__(self) -> Iterator[str]:
        return iter(self._spans)

    def __len__(self) -> int:
        return len(self._spans)


def _lines(data: bytes) -> list[Span]:
    """Where each line begins and ends."""
    found: list[Span] = []
    start = 0
    while start < len(data):
        after = data.find(b"\n", start)
        end = after = len(data) if after < 0 else after
        found.append((start, end - data.endswith(b"\r", start, end)))
        start = after + 1
    return found
