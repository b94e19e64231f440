"""A real OAuth 2 authorization server on loopback, by authlib, whose users consent: code with PKCE, device, refresh, client."""

from __future__ import annotations

import secrets
import threading
import time
from types import SimpleNamespace
from typing import Any, ClassVar

from authlib.integrations.flask_oauth2 import AuthorizationServer as Authlib
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant
from flask import Flask, Response, jsonify, request
from werkzeug.serving import make_server

USER = SimpleNamespace(get_user_id=lambda: "ann")


class Client(ClientMixin):  # type: ignore[misc]  # authlib has no types
    client_id = "shop-client"

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def check_client_secret(self, secret: str) -> bool:
        return secret == self.secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return True

    def check_grant_type(self, grant_type: str) -> bool:
        return True

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_redirect_uri(self, uri: str) -> bool:
        return uri.startswith("http://127.0.0.1:")

    def get_default_redirect_uri(self) -> None:
        return None

    def get_allowed_scope(self, scope: str) -> str:
        return scope or ""

    def get_client_id(self) -> str:
        return self.client_id


class Record(SimpleNamespace):
    """A code or token, with the methods that authlib asks for."""

    def get_redirect_uri(self) -> Any:
        return self.redirect_uri

    def get_scope(self) -> Any:
        return self.scope

    def get_client_id(self) -> Any:
        return self.client_id

    def get_user_code(self) -> Any:
        return self.user_code

    def is_expired(self) -> bool:
        return False

    def check_client(self, client: Any) -> bool:
        return True


