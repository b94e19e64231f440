"""Apply OpenAPI Overlays 1.0 and 1.1 to a document before a frontend reads it.

Takes Documents, gives a Document; knows the Overlay Object and nothing of OpenAPI. Actions apply in order, each to the
result of the one before. No value that was given is changed: the way to each target is copied, the rest is shared.
Places: what comes from the document keeps its line, also where a list has lost elements before it; what an overlay
brought stands where the nearest enclosing value of the document does. Both versions are read by the rules of 1.1,
which say what 1.0 left open; only where 1.1 calls a combination an error that tools for 1.0 replace, so do we in 1.0.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

import jsonpath

from mcpgen.diagnostics import Diagnostics
from mcpgen.positions import Positions, Token
from mcpgen.source import Document, Node, describe

Json = Any
Path = tuple[Token, ...]
Origins = dict[int, tuple[Json, Json]]  # id of a copy → the copy, and what it was copied from

ACTION_KEYS = ("target", "description", "update", "copy", "remove")


class Environment(jsonpath.JSONPathEnvironment):
    """RFC 9535 and no extensions."""

    max_recursion_depth = 500  # GitHub's document is 40 deep; Python's own limit is 1,000

    def __init__(self) -> None:
        super().__init__(strict=True)


@dataclass(frozen=True, slots=True)
class Action:
    """One action whose shape is right. `update` and `copy` are None where they are not given."""

    node: Node
    target: Node
    update: Node | None
    copy: Node | None
    is_remove: bool


def apply(document: Document, overlays: Sequence[Document], diagnostics: Diagnostics) -> Document:
    """The document with all overlays applied in order. What is wrong in an overlay is reported and left out."""
    value: Json = document.value
    origins: Origins = {}
    for overlay in overlays:
        root = overlay.root
        version = _check_head(root, document, diagnostics)
        if version is None:
            continue
        for node in _actions(root, diagnostics):
            if action := _read_action(node, version, diagnostics):
                value = _Edit(value, origins, version == "1.0", diagnostics).apply(action)
    if value is document.value:
        return document
    return replace(
        document,
        value=value,
        positions=OverlaidPositions(document.positions, document.value, value, origins),
        declares_names=document.declares_names or any(one.declares_names for one in overlays),
    )


# --- the overlay document


def _check_head(root: Node, document: Document, diagnostics: Diagnostics) -> str | None:
    """The version, `1.0` or `1.1`; None where this is no overlay that can be applied."""
    if not isinstance(root.value, dict):
        message = f"an overlay is a mapping, not {describe(root.value)}"
        diagnostics.error("no-overlay", message, root.location)
        return None
    field = root.child("overlay")
    if field is None:
        hint = "an overlay says 'overlay: 1.0.0' or 'overlay: 1.1.0'"
        diagnostics.error("no-overlay", "the field 'overlay' is missing", root.location, hint=hint)
        return None
    found = re.fullmatch(r"(1\.[01])(?:\.\d+.*)?", field.as_text() or "")
    if found is None:
        message = f"overlay version {describe(field.value)} is not supported; 1.0 and 1.1 are"
        diagnostics.error("unsupported-version", message, field.location)
        return None
    _check_extends(root, document, diagnostics)
    return found[1]


def _check_extends(root: Node, document: Document, diagnostics: Diagnostics) -> None:
    """A file beside the overlay that is not the one it is applied to is a mistake; a URL may well have been saved."""
    field = root.child("extends")
    if field is None:
        return
    if not isinstance(field.value, str):
        diagnostics.error("wrong-type", "'extends' must be a text", field.location)
        return
    home, target = root.document.path, document.path
    is_absolute = re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", field.value)  # one letter is a drive
    if is_absolute or home is None or target is None or not target.exists():
        return
    relative = unquote(field.value.partition("#")[0])
    meant = os.path.join(os.path.dirname(os.path.abspath(home)), relative)
    if os.path.realpath(meant) != os.path.realpath(target):
        message = f"this overlay was written for '{field.value}', not for {document.file}"
        diagnostics.warning("overlay-extends", message, field.location)


def _actions(root: Node, diagnostics: Diagnostics) -> list[Node]:
    field = root.child("actions")
    if field is None or not isinstance(field.value, list) or not field.value:
        place = (field or root).location
        diagnostics.error("overlay-actions", "'actions' must be a list of actions", place)
        return []
    return list(field.elements())


def _read_action(node: Node, version: str, diagnostics: Diagnostics) -> Action | None:
    """The action; None, after an error, where its shape is wrong."""
    if not isinstance(node.value, dict):
        message = f"an action is a mapping, not {describe(node.value)}"
        diagnostics.error("overlay-action", message, node.location)
        return None
    _warn_of_unknown_keys(node, diagnostics)
    members = dict(node.items())
    target, copy, remove = members.get("target"), members.get("copy"), members.get("remove")
    for name, field in (("target", target), ("copy", copy)):
        if field is not None and not isinstance(field.value, str):
            message = f"'{name}' must be a JSONPath, not {describe(field.value)}"
            diagnostics.error("wrong-type", message, field.location)
            return None
    if remove is not None and not isinstance(remove.value, bool):
        message = f"'remove' must be true or false, not {describe(remove.value)}"
        diagnostics.error("wrong-type", message, remove.location)
        return None
    is_remove = remove is not None and remove.value
    reason = None
    if target is None:
        reason = "the action has no 'target'"
    elif not is_remove and "update" not in members and copy is None:
        reason = "the action does nothing: it has neither 'update' nor 'copy' nor 'remove: true'"
    elif not is_remove and "update" in members and copy is not None:
        reason = "the action has both 'update' and 'copy'; make it two actions"
    elif copy is not None and version == "1.0":
        reason = "'copy' is new in Overlay 1.1; this overlay says 'overlay: 1.0'"
    if target is None or reason is not None:
        diagnostics.error("overlay-action", str(reason), node.location)
        return None
    return Action(node, target, members.get("update"), copy, is_remove)


def _warn_of_unknown_keys(node: Node, diagnostics: Diagnostics) -> None:
    for key, field in node.items():
        if key not in ACTION_KEYS and not key.startswith("x-"):
            near = difflib.get_close_matches(key, ACTION_KEYS, 1)
            hint = f"did you mean '{near[0]}'?" if near else None
            message = f"an action has no field '{key}'"
            diagnostics.warning("unknown-key", message, field.location, hint=hint)


# --- one action on one value


class _Incompatible(Exception):
    """What cannot be merged, as a sentence."""


class _Edit:
    """Applies one action. The containers it made, and may change, are those in `own`."""

    def __init__(
        self, value: Json, origins: Origins, replaces: bool, diagnostics: Diagnostics
    ) -> None:
        self.value = value
        self.origins = origins
        self.replaces = replaces  # what cannot be merged is replaced, as is done with 1.0
        self.diagnostics = diagnostics
        self.own: set[int] = set()

    def apply(self, action: Action) -> Json:
        """The value after the action, or as it was where the action is at fault."""
        before = self.value
        paths = self._select(action.target)
        if paths is None:
            return before
        if not paths:
            message = f"the target {action.target.value} matches nothing"
            self.diagnostics.warning("overlay-unmatched", message, action.target.location)
            return before
        try:
            if action.is_remove:
                self._remove(paths)
            elif action.copy is not None:
                self._update(paths, self._source(action.copy))
            elif action.update is not None:
                self._update(paths, action.update.value)
        except _Incompatible as fault:
            place = action.copy or action.update or action.target
            hint = "remove what is there in an action before this one"
            message = f"the action cannot be applied: {fault}"
            self.diagnostics.error("overlay-incompatible", message, place.location, hint=hint)
            return before
        return self.value

    def _select(self, query: Node) -> list[Path] | None:
        """The paths that a JSONPath selects, each once; None, after an error, where it is no JSONPath."""
        try:
            path = Environment().compile(query.value)
            if isinstance(self.value, str):  # the library would read it as JSON
                return [()] if query.value.strip() == "$" else []
            found = path.finditer(self.value)
            return list(dict.fromkeys(tuple(match.parts) for match in found))
        except (jsonpath.JSONPathError, RecursionError) as error:
            reason = str(error).split("\n", 1)[0] or "it goes too deep"
            message = f"'{query.value}' is no JSONPath (RFC 9535): {reason}"
            self.diagnostics.error("overlay-target", message, query.location)
            return None

    def _source(self, query: Node) -> Json:
        paths = self._select(query)
        if paths is None:
            raise _Incompatible(f"'{query.value}' selects nothing to copy")
        if len(paths) != 1:
            raise _Incompatible(f"'{query.value}' must select one value, and selects {len(paths)}")
        return self._at(paths[0])

    def _at(self, path: Path) -> Json:
        value = self.value
        for token in path:
            value = value[token]
        return value

    def _update(self, paths: Sequence[Path], update: Json) -> None:
        kinds = {_kind(self._at(path)) for path in paths}
        if len(kinds) > 1:
            raise _Incompatible(f"the target selects {' and '.join(sorted(kinds))} together")
        for path in paths:
            self._put(path, lambda old: self._updated(old, update))

    def _updated(self, old: Json, update: Json) -> Json:
        """The target with the update. A list takes in the elements of a list, or anything else as an element."""
        if isinstance(old, list):
            return self._copied(old, [*old, *(update if isinstance(update, list) else [update])])
        if _kind(old) != _kind(update):
            raise _Incompatible(f"{describe(update)} cannot be merged into {describe(old)}")
        return self._merged(old, update)

    def _merged(self, old: Json, new: Json) -> Json:
        if isinstance(old, dict) and isinstance(new, dict):
            merged = dict(old)
            for key, value in new.items():
                merged[key] = self._merged(old[key], value) if key in old else value
            return self._copied(old, merged)
        if isinstance(old, list) and isinstance(new, list):
            return self._copied(old, [*old, *new])
        if _kind(old) != _kind(new) and not self.replaces:
            raise _Incompatible(f"{describe(new)} cannot be merged into {describe(old)}")
        return new

    def _remove(self, paths: Sequence[Path]) -> None:
        if () in paths:
            raise _Incompatible("the document itself cannot be removed")
        # Children before parents and later elements before earlier ones, so that no path goes stale.
        for path in sorted(paths, reverse=True):
            del self._owned(path[:-1])[path[-1]]

    def _put(self, path: Path, change: Callable[[Json], Json]) -> None:
        if not path:
            self.value = change(self.value)
            return
        parent = self._owned(path[:-1])
        parent[path[-1]] = change(parent[path[-1]])

    def _owned(self, path: Path) -> Json:
        """The container at a path, it and all above it now copies of our own."""
        self.value = value = self._own(self.value)
        for token in path:
            value[token] = self._own(value[token])
            value = value[token]
        return value

    def _own(self, value: Json) -> Json:
        if id(value) in self.own:
            return value
        copy = self._copied(value, value.copy())
        self.own.add(id(copy))
        return copy

    def _copied(self, old: Json, copy: Json) -> Json:
        # Kept in `origins`, so that no other value gets its id.
        self.origins[id(copy)] = (copy, self.origins.get(id(old), (old, old))[1])
        return copy


def _kind(value: Json) -> str:
    if isinstance(value, dict):
        return "mappings"
    return "lists" if isinstance(value, list) else "scalars"


# --- places


@dataclass(frozen=True, slots=True)
class OverlaidPositions:
    """Finds the value of the text behind a path of the overlaid value: both are walked side by side."""

    positions: Positions
    before: Json
    after: Json
    origins: Origins

    def find(self, tokens: Sequence[Token], *, key: bool) -> tuple[int, int]:
        path, _ = self._walk(tokens)
        return self.positions.find(path, key=key and len(path) == len(tokens))

    def written(self, tokens: Sequence[Token]) -> str | None:
        path, is_same = self._walk(tokens)
        return self.positions.written(path) if is_same else None

    def _walk(self, tokens: Sequence[Token]) -> tuple[list[Token], bool]:
        """The path in the text as far as it goes, and whether the value there is the one that is meant."""
        path: list[Token] = []
        old, new = self.before, self.after
        for token in tokens:
            new = new[token]
            found = self._place(old, token, new)
            if found is None:
                return path, False
            path.append(found)
            old = old[found]
        return path, old is new

    def _place(self, old: Json, token: Token, new: Json) -> Token | None:
        """Where the child of a copy stands in what it was copied from."""
        origin = self.origins.get(id(new), (new, new))[1]
        if isinstance(old, dict):
            if token not in old:
                return None
            scalar = not isinstance(new, (dict, list)) and not isinstance(old[token], (dict, list))
            return token if old[token] is origin or scalar else None
        if not isinstance(old, list) or not isinstance(token, int):
            return None
        same = (index for index, one in enumerate(old) if one is origin)
        return next(same, None)
