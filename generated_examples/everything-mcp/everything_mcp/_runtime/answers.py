"""Answers that fit a model's context window: cut where the structure allows, the whole kept for a while to be read.

What is cut stays valid JSON: lists lose their ends, long texts theirs, and it is said where and how much.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import OrderedDict

from .messages import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .messages import Json

BUDGET = 80_000  # bytes of JSON, about 20,000 tokens: clients refuse or cut more
SHORTEST = 200  # a text is not cut below that
URI = "answer://"
MOST_KEPT = 64
KEPT_BYTES = 64 * 2**20
KEPT_SECONDS = 900.0


def budget(prefix: str) -> int:
    """How large an answer may be: `<prefix>_MAX_RESULT` in bytes, 0 for no limit."""
    text = os.environ.get(f"{prefix}_MAX_RESULT", "")
    return int(text) if text.isdecimal() else BUDGET


def fit(value: Json, limit: int) -> tuple[Json, list[str]]:
    """The value, or as much of it as fits, and what was left out: `items: 20 of 500 entries`."""
    left_out: list[str] = []
    return _cut(value, limit, "", left_out), left_out


def _cut(value: Json, limit: int, path: str, left_out: list[str]) -> Json:
    if _size(value) <= limit:
        return value
    if isinstance(value, str):
        return _cut_text(value, limit, path, left_out)
    if isinstance(value, list):
        return _cut_list(value, limit, path, left_out)
    if isinstance(value, dict):
        return _cut_object(value, limit, path, left_out)
    return value


def _cut_text(text: str, limit: int, path: str, left_out: list[str]) -> str:
    kept = max((limit - 5) * len(text) // _size(text), SHORTEST)  # with quotes and an ellipsis
    if kept >= len(text):
        return text
    left_out.append(f"{path or 'the text'}: {kept:,} of {len(text):,} characters")
    return text[:kept] + "…"


def _cut_list(values: list[Json], limit: int, path: str, left_out: list[str]) -> list[Json]:
    kept: list[Json] = []
    rest = limit - 2
    for value in values:
        size = _size(value) + 1
        if size > rest:
            break
        kept.append(value)
        rest -= size
    if not kept and values:  # not even one fits whole
        kept = [_cut(values[0], limit - 2, f"{path}[0]", left_out)]
    if len(kept) < len(values):
        left_out.append(f"{path or 'the list'}: {len(kept):,} of {len(values):,} entries")
    return kept


def _cut_object(members: dict[str, Json], limit: int, path: str, left_out: list[str]) -> Json:
    """Small members stay whole; the large ones share what room is left."""
    sizes = {name: _size(value) for name, value in members.items()}
    rest = limit - 1 - sum(len(name) + 4 for name in members)
    shares: dict[str, int] = {}
    for left, name in zip(range(len(sizes), 0, -1), sorted(sizes, key=sizes.__getitem__)):
        shares[name] = min(sizes[name], max(rest // left, 0))
        rest -= shares[name]
    dot = f"{path}." if path else ""
    return {
        name: _cut(value, shares[name], f"{dot}{name}", left_out) for name, value in members.items()
    }


def _size(value: Json) -> int:
    return len(encode(value))


class Kept:
    """Whole answers, for `resources/read`: bounded in number, bytes and age, each for the caller that it was for."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, tuple[bytes, float, str | None]] = OrderedDict()

    def keep(self, data: bytes, user: str | None) -> str:
        """The URI under which it can be read."""
        uri = f"{URI}{secrets.token_urlsafe(16)}"
        self._answers[uri] = data, time.monotonic() + KEPT_SECONDS, user
        while len(self._answers) > MOST_KEPT or self._bytes() > KEPT_BYTES:
            self._answers.popitem(last=False)
        return uri

    def read(self, uri: str, user: str | None) -> str | None:
        data, until, owner = self._answers.get(uri, (b"", 0.0, None))
        return data.decode() if until > time.monotonic() and owner == user else None

    def _bytes(self) -> int:
        return sum(len(data) for data, _, _ in self._answers.values())
