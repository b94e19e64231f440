"""JSON text to values: strict (no NaN, no doubled keys, limits), places found later.

Values come from `json`: it is a hundred times faster than composing YAML and knows surrogate pairs.
"""

from __future__ import annotations

import json
from re import Match
from re import compile as regex
from typing import Any

from mcpgen.diagnostics import Diagnostics, Location, Stop
from mcpgen.positions import JsonPositions

Json = Any

MAX_DEPTH = 200  # no real document comes near, and later stages take several frames a level

# An escape, or a pair of surrogates, or half of one; matched in turn, so that an escaped backslash stays what it is.
ESCAPES = regex(
    r"\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def read_json(text: str, file: str, diagnostics: Diagnostics) -> tuple[Json, JsonPositions]:
    """Raises json.JSONDecodeError, so that a caller may try YAML, and Stop for what YAML cannot mend."""
    if "\\ud" in text or "\\uD" in text:
        text = ESCAPES.sub(_whole_character, text)
    doubled = False
    odd_numbers: list[str] = []

    def build(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        nonlocal doubled
        mapping = dict(pairs)
        doubled = doubled or len(mapping) != len(pairs)
        return mapping

    def constant(name: str) -> None:
        odd_numbers.append(name)

    def real(digits: str) -> float | None:
        number = float(digits)
        if number - number == 0:  # false for the infinite
            return number
        odd_numbers.append(digits)
        return None

    def integer(digits: str) -> int | None:
        try:
            return int(digits)
        except ValueError:  # CPython's limit of 4300 digits
            odd_numbers.append(digits[:20] + "…")
            return None

    hooks: dict[str, Any] = {"parse_constant": constant, "parse_float": real, "parse_int": integer}
    try:
        value = json.loads(text, object_pairs_hook=build, **hooks)
    except RecursionError:
        diagnostics.error("too-deep", too_deep(), Location(file))
        raise Stop from None
    if depth(value) > MAX_DEPTH:
        diagnostics.error("too-deep", too_deep(), Location(file))
        raise Stop
    positions = JsonPositions(text)
    for digits in odd_numbers:
        place = positions.line_and_column(max(text.find(digits.rstrip("…")), 0))
        message = f"{digits} is not a number that JSON has"
        diagnostics.error("bad-number", message, Location(file, *place))
    if doubled:
        report_duplicates(positions, file, diagnostics)
    return value, positions


def _whole_character(match: Match[str]) -> str:
    """Half a pair is no character and cannot be written; its place is kept, so that offsets stay."""
    return r"\ufffd" if match[1] else match[0]


def report_duplicates(positions: JsonPositions, file: str, diagnostics: Diagnostics) -> None:
    for name, offset, first in positions.duplicates():
        line = positions.line_and_column(first)[0]
        diagnostics.error(
            "duplicate-key",
            f"the key '{name}' is written twice; the first is in line {line}",
            Location(file, *positions.line_and_column(offset)),
        )


def depth(value: Json) -> int:
    """Counted level by level, since what is too deep cannot be walked by recursion."""
    count = 0
    level = [value] if isinstance(value, (dict, list)) else []
    while level:
        count += 1
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, (dict, list))
        ]
    return count


def too_deep() -> str:
    return f"the document is nested more than {MAX_DEPTH} levels deep"
