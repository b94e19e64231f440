"""Read an API description of any version: the reader is chosen by looking at the document."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcpgen.diagnostics import Diagnostics, Stop
from mcpgen.frontends import arazzo, manifest, openapi3, swagger2
from mcpgen.ir import Api
from mcpgen.source import Document, describe


def read_api(document: Document, diagnostics: Diagnostics, hosts: Collection[str] = ()) -> Api:
    """The API that a document describes. Raises Stop, after reporting, where it describes none.

    `hosts` are those that a remote `$ref` may lead to beside the document's own.
    """

    def attach(other: Document) -> Api:
        return _read_openapi(other, diagnostics, hosts)

    if arazzo.is_arazzo(document.value):
        return arazzo.read(document, diagnostics, attach, hosts)
    if manifest.is_manifest(document.value):
        return manifest.read(document, diagnostics, attach, hosts)
    return _read_openapi(document, diagnostics, hosts)


def _read_openapi(document: Document, diagnostics: Diagnostics, hosts: Collection[str]) -> Api:
    root = document.root
    if not isinstance(document.value, dict):
        message = f"an API description is a mapping, not {describe(document.value)}"
        diagnostics.error("no-api", message, root.location)
        raise Stop
    openapi = root.text("openapi", diagnostics)
    swagger = root.text("swagger", diagnostics)
    if openapi.startswith("3"):
        return openapi3.read(document, openapi, diagnostics, hosts)
    if swagger.startswith("2"):
        return swagger2.read(document, diagnostics, hosts)
    if openapi or swagger:
        field = root.child("openapi" if openapi else "swagger") or root
        message = f"version '{openapi or swagger}' is not supported; 2.0, 3.0, 3.1 and 3.2 are"
        diagnostics.error("unsupported-version", message, field.location)
    elif foreign := _foreign(document.value):
        what, hint = foreign
        diagnostics.error("no-api", f"this is {what}", root.location, hint=hint)
    else:
        message = "the document has neither the field 'openapi' nor 'swagger'"
        hint = (
            "an OpenAPI document says 'openapi: 3.1.0', a Swagger document 'swagger: \"2.0\"', "
            "a manifest of tools 'mcpgen: 1'"
        )
        diagnostics.error("no-api", message, root.location, hint=hint)
    raise Stop


def _foreign(value: dict[str, Any]) -> tuple[str, str] | None:
    """What a description of another kind is, and what to do about it."""
    info = value.get("info")
    if "item" in value and isinstance(info, dict) and {"_postman_id", "schema"} & info.keys():
        return "a Postman collection", "a converter such as postman-to-openapi makes OpenAPI of it"
    if "asyncapi" in value:
        return "an AsyncAPI document", "it describes messages; tools are made of HTTP operations"
    if "swaggerVersion" in value:
        return "a Swagger 1 document", "convert it to Swagger 2.0 or OpenAPI first"
    if "__schema" in value or "__schema" in value.get("data", ()):
        return "a GraphQL schema", "tools are made of HTTP operations: OpenAPI describes them"
    return None
