"""The headers of a request that say again what its body says, so that proxies can route by them (2026-07-28, transports)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .messages import HEADER_MISMATCH, RpcError, decode
from .session import VERSION_KEY

# The member of params that Mcp-Name repeats.
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def check_headers(
    headers: Mapping[str, str], method: str, params: Mapping[str, Any], tools: Mapping[str, bytes]
) -> None:
    """Raises RpcError where a header is missing or says something else. `tools`: the entries that are listed."""
    wanted = {"mcp-protocol-version": params["_meta"][VERSION_KEY], "mcp-method": method}
    if method in NAMED:
        wanted["mcp-name"] = params.get(NAMED[method])
    if method == "tools/call":
        wanted |= _of_arguments(params, tools)
    for name, value in wanted.items():
        shown = _decoded(headers.get(name))
        if shown is None or not _same(shown, value):
            raise RpcError(
                HEADER_MISMATCH, f"The header {name} must be there and say what the body says"
            )


def _of_arguments(params: Mapping[str, Any], tools: Mapping[str, bytes]) -> dict[str, Any]:
    """What the arguments with `x-mcp-header` make: header → value."""
    entry, arguments = tools.get(str(params.get("name")), b""), params.get("arguments")
    if b'"x-mcp-header"' not in entry or not isinstance(arguments, dict):
        return {}
    return dict(_marked(decode(entry)["inputSchema"], arguments))


def _marked(schema: Any, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, property_schema in schema.get("properties", {}).items():
        inner = value.get(name)
        if inner is None or not isinstance(property_schema, dict):
            continue
        if isinstance(property_schema.get("x-mcp-header"), str):
            yield f"mcp-param-{property_schema['x-mcp-header'].lower()}", inner
        elif isinstance(inner, dict):
            yield from _marked(property_schema, inner)


def _same(shown: str, value: Any) -> bool:
    if isinstance(value, bool):
        return shown == str(value).lower()
    if isinstance(value, int):
        return re.fullmatch(r"-?[0-9]+", shown) is not None and int(shown) == value
    return bool(shown == value)


def _decoded(value: str | None) -> str | None:
    """A header's value; what is no plain text comes as `=?base64?…?=`."""
    found = re.fullmatch(r"=\?base64\?(.*)\?=", value or "")
    if found is None:
        return value
    try:
        return base64.b64decode(found[1], validate=True).decode("utf-8")
    except ValueError:
        return None
