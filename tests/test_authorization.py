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
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from authorization_server import AuthorizationServer
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from examples import ROOT

EVERYTHING = ROOT / "generated_examples" / "everything-mcp"
RESOURCE = "https://mcp.example.com/mcp"
METADATA = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


class Server:
    def __init__(self, log: Path, *, host: str = "127.0.0.1", **environment: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = log
        command = [sys.executable, "-m", "everything_mcp", "--transport", "http", "--host", host]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--log-level", "debug"],
            cwd=EVERYTHING,
            env={**os.environ, **environment},
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
        connection.request(method, path, PING if method == "POST" else None, shown)
        return connection.getresponse()

    def close(self) -> None:
        self.process.terminate()
        assert self.process.wait(10) == 0


@pytest.fixture(scope="module")
def issuer() -> Iterator[AuthorizationServer]:
    server = AuthorizationServer()
    yield server
    server.close()


@pytest.fixture(scope="module")
def server(
    issuer: AuthorizationServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    server = Server(
        tmp_path_factory.mktemp("oauth") / "log.txt",
        EVERYTHING_SERVER_ISSUER=issuer.issuer,
        EVERYTHING_SERVER_AUDIENCE=RESOURCE,
        EVERYTHING_SERVER_SCOPES="pets:read",
    )
    yield server
    server.close()


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


def test_a_token_with_too_little_is_forbidden(server: Server, issuer: AuthorizationServer) -> None:
    response = server.send(f"Bearer {issuer.token(RESOURCE, 'pets:write')}")
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
    statuses = [
        server.send(f"Bearer {one}", **{"Mcp-Session-Id": session}).status for one in tokens
    ]
    assert statuses == [200, 404]


def test_a_new_key_of_the_issuer_is_looked_up(tmp_path: Path) -> None:
    issuer = AuthorizationServer()
    server = Server(
        tmp_path / "log.txt",
        EVERYTHING_SERVER_ISSUER=issuer.issuer,
        EVERYTHING_SERVER_AUDIENCE=RESOURCE,
    )
    try:
        new = issuer.new_key("second")
        issuer.published.append(new)
        assert server.send(f"Bearer {issuer.sign(new, aud=RESOURCE)}").status == 200
        for number in range(5):
            unknown = issuer.sign(issuer.new_key(f"unknown{number}"), aud=RESOURCE)
            assert server.send(f"Bearer {unknown}").status == 401
        assert issuer.seen.count("/jwks") == 1, "unknown keys do not make it ask each time"
    finally:
        server.close()
        issuer.close()


def test_an_issuer_that_cannot_be_reached_is_the_servers_trouble(
    tmp_path: Path, issuer: AuthorizationServer
) -> None:
    token = issuer.token(RESOURCE)
    server = Server(
        tmp_path / "log.txt",
        EVERYTHING_SERVER_ISSUER="http://127.0.0.1:9",
        EVERYTHING_SERVER_AUDIENCE=RESOURCE,
    )
    response = server.send(f"Bearer {token}")
    assert (response.status, response.headers["Retry-After"]) == (503, "30")
    server.close()
    log = (tmp_path / "log.txt").read_text("utf-8")
    assert "http://127.0.0.1:9" in log and token not in log


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
    server = Server(tmp_path / "log.txt", host="0.0.0.0", EVERYTHING_SERVER_TOKEN="s3cret")
    good = "Bearer s3cret"
    assert server.send(good, Host="mcp.example.com").status == 200
    assert server.send(good, Host="a.example", Origin="https://a.example").status == 200
    assert server.send(good, Host="a.example", Origin="https://evil.example").status == 403
    assert server.send("Bearer other", Host="mcp.example.com").status == 401
    server.close()


def test_with_names_it_may_be_called_by_those(tmp_path: Path) -> None:
    server = Server(
        tmp_path / "log.txt",
        host="0.0.0.0",
        EVERYTHING_SERVER_TOKEN="off",
        EVERYTHING_ALLOWED_HOSTS="mcp.example.com, 127.0.0.1",
        EVERYTHING_ALLOWED_ORIGINS="https://app.example.com",
    )
    assert server.send(Host="mcp.example.com").status == 200
    assert server.send(Host=f"127.0.0.1:{server.port}").status == 200
    refused = server.send(Host="evil.example.com")
    assert refused.status == 421 and b"EVERYTHING_ALLOWED_HOSTS" in refused.read()
    assert server.send(Host="mcp.example.com", Origin="https://app.example.com").status == 200
    refused = server.send(Host="mcp.example.com", Origin="https://evil.example.com")
    assert refused.status == 403 and b"EVERYTHING_ALLOWED_ORIGINS" in refused.read()
    server.close()
