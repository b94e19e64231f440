"""What the documents of all versions have in common: info, tags, paths, security requirements, names.

Each reader brings its own way to read one operation; a bad one is skipped here, and said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from re import compile as regex
from typing import Any

from mcpgen.diagnostics import Diagnostics
from mcpgen.ir import Operation, Parameter, Place, Security, Skipped, Tag
from mcpgen.refs import Resolver, Unresolved, reference
from mcpgen.schemas import Schemas
from mcpgen.source import Document, Node, describe

Json = Any

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
STATUS = regex(r"[1-5](\d\d|XX)|default")

# OpenAPI 3.x §4.12.2.1: a parameter of such a name is ignored; other fields say the same.
IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})


class SkipOperation(Exception):
    """The operation cannot become a tool; the text says why, for the user."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What every part of a reader needs."""

    document: Document
    diagnostics: Diagnostics
    resolver: Resolver
    schemas: Schemas
    scheme_names: frozenset[str] = frozenset()
    unknown_schemes: set[str] = field(default_factory=set)  # reported; once is enough
    wanted_scopes: dict[str, set[str]] = field(
        default_factory=dict
    )  # of all requirements, by scheme

    def warn(self, code: str, message: str, node: Node) -> None:
        self.diagnostics.warning(code, message, node.location)


@dataclass(slots=True)
class Found:
    """The operations of a document, and those that are left out."""

    operations: list[Operation] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Site:
    """An operation in the document, and the path items it belongs to: one, and more where `$ref` joins them.

    What the later items say wins.
    """

    method: str
    path: str
    node: Node
    items: tuple[Node, ...]

    def text(self, key: str, diagnostics: Diagnostics) -> str:
        texts = (item.text(key, diagnostics) for item in reversed(self.items))
        return next((text for text in texts if text), "")


Sites = Callable[[Node], Iterator[tuple[str, Node]]]  # a path item → methods and operations


def read_operations(
    reading: Reading, sites: Sites, read_operation: Callable[[Reading, Site], Operation]
) -> Found:
    """Every operation below `paths`, read or named as skipped."""
    found = Found()
    paths = reading.document.root.mapping("paths", reading.diagnostics)
    if paths is None:
        message = "there are no 'paths', so there is nothing to make tools from"
        reading.warn("no-paths", message, reading.document.root)
        return found
    for path, item in paths.items():
        if path.startswith("x-") or item.value is None:
            continue
        for site in _sites_of_path(reading, path, item, sites):
            _read_one(reading, site, read_operation, found)
    _report_doubled_ids(reading, found.operations)
    return found


def _sites_of_path(reading: Reading, path: str, item: Node, sites: Sites) -> Iterator[Site]:
    if not path.startswith("/"):
        reading.warn("path-without-slash", f"the path '{path}' must begin with '/'", item)
        path = "/" + path
    items = tuple(_items(reading, path, item))
    seen: set[str] = set()
    for one in reversed(items):
        for method, node in sites(one):
            if method not in seen:
                seen.add(method)
                yield Site(method, path, node, items)


def _items(reading: Reading, path: str, item: Node) -> list[Node]:
    """The path item and what its `$ref`s lead to, the furthest first."""
    items = [item]
    try:
        while (ref := reference(items[0])) is not None:
            target = reading.resolver.target(items[0], ref)
            if any(target.value is one.value for one in items):
                raise reading.resolver.unresolved(item, "it leads in a circle")
            items.insert(0, target)
    except Unresolved as unresolved:
        reading.warn("skipped-path", f"the path '{path}' is left out: {unresolved}", item)
    for one in items:
        if not isinstance(one.value, dict):
            message = f"a path must be a mapping, not {describe(one.value)}"
            reading.warn("skipped-path", f"{message}; '{path}' is left out", one)
    return items


def _read_one(
    reading: Reading, site: Site, read_operation: Callable[[Reading, Site], Operation], found: Found
) -> None:
    try:
        operation = read_operation(reading, site)
        missing = reading.schemas.missing_behind(_sent(operation))
        if missing is not None:
            raise SkipOperation(f"unresolved reference '{missing}'")
    except (SkipOperation, Unresolved) as reason:
        found.skipped.append(Skipped(site.method, site.path, str(reason)))
        code = "skipped-operation"
        message = f"{site.method} {site.path} is skipped: {reason}"
        reading.warn(code, message, site.node)
    else:
        found.operations.append(operation)


def _sent(operation: Operation) -> Iterator[Json]:
    """The schemas of what a tool would take. A hole in an answer costs no operation."""
    for parameter in operation.parameters:
        yield parameter.schema
    for content in operation.body.contents if operation.body else ():
        yield content.schema
        yield content.item_schema


def _report_doubled_ids(reading: Reading, operations: Iterable[Operation]) -> None:
    first: dict[str, Operation] = {}
    for operation in operations:
        if operation.id is None:
            continue
        other = first.setdefault(operation.id, operation)
        if other is not operation:
            message = (
                f"the operationId '{operation.id}' of {operation.method} {operation.path} is that of "
                f"{other.method} {other.path} too"
            )
            reading.diagnostics.warning("duplicate-operation-id", message, operation.location)


def operation_node(reading: Reading, site: Site) -> Node:
    """The operation, through a `$ref` that some documents have there."""
    node = reading.resolver.follow(site.node)
    if not isinstance(node.value, dict):
        raise SkipOperation(f"it must be a mapping, not {describe(node.value)}")
    return node


