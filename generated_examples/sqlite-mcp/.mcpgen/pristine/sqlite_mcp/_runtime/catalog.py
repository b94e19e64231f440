"""catalog.json: what the server offers, ready to send.

The file is valid JSON laid out in lines (the server, the namespaces, one entry a line), so that the lists are
answered with its bytes. A line is parsed when it is needed; a file in another layout is parsed whole.
"""

from __future__ import annotations

from .messages import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .messages import Json

SECTIONS = ("tools", "prompts", "resources", "resourceTemplates")


class Catalog:
    """`server` is the first line; `entries(section)` the bytes of each entry; `namespaces` who serves them.

    A section that the file does not have is not offered; one that is empty is offered and empty.
    """

    def __init__(self, data: bytes) -> None:
        self._sections: dict[str, list[bytes]] = {}
        self._namespaces: Json = None
        lines = data.split(b"\r\n" if b"\r\n" in data else b"\n")
        if not self._read_lines(lines):
            self._read_whole(data)

    @classmethod
    def load(cls, path: str) -> Catalog:
        with open(path, "rb") as file:
            return cls(file.read())

    def _read_lines(self, lines: list[bytes]) -> bool:
        server, namespaces = b'{"server":', b'"namespaces":'
        if len(lines) < 4 or not (lines[0].startswith(server) and lines[1].startswith(namespaces)):
            return False
        if lines[0][-2:] != b"}," or lines[1][-2:] != b"},":
            return False
        entries: list[bytes] | None = None
        for at, line in enumerate(lines[2:], 2):
            if entries is None and line[:1] == b'"' and line[-3:] == b'":[':
                entries = self._sections[line[1:-3].decode()] = []
            elif line == b"],":
                entries = None
            elif line == b"]}":
                if any(lines[at + 1 :]):
                    break
                self.server: dict[str, Json] = decode(lines[0][len(server) : -1])
                self._namespaces = lines[1][len(namespaces) : -1]
                return True
            elif entries is not None and line[:1] == b"{" and line.rstrip(b",")[-1:] == b"}":
                entries.append(line[:-1] if line[-1:] == b"," else line)
            else:
                break
        self._sections.clear()
        return False

    def _read_whole(self, data: bytes) -> None:
        whole = decode(data.removeprefix(b"\xef\xbb\xbf"))
        self.server = whole["server"]
        self._namespaces = encode(whole["namespaces"])
        for section in SECTIONS:
            if section in whole:
                self._sections[section] = [encode(entry) for entry in whole[section]]

    def entries(self, section: str) -> list[bytes] | None:
        return self._sections.get(section)

    @property
    def namespaces(self) -> dict[str, Json]:
        """Name → {module, class, description, tools: {name: method}, …}."""
        if isinstance(self._namespaces, bytes):
            self._namespaces = decode(self._namespaces)
        found: dict[str, Json] = self._namespaces
        return found


def entry_name(entry: bytes) -> str:
    """The name of a tool's or prompt's entry, without parsing what follows it."""
    start = b'{"name":"'
    if entry.startswith(start):
        name = entry[len(start) : entry.index(b'"', len(start))]
        if b"\\" not in name:
            return name.decode()
    return str(decode(entry)["name"])
