"""Swagger 2.0 documents to `ir.Api`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import urlsplit

from mcpgen.diagnostics import Diagnostics
from mcpgen.frontends.paths import fit_path
from mcpgen.frontends.reading import (
    METHODS,
    Reading,
    Site,
    SkipOperation,
    extensions,
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
from mcpgen.frontends.security_schemes import read_schemes
from mcpgen.frontends.swagger2_bodies import body_from_form, body_from_parameter
from mcpgen.frontends.swagger2_types import array_style, media_types, own_schema
from mcpgen.ir import Api, Body, MediaType, Operation, Parameter, Place, Response, Server
from mcpgen.refs import Resolver, Unresolved
from mcpgen.schemas import Schemas
from mcpgen.source import Document, Node

Json = Any

PLACES = {"path": Place.PATH, "query": Place.QUERY, "header": Place.HEADER}
JSON_TYPE = "application/json"
BINARY_TYPE = "application/octet-stream"


def read(document: Document, diagnostics: Diagnostics, hosts: Collection[str] = ()) -> Api:
    root = document.root
    resolver = Resolver(document, diagnostics, hosts)
    definitions = root.mapping("definitions", diagnostics)
    schemas = Schemas(resolver, diagnostics, definitions, ref_siblings=False)
    holder = root.mapping("securityDefinitions", diagnostics)
    schemes = read_schemes(holder, resolver, diagnostics)
    names = frozenset(scheme.name for scheme in schemes)
    reading = Reading(document, diagnostics, resolver, schemas, names)
    info = root.mapping("info", diagnostics) or Node(document, {}, root, "info")
    found = read_operations(reading, sites, read_operation)
    return Api(
        title=info.text("title", diagnostics),
        version=info.text("version", diagnostics),
        location=root.location,
        description=info.text("description", diagnostics),
        servers=read_servers(reading, root),
        tags=read_tags(document, diagnostics),
        operations=tuple(found.operations),
        skipped=tuple(found.skipped),
        schemas=schemas.finish(),
        security=read_security(reading, root) or (),
        security_schemes=schemes,
        others=resolver.others,
    )


def read_servers(reading: Reading, owner: Node) -> tuple[Server, ...]:
    """From host, basePath and the owner's schemes; what is not said is the document's own (2.0, `host`)."""
    document, diagnostics = reading.document, reading.diagnostics
    home = urlsplit(document.url or "")
    base = document.root.text("basePath", diagnostics)
    written, _, host = document.root.text("host", diagnostics).rpartition("://")
    host = host.rstrip("/") or home.netloc.rpartition("@")[2]
    if base and not base.startswith("/"):
        base = "/" + base
    if not host:
        return (Server(base),) if base.strip("/") else ()
    listed = [one.as_text() for one in owner.sequence("schemes", diagnostics)]
    schemes: list[str] = [scheme for scheme in ("https", "http") if scheme in listed]
    is_local = host.startswith(("localhost", "127.", "[::1]"))
    assumed = str(home.scheme) or written or ("http" if is_local else "https")
    return tuple(Server(f"{scheme}://{host}{base}") for scheme in schemes or [assumed])


def sites(item: Node) -> Iterator[tuple[str, Node]]:
    """The operations of one path item."""
    for key, node in item.items():
        if key in METHODS and node.value is not None:
            yield key.upper(), node


def read_operation(reading: Reading, site: Site) -> Operation:
    diagnostics = reading.diagnostics
    node = operation_node(reading, site)
    found: list[Parameter] = []
    bodies: list[Node] = []
    fields: list[Node] = []
    for at in merge_parameters(reading, site, node):
        one = reading.resolver.follow(at)
        match one.value.get("in"):
            case "body":
                bodies.append(one)
            case "formData":
                fields.append(one)
            case _:
                found += read_parameter(reading, one)
    path, parameters = fit_path(reading, site, found)
    return Operation(
        id=node.text("operationId", diagnostics) or None,
        method=site.method,
        path=path,
        location=site.node.location,
        summary=node.text("summary", diagnostics),
        description=node.text("description", diagnostics),
        deprecated=optional_flag(node, "deprecated", diagnostics),
        tags=read_tag_names(reading, node),
        parameters=parameters,
        body=_read_body(reading, node, bodies, fields),
        responses=tuple(read_responses(reading, node)),
        security=read_security(reading, node),
        servers=read_servers(reading, node) if node.child("schemes") else (),
        extensions=extensions(node),
    )


def read_parameter(reading: Reading, node: Node) -> list[Parameter]:
    """The parameter; nothing where it is left out. Skips the operation where it could not be sent without it."""
    diagnostics = reading.diagnostics
    name, written = node.text("name", diagnostics), node.text("in", diagnostics)
    if not name or written not in PLACES:
        reason = f"has no place such as query (in: {written!r})" if name else "has no name"
        message = f"the parameter '{name}' {reason}"
        if written == "path" or node.value.get("required") is True:
            raise SkipOperation(message)
        reading.warn("bad-parameter", f"{message}; it is left out", node)
        return []
    place = PLACES[written]
    if is_ignored(reading, node, name, place):
        return []
    style, explode = array_style(reading, node, place)
    return [
        Parameter(
            name=name,
            place=place,
            required=place is Place.PATH or optional_flag(node, "required", diagnostics),
            schema=reading.schemas.read(own_schema(node)),
            location=node.location,
            description=node.text("description", diagnostics),
            deprecated=node.value.get("deprecated") is True,
            style=style,
            explode=explode,
            example=node.value.get("x-example", node.value.get("example")),
        )
    ]


def _read_body(
    reading: Reading, operation: Node, bodies: list[Node], fields: list[Node]
) -> Body | None:
    consumes = media_types(reading, operation, "consumes")
    if bodies:
        for extra in [*bodies[:-1], *fields]:
            message = "an operation has one body; this parameter is left out"
            reading.warn("bad-parameter", message, extra)
        return body_from_parameter(reading, bodies[-1], consumes)
    return body_from_form(reading, operation, fields, consumes) if fields else None


def read_responses(reading: Reading, operation: Node) -> Iterator[Response]:
    """A response that cannot be read is left out: the request is right without it."""
    produces = media_types(reading, operation, "produces")
    responses = operation.mapping("responses", reading.diagnostics)
    for key, at in responses.items() if responses else ():
        status = read_status(reading, key, at)
        if status is None:
            continue
        try:
            node = reading.resolver.follow(at)
        except Unresolved:
            continue
        if not isinstance(node.value, dict):
            node.report_type("a mapping", reading.diagnostics)
        contents = tuple(_read_contents(reading, node, produces))
        description = node.text("description", reading.diagnostics)
        yield Response(status, contents, node.location, description)


def _read_contents(reading: Reading, node: Node, produces: list[str]) -> Iterator[MediaType]:
    schema = node.child("schema")
    if schema is None:
        return
    read_schema = reading.schemas.read(schema)
    is_file = isinstance(schema.value, dict) and schema.value.get("type") == "file"
    examples = node.child("examples")
    for name in produces or [BINARY_TYPE if is_file else JSON_TYPE]:
        example = examples.child(name) if examples else None
        value = example.value if example else None
        yield MediaType(name, read_schema, schema.location, example=value)
