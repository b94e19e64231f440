"""A short text that matches a pattern: what an example of a string with `pattern` needs.

Takes an ECMA 262 pattern, gives text or nothing. It follows Python's own parse of the pattern, takes the first way
through it, and leaves what it cannot follow (lookaround, back references) to the check at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import jsonschema_rs

# Patterns that only look ahead (passwords, mostly) are met by trying.
GUESSES = (
    "example",
    "Example-1a!",
    "Passw0rd!Passw0rd!",
    "example.com",
    "user@example.com",
    "A1",
    "1",
    "",
)

MOST_PIECES = 2000  # of one text; `(a{999}){999}` asks for more than an example is worth
MOST_TURNS = 9
PREFERRED = "aA10-_ .x"  # characters that read well, the first that fits is taken
SAMPLES = {
    "CATEGORY_DIGIT": "123456789",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_WORD": "-",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": "a",
}


def matching_texts(pattern: str, *, shortest: int = 0, longest: int | None = None) -> Iterator[str]:
    """Texts in which the pattern is found, of a length between the bounds; none if there is no easy one."""
    rule = {"type": "string", "pattern": pattern, "minLength": shortest}
    try:
        # Not Python's `re` on a stranger's pattern: this engine gives up where that one takes for ever.
        matches = jsonschema_rs.Draft202012Validator(rule).is_valid
        parsed = _parse(_python_pattern(pattern))
    except (ValueError, re.error, OverflowError, RecursionError):
        return
    for text in dict.fromkeys(_candidates(parsed, shortest)):
        if (longest is None or len(text) <= longest) and matches(text):
            yield text


def _candidates(parsed: Sequence[Any], shortest: int) -> Iterator[str]:
    for growth in dict.fromkeys((0, 1, 2, shortest)):
        text = _Writer(growth).text(parsed)
        yield text
        yield text.ljust(shortest, "a")
    for turn in range(1, MOST_TURNS):
        yield _Writer(shortest, turn).text(parsed)
    yield from GUESSES


def _python_pattern(pattern: str) -> str:
    """ECMA's spelling of what both languages have."""
    pattern = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
    pattern = (
        re.sub(r"\\p\{[^}]*\}", "[A-Za-z]", pattern)
        if "[" not in pattern
        else re.sub(r"\\p\{[^}]*\}", "A-Za-z", pattern)
    )
    return re.sub(r"\\u\{([0-9A-Fa-f]{1,6})\}", lambda code: f"\\U{int(code[1], 16):08x}", pattern)


def _parse(pattern: str) -> Sequence[Any]:
    # `sre_parse` under its present name; the parse is data, and nothing else gives it.
    from re import _parser  # type: ignore[attr-defined]  # not in typeshed

    parsed: Sequence[Any] = _parser.parse(pattern)
    return parsed


class _Writer:
    """Writes one way through a parsed pattern: what may repeat does so `growth` times more, and each turn takes other
    characters and branches than the turns before it."""

    def __init__(self, growth: int, turn: int = 0) -> None:
        self._growth = growth
        self._turn = turn
        self._groups: dict[int, str] = {}
        self._left = MOST_PIECES

    def text(self, parsed: Sequence[Any]) -> str:
        return "".join(self._piece(str(operation), argument) for operation, argument in parsed)

    def _piece(self, operation: str, argument: Any) -> str:
        self._left -= 1
        if self._left < 0:
            return ""
        match operation:
            case "LITERAL":
                return chr(argument)
            case "NOT_LITERAL":
                return next(one for one in PREFERRED if one != chr(argument))
            case "ANY":
                return "a"
            case "IN":
                members = _members(argument)
                return members[self._turn % len(members)]
            case "BRANCH":
                branches = argument[1]
                return self.text(branches[self._turn % len(branches)])
            case "SUBPATTERN":
                inner = self.text(argument[3])
                if argument[0] is not None:
                    self._groups[argument[0]] = inner
                return inner
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, inner = argument
                times = min(int(most), least + self._growth, MOST_PIECES)
                return "".join(self.text(inner) for _ in range(times))
            case "GROUPREF":
                return self._groups.get(argument, "")
            case "ATOMIC_GROUP":
                return self.text(argument)
            case _:
                return ""


def _members(items: list[Any]) -> str:
    """Some characters of a class, those that read well first."""
    if str(items[0][0]) == "NEGATE":
        return (
            "".join(one for one in PREFERRED if not any(_has(item, one) for item in items[1:]))
            or "~"
        )
    listed = "".join(map(_listed, items))
    preferred = [one for one in PREFERRED[:4] if any(_has(item, one) for item in items)]
    return "".join(dict.fromkeys([*preferred, *listed]))


def _listed(item: Any) -> str:
    operation, argument = str(item[0]), item[1]
    if operation == "LITERAL":
        return chr(argument)
    if operation == "RANGE":
        return "".join(map(chr, range(argument[0], min(argument[1] + 1, argument[0] + MOST_TURNS))))
    return SAMPLES.get(str(argument), "a")


def _has(item: Any, character: str) -> bool:
    operation, argument = str(item[0]), item[1]
    if operation == "LITERAL":
        return bool(argument == ord(character))
    if operation == "RANGE":
        return bool(argument[0] <= ord(character) <= argument[1])
    return re.fullmatch(CLASSES.get(str(argument), r"[^\s\S]"), character) is not None


CLASSES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
}
