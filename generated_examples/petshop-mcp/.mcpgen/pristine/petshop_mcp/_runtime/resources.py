"""Resources: a URI, or one that fits a template, is found, and its method awaited.

A resource's method takes the template's variables as keywords, all strings, and returns text, bytes, a Blob, or a
JSON value; None says that there is none.
"""

from __future__ import annotations

import re
from base64 import b64encode
from urllib.parse import unquote

from .answers import URI as KEPT
from .content import Blob
from .messages import INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError, encode
from .server import uri_of
from .versions import has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Calls
    from .context import Context
    from .messages import Json
    from .session import Exchange


async def read_resource(calls: Calls, exchange: Exchange, context: Context) -> bytes:
    """Answer resources/read."""
    uri = uri_of(exchange)
    if uri.startswith(KEPT):
        text = calls.kept.read(uri, exchange.caller.get("sub"))
        if text is None:
            raise not_found(exchange, uri, " any more: call the tool again")
        content = {"uri": uri, "mimeType": "application/json", "text": text}
        return encode({"contents": [content]})[1:-1]
    found = calls.serving("resources", uri)
    entry = calls.entry("resources", "uri", uri) if found else None
    variables: dict[str, str] = {}
    if found is None:
        for template in calls.templates():
            matched = match(template["uriTemplate"], uri)
            if matched is not None:
                entry, variables = template, matched
                found = calls.serving("resourceTemplates", template["uriTemplate"])
                break
    value = await calls.run(*found, context, variables) if found else None
    if value is None:
        raise not_found(exchange, uri)
    return encode({"contents": [{"uri": uri, **_contents(value, entry or {})}]})[1:-1]


def not_found(exchange: Exchange, uri: str, more: str = "") -> RpcError:
    is_old = has(exchange.version, "resource not found code")
    code = RESOURCE_NOT_FOUND if is_old else INVALID_PARAMS
    return RpcError(code, f"There is no resource {uri}{more}", {"uri": uri})


def _contents(value: Json, entry: Json) -> Json:
    media_type = entry.get("mimeType")
    if isinstance(value, bytes):
        value = Blob(value, media_type or "application/octet-stream")
    if isinstance(value, Blob):
        return {"mimeType": value.media_type, "blob": b64encode(value.data).decode("ascii")}
    if isinstance(value, str):
        return {"mimeType": media_type or "text/plain", "text": value}
    return {"mimeType": media_type or "application/json", "text": encode(value).decode()}


def match(template: str, uri: str) -> dict[str, str] | None:
    """The variables of a URI that a template would give (RFC 6570, levels 1 and 2), else None."""
    parts = re.split(r"\{([+#]?)([A-Za-z0-9_]+)\}", template)
    pattern = re.escape(parts[0])
    for operator, name, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        any_of = ".+" if operator else "[^/?#&,;]+"
        pattern += ("#" if operator == "#" else "") + f"(?P<{name}>{any_of})" + re.escape(text)
    found = re.fullmatch(pattern, uri)
    return {key: unquote(value) for key, value in found.groupdict().items()} if found else None
