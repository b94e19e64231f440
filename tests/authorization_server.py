"""A real OAuth 2.1 authorization server on loopback, by authlib: metadata, keys, and tokens for clients."""

from __future__ import annotations

import base64
import json
import threading
import time
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from authlib.integrations.flask_oauth2 import AuthorizationServer as Authlib
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from flask import Flask, Response, jsonify, request
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from werkzeug.serving import make_server


class Client(ClientMixin):  # type: ignore[misc]  # authlib has no types
    client_id = "agent"

    def check_client_secret(self, secret: str) -> bool:
        return secret == "agent-secret"

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in ("client_secret_basic", "client_secret_post")

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "client_credentials"

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def get_client_id(self) -> str:
        return self.client_id


class Tokens(JWTBearerTokenGenerator):  # type: ignore[misc]
    """JWTs (RFC 9068) for the resource that the client names (RFC 8707)."""

    def __init__(self, server: AuthorizationServer) -> None:
        super().__init__(server.issuer)
        self.server = server

    def get_jwks(self) -> Any:
        return KeySet([self.server.key])

    def get_audiences(self, client: Any, user: Any, scope: str) -> list[str]:
        return [request.form["resource"]]


class AuthorizationServer:
    """Running from its making to the end of its `with`. `path` is that of the issuer, `metadata` where it describes itself.

    `seen` are the paths that were asked for. The keys wait for `held`, and are an error while `broken`.
    """

    def __init__(
        self, path: str = "", *, metadata: str = "/.well-known/oauth-authorization-server"
    ) -> None:
        self.app = Flask("authorization")
        self.seen: list[str] = []
        self.held = threading.Event()
        self.held.set()
        self.broken = False
        self.server = make_server("127.0.0.1", 0, self.app, threaded=True)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}{path}"
        self.key = self.new_key("first")
        self.published = [self.key]
        authlib = Authlib(self.app, query_client=lambda name: Client(), save_token=lambda *_: None)
        authlib.register_grant(grants.ClientCredentialsGrant)
        authlib.register_token_generator("client_credentials", Tokens(self))

        @self.app.before_request
        def note() -> None:
            self.seen.append(request.path)

        @self.app.errorhandler(404)
        def page(error: Exception) -> str:
            return "<!doctype html><title>Sign in</title>"

        @self.app.get(metadata)
        def described() -> Response:
            return jsonify(
                issuer=self.issuer,
                authorization_endpoint=f"{self.issuer}/authorize",
                token_endpoint=f"{self.issuer}/token",
                jwks_uri=f"{self.issuer}/jwks",
                response_types_supported=["code"],
                grant_types_supported=["client_credentials"],
                token_endpoint_auth_methods_supported=["client_secret_basic"],
            )

        @self.app.get(f"{path}/jwks")
        def jwks() -> Any:
            self.held.wait(30)
            if self.broken:
                return {"error": "out of order"}, 500
            return jsonify(keys=[key.as_dict(private=False) for key in self.published])

        @self.app.post(f"{path}/token")
        def token() -> Any:
            return authlib.create_token_response()

        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def new_key(self, name: str) -> RSAKey:
        return RSAKey.generate_key(2048, {"kid": name, "use": "sig"})

    def token(self, resource: str, scope: str = "pets:read") -> str:
        """What the token endpoint gives to a client."""
        form = {"grant_type": "client_credentials", "scope": scope, "resource": resource}
        known = base64.b64encode(b"agent:agent-secret").decode()
        with urlopen(
            Request(
                f"{self.issuer}/token",
                urlencode(form).encode(),
                {"Authorization": f"Basic {known}"},
            )
        ) as response:
            return str(json.load(response)["access_token"])

    def sign(self, key: RSAKey | None = None, **claims: Any) -> str:
        """A token that the endpoint would not give."""
        key = key or self.key
        said = {"iss": self.issuer, "sub": "agent", "exp": int(time.time()) + 600, **claims}
        return jwt.encode({"alg": "RS256", "typ": "at+jwt", "kid": key.kid}, said, key)

    def __enter__(self) -> AuthorizationServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.held.set()
        self.server.shutdown()
        self.server.server_close()
