"""OpenAPI 3.0, 3.1 and 3.2 documents to `ir.Api`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from mcpgen.diagnostics import Diagnostics
from mcpgen.frontends.paths import fit_path
from mcpgen.frontends.reading import (
    METHODS,
    Reading,
    Site,
    SkipOperation,
    extensions,
    first_example,
    is_ignored,
    merge_parameters,
    operation_node,
    optional_flag,
    read_operations,
    read_security,
    read_status,
    read_tag_names,
    read_tags,
)
from mcpgen.frontends.security_schemes import read_schemes, with_scopes
from mcpgen.frontends.servers import absolute, read_servers
from mcpgen.ir import Api, Body, Encoding, MediaType, Operation, Parameter, Place, Response, Server
from mcpgen.refs import Resolver, Unresolved, reference
from mcpgen.schemas import Schemas
from mcpgen.source import Document, Node, describe

Json = Any

STYLES = {
    Place.PATH: ("simple", "label", "matrix"),
    Place.QUERY: ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    Place.HEADER: ("simple",),
    Place.COOKIE: ("form", "cookie"),  # "cookie" since 3.2
    Place.QUERYSTRING: ("form",),
}
EXPLODED = ("form", "cookie")  # the styles whose `explode` is true unless it says otherwise
SCHEMA_IN_PARAMETER = ("type", "enum", "items", "format")  # where Swagger 2 has them


def read(
    document: Document, version: str, diagnostics: Diagnostics, hosts: Collection[str] = ()
) -> Api:
    root = document.root
    if not version.startswith(("3.0", "3.1", "3.2")) and version != "3":
        message = f"version {version} is not known; it is read as 3.2"
        diagnostics.warning("unknown-version", message, (root.child("openapi") or root).location)
    resolver = Resolver(document, diagnostics, hosts)
    components = root.mapping("components", diagnostics)
    named = components.mapping("schemas", diagnostics) if components else None
    siblings = not version.startswith("3.0") and version != "3"
    schemas = Schemas(resolver, diagnostics, named, ref_siblings=siblings)
    holder = components.mapping("securitySchemes", diagnostics) if components else None
    schemes = read_schemes(holder, resolver, diagnostics)
    names = frozenset(scheme.name for scheme in schemes)
    reading = Reading(document, diagnostics, resolver, schemas, names)
    info = root.mapping("info", diagnostics) or Node(document, {}, root, "info")
    found = read_operations(reading, sites, read_operation)
    security = read_security(reading, root) or ()
    return Api(
        title=info.text("title", diagnostics),
        version=info.text("version", diagnostics),
        location=root.location,
        description=info.text("description", diagnostics) or info.text("summary", diagnostics),
        servers=_api_servers(document, diagnostics),
        tags=read_tags(document, diagnostics),
        operations=tuple(found.operations),
        skipped=tuple(found.skipped),
        schemas=schemas.finish(),
        security=security,
        security_schemes=with_scopes(schemes, reading.wanted_scopes),
        others=resolver.others,
    )


def _api_servers(document: Document, diagnostics: Diagnostics) -> tuple[Server, ...]:
    servers = read_servers(document.root, document, diagnostics)
    if not servers and document.url:
        return (Server(absolute("/", document)),)  # §4.1: the default server is "/"
    return servers


def sites(item: Node) -> Iterator[tuple[str, Node]]:
    """The operations of one path item; `query` and `additionalOperations` since 3.2."""
    for key, node in item.items():
        if node.value is None:
            continue
        if key in METHODS or key == "query":
            yield key.upper(), node
        elif key == "additionalOperations":
            yield from node.items()


def read_operation(reading: Reading, site: Site) -> Operation:
    diagnostics = reading.diagnostics
    node = operation_node(reading, site)
    found = [read_parameter(reading, one) for one in merge_parameters(reading, site, node)]
    path, parameters = fit_path(reading, site, [one for one in found if one is not None])
    return Operation(
        id=node.text("operationId", diagnostics) or None,
        method=site.method,
        path=path,
        location=site.node.location,
        summary=node.text("summary", diagnostics) or site.text("summary", diagnostics),
        description=node.text("description", diagnostics) or site.text("description", diagnostics),
        deprecated=optional_flag(node, "deprecated", diagnostics),
        tags=read_tag_names(reading, node),
        parameters=parameters,
        body=read_body(reading, node),
        responses=tuple(read_responses(reading, node)),
        security=read_security(reading, node),
        servers=_own_servers(reading, (node, *reversed(site.items))),
        extensions=extensions(node),
    )


def _own_servers(reading: Reading, owners: tuple[Node, ...]) -> tuple[Server, ...]:
    """Those of the nearest owner that has any."""
    for owner in owners:
        servers = read_servers(owner, reading.document, reading.diagnostics)
        if servers:
            return servers
    return ()


def read_parameter(reading: Reading, at: Node) -> Parameter | None:
    """A parameter; None where it is left out. Skips the operation where it could not be sent without it."""
    diagnostics = reading.diagnostics
    node = reading.resolver.follow(at)
    name = node.text("name", diagnostics)
    written = node.text("in", diagnostics)
    if not name or written not in STYLES:
        reason = f"has no place such as query (in: {written!r})" if name else "has no name"
        required = written == "path" or node.value.get("required") is True
        _leave_out(reading, node, f"the parameter '{name}' {reason}", required)
        return None
    place = Place(written)
    if is_ignored(reading, node, name, place):
        return None
    style, explode = _read_style(reading, node, place)
    media_type, schema_node = _parameter_schema(reading, node)
    parameter = Parameter(
        name=name,
        place=place,
        required=place is Place.PATH or optional_flag(node, "required", diagnostics),
        schema=reading.schemas.read(schema_node) if schema_node else {"type": "string"},
        location=node.location,
        description=node.text("description", diagnostics),
        deprecated=optional_flag(node, "deprecated", diagnostics),
        style=style,
        explode=explode,
        allow_reserved=optional_flag(node, "allowReserved", diagnostics),
        media_type=media_type,
        example=first_example(node, reading.resolver),
    )
    return replace(parameter, description=_said_beside_ref(at) or parameter.description)


def _leave_out(reading: Reading, node: Node, message: str, required: bool) -> None:
    if required:
        raise SkipOperation(message)
    reading.warn("bad-parameter", f"{message}; it is left out", node)


def _said_beside_ref(at: Node) -> str:
    """3.1 §4.8.23: a description beside `$ref` overrides the one it leads to; in 3.0 it does no harm."""
    beside = at.value.get("description") if reference(at) is not None else None
    return beside if isinstance(beside, str) else ""


def _read_style(reading: Reading, node: Node, place: Place) -> tuple[str, bool]:
    allowed = STYLES[place]
    style = node.text("style", reading.diagnostics, allowed[0])
    if style not in allowed:
        message = f"a {place} parameter cannot have the style '{style}'; '{allowed[0]}' is taken"
        reading.warn("bad-style", message, node.child("style") or node)
        style = allowed[0]
    explode = node.flag("explode", reading.diagnostics)
    return style, style in EXPLODED if explode is None else explode


def _parameter_schema(reading: Reading, node: Node) -> tuple[str | None, Node | None]:
    """The media type, if it has `content`, and the schema."""
    content = node.mapping("content", reading.diagnostics)
    for media_type, entry in content.items() if content else ():
        entry = reading.resolver.follow(entry)
        return media_type, entry.child("schema")
    schema = node.child("schema")
    if schema is not None:
        return None, schema
    message = "the parameter has no schema"
    if any(key in node.value for key in SCHEMA_IN_PARAMETER):
        reading.warn("no-schema", f"{message}; its type stands beside its name", node)
        return None, node
    reading.warn("no-schema", f"{message}; it is taken as a string", node)
    return None, None


def read_body(reading: Reading, operation: Node) -> Body | None:
    at = operation.child("requestBody")
    if at is None:
        return None
    node = reading.resolver.follow(at)
    if not isinstance(node.value, dict):
        raise SkipOperation(f"its request body must be a mapping, not {describe(node.value)}")
    contents = tuple(read_content(reading, node))
    if not contents:
        reading.warn("empty-body", "the request body has no content; it is left out", at)
        return None
    return Body(
        required=optional_flag(node, "required", reading.diagnostics),
        contents=contents,
        location=node.location,
        description=_said_beside_ref(at) or node.text("description", reading.diagnostics),
    )


def read_responses(reading: Reading, operation: Node) -> Iterator[Response]:
    """A response that cannot be read is left out: the request is right without it."""
    responses = operation.mapping("responses", reading.diagnostics)
    for key, at in responses.items() if responses else ():
        status = read_status(reading, key, at)
        if status is None:
            continue
        try:
            node = reading.resolver.follow(at)
            contents = tuple(read_content(reading, node))
        except Unresolved:
            continue
        if not isinstance(node.value, dict):
            node.report_type("a mapping", reading.diagnostics)
        description = _said_beside_ref(at) if isinstance(at.value, dict) else ""
        description = description or node.text("description", reading.diagnostics)
        yield Response(status, contents, node.location, description)


def read_content(reading: Reading, owner: Node) -> Iterator[MediaType]:
    content = owner.mapping("content", reading.diagnostics)
    for name, at in content.items() if content else ():
        node = reading.resolver.follow(at)
        if node.value is not None and not isinstance(node.value, dict):
            message = f"the media type '{name}' must be a mapping, not {describe(node.value)}"
            reading.warn("wrong-type", message, node)
        item = node.child("itemSchema")
        yield MediaType(
            type=name,
            schema=reading.schemas.read(node.child("schema")),
            location=node.location,
            encoding=dict(_read_encodings(reading, node)),
            example=first_example(node, reading.resolver),
            item_schema=reading.schemas.read(item) if item else None,
        )


def _read_encodings(reading: Reading, media_type: Node) -> Iterator[tuple[str, Encoding]]:
    diagnostics = reading.diagnostics
    encodings = media_type.mapping("encoding", diagnostics)
    for name, node in encodings.items() if encodings else ():
        headers = node.mapping("headers", diagnostics)
        yield name, Encoding(
            content_type=node.text("contentType", diagnostics) or None,
            style=node.text("style", diagnostics) or None,
            explode=node.flag("explode", diagnostics),
            allow_reserved=optional_flag(node, "allowReserved", diagnostics),
            headers=tuple(headers.value) if headers else (),
        )
