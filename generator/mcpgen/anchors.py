"""Places inside documents: JSON pointers, and the `$id`, `$anchor` and `$dynamicAnchor` of JSON Schema 2020-12 §8.2."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mcpgen.fetch import join
from mcpgen.source import Document, Node

Json = Any

# Below these keys stand values of the API, in which "$id" would be data.
DATA_KEYS = frozenset({"example", "examples", "default", "enum", "const", "value"})


@dataclass(slots=True)
class _Index:
    """What one document declares. `resources` maps the id of a value to the base URI there."""

    resources: dict[int, str] = field(default_factory=dict)
    anchors: dict[tuple[str, str], Node] = field(default_factory=dict)


@dataclass(slots=True)
class Anchors:
    indexes: dict[int, _Index] = field(default_factory=dict)
    by_uri: dict[str, Node] = field(default_factory=dict)

    def add(self, document: Document) -> None:
        """Make what the document declares known by its URI."""
        if id(document) in self.indexes:
            return
        index = self.indexes[id(document)] = _Index()
        if not document.declares_names:
            return
        base = document.url or ""
        own = document.value.get("$self") if isinstance(document.value, dict) else None
        if isinstance(own, str):  # OpenAPI 3.2 §4.1.2.2.2
            base = join(base, own)
            self.by_uri.setdefault(base.partition("#")[0], document.root)
        stack: list[tuple[Node, str]] = [(document.root, base)]
        while stack:
            node, base = stack.pop()
            if isinstance(node.value, dict):
                base = self._declare(node, base, index)
                stack += [(c, base) for k, c in node.items() if k not in DATA_KEYS and _nested(c)]
            else:
                stack += [(child, base) for child in node.elements() if _nested(child)]

    def _declare(self, node: Node, base: str, index: _Index) -> str:
        identity = node.value.get("$id")
        if isinstance(identity, str) and not identity.startswith("#"):
            base = join(base, identity).partition("#")[0]
            index.resources[id(node.value)] = base
            self.by_uri.setdefault(base, node)
        for key in ("$anchor", "$dynamicAnchor"):
            name = node.value.get(key)
            if isinstance(name, str):
                index.anchors.setdefault((base, name), node)
                index.anchors.setdefault(("", name), node)
        return base

    def scope(self, node: Node) -> Node | None:
        """The nearest enclosing schema with an `$id`."""
        resources = self._index(node.document).resources
        if not resources:
            return None
        current: Node | None = node
        while current is not None:
            if id(current.value) in resources:
                return current
            current = current.parent
        return None

    def identified(self, node: Node, address: str) -> Node | None:
        """What has this URI as its `$id` or `$self`, relative to the base at the node."""
        if not self.by_uri:
            return None
        scope = self.scope(node)
        index = self._index(node.document)
        base = index.resources[id(scope.value)] if scope else node.document.url or ""
        return self.by_uri.get(join(base, address)) or self.by_uri.get(address)

    def within(self, base: Node, fragment: str) -> Node | None:
        """The place that a fragment, percent-decoded, names below a document's root or a schema with `$id`."""
        if not fragment:
            return base
        if fragment.startswith("/"):
            return at_pointer(base, fragment)
        index = self._index(base.document)
        uri = index.resources.get(id(base.value), "")
        found = index.anchors.get((uri, fragment)) or index.anchors.get(("", fragment))
        return found or at_pointer(base, "/" + fragment)  # "#definitions/Pet" is a common slip

    def _index(self, document: Document) -> _Index:
        if id(document) not in self.indexes:
            self.add(document)
        return self.indexes[id(document)]


def at_pointer(node: Node, pointer: str) -> Node | None:
    """RFC 6901; a value that is null counts as not there."""
    current: Node | None = node
    for token in pointer.split("/")[1:]:
        if current is None:
            return None
        if isinstance(current.value, list):
            current = current.child(int(token)) if token.isascii() and token.isdigit() else None
        else:
            # RFC 6901 §4: "~1" must be undone before "~0", or "~01" would become "/".
            current = current.child(token.replace("~1", "/").replace("~0", "~"))
    return current


def _nested(node: Node) -> bool:
    return isinstance(node.value, (dict, list))
