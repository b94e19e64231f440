"""Access tokens that the upstream takes, by each OAuth flow, from a real authorization server on loopback."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from consent_server import ConsentServer

Json = Any
SECRET = "client-secret-value"


class Shop(BaseHTTPRequestHandler):
    """An API that takes what the authorization server has given out and not ended."""

    def do_GET(self) -> None:
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        good = kind == "Bearer" and self.server.issuer.is_good(token)  # type: ignore[attr-defined]
        self.server.seen.append(dict(self.headers))  # type: ignore[attr-defined]
        body = b'{"ok":true}' if good else json.dumps({"error": f"not {token}"}).encode()
        self.send_response(200 if good else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Json) -> None:
        pass


@pytest.fixture
def issuer() -> Iterator[ConsentServer]:
    server = ConsentServer(SECRET)
    yield server
    server.close()


@pytest.fixture
def shop(issuer: ConsentServer) -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    server.issuer, server.seen = issuer, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


FLOWS = {
    "browser": {
        "authorizationCode": {
            "authorizationUrl": "{issuer}/authorize",
            "tokenUrl": "{issuer}/token",
        }
    },
    "device": {
        "deviceAuthorization": {
            "deviceAuthorizationUrl": "{issuer}/device",
            "tokenUrl": "{issuer}/token",
        }
    },
    "client": {"clientCredentials": {"tokenUrl": "{issuer}/token"}},
}


def generate(folder: Path, shop: Any, flow: str) -> Path:
    """A package of the shop whose one operation needs a token by a flow."""
    if flow == "discovery":
        place = "{issuer}/.well-known/openid-configuration"
        scheme: Json = {"type": "openIdConnect", "openIdConnectUrl": place}
    else:
        scheme = {"type": "oauth2", "flows": FLOWS[flow]}
        for one in scheme["flows"].values():
            one["scopes"] = {"read": "see"}
    spec = {
        "openapi": "3.2.0",
        "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": shop.url}],
        "security": [{"login": ["read"]}],
        "paths": {
            "/me": {"get": {"operationId": "me", "responses": {"200": {"description": "ok"}}}}
        },
        "components": {"securitySchemes": {"login": scheme}},
    }
    text = json.dumps(spec).replace("{issuer}", shop.issuer.url)
    (folder / "shop.json").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mcpgen", "shop.json", "-o", "out", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "out"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "HOME": str(tmp_path),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "BROWSER": "true",
        "SHOP_CLIENT_ID": "shop-client",
        "SHOP_CLIENT_SECRET": SECRET,
    }


def run(package: Path, environment: dict[str, str], calls: int = 1) -> list[Json]:
    """The results of calls that are under way together; nothing secret may be in what was said."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t"}}
    messages = [("initialize", hello)] + [("tools/call", {"name": "me", "arguments": {}})] * calls
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(messages)
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "shop_mcp", "--log-level", "debug"],
        cwd=package,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    found = [json.loads(process.stdout.readline()) for _ in lines][1:]
    process.stdin.close()
    said = process.stderr.read() + json.dumps(found)
    process.wait(10)
    secrets = [SECRET, *ConsentServer.given]
    assert [one for one in secrets if one in said] == []
    return [one["result"] for one in found]


def error(result: Json) -> Json:
    assert result["isError"]
    return json.loads(result["content"][0]["text"])["error"]


class Login:
    """`shop-mcp login` under way; `place` is where it sends the browser, or the device's page with its code."""

    def __init__(self, package: Path, environment: dict[str, str], *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "shop_mcp", "login", *words],
            cwd=package,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        assert self.process.stdout
        self.said = ""
        self.place = ""
        for line in self.process.stdout:
            self.said += line
            if found := re.search(r"http://\S+", line):
                self.place = found[0]
                return

    def end(self) -> tuple[int, str]:
        assert self.process.stdout
        self.said += self.process.stdout.read()
        return self.process.wait(20), self.said


def visit(url: str) -> str:
    with urllib.request.urlopen(url, timeout=20) as response:
        return str(response.read().decode())


