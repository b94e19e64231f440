"""What the API answered: bytes and headers → a value for the tool, or the error that tells what to mend.

Pure; knows nothing of sockets or requests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus

from .content import Blob
from .errors import ToolError
from .serialize import essence, is_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .errors import Json

LINES = (
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
)
TEXTS = (
    "application/xml",
    "application/yaml",
    "application/x-yaml",
    "application/javascript",
    "application/x-www-form-urlencoded",
    "application/sql",
    "application/graphql",
    "application/toml",
)
CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:\-]+)", re.IGNORECASE)
BOM = "\ufeff"
# How much of an answer that failed is shown: enough for any message meant to be read.
DETAIL_LIMIT = 4_000
EXCERPT_LIMIT = 600
MAY_PASS = (
    429,
    503,
)  # the API did not carry it out and says so: worth another try, whatever the method
MAY_PASS_IF_REPEATABLE = (408, 425, 500, 502, 504)


def value_of(body: bytes, content_type: str, disposition: str = "") -> Json | Blob | None:
    """JSON parsed, text as str, anything else a Blob; nothing is None. What claims to be JSON and is not, is text."""
    if not body:
        return None
    kind = essence(content_type)
    if is_json(kind):
        return _json(body, content_type) if body.strip() else None
    if kind in LINES:
        return _lines(body, content_type)
    if kind.startswith("text/") or kind in TEXTS or kind.endswith(("+xml", "+yaml")):
        return text_of(body, content_type)
    if kind:
        return Blob(body, kind, _filename(disposition))
    try:
        body.decode()
    except UnicodeDecodeError:
        return Blob(body, "application/octet-stream", _filename(disposition))
    return _json(body, content_type)


def is_stream(content_type: str) -> bool:
    """Whether an answer is a sequence, of which also a part makes sense."""
    return essence(content_type) in ("text/event-stream", *LINES)


def text_of(body: bytes, content_type: str) -> str:
    """Text in its charset, else UTF-8; what cannot be decoded becomes U+FFFD."""
    found = CHARSET.search(content_type) if "=" in content_type else None
    try:
        return body.decode(found.group(1) if found else "utf-8", "replace").removeprefix(BOM)
    except LookupError:
        return body.decode("utf-8", "replace").removeprefix(BOM)


def _json(body: bytes, content_type: str) -> Json:
    text = text_of(body, content_type)
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


_decode = json.JSONDecoder(parse_constant=_refuse).decode


def _lines(body: bytes, content_type: str) -> Json:
    """A list with the value of each line (NDJSON)."""
    text = text_of(body, content_type)
    try:
        return [_decode(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return text


def _filename(disposition: str) -> str | None:
    """The name of a Content-Disposition, without any folder (RFC 6266 §4.3)."""
    extended = re.search(r"filename\*\s*=\s*UTF-8'[^']*'([^;\s]+)", disposition, re.IGNORECASE)
    if extended:
        raw = re.sub("%([0-9A-Fa-f]{2})", lambda one: chr(int(one.group(1), 16)), extended.group(1))
        name = raw.encode("latin-1", "replace").decode("utf-8", "replace")
    else:
        given = re.search(r"filename\s*=\s*(?:\"([^\"]*)\"|([^;\s]+))", disposition, re.IGNORECASE)
        name = (given.group(1) or given.group(2) or "") if given else ""
    return re.split(r"[/\\]", name)[-1] or None


# --- failures


def status_error(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    request: dict[str, str],
    repeatable: bool,
) -> ToolError:
    """An answer that is no success, with what the API says about it (RFC 9457 and what else is common)."""
    value = value_of(body, headers.get("Content-Type", ""))
    said = "" if isinstance(value, Blob) else explanation(value)
    message = f"{request['method']} {request['url']} answered {status}{_phrase(status)}"
    if 300 <= status < 400 and "Location" in headers:
        said = f"it redirects to {headers['Location'].partition('?')[0]}, which is not followed"
    return ToolError(
        "upstream_status",
        f"{message}: {said}" if said else message,
        status=status,
        retryable=status in MAY_PASS or (repeatable and status in MAY_PASS_IF_REPEATABLE),
        retry_after=retry_after(headers),
        detail=_detail(value),
        request=request,
    )


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""


def explanation(value: Json) -> str:
    """The sentence meant for a person in an error body; "" if there is none."""
    if isinstance(value, str):
        return _shorten(strip_html(value), EXCERPT_LIMIT)
    if isinstance(value, list):
        return _shorten("; ".join(filter(None, map(explanation, value[:5]))), EXCERPT_LIMIT)
    if not isinstance(value, dict):
        return ""
    found: list[str] = []
    place = value.get("loc") or value.get("field") or value.get("param") or value.get("path")
    if isinstance(place, list):
        place = ".".join(map(str, place))
    for name in (
        "title", "error", "message", "msg", "detail", "error_description", "errorMessage", "description",
        "reason", "faultstring", "fault", "errors", "invalid-params", "error_messages", "errorMessages",
    ):  # fmt: skip
        text = explanation(value.get(name))
        if text and text not in found:
            found.append(text)
    joined = ": ".join(found)
    return _shorten(
        f"{place}: {joined}" if joined and isinstance(place, str) else joined, EXCERPT_LIMIT
    )


def _detail(value: Json | Blob | None) -> Json:
    """The body of an error as it is, if it is short; else how it begins."""
    if value is None or isinstance(value, Blob):
        return None
    if isinstance(value, str):
        return _shorten(strip_html(value), DETAIL_LIMIT) or None
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= DETAIL_LIMIT else _shorten(text, DETAIL_LIMIT)


def strip_html(text: str) -> str:
    """The words of an HTML page; other text only loses its outer white space."""
    if not re.search(
        r"<(!doctype|html|head|body|h1|p|div|title|center)\b", text[:2_000], re.IGNORECASE
    ):
        return text.strip()
    from html import unescape  # its table of entities is half a megabyte

    text = re.sub(
        r"<(script|style|head)\b.*?(</\1\s*>|\Z)|<!--.*?(-->|\Z)",
        " ",
        text[:100_000],
        flags=re.S | re.I,
    )
    return " ".join(unescape(re.sub(r"<[^<>]*>", " ", text)).split())


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rstrip() + "…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from a number or a date (RFC 9110 §10.2.3)."""
    text = headers.get("Retry-After", "").strip()
    if not text:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return float(text)
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
