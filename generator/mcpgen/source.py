"""Read a document from a path, an http(s) URL or standard input, and walk it by Nodes that know their place.

Knows YAML 1.2 core and JSON; nothing of OpenAPI and nothing of references.
"""

from __future__ import annotations

import difflib
import codecs
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from mcpgen.diagnostics import Diagnostics, Location, Stop

DOCUMENTS = (".yaml", ".yml", ".json")
from mcpgen.fetch import MAX_BYTES, FetchError, fetch, is_url, without_credentials
from mcpgen.json_reader import read_json
from mcpgen.positions import NoPositions, Positions, Token
from mcpgen.yaml_reader import read_yaml

Json = Any

ENCODINGS = (  # UTF-32 first: its mark begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
MARKUP = ("<!doctype", "<html", "<?xml")


@dataclass(frozen=True, slots=True)
class Document:
    """One source text. `file` is its name as the user gave it; `url` or `path` is where it came from."""

    file: str
    value: Json
    positions: Positions = NoPositions()
    url: str | None = None
    path: Path | None = None
    declares_names: bool = False  # whether its text has `$id`, `$anchor` or the like at all
    sha256: str = ""  # of its bytes; what git makes of newlines is no change

    @property
    def root(self) -> Node:
        return Node(self, self.value)


class Node:
    """A value of a document and the way to it. Reading a field of the wrong type reports itself."""

    __slots__ = ("document", "value", "parent", "key")

    def __init__(
        self, document: Document, value: Json, parent: Node | None = None, key: Token = ""
    ) -> None:
        self.document = document
        self.value = value
        self.parent = parent
        self.key = key

    @property
    def tokens(self) -> list[Token]:
        tokens: list[Token] = []
        node = self
        while node.parent is not None:
            tokens.append(node.key)
            node = node.parent
        return tokens[::-1]

    @property
    def pointer(self) -> str:
        """As a fragment: `#/paths/~1pets/get`."""
        return "#" + "".join("/" + escape(token) for token in self.tokens)

    def position(self) -> tuple[int, int]:
        """Of the key for what fills several lines, of the value itself for the rest."""
        in_object = self.parent is not None and isinstance(self.parent.value, dict)
        key = in_object and isinstance(self.value, (dict, list))
        return self.document.positions.find(self.tokens, key=key)

    @property
    def location(self) -> Location:
        return Location(self.document.file, origin=self)

    def child(self, key: Token) -> Node | None:
        """The value of a key or at an index; None where there is none, or only null."""
        value = self.value
        if isinstance(value, dict):
            found = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
            found = value[key]
        else:
            found = None
        return None if found is None else Node(self.document, found, self, key)

    def items(self) -> Iterator[tuple[str, Node]]:
        """The members of a mapping, null ones too; nothing for another type."""
        if isinstance(self.value, dict):
            for key, value in self.value.items():
                yield key, Node(self.document, value, self, key)

    def elements(self) -> Iterator[Node]:
        if isinstance(self.value, list):
            for index, value in enumerate(self.value):
                yield Node(self.document, value, self, index)

    def mapping(self, key: Token, diagnostics: Diagnostics) -> Node | None:
        return self._typed(key, dict, "a mapping", diagnostics)

    def sequence(self, key: Token, diagnostics: Diagnostics) -> list[Node]:
        found = self._typed(key, list, "a list", diagnostics)
        return list(found.elements()) if found else []

    def text(self, key: Token, diagnostics: Diagnostics, default: str = "") -> str:
        """A string; a number or boolean where a string is wanted counts as it is written."""
        found = self.child(key)
        if found is None:
            return default
        text = found.as_text()
        if text is None:
            found.report_type("a string", diagnostics)
            return default
        return text

    def as_text(self) -> str | None:
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        if isinstance(self.value, (int, float)):
            return self.document.positions.written(self.tokens) or str(self.value)
        return None

    def flag(self, key: Token, diagnostics: Diagnostics) -> bool | None:
        """A boolean, also where somebody quoted it."""
        found = self.child(key)
        if found is None:
            return None
        if isinstance(found.value, bool):
            return found.value
        quoted = {"true": True, "false": False}.get(str(found.value).lower())
        if quoted is None or not isinstance(found.value, str):
            found.report_type("true or false", diagnostics)
            return None
        return quoted

    def report_type(self, wanted: str, diagnostics: Diagnostics) -> None:
        message = f"'{self.key}' must be {wanted}, not {describe(self.value)}"
        diagnostics.warning("wrong-type", message, self.location)

    def _typed(self, key: Token, kind: type, wanted: str, diagnostics: Diagnostics) -> Node | None:
        found = self.child(key)
        if found is not None and not isinstance(found.value, kind):
            found.report_type(wanted, diagnostics)
            return None
        return found


def describe(value: Json) -> str:
    """A value as a diagnostic names it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the string {shorten(value)!r}"
    return "a mapping" if isinstance(value, dict) else "a list"


def shorten(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def escape(token: Token) -> str:
    # RFC 6901 §3: "~" first, or the "~" of "~1" would be escaped again.
    return str(token).replace("~", "~0").replace("/", "~1")


def load(spec: str, diagnostics: Diagnostics) -> Document:
    """The document that the user named. Raises Stop, after reporting, when nothing can be read."""
    if spec == "-":
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        check_size(data, "<stdin>", diagnostics)
        path = Path.cwd() / "<stdin>"  # what it refers to stands in the folder where it was piped
        return parse(data, "<stdin>", diagnostics, path=path)
    if is_url(spec):
        return load_url(spec, diagnostics)
    return load_path(Path(spec), spec, diagnostics)


def load_url(url: str, diagnostics: Diagnostics) -> Document:
    file = url.rpartition("@")[2]
    try:
        file = without_credentials(url)
        answer = fetch(url)
    except (FetchError, ValueError) as error:  # ValueError: what is no URL
        diagnostics.error("unreadable", f"cannot fetch {file}: {error}")
        raise Stop from None
    return parse(answer.data, file, diagnostics, url=answer.url)


def load_path(path: Path, file: str, diagnostics: Diagnostics) -> Document:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = _instead(path)
        diagnostics.error("unreadable", f"cannot read {file}: {reason}", hint=hint)
        raise Stop from None
    check_size(data, file, diagnostics)
    return parse(data, file, diagnostics, path=path)


def _instead(path: Path) -> str | None:
    """What may be meant by a path that is no document: one in that folder, or one that is called nearly so."""
    try:
        if path.is_dir():
            if (path / "mcpgen.yaml").is_file():
                return f"to regenerate that package, run mcpgen in it, or mcpgen -o {path}"
            names = sorted(one.name for one in path.iterdir() if one.suffix in DOCUMENTS)
            found = [one for one in names if one.startswith(("openapi", "swagger"))] or names
            return f"did you mean {path / found[0]}?" if found else None
        names = [one.name for one in path.parent.iterdir()]
    except (OSError, ValueError):
        return None
    near = difflib.get_close_matches(path.name, names, 1)
    return f"did you mean {path.with_name(near[0])}?" if near else None


def check_size(data: bytes, file: str, diagnostics: Diagnostics) -> None:
    if len(data) > MAX_BYTES:
        message = f"the document is larger than {MAX_BYTES // 2**20} MiB"
        diagnostics.error("too-large", message, Location(file))
        raise Stop


def parse(
    data: bytes,
    file: str,
    diagnostics: Diagnostics,
    *,
    url: str | None = None,
    path: Path | None = None,
) -> Document:
    text = decode(data, file, diagnostics)
    if text[:200].lstrip().lower().startswith(MARKUP):
        hint = "the address of the document itself is wanted, often one that ends in openapi.json"
        message = "this is a page, not an API description"
        diagnostics.error("no-api", message, Location(file), hint=hint)
        raise Stop
    value: Json
    positions: Positions
    try:
        value, positions = read_json(text, file, diagnostics)
    except JSONDecodeError as error:
        if file.lower().endswith(".json") and text.lstrip()[:1] in ("{", "["):
            message = f"this is no valid JSON: {error.msg}"
            location = Location(file, error.lineno, error.colno)
            diagnostics.error("syntax", message, location)
            raise Stop from None
        value, positions = read_yaml(text, file, diagnostics)
    declares_names = any(f"${name}" in text for name in ("id", "anchor", "dynamicAnchor", "self"))
    digest = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
    return Document(file, value, positions, url, path, declares_names, digest)


def decode(data: bytes, file: str, diagnostics: Diagnostics) -> str:
    encoding = next((name for mark, name in ENCODINGS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        message = f"the text is not {encoding.upper()}: byte 0x{data[error.start]:02X}"
        hint = "save it as UTF-8"
        diagnostics.error("encoding", message, Location(file, line, column), hint=hint)
        raise Stop from None
