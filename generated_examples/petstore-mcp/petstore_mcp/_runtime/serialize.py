"""JSON values as text in a path, query, header or cookie.

The styles of OpenAPI 3.2 §4.12.3, which are expansions of RFC 6570. Pure functions; knows nothing of requests.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import lru_cache

from .errors import invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .errors import Json

Pairs = list[tuple[str, str]]

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
# What may pass in a reserved expansion. `#` would end the query, `&` start another parameter and `+` be read as
# a space, so that the API would get another value than the caller gave: these three are always encoded.
RESERVED = UNRESERVED + b":/?[]@!$'()*,;="

ESCAPES = tuple(chr(byte) if byte in UNRESERVED else f"%{byte:02X}" for byte in range(256))
RESERVED_ESCAPES = tuple(chr(byte) if byte in RESERVED else f"%{byte:02X}" for byte in range(256))
TRIPLET = re.compile("(%[0-9A-Fa-f]{2})")
DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def quote(text: str) -> str:
    """Percent-encode everything outside RFC 3986's unreserved characters."""
    if text.isascii() and text.isalnum():
        return text
    return "".join([ESCAPES[byte] for byte in utf8(text)])


def quote_reserved(text: str) -> str:
    """RFC 6570 §3.2.3: reserved characters and existing %XX pass."""
    pieces = TRIPLET.split(text)
    return "".join(
        piece if index % 2 else "".join([RESERVED_ESCAPES[byte] for byte in utf8(piece)])
        for index, piece in enumerate(pieces)
    )


def utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise invalid(None, f"{text!r} holds half a character (a lone surrogate)") from None


def json_text(value: Json) -> str:
    """Compact JSON with every character as itself; integers of any size are exact."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise invalid(None, "a number is not finite: JSON has no NaN or Infinity") from None


def plain(value: Json) -> str:
    """One value as text: booleans and numbers as JSON spells them, what is nested as JSON."""
    if isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        raise invalid(None, f"{value} is not a number that JSON can spell")
    return json_text(value)


def members(value: list[Json] | tuple[Json, ...]) -> list[str]:
    """The members of a list as text; null is undefined and left out (RFC 6570 §2.3)."""
    return [plain(one) for one in value if one is not None]


def pairs(value: dict[str, Json]) -> Pairs:
    return [(key, plain(one)) for key, one in value.items() if one is not None]


def simple(value: Json, explode: bool, encode: Callable[[str], str]) -> str:
    """`a,b`, `R,100` or `R=100`: a path segment, or with `encode=str` a header."""
    if isinstance(value, (list, tuple)):
        return ",".join([encode(one) for one in members(value)])
    if isinstance(value, dict):
        between = "=" if explode else ","
        return ",".join([encode(key) + between + encode(one) for key, one in pairs(value)])
    return encode(plain(value))


def path_text(name: str, value: Json, style: str, explode: bool) -> str:
    """The expansion of one path parameter; empty where there is nothing to send."""
    if style == "matrix":
        return _matrix(quote(name), value, explode)
    text = simple(value, explode, quote)
    if style != "label":
        return text
    if isinstance(value, (list, tuple, dict)):
        if not text:
            return ""
        if explode:
            return "." + text.replace(",", ".")  # a comma of a value is %2C here
    return "." + text


def _matrix(name: str, value: Json, explode: bool) -> str:
    if explode and isinstance(value, (list, tuple)):
        return "".join([_matrix_pair(name, quote(one)) for one in members(value)])
    if explode and isinstance(value, dict):
        return "".join([_matrix_pair(quote(key), quote(one)) for key, one in pairs(value)])
    if isinstance(value, (list, tuple, dict)) and not value:
        return ""
    return _matrix_pair(name, simple(value, False, quote))


def _matrix_pair(name: str, text: str) -> str:
    return f";{name}={text}" if text else f";{name}"  # RFC 6570 §3.2.7


def query_pairs(
    name: str, value: Json, style: str, explode: bool, allow_reserved: bool = False
) -> Pairs:
    """The encoded `name=value` pairs of one query parameter, or of one property of a form."""
    encode = quote_reserved if allow_reserved else quote
    key = quote(name)
    if isinstance(value, (list, tuple)):
        if style == "deepObject":
            return _deep(key, dict(enumerate(value)), encode)
        texts = [encode(one) for one in members(value)]
        if explode:
            return [(key, text) for text in texts]
        return [(key, DELIMITERS.get(style, ",").join(texts))] if texts else []
    if isinstance(value, dict):
        if style == "deepObject":
            return _deep(key, value, encode)
        entries = [(quote(member), encode(text)) for member, text in pairs(value)]
        if explode:
            return entries
        flat = [text for entry in entries for text in entry]
        return [(key, DELIMITERS.get(style, ",").join(flat))] if flat else []
    return [(key, encode(plain(value)))]


def _deep(key: str, value: dict[Json, Json], encode: Callable[[str], str]) -> Pairs:
    """`a[b]=1`, and for what OpenAPI leaves open `a[b][c]=1` and `a[b][0]=1`, as qs, PHP and Rails read it."""
    found: Pairs = []
    for member, one in value.items():
        inner = f"{key}%5B{quote(str(member))}%5D"
        if isinstance(one, (list, tuple)):
            found += _deep(inner, dict(enumerate(one)), encode)
        elif isinstance(one, dict):
            found += _deep(inner, one, encode)
        elif one is not None:
            found.append((inner, encode(plain(one))))
    return found


@lru_cache(256)  # an API has few
def essence(media_type: str) -> str:
    """A media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    return essence(media_type).endswith(("/json", "+json"))
