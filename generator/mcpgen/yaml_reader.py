"""YAML 1.2 core text to JSON values, with the composed nodes kept as positions.

PyYAML speaks YAML 1.1, in which `no` is false, `1:30` is 90 and `200:` is a number: so only its composer is
used, with the resolvers of the 1.2 core schema (§10.3.2), and values are built here.
"""

from __future__ import annotations

from re import compile as regex
from typing import Any, NamedTuple

import yaml

from mcpgen.diagnostics import Diagnostics, Location, Stop
from mcpgen.json_reader import MAX_DEPTH, too_deep
from mcpgen.positions import YamlPositions, is_merge_key

Json = Any

MAX_VALUES = 5_000_000  # with aliases written out; GitHub's document has 0.6 million

TAG = "tag:yaml.org,2002:"
INTEGER = r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
NOT_FINITE = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
RESOLVERS = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", INTEGER, list("-+0123456789")),
    ("float", rf"{FLOAT}|{NOT_FINITE}", list("-+.0123456789")),
)
SURROGATE_PAIR = regex(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


class CoreLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # chosen at run time
    """Composes with the resolvers of the core schema only."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, Any]]] = {}


for _name, _pattern, _first in RESOLVERS:
    CoreLoader.add_implicit_resolver(TAG + _name, regex(rf"(?:{_pattern})\Z"), _first)


def read_yaml(text: str, file: str, diagnostics: Diagnostics) -> tuple[Json, YamlPositions]:
    root = _compose(text, file, diagnostics)
    if root is None:
        diagnostics.error("empty-document", "the document is empty", Location(file))
        raise Stop
    return _Builder(file, diagnostics).build(root).value, YamlPositions(root)


def _compose(text: str, file: str, diagnostics: Diagnostics) -> yaml.Node | None:
    try:
        try:
            return yaml.compose(text, Loader=CoreLoader)
        except yaml.scanner.ScannerError as error:
            # libyaml refuses JSON's way to write a character beyond U+FFFF.
            if "Unicode" not in str(error.problem) or not SURROGATE_PAIR.search(text):
                raise
            return yaml.compose(SURROGATE_PAIR.sub(_join_pair, text), Loader=CoreLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        about = f" ({error.context})" if error.context else ""
        message = f"this is no valid YAML: {error.problem}{about}"
        diagnostics.error("syntax", message, Location(file, *place))
    except yaml.reader.ReaderError as error:
        before = text.encode("utf-8", "surrogatepass")[: error.position].decode("utf-8", "replace")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        message = f"this is no valid YAML: {error.reason}"
        diagnostics.error("syntax", message, Location(file, line, column))
    except RecursionError:
        diagnostics.error("too-deep", too_deep(), Location(file))
    raise Stop


def _join_pair(match: Any) -> str:
    high, low = int(match[1], 16), int(match[2], 16)
    return f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"


class _Built(NamedTuple):
    value: Json
    size: int  # values in it, aliases written out
    height: int  # levels of nesting


class _Builder:
    """Builds each node once; an alias gives the very same value again."""

    def __init__(self, file: str, diagnostics: Diagnostics) -> None:
        self.file = file
        self.diagnostics = diagnostics
        self.built: dict[int, _Built] = {}  # by the id of the node
        self.open: set[int] = set()

    def build(self, node: yaml.Node) -> _Built:
        if isinstance(node, yaml.ScalarNode):
            return _Built(self._scalar(node), 1, 0)
        if id(node) in self.built:
            return self.built[id(node)]
        if id(node) in self.open:
            self._stop("yaml-alias-cycle", "an alias stands inside of what it refers to", node)
        if len(self.open) > MAX_DEPTH:
            self._stop("too-deep", too_deep(), node)
        self.open.add(id(node))
        built = self._sequence(node) if isinstance(node, yaml.SequenceNode) else self._mapping(node)
        self.open.discard(id(node))
        if built.height > MAX_DEPTH:
            self._stop("too-deep", too_deep(), node)
        if built.size > MAX_VALUES:
            self._stop("too-large", f"aliases give more than {MAX_VALUES:,} values", node)
        self.built[id(node)] = built
        return built

    def _sequence(self, node: yaml.Node) -> _Built:
        items = [self.build(item) for item in node.value]
        size = 1 + sum(item.size for item in items)
        height = 1 + max((item.height for item in items), default=0)
        return _Built([item.value for item in items], size, height)

    def _mapping(self, node: yaml.Node) -> _Built:
        own: dict[str, Json] = {}
        first: dict[str, yaml.Node] = {}
        merged: dict[str, Json] = {}
        size, height = 1, 0
        for key_node, value_node in node.value:
            built = self.build(value_node)
            size += built.size
            height = max(height, built.height)
            if is_merge_key(key_node):
                self._merge(merged, built.value, value_node)
            elif not isinstance(key_node, yaml.ScalarNode):
                self._error("yaml-key", "a key must be a string", key_node)
            elif key_node.value in own:
                line = first[key_node.value].start_mark.line + 1
                message = (
                    f"the key '{key_node.value}' is written twice; the first is in line {line}"
                )
                self._error("duplicate-key", message, key_node)
            else:
                own[key_node.value] = built.value
                first[key_node.value] = key_node
        return _Built({**merged, **own} if merged else own, size, height + 1)

    def _merge(self, merged: dict[str, Json], value: Json, node: yaml.Node) -> None:
        for source in value if isinstance(value, list) else [value]:
            if not isinstance(source, dict):
                self._error("yaml-merge", "'<<' can only merge mappings", node)
                continue
            for key, item in source.items():
                merged.setdefault(key, item)

    def _scalar(self, node: yaml.ScalarNode) -> Json:
        text = node.value
        match node.tag.removeprefix(TAG):
            case "null":
                return None
            case "bool":
                return text[:1] in "tT"
            case "int":
                return self._integer(node)
            case "float":
                return self._real(node)
        return text

    def _integer(self, node: yaml.ScalarNode) -> int | str:
        text = node.value
        try:
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        except ValueError:  # a tag that does not fit, or CPython's limit of 4300 digits
            self._error("bad-number", f"{text[:20]!r} is not an integer", node)
            return str(text)

    def _real(self, node: yaml.ScalarNode) -> float | str:
        try:
            number = float(node.value.replace(".inf", "inf").replace(".nan", "nan"))
        except ValueError:
            number = float("nan")
        if number - number == 0:  # false for what is not finite
            return number
        self._error("bad-number", f"{node.value[:20]} is not a number that JSON has", node)
        return str(node.value)

    def _error(self, code: str, message: str, node: yaml.Node) -> None:
        mark = node.start_mark
        self.diagnostics.error(code, message, Location(self.file, mark.line + 1, mark.column + 1))

    def _stop(self, code: str, message: str, node: yaml.Node) -> None:
        self._error(code, message, node)
        raise Stop