def read_tag_names(reading: Reading, operation: Node) -> tuple[str, ...]:
    names = []
    for node in operation.sequence("tags", reading.diagnostics):
        name = node.as_text()
        if name is None:
            reading.warn("wrong-type", f"a tag must be a string, not {describe(node.value)}", node)
        elif name:
            names.append(name)
    return tuple(dict.fromkeys(names))


def read_tags(document: Document, diagnostics: Diagnostics) -> tuple[Tag, ...]:
    tags: dict[str, Tag] = {}
    for node in document.root.sequence("tags", diagnostics):
        if isinstance(node.value, str):
            tags.setdefault(node.value, Tag(node.value))
            continue
        name = node.text("name", diagnostics)
        if not name:
            diagnostics.warning("bad-tag", "a tag must have a name; it is left out", node.location)
            continue
        description = node.text("description", diagnostics) or node.text("summary", diagnostics)
        tags.setdefault(name, Tag(name, description))
    return tuple(tags.values())


def read_security(reading: Reading, node: Node) -> Security | None:
    """The requirement of an operation or document; None where it says nothing."""
    security = node.child("security")
    if security is None:
        return None
    if isinstance(security.value, dict):
        security.report_type("a list", reading.diagnostics)
        choices = [security]
    else:
        choices = node.sequence("security", reading.diagnostics)
    sets = []
    for choice in choices:
        names = _requirement(reading, choice)
        if names is not None:
            sets.append(names)
    return tuple(dict.fromkeys(sets))


def _requirement(reading: Reading, choice: Node) -> tuple[str, ...] | None:
    if not isinstance(choice.value, dict):
        message = f"a security requirement must be a mapping, not {describe(choice.value)}"
        reading.warn("wrong-type", f"{message}; it is left out", choice)
        return None
    for name in choice.value:
        if name in reading.scheme_names:
            continue
        if name not in reading.unknown_schemes:
            reading.unknown_schemes.add(name)
            message = f"there is no security scheme '{name}'; what asks for it is left out"
            reading.warn("unknown-security-scheme", message, choice)
        return None
    for name, scopes in choice.value.items():
        if isinstance(scopes, list):
            wanted = reading.wanted_scopes.setdefault(name, set())
            wanted.update(one for one in scopes if isinstance(one, str))
    return tuple(choice.value)


def merge_parameters(reading: Reading, site: Site, operation: Node) -> list[Node]:
    """The nodes of the path's parameters and the operation's, of which the latter win, by name and place."""
    merged: dict[tuple[str, str], Node] = {}
    for owner in (*site.items, operation):
        own: set[tuple[str, str]] = set()
        for node in owner.sequence("parameters", reading.diagnostics):
            target = reading.resolver.follow(node)
            if not isinstance(target.value, dict):
                message = f"a parameter must be a mapping, not {describe(target.value)}"
                reading.warn("bad-parameter", f"{message}; it is left out", node)
                continue
            key = parameter_key(target)
            if key in own and "name" in target.value:
                message = f"the parameter '{target.value.get('name')}' is listed twice"
                reading.warn("duplicate-parameter", f"{message}; the first counts", node)
                continue
            own.add(key)
            merged[key if "name" in target.value else (str(id(node)), "")] = node
    return list(merged.values())


def parameter_key(node: Node) -> tuple[str, str]:
    name, place = str(node.value.get("name")), str(node.value.get("in"))
    if place == "body":  # there is one; its name means nothing
        return "", place
    return (name.lower() if place == "header" else name), place


def is_ignored(reading: Reading, node: Node, name: str, place: Place) -> bool:
    if place is not Place.HEADER or name.lower() not in IGNORED_HEADERS:
        return False
    if name.lower() == "authorization" and not reading.scheme_names:
        message = f"the header parameter '{name}' is ignored, as OpenAPI says, and there is no security scheme"
        hint = "describe the credentials as a security scheme"
        reading.diagnostics.warning("ignored-header", message, node.location, hint=hint)
    return True


def read_status(reading: Reading, key: str, node: Node) -> str | None:
    """`200`, `2XX` or `default`; None for an extension or something else."""
    if key.startswith("x-"):
        return None
    status = "default" if key.lower() == "default" else key.upper()
    if not STATUS.fullmatch(status):
        message = f"'{key}' is no status such as 200, 2XX or default; the response is left out"
        reading.warn("bad-status", message, node)
        return None
    return status


def extensions(node: Node) -> dict[str, Json]:
    return {key: value for key, value in node.value.items() if key.startswith("x-")}


def optional_flag(node: Node, key: str, diagnostics: Diagnostics) -> bool:
    return node.flag(key, diagnostics) or False


def first_example(node: Node, resolver: Resolver) -> Json:
    """`example`, or the first of `examples`, of a parameter or a media type."""
    if isinstance(node.value, dict) and node.value.get("example") is not None:
        return node.value["example"]
    examples = node.child("examples")
    if examples is None:
        return None
    listed = [one for _, one in examples.items()] or list(examples.elements())
    for one in listed:
        try:
            target = resolver.follow(one)
        except Unresolved:
            continue
        if not isinstance(target.value, dict):
            return target.value if isinstance(examples.value, list) else None
        for key in ("dataValue", "value"):  # 3.2 has both
            if key in target.value:
                return target.value[key]
    return None
