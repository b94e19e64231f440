"""Where an API is reached: servers and their URL templates."""

from __future__ import annotations

from mcpgen.diagnostics import Diagnostics
from mcpgen.fetch import join
from mcpgen.ir import Server, ServerVariable
from mcpgen.source import Document, Node, describe


def read_servers(owner: Node, document: Document, diagnostics: Diagnostics) -> tuple[Server, ...]:
    """The `servers` of a document, path item or operation."""
    servers = []
    for node in owner.sequence("servers", diagnostics):
        if not isinstance(node.value, dict):
            message = f"a server must be a mapping, not {describe(node.value)}; it is left out"
            diagnostics.warning("wrong-type", message, node.location)
            continue
        url = node.text("url", diagnostics).strip()
        variables = _read_variables(node, diagnostics)
        description = node.text("description", diagnostics)
        servers.append(Server(absolute(url or "/", document), variables, description))
    return tuple(servers)


def absolute(url: str, document: Document) -> str:
    """A relative URL counts from the document's own address, if it has one (OpenAPI 3.0 §4.7.5)."""
    return join(document.url, url) if document.url else url


def _read_variables(server: Node, diagnostics: Diagnostics) -> tuple[ServerVariable, ...]:
    found = server.mapping("variables", diagnostics)
    variables = []
    for name, node in found.items() if found else ():
        enum = [one.as_text() or "" for one in node.sequence("enum", diagnostics)]
        default = node.text("default", diagnostics)
        if not default and "default" not in (node.value if isinstance(node.value, dict) else {}):
            message = f"the server variable '{name}' has no default"
            diagnostics.warning("no-server-default", message, node.location)
            default = enum[0] if enum else ""
        description = node.text("description", diagnostics)
        variables.append(ServerVariable(name, default, tuple(enum), description))
    return tuple(variables)
