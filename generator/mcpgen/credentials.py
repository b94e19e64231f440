"""Which environment variables hold the credentials of an API.

The plain name (`PETSTORE_API_KEY`) goes to the first scheme of a kind; a later one carries its scheme's name
(`PETSTORE_ADMIN_KEY_API_KEY`), so that a scheme that is added never takes another's variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgen import descriptions, names
from mcpgen.ir import Json, SecurityKind, SecurityScheme

# Variables that the runtime reads for itself; a file's name is read from `<variable>_FILE`.
SETTINGS = (
    *("BASE_URL", "TIMEOUT", "CONNECT_TIMEOUT", "RATE", "CONCURRENCY", "MAX_RESULT", "FILES"),
    *("SERVER_TOKEN", "SERVER_ISSUER", "SERVER_AUDIENCE", "SERVER_SCOPES", "STATE_KEY"),
    *("ALLOWED_HOSTS", "ALLOWED_ORIGINS"),
)

VARIABLES: dict[SecurityKind, dict[str, str]] = {
    SecurityKind.API_KEY: {"key": "API_KEY"},
    SecurityKind.BASIC: {"username": "USERNAME", "password": "PASSWORD"},
    SecurityKind.BEARER: {"token": "TOKEN"},
    SecurityKind.HTTP: {"token": "TOKEN"},
    SecurityKind.OAUTH2: {
        "token": "TOKEN",
        "client_id": "CLIENT_ID",
        "client_secret": "CLIENT_SECRET",
        "refresh_token": "REFRESH_TOKEN",
    },
    SecurityKind.OPENID: {
        "token": "TOKEN",
        "client_id": "CLIENT_ID",
        "client_secret": "CLIENT_SECRET",
        "refresh_token": "REFRESH_TOKEN",
    },
    SecurityKind.MUTUAL_TLS: {"certificate": "CLIENT_CERT", "key": "CLIENT_KEY"},
}


@dataclass(frozen=True, slots=True)
class Credential:
    """One scheme with its variables: part (`key`, `token`, `username`, …) → environment variable."""

    scheme: SecurityScheme
    variables: Mapping[str, str]

    @property
    def summary(self) -> str:
        return descriptions.first_line(self.scheme.description, 120)

    @property
    def class_name(self) -> str:
        """The class of the runtime that carries it."""
        return {
            SecurityKind.API_KEY: "ApiKey",
            SecurityKind.BASIC: "Basic",
            SecurityKind.OAUTH2: "OAuth2",
            SecurityKind.OPENID: "OAuth2",
            SecurityKind.MUTUAL_TLS: "ClientCertificate",
        }.get(self.scheme.kind, "Bearer")

    @property
    def has_login(self) -> bool:
        """Whether the user can get a token by their consent."""
        return bool(
            {name for name, _ in self.options}
            & {"authorization_url", "device_url", "discovery_url"}
        )

    @property
    def options(self) -> tuple[tuple[str, Json], ...]:
        """What that class is made with; a name of "" is positional."""
        scheme, variables = self.scheme, self.variables
        if scheme.kind is SecurityKind.API_KEY:
            return (("", scheme.key), ("place", str(scheme.place)), ("variable", variables["key"]))
        if scheme.kind in (SecurityKind.BASIC, SecurityKind.MUTUAL_TLS):
            return tuple(variables.items())
        if scheme.kind is SecurityKind.OAUTH2:
            return (*variables.items(), *self._endpoints())
        if scheme.kind is SecurityKind.OPENID:
            if not scheme.openid_url:
                return tuple(variables.items())
            found = (("discovery_url", scheme.openid_url), ("scopes", scheme.scopes))
            return (*variables.items(), *found)
        if scheme.kind is SecurityKind.HTTP:
            return (("variable", variables["token"]), ("scheme", scheme.scheme))
        return (("variable", variables["token"]),)

    def _endpoints(self) -> tuple[tuple[str, Json], ...]:
        """Where tokens are to be had, by all flows of the scheme; implicit and password flows are no way (OAuth 2.1)."""
        flows = {one.kind: one for one in self.scheme.flows}
        usable = [
            flows[kind]
            for kind in ("clientCredentials", "authorizationCode", "deviceAuthorization")
            if kind in flows and flows[kind].token_url
        ]
        if not usable:
            return ()
        code, device = flows.get("authorizationCode"), flows.get("deviceAuthorization")
        found: list[tuple[str, Json]] = []
        if code in usable and code and code.authorization_url:
            found.append(("authorization_url", code.authorization_url))
        found.append(("token_url", usable[0].token_url))
        if usable[0].refresh_url not in ("", usable[0].token_url):
            found.append(("refresh_url", usable[0].refresh_url))
        if device in usable and device and device.device_authorization_url:
            found.append(("device_url", device.device_authorization_url))
        if "clientCredentials" not in flows:
            found.append(("client_credentials", False))
        return (*found, ("scopes", usable[0].scopes))


def plan_credentials(
    schemes: Iterable[SecurityScheme], prefix: str, pinned: Mapping[str, Mapping[str, str]]
) -> tuple[Credential, ...]:
    """`pinned` holds the variables of an earlier run by scheme; they stay."""
    taken = names.Namespace(
        [
            *(f"{prefix}_{word}" for word in SETTINGS),
            *(name for one in pinned.values() for name in one.values()),
        ]
    )
    made = []
    for scheme in schemes:
        parts = VARIABLES[scheme.kind]
        kept = pinned.get(scheme.name, {})
        new = {part: word for part, word in parts.items() if part not in kept}
        plain = {part: f"{prefix}_{word}" for part, word in new.items()}
        if any(name in taken for name in plain.values()):
            middle = names.snake(scheme.name).upper() or names.digest(scheme.name).upper()
            plain = {part: f"{prefix}_{middle}_{word}" for part, word in new.items()}
        named = {part: taken.take(name) for part, name in plain.items()}
        made.append(Credential(scheme, {part: kept.get(part) or named[part] for part in parts}))
    return tuple(made)
