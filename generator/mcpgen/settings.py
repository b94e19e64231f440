"""Read mcpgen.yaml, the settings that belong to a package. Every mistake is told with its place."""

from __future__ import annotations

import difflib
from pathlib import Path

from mcpgen import source
from mcpgen.diagnostics import Diagnostics, Stop
from mcpgen.options import Options
from mcpgen.source import Document, Node

FILE = "mcpgen.yaml"
TEXTS = ("source", "name")
LISTS = ("include", "exclude", "overlays", "allow_hosts", "confirm")
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
    if not root.text("source", diagnostics):
        diagnostics.error("missing-key", "'source' is missing: the document to read", root.location)
    if len(diagnostics.found) > before:
        raise Stop
    lists = {key: _texts(root, key, diagnostics) for key in LISTS}
    return Options(
        source=root.text("source", diagnostics),
        name=root.text("name", diagnostics) or None,
        **lists,
    )


def _texts(root: Node, key: str, diagnostics: Diagnostics) -> tuple[str, ...]:
    if root.value.get(key) == DESTRUCTIVE:
        return (DESTRUCTIVE,)
    return tuple(one.value for one in root.sequence(key, diagnostics))


def _check(key: str, node: Node, diagnostics: Diagnostics) -> None:
    if key in TEXTS:
        if not isinstance(node.value, str):
            diagnostics.error("wrong-type", f"'{key}' must be a text", node.location)
    elif key in LISTS:
        good = isinstance(node.value, list) and all(isinstance(one, str) for one in node.value)
        if not good and (key, node.value) != ("confirm", DESTRUCTIVE):
            wanted = f"{DESTRUCTIVE!r} or a list" if key == "confirm" else "a list of texts"
            diagnostics.error("wrong-type", f"'{key}' must be {wanted}", node.location)
    else:
        near = difflib.get_close_matches(key, [*TEXTS, *LISTS], 1)
        hint = (
            f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join([*TEXTS, *LISTS])}"
        )
        diagnostics.error("unknown-key", f"there is no setting '{key}'", node.location, hint=hint)
