"""Read mcpgen.yaml, the settings that belong to a package. Every mistake is told with its place."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from mcpgen import source
from mcpgen.diagnostics import Diagnostics, Location, Stop
from mcpgen.ir import Json
from mcpgen.options import Options
from mcpgen.source import Document, Node

FILE = "mcpgen.yaml"
DESTRUCTIVE = "destructive"  # as the whole of `confirm`


def read_settings(path: Path, diagnostics: Diagnostics) -> Options:
    """The options of a package. Raises Stop, after reporting, where the file is wrong in any way."""
    return read_document(source.load_path(path, str(path), diagnostics), diagnostics)


def read_document(document: Document, diagnostics: Diagnostics) -> Options:
    """The same for a file that has been loaded."""
    before = len(diagnostics.found)
    root = document.root
    if not isinstance(root.value, dict):
        root.report_type("a mapping", diagnostics)
        raise Stop
    for key, node in root.items():
        _check(key, node, diagnostics)
    if not root.value.get("source"):
        diagnostics.error("missing-key", "'source' is missing: the document to read", root.location)
    if len(diagnostics.found) > before:
        raise Stop
    found = {key: _value(key, node.value) for key, node in root.items() if node.value is not None}
    return Options(**found, places=dict(_places(root)))


def _value(key: str, value: Json) -> Json:
    if key in LISTS:
        return (value,) if value == DESTRUCTIVE else tuple(value)
    return value


def _places(root: Node) -> Iterator[tuple[tuple[str, ...], Location]]:
    for key, node in root.items():
        for one in node.elements():
            yield (key, one.value), one.location
        for pattern, one in node.items():
            yield (key, pattern), one.location
            for parameter, fixed in one.items():
                yield (key, pattern, parameter), fixed.location


# --- what each setting may be


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _are_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _are_named_texts(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) and one for one in value.values())


def _are_named_mappings(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())


Kind = tuple[str, Callable[[Json], bool]]

LIST: Kind = ("a list of texts", _are_texts)
KINDS: Mapping[str, Kind] = {
    "source": ("a text", _is_text),
    "name": ("a text", _is_text),
    "include": LIST,
    "exclude": LIST,
    "overlays": LIST,
    "allow_hosts": LIST,
    "confirm": (
        f"{DESTRUCTIVE!r} or a list",
        lambda value: value == DESTRUCTIVE or _are_texts(value),
    ),
    "rename": ("a mapping of tools to names", _are_named_texts),
    "describe": ("a mapping of tools to texts", _are_named_texts),
    "hide": ("a mapping of tools to mappings of parameters to values", _are_named_mappings),
    "changelog": ("true or false", lambda value: isinstance(value, bool)),
}
LISTS = ("include", "exclude", "overlays", "allow_hosts", "confirm")


def _check(key: str, node: Node, diagnostics: Diagnostics) -> None:
    if key not in KINDS:
        near = difflib.get_close_matches(key, KINDS, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(KINDS)}"
        diagnostics.error("unknown-key", f"there is no setting '{key}'", node.location, hint=hint)
        return
    wanted, is_good = KINDS[key]
    if node.value is not None and not is_good(node.value):
        diagnostics.error("wrong-type", f"'{key}' must be {wanted}", _culprit(node))


def _culprit(node: Node) -> Location:
    """The first member that is not as the others of its setting must be; else the whole."""
    wanted = dict if node.key == "hide" else str
    if isinstance(node.value, dict) == (node.key in ("rename", "describe", "hide")):
        for one in (*node.elements(), *(member for _, member in node.items())):
            if not isinstance(one.value, wanted) or not one.value:
                return one.location
    return node.location
