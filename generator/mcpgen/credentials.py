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
SETTINGS = ("BASE_URL", "TIMEOUT", "FILES", "SERVER_TOKEN", "ALLOWED_HOSTS", "ALLOWED_ORIGINS")

VARIABLES: dict[SecurityKind, dict[str, str]] = {
    SecurityKind.API_KEY: {"key": "API_KEY"},
    SecurityKind.BASIC: {"username": "USERNAME", "password": "PASSWORD"},
    SecurityKind.BEARER: {"token": "TOKEN"},
    SecurityKind.HTTP: {"token": "TOKEN"},
    SecurityKind.OAUTH2: {
        "token": "TOKEN",
        "client_id": "CLIENT_ID",
        "client_secret": "CLIENT_SECRET",
    },
    SecurityKind.OPENID: {"token": "TOKEN"},
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
            SecurityKind.MUTUAL_TLS: "ClientCertificate",
        }.get(self.scheme.kind, "Bearer")

    @property
    def options(self) -> tuple[tuple[str, Json], ...]:
        """What that class is made with; a name of "" is positional."""
        scheme, variables = self.scheme, self.variables
        if scheme.kind is SecurityKind.API_KEY:
            return (("", scheme.key), ("place", str(scheme.place)), ("variable", variables["key"]))
        if scheme.kind in (SecurityKind.BASIC, SecurityKind.MUTUAL_TLS):
            return tuple(variables.items())
        if scheme.kind is SecurityKind.OAUTH2:
            return (*variables.items(), *self._token_endpoint())
        if scheme.kind is SecurityKind.HTTP:
            return (("variable", variables["token"]), ("scheme", scheme.scheme))
        return (("variable", variables["token"]),)

    def _token_endpoint(self) -> tuple[tuple[str, Json], ...]:
        flow = next(
            (one for one in self.scheme.flows if one.kind == "clientCredentials" and one.token_url),
            None,
        )
        return (("token_url", flow.token_url), ("scopes", flow.scopes)) if flow else ()


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
        if parts.keys() <= kept.keys():
            made.append(Credential(scheme, {part: kept[part] for part in parts}))
            continue
        plain = {part: f"{prefix}_{word}" for part, word in parts.items()}
        if any(name in taken for name in plain.values()):
            middle = names.snake(scheme.name).upper() or names.digest(scheme.name).upper()
            plain = {part: f"{prefix}_{middle}_{word}" for part, word in parts.items()}
        made.append(Credential(scheme, {part: taken.take(name) for part, name in plain.items()}))
    return tuple(made)
