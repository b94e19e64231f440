"""A page at `/` to look at the tools and call them by hand.

The page holds no data of the server: it asks for all of it, by MCP and with the caller's token, as any client does.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from functools import cache

from .messages import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .server import Server

PAGE = os.path.join(os.path.dirname(__file__), "explorer.html")


@cache
def page() -> tuple[bytes, dict[str, str]]:
    """The page, and headers by which it can run nothing but itself and reach nobody but its server (CSP Level 3)."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    policy = [f"{kind}-src '{_hash(text, kind)}'" for kind in ("script", "style")]
    own = "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return text.encode(), {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": f"default-src 'none'; {'; '.join(policy)}; {own}",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def _hash(text: str, tag: str) -> str:
    [content] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def about(server: Server) -> bytes:
    """What MCP does not tell: which namespace a tool is of."""
    said = server.catalog.server
    shown = server.exposure.schemas or server.tools
    namespaces = {
        name: [tool for tool in one.get("tools", {}) if tool in shown]
        for name, one in server.catalog.namespaces.items()
    }
    title = said.get("title") or said["name"]
    return encode({"title": title, "version": said["version"], "namespaces": namespaces})