class ConsentServer:
    """Running from its making to `close()`. `refreshed` counts refreshes, `given` holds every token there was."""

    given: ClassVar[list[str]] = []

    def __init__(self, secret: str) -> None:
        self.app = Flask("consent")
        self.codes: dict[str, Record] = {}
        self.spent: list[str] = []
        self.tokens: dict[str, Record] = {}
        self.devices: dict[str, Record] = {}
        self.confirmed: set[str] = set()
        self.asked: list[dict[str, str]] = []  # the forms and queries of authorization requests
        self.polls = 0
        self.too_fast = 0  # polls yet to be told to slow down
        self.refreshed = 0
        self.server = make_server("127.0.0.1", 0, self.app, threaded=True)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.client = Client(secret)
        self._serve()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def is_good(self, token: str) -> bool:
        return token in self.tokens and self.tokens[token].ends > time.time()

    def end_all(self) -> None:
        """Every access token has ended; refresh tokens have not."""
        for record in self.tokens.values():
            record.ends = 0.0

    def new_token(self) -> str:
        return self._save({"access_token": secrets.token_urlsafe(24)}).access_token  # type: ignore[no-any-return]

    def new_refresh_token(self) -> str:
        record = self._save(
            {"access_token": secrets.token_urlsafe(24), "refresh_token": secrets.token_urlsafe(24)}
        )
        return record.refresh_token  # type: ignore[no-any-return]

    def wait_for_polls(self, count: int) -> None:
        deadline = time.monotonic() + 30
        while self.polls < count:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def close(self) -> None:
        self.server.shutdown()

    def _save(self, token: Any, asked: Any = None) -> Record:
        record = Record(
            access_token=token["access_token"],
            refresh_token=token.get("refresh_token", ""),
            scope="read",
            client_id="shop-client",
            ends=time.time() + 600,
        )
        self.tokens[record.access_token] = record
        self.given.extend(one for one in (record.access_token, record.refresh_token) if one)
        return record

    def _serve(self) -> None:
        ours = self
        authlib = Authlib(self.app, query_client=lambda name: self.client, save_token=self._save)

        class Code(grants.AuthorizationCodeGrant):  # type: ignore[misc]
            TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

            def save_authorization_code(self, code: str, asked: Any) -> None:
                payload = asked.payload
                ours.codes[code] = Record(
                    code=code,
                    redirect_uri=payload.redirect_uri,
                    scope=payload.scope,
                    code_challenge=payload.data["code_challenge"],
                    code_challenge_method=payload.data["code_challenge_method"],
                )

            def query_authorization_code(self, code: str, client: Any) -> Any:
                return ours.codes.get(code)

            def delete_authorization_code(self, code: Any) -> None:
                ours.spent.append(ours.codes.pop(code.code).code)

            def authenticate_user(self, code: Any) -> Any:
                return USER

        class Refresh(grants.RefreshTokenGrant):  # type: ignore[misc]
            TOKEN_ENDPOINT_AUTH_METHODS = Code.TOKEN_ENDPOINT_AUTH_METHODS
            INCLUDE_NEW_REFRESH_TOKEN = True

            def authenticate_refresh_token(self, token: str) -> Any:
                found = [one for one in ours.tokens.values() if one.refresh_token == token]
                return found[0] if found else None

            def authenticate_user(self, token: Any) -> Any:
                return USER

            def revoke_old_credential(self, token: Any) -> None:
                ours.refreshed += 1
                token.refresh_token = ""

        class Device(DeviceCodeGrant):  # type: ignore[misc]
            TOKEN_ENDPOINT_AUTH_METHODS = Code.TOKEN_ENDPOINT_AUTH_METHODS

            def query_device_credential(self, code: str) -> Any:
                ours.polls += 1
                return ours.devices.get(code)

            def query_user_grant(self, code: str) -> Any:
                return (USER, True) if code in ours.confirmed else None

            def should_slow_down(self, credential: Any) -> bool:
                ours.too_fast -= 1
                return ours.too_fast >= 0

        class Credentials(grants.ClientCredentialsGrant):  # type: ignore[misc]
            pass

        class DeviceEndpoint(DeviceAuthorizationEndpoint):  # type: ignore[misc]
            CLIENT_AUTH_METHODS = ["client_secret_basic"]
            INTERVAL = 1

            def get_verification_uri(self) -> str:
                return f"{ours.url}/device/verify"

            def save_device_credential(self, client_id: str, scope: str, data: Any) -> None:
                ours.devices[data["device_code"]] = Record(
                    client_id=client_id, scope=scope, user_code=data["user_code"]
                )

        authlib.register_grant(Code, [CodeChallenge(required=True)])
        for grant in (Refresh, Device, Credentials):
            authlib.register_grant(grant)
        authlib.register_endpoint(DeviceEndpoint)
        generator = BearerTokenGenerator(
            access_token_generator=lambda **more: secrets.token_urlsafe(24),
            refresh_token_generator=lambda **more: secrets.token_urlsafe(24),
            expires_generator=lambda client, grant: 600,
        )
        authlib.register_token_generator("default", generator)

        @self.app.get("/.well-known/openid-configuration")
        def metadata() -> Response:
            return jsonify(
                issuer=self.url,
                token_endpoint=f"{self.url}/token",
                authorization_endpoint=f"{self.url}/authorize",
                device_authorization_endpoint=f"{self.url}/device",
                scopes_supported=["openid", "offline_access", "read", "write"],
            )

        @self.app.get("/authorize")
        def authorize() -> Any:
            self.asked.append(request.args.to_dict())
            if "deny" in request.args:
                place = f"{request.args['redirect_uri']}?error=access_denied&error_description=no+thanks"
                return Response(
                    status=302, headers={"Location": f"{place}&state={request.args['state']}"}
                )
            grant = authlib.get_consent_grant(end_user=USER)
            return authlib.create_authorization_response(grant_user=USER, grant=grant)

        @self.app.post("/token")
        def token() -> Any:
            return authlib.create_token_response()

        @self.app.post("/device")
        def device() -> Any:
            return authlib.create_endpoint_response(DeviceEndpoint.ENDPOINT_NAME)

        @self.app.get("/device/confirm")
        def confirm() -> str:
            self.confirmed.add(request.args["user_code"])
            return "confirmed"
