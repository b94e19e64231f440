"""What a handler returned, as the members of a CallToolResult.

Takes any JSON value, a `Blob`, a tuple of content blocks (`text`, `image`, …), or None; gives bytes. JSON is
encoded once: the text of an object is also its structuredContent.
"""

from __future__ import annotations

from .messages import encode
from .versions import has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .messages import Json


class Blob:
    """A binary answer."""

    def __init__(self, data: bytes, media_type: str, filename: str | None = None) -> None:
        self.data = data
        self.media_type = media_type
        self.filename = filename

    def __repr__(self) -> str:
        return f"Blob({len(self.data)} bytes, {self.media_type!r}, {self.filename!r})"


class Content:
    """Content blocks of the handler's own making, where a plain value does not say enough."""

    def __init__(self, *blocks: Json, structured: Json = None, is_error: bool = False) -> None:
        self.blocks = blocks
        self.structured = structured
        self.is_error = is_error


def call_result(
    value: object,
    version: str,
    lists_output: bool,
    *,
    data: bytes | None = None,
    more: Sequence[Json] = (),
) -> bytes:
    """The members of the result: content, and structuredContent where the revision knows it.

    Lists and scalars are structured as {"result": …}, since only an object is one in every revision. `data` is the value
    encoded, where that has been done; `more` are blocks of our own that follow.
    """
    tail = [encode(block_of(block, version)) for block in more]
    if value is None:
        return _members(tail, b"{}" if lists_output else None, version)
    if isinstance(value, Blob):
        return _members([encode(_blob_block(value, version)), *tail], None, version)
    if isinstance(value, Content):
        return _content(value, version)
    data = encode(value) if data is None else data
    if isinstance(value, str):
        structured = b'{"result":' + data + b"}" if lists_output else None
        return _members([_text(data), *tail], structured, version)
    structured = data if isinstance(value, dict) else b'{"result":' + data + b"}"
    return _members([_text(encode(data.decode())), *tail], structured, version)


def error_result(error: dict[str, Json]) -> bytes:
    """A failed call: a result, which the model can read, not a protocol error."""
    text = encode(error).decode()
    return b'"content":[' + _text(encode(text)) + b'],"isError":true'


def text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def _members(blocks: list[bytes], structured: bytes | None, version: str) -> bytes:
    members = b'"content":[' + b",".join(blocks) + b"]"
    if structured is not None and has(version, "structuredContent"):
        members += b',"structuredContent":' + structured
    return members


def _text(text: bytes) -> bytes:
    return b'{"type":"text","text":' + text + b"}"


def _content(value: Content, version: str) -> bytes:
    blocks = [encode(block_of(block, version)) for block in value.blocks]
    structured = None if value.structured is None else encode(value.structured)
    members = _members(blocks, structured, version)
    return members + b',"isError":true' if value.is_error else members


def block_of(block: Json, version: str) -> Json:
    """A block as this revision can read it; a plain string is a text block."""
    if isinstance(block, Blob):
        return _blob_block(block, version)
    if isinstance(block, str):
        return text_block(block)
    kind = block.get("type")
    if kind == "resource_link" and not has(version, "resource_link"):
        return text_block(block["uri"])
    if kind == "audio" and not has(version, "audio"):
        return text_block(f"[audio, {block['mimeType']}]")
    return block


def _blob_block(blob: Blob, version: str) -> Json:
    from base64 import b64encode

    kind, _, _ = blob.media_type.partition("/")
    text = b64encode(blob.data).decode("ascii")
    media_type = blob.media_type.partition(";")[0].strip()
    if kind == "image" or (kind == "audio" and has(version, "audio")):
        return {"type": kind, "data": text, "mimeType": media_type}
    from urllib.parse import quote

    uri = "attachment:" + quote(blob.filename or "answer", safe="")
    return {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "blob": text}}