@pytest.mark.parametrize("flow", ["browser", "discovery"])
def test_a_login_in_the_browser(
    tmp_path: Path, shop: Any, environment: dict[str, str], flow: str
) -> None:
    package = generate(tmp_path, shop, flow)
    del environment["SHOP_CLIENT_SECRET"]
    [before] = run(package, environment)
    assert error(before)["kind"] == "missing_credentials"
    assert "shop-mcp login" in error(before)["message"]

    login = Login(package, environment)
    asked = parse_qs(urlsplit(login.place).query)
    assert asked["code_challenge_method"] == ["S256"] and len(asked["state"][0]) >= 32
    redirect = urlsplit(asked["redirect_uri"][0])
    assert redirect.hostname == "127.0.0.1"
    with pytest.raises(urllib.error.HTTPError):
        visit(f"http://{redirect.netloc}/other")
    for guessed in ("guessed", "%C3%A4", ""):  # not ours: it goes on waiting
        with pytest.raises(urllib.error.HTTPError):
            visit(f"{redirect.geturl()}?code=stolen&state={guessed}")
    silent = socket.create_connection(
        (redirect.hostname, redirect.port)
    )  # as browsers do in advance
    assert "close this page" in visit(login.place)
    status, said = login.end()
    silent.close()
    assert status == 0 and "Logged in" in said, said
    assert [one for one in (SECRET, *ConsentServer.given, *shop.issuer.spent) if one in said] == []
    wanted = {"browser": "read", "discovery": "openid offline_access read"}
    assert [one["scope"] for one in shop.issuer.asked] == [wanted[flow]]
    kept = tmp_path / "config" / "shop-mcp" / "tokens.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600

    assert [
        one["isError"] if "isError" in one else False for one in run(package, environment, 5)
    ] == [False] * 5
    # The token ends: one renewal for all that wait, and the new one is kept, since the old refresh token ends with it.
    for _ in range(2):
        shop.issuer.end_all()
        shop.issuer.refreshed = 0
        results = run(package, environment, 5)
        assert ["isError" in one for one in results] == [False] * 5
        assert shop.issuer.refreshed == 1
    assert json.loads(kept.read_text())["login"]["refresh_token"] in ConsentServer.given

    done = subprocess.run(
        [sys.executable, "-m", "shop_mcp", "logout"], cwd=package, env=environment, check=True
    )
    assert done.returncode == 0
    [after] = run(package, environment)
    assert error(after)["kind"] == "missing_credentials"


def test_a_login_that_the_user_refuses(
    tmp_path: Path, shop: Any, environment: dict[str, str]
) -> None:
    package = generate(tmp_path, shop, "browser")
    login = Login(package, environment)
    visit(f"{login.place}&deny=1")
    status, said = login.end()
    assert status == 1 and "error: the login was refused: no thanks" in said, said
    assert "Traceback" not in said


def test_a_login_at_a_port_that_is_registered(
    tmp_path: Path, shop: Any, environment: dict[str, str]
) -> None:
    package = generate(tmp_path, shop, "browser")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.listen()
        status, said = Login(package, environment, "--port", str(port)).end()
        assert status == 1 and said.startswith("error: ") and "Traceback" not in said
    login = Login(package, environment, "--port", str(port))
    assert parse_qs(urlsplit(login.place).query)["redirect_uri"] == [
        f"http://127.0.0.1:{port}/callback"
    ]
    visit(login.place)
    assert login.end()[0] == 0


def test_a_login_page_that_is_no_web_page_is_not_opened(
    tmp_path: Path, shop: Any, environment: dict[str, str]
) -> None:
    package = generate(tmp_path, shop, "browser")
    api = package / "shop_mcp" / "api.py"
    text = api.read_text(encoding="utf-8")
    api.write_text(re.sub(r'authorization_url="[^"]*"', 'authorization_url="file:///x"', text))
    status, said = Login(package, environment).end()
    assert (status, said) == (1, "error: file:///x is no address of a login page\n")


def test_a_token_in_the_keyring(tmp_path: Path, shop: Any, environment: dict[str, str]) -> None:
    """The package `keyring`, with a backend of a file, since there may be no other here."""
    package = generate(tmp_path, shop, "browser")
    (package / "file_keyring.py").write_text(KEYRING, encoding="utf-8")
    environment["PYTHON_KEYRING_BACKEND"] = "file_keyring.Backend"
    environment["KEYRING_FILE"] = str(tmp_path / "keyring.json")
    login = Login(package, environment)
    visit(login.place)
    status, said = login.end()
    assert status == 0 and "kept in the system's keyring" in said, said
    assert not (tmp_path / "config").exists()
    shop.issuer.end_all()
    assert ["isError" in one for one in run(package, environment, 3)] == [False] * 3
    [kept] = json.loads((tmp_path / "keyring.json").read_text()).values()
    assert shop.issuer.is_good(json.loads(kept)["access_token"])
    command = [sys.executable, "-m", "shop_mcp", "logout"]
    subprocess.run(command, cwd=package, env=environment, check=True)
    assert json.loads((tmp_path / "keyring.json").read_text()) == {}


