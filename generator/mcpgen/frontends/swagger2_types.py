"""How Swagger 2 says types: beside a parameter's name, with collectionFormat, consumes and produces."""

from __future__ import annotations

from mcpgen.frontends.reading import Reading
from mcpgen.ir import Place
from mcpgen.source import Node

# collectionFormat → style and explode in a query or form
QUERY_STYLES = {
    "csv": ("form", False),
    "multi": ("form", True),
    "ssv": ("spaceDelimited", False),
    "pipes": ("pipeDelimited", False),
}
NOT_OF_THE_SCHEMA = frozenset(
    {"name", "in", "required", "description", "collectionFormat", "allowEmptyValue"}
)


def own_schema(node: Node) -> Node:
    """The schema of a parameter that is no body: its own keywords, or the `schema` that it should not have."""
    schema = node.child("schema")
    if schema is not None:
        return schema
    keywords = {key: value for key, value in node.value.items() if key not in NOT_OF_THE_SCHEMA}
    return Node(node.document, keywords, node.parent, node.key)


def array_style(reading: Reading, node: Node, place: Place | None) -> tuple[str, bool]:
    """The style and explode that a collectionFormat means; `place` is None in a form."""
    written = node.text("collectionFormat", reading.diagnostics, "csv")
    if place in (Place.PATH, Place.HEADER):
        if written != "csv":
            _warn_format(reading, node, written, f"in a {place} parameter")
        return "simple", False
    if written not in QUERY_STYLES:
        _warn_format(reading, node, written, "here")
    return QUERY_STYLES.get(written, QUERY_STYLES["csv"])


def _warn_format(reading: Reading, node: Node, written: str, where: str) -> None:
    message = f"the collectionFormat '{written}' cannot be sent {where}; commas are used"
    reading.warn("bad-style", message, node.child("collectionFormat") or node)


def media_types(reading: Reading, operation: Node, key: str) -> list[str]:
    """`consumes` or `produces`, of the operation or else of the document."""
    for owner in (operation, reading.document.root):
        found = owner.child(key)
        if found is None:
            continue
        if isinstance(found.value, str):
            return [found.value]
        return [str(one.value) for one in owner.sequence(key, reading.diagnostics) if one.value]
    return []
