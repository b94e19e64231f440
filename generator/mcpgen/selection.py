"""Which operations are meant: the patterns of `--include`, `--exclude` and of the settings that shape tools.

    tag:pets   path:/pets/**   method:get   id:getPet*   GET /pets/*   and of tools, by name:   get_pet*

`*` stands for anything within a path segment or a name, `**` for anything at all. Case counts in paths and ids only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from mcpgen.ir import Operation


class BadPattern(ValueError):
    """A pattern that cannot be understood."""

    def __init__(self, pattern: str, forms: str = "") -> None:
        super().__init__(
            f"{pattern!r} is no pattern; write tag:…, path:…, method:…, id:… or 'GET /path'{forms}"
        )
        self.pattern = pattern


@lru_cache
def glob(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", pattern)
    text = "".join({"**": ".*", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts)
    return re.compile(text, re.DOTALL | (re.IGNORECASE if ignore_case else 0))


def matcher(pattern: str) -> Callable[[Operation], bool]:
    """A predicate for one pattern. Raises BadPattern."""
    kind, colon, rest = pattern.partition(":")
    if colon and kind == "tag":
        return lambda one: any(glob(rest, ignore_case=True).fullmatch(tag) for tag in one.tags)
    if colon and kind == "path":
        return lambda one: glob(rest).fullmatch(one.path) is not None
    if colon and kind == "method":
        return lambda one: glob(rest, ignore_case=True).fullmatch(one.method) is not None
    if colon and kind == "id":
        return lambda one: glob(rest).fullmatch(one.id or "") is not None
    method, space, path = pattern.partition(" ")
    if space and path.startswith("/"):
        return lambda one: (
            glob(method, ignore_case=True).fullmatch(one.method) is not None
            and glob(path.strip()).fullmatch(one.path) is not None
        )
    raise BadPattern(pattern)


def tool_matcher(pattern: str) -> Callable[[Operation, Collection[str]], bool]:
    """The same for a tool, which may also be called by one of its names. Raises BadPattern."""
    if re.fullmatch(r"[A-Za-z0-9_*-]+", pattern):
        name = glob(pattern)
        return lambda _, names: any(name.fullmatch(one) for one in names)
    try:
        matches = matcher(pattern)
    except BadPattern:
        raise BadPattern(pattern, ", or a tool's name") from None
    return lambda operation, _: matches(operation)


def select(
    operations: Iterable[Operation], include: Iterable[str], exclude: Iterable[str]
) -> tuple[tuple[Operation, ...], tuple[str, ...]]:
    """The operations that are wanted, and the patterns that matched nothing. Raises BadPattern."""
    wanted = {pattern: matcher(pattern) for pattern in include}
    unwanted = {pattern: matcher(pattern) for pattern in exclude}
    used: set[str] = set()
    kept = []
    for operation in operations:
        inside = [pattern for pattern, matches in wanted.items() if matches(operation)]
        outside = [pattern for pattern, matches in unwanted.items() if matches(operation)]
        used.update(inside, outside)
        if (inside or not wanted) and not outside:
            kept.append(operation)
    return tuple(kept), tuple(one for one in [*wanted, *unwanted] if one not in used)
