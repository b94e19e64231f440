"""Which requests are for this server: the names in Host and Origin.

A page that a browser was led to must not speak for its user, nor a name that was made to point here (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping, MutableMapping
from typing import Any

from .authorization import Authorization, authorization
from .http_replies import Refused

LOCAL = ("127.0.0.1", "localhost", "[::1]", "::1")
ANY = ("0.0.0.0", "::", "")


class Protection:
    """What holds at an address, or, without one, wherever the application is mounted.

    `<prefix>_ALLOWED_HOSTS` and `<prefix>_ALLOWED_ORIGINS` are comma-separated names beside the server's own, `*` for any.
    Where every caller shows a token, a server that others reach may be called by any name: a page has no token to show.
    """

    def __init__(self, prefix: str, host: str | None = None, port: int | None = None) -> None:
        is_local = host is None or host in LOCAL
        self.authorization = authorization(prefix, reachable=not is_local)
        self._prefix = prefix
        self._is_mounted = host is None
        self.is_open = type(self.authorization) is Authorization
        own = set(LOCAL) if is_local else {host or ""}
        given = _names(f"{prefix}_ALLOWED_HOSTS")
        if not given and not is_local:
            if not self.is_open:
                given = {"*"}
            elif host in ANY:
                raise SystemExit(
                    f"error: anybody may call on every address: name in {prefix}_ALLOWED_HOSTS the hosts that"
                    " this server is called by, or * for any"
                )
        self._hosts = own | given
        self._origins = {f"http://{name}" for name in own} | _names(f"{prefix}_ALLOWED_ORIGINS")
        self._port = port

    async def check(
        self, scope: MutableMapping[str, Any], headers: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """The claims of the caller's token. Raises Refused."""
        self.check_names(scope, headers)
        return await self.authorization.check(headers, scope.get("root_path", ""))

    def check_names(self, scope: MutableMapping[str, Any], headers: Mapping[str, str]) -> None:
        """What holds for a request that shows nothing of the server, too. Raises Refused."""
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if not self._knows(host, self._hosts):
            raise Refused(
                421, f"This Host is not served here; {self._prefix}_ALLOWED_HOSTS names more"
            )
        is_own = origin in (f"http://{host}", f"https://{host}") and "*" in self._hosts
        if origin is not None and not is_own and not self._knows(origin.lower(), self._origins):
            raise Refused(
                403, f"This Origin may not call; {self._prefix}_ALLOWED_ORIGINS names more"
            )
        if self._is_mounted and self.is_open and not _is_loopback(scope.get("server")):
            token = f"{self._prefix}_SERVER_TOKEN"
            if not os.environ.get(token):
                raise Refused(
                    403, f"Others can reach this server: set {token}, to off for no token"
                )

    def _knows(self, shown: str, names: set[str]) -> bool:
        """A name of ours holds for our port, wherever that is known, and for none."""
        if "*" in names or shown in names:
            return True
        name, _, port = shown.rpartition(":")
        return name in names and port.isdecimal() and self._port in (None, int(port))


def _names(variable: str) -> set[str]:
    return {one.strip().lower() for one in os.environ.get(variable, "").split(",") if one.strip()}


def _is_loopback(server: Any) -> bool:
    """Whether the socket that a request came to is this machine's alone."""
    if not server or server[1] is None:  # a Unix socket
        return True
    try:
        return ipaddress.ip_address(server[0]).is_loopback
    except ValueError:
        return bool(server[0] == "localhost")