KEYRING = """
import json, os, pathlib, keyring.backend

FILE = pathlib.Path(os.environ["KEYRING_FILE"])


class Backend(keyring.backend.KeyringBackend):
    priority = 1

    def _held(self):
        return json.loads(FILE.read_text()) if FILE.exists() else {}

    def get_password(self, service, name):
        return self._held().get(f"{service} {name}")

    def set_password(self, service, name, text):
        FILE.write_text(json.dumps({**self._held(), f"{service} {name}": text}))

    def delete_password(self, service, name):
        held = self._held()
        del held[f"{service} {name}"]
        FILE.write_text(json.dumps(held))
"""


def test_a_login_on_another_device(tmp_path: Path, shop: Any, environment: dict[str, str]) -> None:
    package = generate(tmp_path, shop, "device")
    shop.issuer.too_fast = 1
    login = Login(package, environment, "--device")
    shop.issuer.wait_for_polls(2)
    visit(login.place.replace("/device/verify", "/device/confirm"))
    status, said = login.end()
    assert status == 0, said
    [result] = run(package, environment)
    assert "isError" not in result


@pytest.mark.parametrize("flow", ["browser", "discovery", "client"])
def test_a_refresh_token_from_the_environment(
    tmp_path: Path, shop: Any, environment: dict[str, str], flow: str
) -> None:
    package = generate(tmp_path, shop, flow)
    environment["SHOP_REFRESH_TOKEN"] = shop.issuer.new_refresh_token()
    results = run(package, environment, 5)
    assert ["isError" in one for one in results] == [False] * 5
    assert shop.issuer.refreshed == 1


def test_client_credentials(tmp_path: Path, shop: Any, environment: dict[str, str]) -> None:
    package = generate(tmp_path, shop, "client")
    assert ["isError" in one for one in run(package, environment, 5)] == [False] * 5
    del environment["SHOP_CLIENT_SECRET"]
    [result] = run(package, environment)
    assert "SHOP_CLIENT_SECRET" in error(result)["message"]


def test_a_command_that_prints_a_token(
    tmp_path: Path, shop: Any, environment: dict[str, str]
) -> None:
    package = generate(tmp_path, shop, "client")
    token = shop.issuer.new_token()
    (tmp_path / "token.txt").write_text(token + "\n", encoding="utf-8")
    script = tmp_path / "print token.py"
    script.write_text(
        "import pathlib, sys\nhere = pathlib.Path(sys.argv[1])\n"
        "with (here / 'runs.txt').open('a') as runs: runs.write('x')\n"
        "print((here / 'token.txt').read_text())\n",
        encoding="utf-8",
    )
    environment["SHOP_TOKEN_COMMAND"] = f"{sys.executable} '{script}' '{tmp_path}' ; echo $(x)"
    assert "isError" not in run(package, environment)[0]
    assert ["isError" in one for one in run(package, environment, 1)] == [False]
    assert (tmp_path / "runs.txt").read_text() == "xx", "once a server"
    for command in ("/does/not/exist", f"{sys.executable} -c 'raise SystemExit(3)'", "true", "'"):
        environment["SHOP_TOKEN_COMMAND"] = command
        failed = error(run(package, environment)[0])
        assert failed["kind"] == "missing_credentials" and "SHOP_TOKEN_COMMAND" in failed["message"]


def test_what_the_caller_shows_goes_on_only_where_it_is_said(
    tmp_path: Path, shop: Any, environment: dict[str, str]
) -> None:
    package = generate(tmp_path, shop, "client")
    api = package / "shop_mcp" / "api.py"
    token = shop.issuer.new_token()

    def call() -> tuple[Json, Json]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "shop_mcp", "--transport", "http", "--port", str(port)]
        process = subprocess.Popen(command, cwd=package, env=environment, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while socket.socket().connect_ex(("127.0.0.1", port)) and time.monotonic() < deadline:
            time.sleep(0.05)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "me"}}
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {token}",
            "X-Tenant": "t-17",
        }
        asked = urllib.request.Request(
            f"http://127.0.0.1:{port}/mcp", json.dumps(message).encode(), headers
        )
        result = json.loads(urllib.request.urlopen(asked, timeout=20).read())["result"]
        process.terminate()
        process.wait(10)
        return result, shop.seen[-1] if shop.seen else {}

    _, seen = call()
    assert seen["Authorization"] != f"Bearer {token}" and "X-Tenant" not in seen
    text = f"""from ._runtime.api import Api, Caller

API = Api(
    prefix="SHOP",
    servers=({shop.url!r},),
    credentials={{"login": Caller()}},
    security=(("login",),),
    pass_through=["X-Tenant"],
)
"""
    api.write_text(text, encoding="utf-8")
    result, seen = call()
    assert "isError" not in result
    assert (seen["Authorization"], seen["X-Tenant"]) == (f"Bearer {token}", "t-17")
