"""The HTTP endpoint as an OAuth 2.1 resource server, with tokens of a real authorization server."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from authorization_server import AuthorizationServer
from mcp import Client
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from examples import ROOT
from mcpgen.runtime import authorization
from mcpgen.runtime.http_replies import Refused

EVERYTHING = ROOT / "generated_examples" / "everything-mcp"
PETSTORE = ROOT / "generated_examples" / "petstore-mcp"
RESOURCE = "https://mcp.example.com/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"
METADATA = f"https://mcp.example.com{METADATA_PATH}"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


class Server:
    """A package's own, or `application` under uvicorn. `{port}` in a variable becomes its port."""

    def __init__(
        self,
        log: Path,
        *,
        host: str = "127.0.0.1",
        package: Path = EVERYTHING,
        application: str = "",
        **environment: str,
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = log
        command = [sys.executable, "-m", package.name.replace("-", "_"), "--transport", "http"]
        if application:
            command = [sys.executable, "-m", "uvicorn", application]
        given = {name: one.replace("{port}", str(self.port)) for name, one in environment.items()}
        self.process = subprocess.Popen(
            [*command, "--host", host, "--port", str(self.port), "--log-level", "debug"],
            cwd=package,
            env={**os.environ, **given},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log.open("wb"),
        )
        deadline = time.monotonic() + 20
        while not self.is_up():
            assert self.process.poll() is None, log.read_text("utf-8")
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def is_up(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def send(
        self,
        authorization: str | None = None,
        method: str = "POST",
        path: str = "/mcp",
        body: bytes = PING,
        **headers: str,
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        shown = {
            "Content-Type": "application/json",
            "MCP-Protocol-Version": "2025-11-25",
            **headers,
        }
        if authorization is not None:
            shown["Authorization"] = authorization
        connection.request(method, path, body if method == "POST" else None, shown)
        return connection.getresponse()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        assert self.process.wait(10) in (0, -signal.SIGTERM)  # uvicorn by itself raises it again


@pytest.fixture(scope="module")
def issuer() -> Iterator[AuthorizationServer]:
    with AuthorizationServer() as server:
        yield server


@pytest.fixture(scope="module")
def server(
    issuer: AuthorizationServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    with Server(
        tmp_path_factory.mktemp("oauth") / "log.txt",
        EVERYTHING_SERVER_ISSUER=issuer.issuer,
        EVERYTHING_SERVER_AUDIENCE=RESOURCE,
        EVERYTHING_SERVER_SCOPES="pets:read",
    ) as server:
        yield server


def test_a_token_of_the_issuer_for_this_server_opens_it(
    server: Server, issuer: AuthorizationServer
) -> None:
    token = issuer.token(RESOURCE)
    assert server.send(f"Bearer {token}").status == 200
    assert server.send(f"bearer {token}").status == 200
    for scopes in ({"scope": "other pets:read"}, {"scp": ["pets:read"]}):
        assert server.send(f"Bearer {issuer.sign(aud=[RESOURCE, 'x'], **scopes)}").status == 200
    before = len(issuer.seen)
    assert server.send(f"Bearer {token}").status == 200
    assert len(issuer.seen) == before, "the keys are kept"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_official_client_calls_with_its_token(
    server: Server, issuer: AuthorizationServer, mode: str
) -> None:
    async def work() -> None:
        token = issuer.token(RESOURCE)
        http_client = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        transport = streamable_http_client(
            f"http://127.0.0.1:{server.port}/mcp", http_client=http_client
        )
        async with asyncio.timeout(30), Client(transport, mode=mode) as client:
            result = await client.call_tool("test_simple_text", {})
            assert not result.is_error

    asyncio.run(work())


class Memory:
    """What the official client remembers."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


async def tools_for_a_stranger(url: str, issuer: str, mode: str) -> list[str]:
    """The official client is told the URL alone, and finds by itself who gives a token for it."""
    provider = ClientCredentialsOAuthProvider(url, Memory(), "agent", "agent-secret", issuer=issuer)
    http_client = create_mcp_http_client(auth=provider)
    transport = streamable_http_client(url, http_client=http_client)
    async with asyncio.timeout(30), Client(transport, mode=mode) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_official_client_finds_where_to_get_its_token(
    tmp_path: Path, issuer: AuthorizationServer, mode: str
) -> None:
    with Server(
        tmp_path / "log.txt",
        EVERYTHING_SERVER_ISSUER=issuer.issuer,
        EVERYTHING_SERVER_AUDIENCE="http://127.0.0.1:{port}/mcp",
        EVERYTHING_SERVER_SCOPES="pets:read",
    ) as server:
        names = asyncio.run(
            tools_for_a_stranger(f"http://127.0.0.1:{server.port}/mcp", issuer.issuer, mode)
        )
        assert "test_simple_text" in names


MOUNTED = """
from starlette.applications import Starlette
from starlette.routing import Mount

from petstore_mcp.asgi import app as petstore

app = Starlette(routes=[Mount("/pets", petstore)])
"""


def test_where_it_is_mounted_it_says_so(tmp_path: Path, issuer: AuthorizationServer) -> None:
    package = tmp_path / "petstore-mcp"
    shutil.copytree(PETSTORE, package)
    (package / "site_app.py").write_text(MOUNTED, encoding="utf-8")
    with Server(
        tmp_path / "log.txt",
        package=package,
        application="site_app:app",
        PETSTORE_SERVER_ISSUER=issuer.issuer,
        PETSTORE_SERVER_AUDIENCE="http://127.0.0.1:{port}/pets/mcp",
        PETSTORE_SERVER_SCOPES="pets:read",
    ) as server:
        url = f"http://127.0.0.1:{server.port}/pets/mcp"
        challenge = server.send(path="/pets/mcp").headers["WWW-Authenticate"]
        place = urlsplit(parts(challenge)["resource_metadata"])
        assert place.netloc == f"127.0.0.1:{server.port}"
        assert json.loads(server.send(method="GET", path=place.path).read())["resource"] == url
        assert len(asyncio.run(tools_for_a_stranger(url, issuer.issuer, "2026-07-28"))) == 19


def parts(challenge: str | None) -> dict[str, str]:
    assert challenge is not None and challenge.startswith("Bearer ")
    return dict(re.findall(r'(\w+)="([^"]*)"', challenge))


def test_without_a_token_it_says_where_to_get_one(server: Server) -> None:
    for shown in (None, "Basic YTpi"):
        response = server.send(shown)
        assert response.status == 401
        assert parts(response.headers["WWW-Authenticate"]) == {
            "resource_metadata": METADATA,
            "scope": "pets:read",
        }
    for path in (
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ):
        said = json.loads(server.send(method="GET", path=path).read())
        assert said["resource"] == RESOURCE
        assert said["scopes_supported"] == ["pets:read"]
        assert len(said["authorization_servers"]) == 1
    assert server.send(path="/.well-known/oauth-protected-resource").status == 405
    for path in ("/.well-known/oauth-protected-resources", f"{METADATA_PATH}/other"):
        assert server.send(method="GET", path=path).status == 404
    assert server.send(method="GET", path="/healthz").status == 200


def forged(issuer: AuthorizationServer, algorithm: str) -> str:
    """Signed with nothing, or with the public key as if it were a secret."""

    def encoded(data: bytes) -> bytes:
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    header = {"alg": algorithm, "kid": issuer.key.kid}
    claims = {"iss": issuer.issuer, "aud": RESOURCE, "exp": 4e9, "scope": "pets:read"}
    text = b".".join(encoded(json.dumps(one).encode()) for one in (header, claims))
    public = issuer.key.as_pem(private=False)
    signature = hmac.digest(public, text, hashlib.sha256) if algorithm == "HS256" else b""
    return (text + b"." + encoded(signature)).decode()


BAD: dict[str, Any] = {
    "expired": lambda one: one.sign(aud=RESOURCE, scope="pets:read", exp=int(time.time()) - 120),
    "not yet": lambda one: one.sign(aud=RESOURCE, scope="pets:read", nbf=int(time.time()) + 600),
    "no expiry": lambda one: one.sign(aud=RESOURCE, scope="pets:read", exp=None),
    "for another": lambda one: one.token("https://other.example.com/mcp"),
    "for nobody": lambda one: one.sign(scope="pets:read"),
    "of another issuer": lambda one: one.sign(aud=RESOURCE, iss="https://evil.example.com"),
    "of an unknown key": lambda one: one.sign(one.new_key("nobody's"), aud=RESOURCE),
    "of a false key": lambda one: one.sign(one.new_key("first"), aud=RESOURCE, scope="pets:read"),
    "unsigned": lambda one: forged(one, "none"),
    "signed with the public key": lambda one: forged(one, "HS256"),
    "cut off": lambda one: one.token(RESOURCE)[:-20],
    "no token at all": lambda one: "abc",
}


@pytest.mark.parametrize("kind", BAD)
def test_other_tokens_do_not(server: Server, issuer: AuthorizationServer, kind: str) -> None:
    response = server.send(f"Bearer {BAD[kind](issuer)}")
    assert response.status == 401
    said = parts(response.headers["WWW-Authenticate"])
    assert said["error"] == "invalid_token" and said["resource_metadata"] == METADATA


@pytest.mark.parametrize(
    "granted", ["pets:write", "", 5, {"pets:read": 1}, ["pets:write", ["pets:read"]]]
)
def test_a_token_with_too_little_is_forbidden(
    server: Server, issuer: AuthorizationServer, granted: Any
) -> None:
    response = server.send(f"Bearer {issuer.sign(aud=RESOURCE, scope=granted)}")
    assert response.status == 403
    said = parts(response.headers["WWW-Authenticate"])
    assert said["error"] == "insufficient_scope"
    assert (said["scope"], said["resource_metadata"]) == ("pets:read", METADATA)


@pytest.mark.parametrize("shown", ["Bearer", "Bearer ", "Bearer a b", "Bearer ä"])
def test_a_header_that_cannot_be_read_is_a_bad_request(server: Server, shown: str) -> None:
    response = server.send(shown.encode().decode("latin-1"))
    assert response.status == 400
    assert parts(response.headers["WWW-Authenticate"]) == {"error": "invalid_request"}


def test_a_token_in_the_query_is_none(server: Server, issuer: AuthorizationServer) -> None:
    assert server.send(path=f"/mcp?access_token={issuer.token(RESOURCE)}").status == 401


def test_a_session_is_its_users_alone(server: Server, issuer: AuthorizationServer) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
    tokens = [issuer.sign(aud=RESOURCE, scope="pets:read", sub=name) for name in ("ann", "bob")]
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {tokens[0]}"}
    connection.request("POST", "/mcp", json.dumps(message), headers)
    session = connection.getresponse().headers["Mcp-Session-Id"]
    shown: dict[str, Any] = {"Mcp-Session-Id": session}
    statuses = [server.send(f"Bearer {one}", **shown).status for one in tokens]
    assert statuses == [200, 404]


def test_a_new_key_of_the_issuer_is_looked_up(tmp_path: Path) -> None:
    with (
        AuthorizationServer() as issuer,
        Server(
            tmp_path / "log.txt",
            EVERYTHING_SERVER_ISSUER=issuer.issuer,
            EVERYTHING_SERVER_AUDIENCE=RESOURCE,
        ) as server,
    ):
        new = issuer.new_key("second")
        issuer.published.append(new)
        assert server.send(f"Bearer {issuer.sign(new, aud=RESOURCE)}").status == 200
        for number in range(5):
            unknown = issuer.sign(issuer.new_key(f"unknown{number}"), aud=RESOURCE)
            assert server.send(f"Bearer {unknown}").status == 401
        assert issuer.seen.count("/jwks") == 1, "unknown keys do not make it ask each time"


def test_an_issuer_that_cannot_be_reached_is_the_servers_trouble(
    tmp_path: Path, issuer: AuthorizationServer
) -> None:
    token = issuer.token(RESOURCE)
    with Server(
        tmp_path / "log.txt",
        EVERYTHING_SERVER_ISSUER="http://127.0.0.1:9",
        EVERYTHING_SERVER_AUDIENCE=RESOURCE,
    ) as server:
        response = server.send(f"Bearer {token}")
        assert (response.status, response.headers["Retry-After"]) == (503, "30")
    log = (tmp_path / "log.txt").read_text("utf-8")
    assert "http://127.0.0.1:9" in log and token not in log


def test_strangers_cannot_make_it_ask_an_issuer_that_fails_again_and_again(tmp_path: Path) -> None:
    with (
        AuthorizationServer() as issuer,
        Server(
            tmp_path / "log.txt",
            EVERYTHING_SERVER_ISSUER=issuer.issuer,
            EVERYTHING_SERVER_AUDIENCE=RESOURCE,
        ) as server,
    ):
        issuer.broken = True
        good = f"Bearer {issuer.sign(aud=RESOURCE)}"
        unknown = f"Bearer {issuer.sign(issuer.new_key('x'), aud=RESOURCE)}"
        sent = [server.send(one).status for one in (unknown, unknown, good, unknown)]
        assert sent == [503] * 4
        assert issuer.seen.count("/jwks") == 1
        assert server.log.read_text("utf-8").count("cannot be read") == 1


def test_the_issuers_keys_change_while_the_server_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, so that no pause of half a minute is waited for."""
    monkeypatch.setattr(authorization, "PAUSE", 0.0)

    async def work(issuer: AuthorizationServer) -> None:
        checks = authorization.ResourceServer(issuer.issuer, RESOURCE, ())

        async def status(key: Any = None) -> int:
            try:
                await checks.check({"authorization": f"Bearer {issuer.sign(key, aud=RESOURCE)}"})
            except Refused as refused:
                return refused.status
            return 200

        async with asyncio.timeout(30):
            new = issuer.new_key("second")
            assert [await status(), await status(new)] == [200, 401]
            issuer.published = [new]
            assert [await status(new), await status()] == [200, 401], "the old key is withdrawn"
            asked = issuer.seen.count("/jwks")
            issuer.held.clear()
            waiting = asyncio.create_task(status())
            while issuer.seen.count("/jwks") == asked:
                await asyncio.sleep(0.01)
            assert (
                await status(new) == 200
            ), "who shows a known key does not wait for an unknown one"
            assert not waiting.done()
            issuer.broken = True
            issuer.held.set()
            assert [await waiting, await status(new)] == [503, 200]

    with AuthorizationServer() as issuer:
        asyncio.run(work(issuer))


@pytest.mark.parametrize("path", ["", "/tenant"])
@pytest.mark.parametrize(
    "place",
    [
        "/.well-known/oauth-authorization-server{path}",
        "/.well-known/openid-configuration{path}",
        "{path}/.well-known/openid-configuration",
    ],
)
def test_the_issuers_keys_are_found_wherever_its_metadata_is(place: str, path: str) -> None:
    """Elsewhere it answers with a page for people, as a single-page application does."""
    with AuthorizationServer(path, metadata=place.format(path=path)) as issuer:
        checks = authorization.ResourceServer(issuer.issuer, RESOURCE, ())
        shown = {"authorization": f"Bearer {issuer.token(RESOURCE)}"}
        assert asyncio.run(checks.check(shown))["client_id"] == "agent"


OVERRIDE = """
from ..tools import store as generated


class StoreTools(generated.StoreTools):
    async def get_inventory(self):
        found = await super().get_inventory()
        caller = self.context.caller
        return {**found, f"{caller.get('sub')} {caller.get('client_id')} {caller.get('scope')}": 1}
"""


@pytest.mark.parametrize("way", ["oauth", "static"])
def test_a_handler_knows_the_caller_and_the_api_is_not_shown_its_token(
    tmp_path: Path, issuer: AuthorizationServer, way: str
) -> None:
    """Not even where a package says to hand on what callers show: what is checked here is for here."""
    seen: list[str] = []

    class Upstream(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(str(self.headers))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"sold": 2}')

    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    package = tmp_path / "petstore-mcp"
    shutil.copytree(PETSTORE, package)
    (package / "petstore_mcp" / "custom" / "store.py").write_text(OVERRIDE, encoding="utf-8")
    api = package / "petstore_mcp" / "api.py"
    text = api.read_text("utf-8").replace(
        "security=(),", "security=(), pass_through=('Authorization', 'X-Tenant'),"
    )
    api.write_text(text, encoding="utf-8")
    token = issuer.token(RESOURCE) if way == "oauth" else "s3cret-of-this-server"
    protection = {"PETSTORE_SERVER_TOKEN": token}
    if way == "oauth":
        protection = {
            "PETSTORE_SERVER_ISSUER": issuer.issuer,
            "PETSTORE_SERVER_AUDIENCE": RESOURCE,
        }
    with Server(
        tmp_path / "log.txt",
        package=package,
        PETSTORE_BASE_URL=f"http://127.0.0.1:{upstream.server_port}",
        PETSTORE_API_KEY="key-of-the-api",
        **protection,
    ) as server:
        params = {"name": "get_inventory", "arguments": {}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        response = server.send(
            f"Bearer {token}", body=json.dumps(message).encode(), **{"X-Tenant": "t"}
        )
        found = json.loads(response.read())["result"]["structuredContent"]
        who = "agent agent pets:read" if way == "oauth" else "None None None"
        assert found == {"sold": 2, who: 1}
        assert len(seen) == 1 and token not in seen[0] and "key-of-the-api" in seen[0]
        assert "X-Tenant: t" in seen[0], "other headers go on where the package says so"
    upstream.shutdown()
    assert token not in (tmp_path / "log.txt").read_text("utf-8")


@pytest.mark.parametrize("package", sorted((ROOT / "generated_examples").glob("*-mcp")))
def test_the_extra_has_all_that_checking_a_token_imports(package: Path) -> None:
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert f"{project['name']}[http]" in extras["oauth"]
    needed = project["dependencies"] + extras["http"] + extras["oauth"]
    names = {re.split(r"[\[<>=]", one)[0] for one in needed}
    assert {"aiohttp", "pyjwt", "uvicorn"} <= names


def test_no_token_is_in_the_log(server: Server, issuer: AuthorizationServer) -> None:
    token = issuer.token(RESOURCE)
    server.send(f"Bearer {token}")
    server.send(f"Bearer {token[:-9]}")
    assert token[:-9].split(".")[1] not in server.log.read_text("utf-8")


@pytest.mark.parametrize(
    ("host", "environment", "told"),
    [
        ("0.0.0.0", {}, ["EVERYTHING_SERVER_TOKEN", "EVERYTHING_SERVER_ISSUER", "off"]),
        ("0.0.0.0", {"TOKEN": "off"}, ["EVERYTHING_ALLOWED_HOSTS"]),
        ("127.0.0.1", {"ISSUER": "https://a.example"}, ["EVERYTHING_SERVER_AUDIENCE"]),
        ("127.0.0.1", {"AUDIENCE": RESOURCE}, ["EVERYTHING_SERVER_ISSUER"]),
        ("127.0.0.1", {"SCOPES": "a"}, ["EVERYTHING_SERVER_SCOPES", "EVERYTHING_SERVER_ISSUER"]),
        ("127.0.0.1", {"TOKEN": "off", "SCOPES": "a"}, ["EVERYTHING_SERVER_SCOPES"]),
        (
            "127.0.0.1",
            {"ISSUER": "a.example", "AUDIENCE": RESOURCE},
            ["SERVER_ISSUER must be a URL"],
        ),
        (
            "127.0.0.1",
            {"TOKEN": "x", "ISSUER": "https://a.example", "AUDIENCE": RESOURCE},
            ["not both"],
        ),
    ],
)
def test_what_is_set_by_halves_is_refused_by_name(
    host: str, environment: dict[str, str], told: list[str]
) -> None:
    given = {f"EVERYTHING_SERVER_{name}": value for name, value in environment.items()}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "everything_mcp",
            "--transport",
            "http",
            "--host",
            host,
            "--port",
            "0",
        ],
        cwd=EVERYTHING,
        env={**os.environ, **given},
        capture_output=True,
        encoding="utf-8",
        timeout=20,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert [one for one in told if one not in done.stderr] == []


def test_with_a_token_it_may_be_called_by_any_name(tmp_path: Path) -> None:
    with Server(tmp_path / "log.txt", host="0.0.0.0", EVERYTHING_SERVER_TOKEN="s3cret") as server:
        good = "Bearer s3cret"
        assert server.send(good, Host="mcp.example.com").status == 200
        assert server.send(good, Host="a.example", Origin="https://a.example").status == 200
        assert server.send(good, Host="a.example", Origin="https://evil.example").status == 403
        assert server.send("Bearer other", Host="mcp.example.com").status == 401


def test_with_names_it_may_be_called_by_those(tmp_path: Path) -> None:
    with Server(
        tmp_path / "log.txt",
        host="0.0.0.0",
        EVERYTHING_SERVER_TOKEN="off",
        EVERYTHING_ALLOWED_HOSTS="mcp.example.com, 127.0.0.1",
        EVERYTHING_ALLOWED_ORIGINS="https://app.example.com",
    ) as server:
        assert server.send(Host="mcp.example.com").status == 200
        assert server.send(Host=f"127.0.0.1:{server.port}").status == 200
        refused = server.send(Host="evil.example.com")
        assert refused.status == 421 and b"EVERYTHING_ALLOWED_HOSTS" in refused.read()
        assert server.send(Host="mcp.example.com", Origin="https://app.example.com").status == 200
        refused = server.send(Host="mcp.example.com", Origin="https://evil.example.com")
        assert refused.status == 403 and b"EVERYTHING_ALLOWED_ORIGINS" in refused.read()
