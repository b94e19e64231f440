"""Where in a source text the value behind a JSON pointer stands.

Found only when a place is printed: a 13 MB document has half a million values, and a run names a few.
Knows JSON text and composed YAML nodes; nothing of documents, references or OpenAPI.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from json import JSONDecoder
from json import decoder as json_decoder
from re import compile as regex
from typing import Any, Protocol

import yaml

Token = str | int  # one step of a JSON pointer: the key of an object or the index of an array

NO_POSITION = (0, 0)
# Both are json's own, in C where there is C; typeshed does not list them.
read_string: Callable[[str, int, bool], tuple[str, int]] = getattr(json_decoder, "scanstring")
read_value: Callable[[str, int], tuple[Any, int]] = getattr(JSONDecoder(), "scan_once")
WHITESPACE = regex(r"[ \t\r\n]*")


class Positions(Protocol):
    """Both answers fall back to the nearest enclosing value that the text has."""

    def find(self, tokens: Sequence[Token], *, key: bool) -> tuple[int, int]:
        """Line and column, from 1, of the value, or of its key."""

    def written(self, tokens: Sequence[Token]) -> str | None:
        """A scalar as it stands in the text: `1.10`, not 1.1."""


@dataclass(frozen=True, slots=True)
class NoPositions:
    """For values that were not read from a text."""

    def find(self, tokens: Sequence[Token], *, key: bool) -> tuple[int, int]:
        return NO_POSITION

    def written(self, tokens: Sequence[Token]) -> str | None:
        return None


@dataclass(slots=True)
class JsonPositions:
    """Walks the text along one pointer; json's own C scanner skips the values in between."""

    text: str
    _children: dict[int, dict[Token, tuple[int, int]]] = field(default_factory=dict)
    _lines: list[int] = field(default_factory=list)

    def find(self, tokens: Sequence[Token], *, key: bool) -> tuple[int, int]:
        key_offset, offset = self._walk(tokens)
        return self.line_and_column(key_offset if key else offset)

    def written(self, tokens: Sequence[Token]) -> str | None:
        offset = self._walk(tokens)[1]
        return self.text[offset : self._end_of_value(offset)]

    def line_and_column(self, offset: int) -> tuple[int, int]:
        if not self._lines:
            self._lines = line_starts(self.text)
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def duplicates(self) -> list[tuple[str, int, int]]:
        """Each key that its object has already, with its offset and the offset of the first one."""
        found: list[tuple[str, int, int]] = []
        stack = [self._skip_space(0)]
        while stack:
            start = stack.pop()
            first: dict[Token, int] = {}
            for name, key_offset, offset in self._members(start):
                if isinstance(name, str) and name in first:
                    found.append((name, key_offset, first[name]))
                first.setdefault(name, key_offset)
                if self.text[offset] in "{[":
                    stack.append(offset)
        return sorted(found, key=lambda one: one[1])

    def _walk(self, tokens: Sequence[Token]) -> tuple[int, int]:
        place = (self._skip_space(0), self._skip_space(0))
        for token in tokens:
            offset = place[1]
            if offset not in self._children:
                members = self._members(offset)
                self._children[offset] = {name: (key, value) for name, key, value in members}
            if token not in self._children[offset]:
                break
            place = self._children[offset][token]
        return place

    def _members(self, start: int) -> list[tuple[Token, int, int]]:
        """(name or index, offset of the key, offset of the value) of the container at `start`."""
        opening = self.text[start]
        if opening not in "{[":
            return []
        members: list[tuple[Token, int, int]] = []
        at = self._skip_space(start + 1)
        while self.text[at] not in "}]":
            key_offset = at
            name: Token = len(members)
            if opening == "{":
                name, at = read_string(self.text, at + 1, True)
                at = self._skip_space(self._skip_space(at) + 1)  # over the colon
            members.append((name, key_offset, at))
            at = self._skip_space(self._end_of_value(at))
            if self.text[at] == ",":
                at = self._skip_space(at + 1)
        return members

    def _end_of_value(self, offset: int) -> int:
        return read_value(self.text, offset)[1]

    def _skip_space(self, offset: int) -> int:
        match = WHITESPACE.match(self.text, offset)
        assert match is not None  # it matches nothing as well
        return match.end()


@dataclass(slots=True)
class YamlPositions:
    """Walks the composed nodes along one pointer."""

    root: yaml.Node
    _members: dict[int, dict[Token, tuple[yaml.Node, yaml.Node]]] = field(default_factory=dict)

    def find(self, tokens: Sequence[Token], *, key: bool) -> tuple[int, int]:
        key_node, value_node = self._walk(tokens)
        mark = (key_node if key else value_node).start_mark
        return mark.line + 1, mark.column + 1

    def written(self, tokens: Sequence[Token]) -> str | None:
        node = self._walk(tokens)[1]
        return str(node.value) if isinstance(node, yaml.ScalarNode) else None

    def _walk(self, tokens: Sequence[Token]) -> tuple[yaml.Node, yaml.Node]:
        place = (self.root, self.root)
        for token in tokens:
            members = self._members_of(place[1])
            if token not in members:
                break
            place = members[token]
        return place

    def _members_of(self, node: yaml.Node) -> dict[Token, tuple[yaml.Node, yaml.Node]]:
        if id(node) not in self._members:
            self._members[id(node)] = yaml_members(node)
        return self._members[id(node)]


def yaml_members(node: yaml.Node) -> dict[Token, tuple[yaml.Node, yaml.Node]]:
    """The children of a node by token, those of its merge keys included."""
    if isinstance(node, yaml.SequenceNode):
        return {index: (item, item) for index, item in enumerate(node.value)}
    members: dict[Token, tuple[yaml.Node, yaml.Node]] = {}
    if not isinstance(node, yaml.MappingNode):
        return members
    merged: list[yaml.Node] = []
    for key, value in node.value:
        if is_merge_key(key):
            merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
        elif isinstance(key, yaml.ScalarNode):
            members.setdefault(key.value, (key, value))
    for other in merged:
        for token, pair in yaml_members(other).items():
            members.setdefault(token, pair)
    return members


def is_merge_key(key: Any) -> bool:
    return isinstance(key, yaml.ScalarNode) and key.value == "<<" and not key.style


def line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts
