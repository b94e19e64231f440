"""What differs between the revisions of MCP, in one table: nothing else in the runtime compares versions.

A revision is its date, so that "from … to …" is a comparison of strings. The handshake era ends with
2025-11-25; from 2026-07-28 on every request carries its version and capabilities itself.
"""

from __future__ import annotations

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
LATEST_HANDSHAKE = HANDSHAKE[-1]
HTTP_DEFAULT = (
    "2025-03-26"  # what a request without MCP-Protocol-Version speaks (2025-06-18, transports)
)

_FIRST, _LAST = HANDSHAKE[0], "9999"
_OLD = (_FIRST, LATEST_HANDSHAKE)
_NEW = (STATELESS[0], _LAST)
_EVER = (_FIRST, _LAST)

# What a revision knows: (first, last).
FEATURES: dict[str, tuple[str, str]] = {
    "batch": ("2025-03-26", "2025-03-26"),
    "audio": ("2025-03-26", _LAST),
    "completions capability": ("2025-03-26", _LAST),
    "progress message": ("2025-03-26", _LAST),
    "structuredContent": ("2025-06-18", _LAST),
    "resource_link": ("2025-06-18", _LAST),
    "title": ("2025-06-18", _LAST),
    "elicitation": ("2025-06-18", _LAST),
    "sampling": _EVER,
    "roots": _EVER,
    "description": ("2025-11-25", _LAST),  # and icons, websiteUrl of the server
    "stream polling": ("2025-11-25", LATEST_HANDSHAKE),
    "sessions": _OLD,
    "resource not found code": _OLD,
    "resultType": _NEW,  # and with it ttlMs, cacheScope, serverInfo in _meta, input_required
}

# Which revisions know a method.
METHODS: dict[str, tuple[str, str]] = {
    "initialize": _OLD,
    "ping": _OLD,
    "logging/setLevel": _OLD,
    "resources/subscribe": _OLD,
    "resources/unsubscribe": _OLD,
    "server/discover": _NEW,
    "subscriptions/listen": _NEW,
    "tools/list": _EVER,
    "tools/call": _EVER,
    "resources/list": _EVER,
    "resources/templates/list": _EVER,
    "resources/read": _EVER,
    "prompts/list": _EVER,
    "prompts/get": _EVER,
    "completion/complete": _EVER,
}


def has(version: str, feature: str) -> bool:
    """Whether a revision knows a feature of the table."""
    first, last = FEATURES[feature]
    return first <= version <= last


def has_method(version: str, method: str) -> bool:
    first, last = METHODS.get(method, (_LAST, _FIRST))
    return first <= version <= last


def negotiate(requested: object) -> str:
    """The revision that answers an `initialize`: the one asked for, else the newest with a handshake."""
    return requested if isinstance(requested, str) and requested in HANDSHAKE else LATEST_HANDSHAKE
