"""The keys of a manifest: which there are, what each must be, and how a mistake is told.

A manifest is written by the one who runs mcpgen, so that nothing in it is passed over: every mistake is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from mcpgen.diagnostics import Diagnostic, Diagnostics, Severity
from mcpgen.source import Node, describe

Json = Any


@dataclass(slots=True)
class Strict(Diagnostics):
    """Hands on what readers of documents warn of, as errors."""

    target: Diagnostics = field(default_factory=Diagnostics)

    def _add(self, diagnostic: Diagnostic) -> None:
        error = Diagnostic(
            Severity.ERROR,
            diagnostic.code,
            diagnostic.message.removesuffix("; it is left out"),
            diagnostic.location,
            diagnostic.hint,
        )
        self.target._add(error)


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value must be, and how that is said."""

    fits: Callable[[Json], bool]
    wanted: str


TEXT = Kind(lambda value: isinstance(value, str), "a text")
WORDS = Kind(lambda value: isinstance(value, str) or _is_number(value), "a text")
FLAG = Kind(lambda value: isinstance(value, bool), "true or false")
POSITIVE = Kind(lambda value: _is_number(value) and value > 0, "a number above 0")
COUNT = Kind(
    lambda value: isinstance(value, int) and not isinstance(value, bool) and value > 0,
    "an integer above 0",
)
MAP = Kind(lambda value: isinstance(value, dict), "a mapping")
LIST = Kind(lambda value: isinstance(value, list) and bool(value), "a list that is not empty")
TEXTS = Kind(
    lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    "a list of texts",
)
TEXT_OR_MAP = Kind(lambda value: isinstance(value, (str, dict)), "a text or a mapping")
TYPE = Kind(lambda value: isinstance(value, (str, dict)), "a type in a line or a JSON Schema")
ANY = Kind(lambda value: True, "")

Keys = Mapping[str, Kind]

API: Keys = {
    "document": TEXT,
    "include": TEXTS,
    "exclude": TEXTS,
    "url": TEXT,
    "credentials": MAP,
}
TOOL: Keys = {
    "title": TEXT,
    "description": TEXT,
    "namespace": TEXT,
    "input": MAP,
    "input_schema": MAP,
    "output": TYPE,
    "annotations": MAP,
    "confirm": TEXT,
    "http": TEXT_OR_MAP,
    "operation": TEXT,
    "with": MAP,
    "hide": TEXTS,
    "answer": TEXT,
    "command": MAP,
    "steps": LIST,
}
ANNOTATIONS: Keys = {
    "readOnlyHint": FLAG,
    "destructiveHint": FLAG,
    "idempotentHint": FLAG,
    "openWorldHint": FLAG,
}
HTTP: Keys = {
    "method": TEXT,
    "url": TEXT,
    "query": MAP,
    "headers": MAP,
    "body": ANY,
    "form": MAP,
    "credentials": TEXTS,
}
COMMAND: Keys = {
    "run": LIST,
    "folder": TEXT,
    "environment": TEXTS,
    "timeout": POSITIVE,
    "max_bytes": COUNT,
    "output": TEXT,
    "stdin": TEXT,
}
STEP: Keys = {"id": TEXT, "operation": TEXT, "with": MAP}
RESOURCE: Keys = {
    "uri": TEXT,
    "title": TEXT,
    "description": TEXT,
    "namespace": TEXT,
    "mimeType": TEXT,
    "text": TEXT,
    "complete": MAP,
}
PROMPT: Keys = {
    "title": TEXT,
    "description": TEXT,
    "namespace": TEXT,
    "arguments": MAP,
    "text": TEXT,
}
PROMPT_ARGUMENT: Keys = {"description": TEXT, "complete": ANY}
MANIFEST: Keys = {
    "$schema": TEXT,
    "mcpgen": ANY,
    "name": TEXT,
    "title": TEXT,
    "version": WORDS,
    "description": TEXT,
    "instructions": TEXT,
    "website": TEXT,
    "features": TEXTS,
    "api": MAP,
    "schemas": MAP,
    "tools": MAP,
    "resources": MAP,
    "prompts": MAP,
}


def nearest(word: str, known: Iterable[str], what: str = "there is") -> str | None:
    """The hint for a word that is not known."""
    names = list(known)
    if near := get_close_matches(word, names, 1):
        return f"did you mean '{near[0]}'?"
    return f"{what} {', '.join(names)}" if 0 < len(names) <= 20 else None


def members(
    node: Node, keys: Keys, diagnostics: Diagnostics, required: Iterable[str] = ()
) -> dict[str, Node]:
    """The members of a mapping that are what they must be; the mistakes in the others are told."""
    found: dict[str, Node] = {}
    if not isinstance(node.value, dict):
        wrong_type(node, MAP, diagnostics)
        return found
    for key, child in node.items():
        if key not in keys:
            hint = nearest(key, keys, "known keys:")
            diagnostics.error("unknown-key", f"there is no key '{key}'", child.location, hint=hint)
        elif child.value is None and keys[key] is not ANY:
            wrong_type(child, keys[key], diagnostics)
        elif not keys[key].fits(child.value):
            wrong_type(child, keys[key], diagnostics)
        else:
            found[key] = child
    for key in required:
        if key not in node.value:
            message = f"{subject(node)} needs the key '{key}'"
            diagnostics.error("missing-key", message, node.location)
    return found


def wrong_type(node: Node, kind: Kind, diagnostics: Diagnostics) -> None:
    message = f"{subject(node)} must be {kind.wanted}, not {describe(node.value)}"
    diagnostics.error("wrong-type", message, node.location)


def subject(node: Node) -> str:
    """How a message names a node."""
    if node.parent is None:
        return "the manifest"
    if isinstance(node.key, int):
        return f"element {node.key + 1} of '{node.parent.key}'"
    return f"'{node.key}'"


def text(found: Mapping[str, Node], key: str) -> str:
    return str(found[key].value) if key in found else ""
