"""Security schemes of OpenAPI 3.x and Swagger 2."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from mcpgen.diagnostics import Diagnostics
from mcpgen.ir import OAuthFlow, Place, SecurityKind, SecurityScheme
from mcpgen.refs import Resolver, Unresolved
from mcpgen.source import Node

HTTP_KINDS = {"basic": SecurityKind.BASIC, "bearer": SecurityKind.BEARER}
KINDS = {
    "apiKey": SecurityKind.API_KEY,
    "http": SecurityKind.HTTP,
    "basic": SecurityKind.BASIC,  # Swagger 2
    "oauth2": SecurityKind.OAUTH2,
    "openIdConnect": SecurityKind.OPENID,
    "mutualTLS": SecurityKind.MUTUAL_TLS,
}
KEY_PLACES = (Place.HEADER, Place.QUERY, Place.COOKIE)
SWAGGER_FLOWS = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}


def read_schemes(
    owner: Node | None, resolver: Resolver, diagnostics: Diagnostics
) -> tuple[SecurityScheme, ...]:
    """The schemes that are usable; a bad one is left out with a warning."""
    schemes = []
    for name, node in owner.items() if owner else ():
        if name.startswith("x-") and not isinstance(node.value, dict):
            continue
        try:
            scheme = _read_scheme(name, resolver.follow(node), diagnostics)
        except Unresolved:
            continue
        if scheme is not None:
            schemes.append(scheme)
    return tuple(schemes)


def with_scopes(
    schemes: Iterable[SecurityScheme], wanted: Mapping[str, Collection[str]]
) -> tuple[SecurityScheme, ...]:
    """OpenID schemes list no scopes of their own: they are those that requirements name."""
    return tuple(
        (
            replace(one, scopes=tuple(sorted(wanted.get(one.name, ()))))
            if one.kind is SecurityKind.OPENID
            else one
        )
        for one in schemes
    )


def _read_scheme(name: str, node: Node, diagnostics: Diagnostics) -> SecurityScheme | None:
    written = node.text("type", diagnostics)
    kinds = {key.lower(): kind for key, kind in KINDS.items()}
    kind = kinds.get(written.lower())
    if kind is None:
        message = f"the security scheme '{name}' has no known type ('{written}'); it is left out"
        diagnostics.warning("bad-security-scheme", message, node.location)
        return None
    scheme = node.text("scheme", diagnostics)
    if kind is SecurityKind.HTTP:
        kind = HTTP_KINDS.get(scheme.lower(), kind)
    key = node.text("name", diagnostics) if kind is SecurityKind.API_KEY else ""
    place = node.text("in", diagnostics, Place.HEADER)
    if kind is SecurityKind.API_KEY and (not key or place not in KEY_PLACES):
        message = f"the API key '{name}' has no name or no place to travel in; it is left out"
        diagnostics.warning("bad-security-scheme", message, node.location)
        return None
    return SecurityScheme(
        name=name,
        kind=kind,
        location=node.location,
        description=node.text("description", diagnostics),
        key=key,
        place=Place(place) if kind is SecurityKind.API_KEY else Place.HEADER,
        scheme=scheme,
        flows=tuple(_read_flows(node, diagnostics)) if kind is SecurityKind.OAUTH2 else (),
        openid_url=node.text("openIdConnectUrl", diagnostics),
    )


def _read_flows(scheme: Node, diagnostics: Diagnostics) -> Iterator[OAuthFlow]:
    flows = scheme.mapping("flows", diagnostics)
    for kind, node in flows.items() if flows else ():
        if not kind.startswith("x-"):
            yield _read_flow(kind, node, diagnostics)
    written = scheme.child("flow")  # Swagger 2: one, beside the type
    if written is not None and str(written.value) in SWAGGER_FLOWS:
        yield _read_flow(SWAGGER_FLOWS[written.value], scheme, diagnostics)


def _read_flow(kind: str, node: Node, diagnostics: Diagnostics) -> OAuthFlow:
    scopes = node.child("scopes")
    names = [one for one, _ in scopes.items()] if scopes else []
    return OAuthFlow(
        kind=kind,
        authorization_url=node.text("authorizationUrl", diagnostics),
        token_url=node.text("tokenUrl", diagnostics),
        refresh_url=node.text("refreshUrl", diagnostics),
        device_authorization_url=node.text("deviceAuthorizationUrl", diagnostics),
        scopes=tuple(names),
    )
