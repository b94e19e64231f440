"""JSON-RPC 2.0 on the wire: bytes to values and back, and the error codes of MCP.

Knows nothing of methods or revisions. Values keep what JSON says: no NaN, integers of any size.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False  # `typing` itself costs milliseconds at start
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Json: TypeAlias = Any
    Id: TypeAlias = str | int

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022


class RpcError(Exception):
    """A protocol error, as the peer will see it."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def _refuse_constant(word: str) -> Json:
    raise ValueError(f"{word} is not JSON")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_encode_ascii = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def decode(data: bytes) -> Json:
    """The value of UTF-8 JSON. Raises ValueError for anything else, however deep it is nested."""
    try:
        return _decode(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def encode(value: Json) -> bytes:
    """Compact UTF-8 JSON, always on one line."""
    text = _encode(value)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can carry
        return _encode_ascii(value).encode("ascii")


def error_message(identifier: Id | None, error: RpcError) -> bytes:
    """An error response. An id that could not be read is left out: no revision's schema takes null."""
    body: dict[str, Json] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    start = b'{"jsonrpc":"2.0"'
    if identifier is not None:
        start += b',"id":' + encode(identifier)
    return start + b',"error":' + encode(body) + b"}"


def result_message(identifier: Id, members: bytes) -> bytes:
    """A response whose result has these members, which are JSON without the braces around them."""
    shown = b"%d" % identifier if isinstance(identifier, int) else encode(identifier)
    return b'{"jsonrpc":"2.0","id":' + shown + b',"result":{' + members + b"}}"


def notification(method: str, params: Json) -> bytes:
    return encode({"jsonrpc": "2.0", "method": method, "params": params})
