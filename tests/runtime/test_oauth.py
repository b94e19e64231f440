"""Tokens against authorization servers that answer, refuse and lie: the exact requests and outcome of each."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from upstream import Answer, Upstream, answer, upstream, variables

from mcpgen.runtime import token_store
from mcpgen.runtime.api import Api, ApiKey, Basic, Caller, OAuth2
from mcpgen.runtime.credentials import INBOUND
from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.request import Request

Json = Any
SECRET = "s3cr3t/+value"
NAMES = {
    "token": "T_TOKEN",
    "client_id": "T_CLIENT_ID",
    "client_secret": "T_CLIENT_SECRET",
    "refresh_token": "T_REFRESH_TOKEN",
}


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*variables(), *NAMES.values()):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(token_store, "_keyring", lambda: None)


def token(name: str, **more: Json) -> bytes:
    return answer(200, json.dumps({"access_token": name, "expires_in": 600, **more}).encode())


def refusal(code: str, status: int = 400) -> bytes:
    return answer(status, json.dumps({"error": code}).encode())


Work = Callable[[Api, Upstream, Upstream], Awaitable[Json]]


def run(issuing: tuple[Answer, ...], answers: tuple[Answer, ...], work: Work, **made: Json) -> Json:
    """What the work gives with an API whose scheme `login` has its tokens from an issuer."""

    async def whole() -> Json:
        async with upstream(*issuing) as issuer, upstream(*answers) as server:
            options: Json = {
                name: value.format(issuer=issuer.url) if isinstance(value, str) else value
                for name, value in (NAMES | made).items()
            }
            api = Api("T", (server.url,), {"login": OAuth2(**options)}, (("login",),), retries=0)
            try:
                return await work(api, issuer, server)
            finally:
                await api.close()

    return asyncio.run(whole())


async def ask(api: Api) -> Json:
    """The answer, or the error as a client sees it."""
    try:
        return await api.send(Request("GET", "/"))
    except ToolError as error:
        return error.as_json()["error"]


def form(issuer: Upstream, index: int = -1) -> str:
    return issuer.requests[index].partition(b"\r\n\r\n")[2].decode()


def store(issuer: str | None, **kept: Json) -> None:
    whole = {"issuer": issuer, "access_token": "kept", "refresh_token": "r1", "renew_at": 0.0}
    token_store.save("t-mcp", "login", whole | kept)


CODE = {"authorization_url": "{issuer}/authorize", "token_url": "{issuer}/token"}


# --- a refresh token that is given


def test_a_new_refresh_token_takes_the_place_of_the_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T_REFRESH_TOKEN", "first")

    async def work(api: Api, issuer: Upstream, server: Upstream) -> list[str]:
        assert [await ask(api) for _ in range(2)] == [{}, {}]
        monkeypatch.setenv("T_REFRESH_TOKEN", "other")  # a rotated secret counts at once
        assert await ask(api) == {}
        return [form(issuer, index) for index in range(len(issuer.requests))]

    tokens = (token("a", refresh_token="second"), token("b"), token("c"))
    answers = (answer(), answer(401), answer(), answer(401), answer())
    assert run(tokens, answers, work, token_url="{issuer}/token") == [
        f"grant_type=refresh_token&refresh_token={one}" for one in ("first", "second", "other")
    ]


def test_a_refresh_token_that_is_refused_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T_REFRESH_TOKEN", SECRET)

    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        return await ask(api), len(issuer.requests)

    error, asked = run((refusal("invalid_grant"),), (answer(),), work, token_url="{issuer}/token")
    assert error == {
        "kind": "missing_credentials",
        "message": "The API takes T_REFRESH_TOKEN no longer: set it to a new token",
        "retryable": False,
    }
    assert asked == 1


def test_a_refresh_goes_to_the_url_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T_REFRESH_TOKEN", "r")

    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        assert await ask(api) == {}
        return issuer.lines()[0]

    made = {"token_url": "{issuer}/token", "refresh_url": "{issuer}/refresh"}
    assert run((token("a"),), (answer(),), work, **made) == "POST /refresh HTTP/1.1"


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_what_a_token_endpoint_repeats_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("T_REFRESH_TOKEN", "refresh-1")
    monkeypatch.setenv("T_CLIENT_ID", "me")
    monkeypatch.setenv("T_CLIENT_SECRET", SECRET)
    header = "bWU6czNjcjN0JTJGJTJCdmFsdWU="
    said = {"error": "odd", "error_description": f"refresh-2 {SECRET} s3cr3t%2F%2Bvalue {header}"}
    told = answer(status, json.dumps(said).encode())

    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        assert await ask(api) == {}
        assert issuer.headers()["authorization"] == f"Basic {header}"
        return await ask(api)

    tokens = (token("a", refresh_token="refresh-2"), told)
    error = run(tokens, (answer(), answer(401)), work, token_url="{issuer}/token")
    shown = json.dumps(error)
    assert "***" in shown
    assert not any(one in shown for one in ("refresh-2", SECRET, "s3cr3t", header)), shown


def test_a_grant_that_is_refused_is_not_tried_again_in_another_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A code or refresh token that comes twice may cost the user every token there is."""
    for name in ("T_REFRESH_TOKEN", "T_CLIENT_ID", "T_CLIENT_SECRET"):
        monkeypatch.setenv(name, "x-value")

    async def work(api: Api, issuer: Upstream, server: Upstream) -> int:
        await ask(api)
        return len(issuer.requests)

    refused = (refusal("invalid_grant"),)
    assert run(refused, (answer(),), work, token_url="{issuer}/token") == 1


# --- where requests for tokens go


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("way", ["token_url", "discovery_url"])
def test_a_token_request_is_not_redirected(
    monkeypatch: pytest.MonkeyPatch, status: int, way: str
) -> None:
    monkeypatch.setenv("T_CLIENT_ID", "me")
    monkeypatch.setenv("T_CLIENT_SECRET", SECRET)

    async def whole() -> Json:
        async with upstream(token("theirs")) as thief, upstream() as server:
            location = f"{thief.url}/elsewhere"
            async with upstream(answer(status, b"", Location=location)) as issuer:
                options: Json = {**NAMES, way: f"{issuer.url}/here"}
                one = OAuth2(**options)
                api = Api("T", (server.url,), {"login": one}, (("login",),), retries=0)
                error = await ask(api)
                await api.close()
                assert server.requests == []
                return error["status"], "not followed" in error["message"], thief.requests

    assert asyncio.run(whole()) == (status, True, [])


def test_a_mock_asks_no_authorization_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T_CLIENT_ID", "me")
    monkeypatch.setenv("T_CLIENT_SECRET", SECRET)

    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        api.use_mock(server.url)
        assert await ask(api) == {}
        return issuer.requests, "authorization" in server.headers()

    assert run((token("a"),), (answer(),), work, token_url="{issuer}/token") == ([], False)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (b"[]", "is no OpenID Connect discovery document"),
        (b"{}", "is no OpenID Connect discovery document"),
        (b'{"token_endpoint": 7}', "is no OpenID Connect discovery document"),
        (b"no json", "is no OpenID Connect discovery document"),
    ],
)
def test_what_is_no_discovery_document(
    monkeypatch: pytest.MonkeyPatch, document: bytes, message: str
) -> None:
    monkeypatch.setenv("T_REFRESH_TOKEN", "r")

    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        return await ask(api)

    error = run((answer(200, document),), (answer(),), work, discovery_url="{issuer}/d")
    assert error["kind"] == "upstream_invalid" and error["message"].endswith(message)


@pytest.mark.parametrize("name", ["token_endpoint", "authorization_endpoint"])
def test_a_provider_with_tls_names_no_endpoint_without(name: str) -> None:
    found = {
        "token_endpoint": "https://id.example/t",
        "authorization_endpoint": "https://id.example/a",
    }

    async def exchange(url: str, form: Json, headers: Json) -> Json:
        return found | {name: "http://id.example/x"}

    one = OAuth2(token="T_TOKEN", discovery_url="https://id.example/d")
    with pytest.raises(ToolError, match="https://id.example/d names an endpoint without TLS"):
        asyncio.run(one.discover(exchange))


# --- what a login has left


def test_a_token_of_a_login_is_used_until_it_ends_and_kept_again() -> None:
    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        store(f"{issuer.url}/token", renew_at=time.time() + 600)
        assert await ask(api) == {} and issuer.requests == []
        assert server.headers()["authorization"] == "Bearer kept"
        waiting = await asyncio.gather(*[ask(api) for _ in range(5)])
        assert waiting == [{}] * 5 and len(issuer.requests) == 1
        return token_store.load("t-mcp", "login")

    answers = (answer(), *[answer(401)] * 5, answer())
    kept = run((token("new", refresh_token="r2"),), answers, work, **CODE)
    assert (kept["access_token"], kept["refresh_token"]) == ("new", "r2")


def test_of_two_servers_the_second_takes_what_the_first_has_renewed() -> None:
    """Both have the refresh token that the first has used up."""

    async def faster(writer: asyncio.StreamWriter) -> None:
        store(place[0], access_token="theirs", refresh_token="r2", renew_at=time.time() + 600)
        writer.write(refusal("invalid_grant"))
        await writer.drain()

    place: list[str] = []

    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        place.append(f"{issuer.url}/token")
        store(place[0])
        assert await ask(api) == {}
        return server.headers()["authorization"]

    assert run((faster,), (answer(),), work, **CODE) == "Bearer theirs"


@pytest.mark.parametrize("refresh_token", ["r1", None])
def test_a_login_that_has_ended_says_how_to_begin_anew(refresh_token: str | None) -> None:
    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        store(f"{issuer.url}/token", refresh_token=refresh_token)
        return await ask(api)

    error = run((refusal("invalid_grant"),), (answer(),), work, **CODE)
    assert (error["kind"], error["message"]) == (
        "missing_credentials",
        "The login has ended: run `t-mcp login` again",
    )


def test_a_token_of_a_login_goes_nowhere_else_when_the_document_changes() -> None:
    async def work(api: Api, issuer: Upstream, server: Upstream) -> Json:
        store("https://honest.example/token")
        error = await ask(api)
        assert issuer.requests == server.requests == []
        return error["message"]

    assert run((token("a"),), (answer(),), work, **CODE) == (
        "This tool needs credentials: set T_TOKEN, or T_REFRESH_TOKEN, or T_CLIENT_ID and T_CLIENT_SECRET"
        " (or run `t-mcp login`) in the environment of this server"
    )


# --- the store


class Keyring:
    """One that holds no more than so much, as that of Windows."""

    limit = 10_000

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.held.get((service, name))

    def set_password(self, service: str, name: str, text: str) -> None:
        if len(text) > self.limit:
            raise OSError("too long")
        self.held[service, name] = text

    def delete_password(self, service: str, name: str) -> None:
        del self.held[service, name]


def kept(name: str) -> dict[str, Json]:
    return {"issuer": "i", "access_token": name, "refresh_token": None, "renew_at": 1.5}


def test_tokens_are_in_the_keyring_or_the_file_and_never_in_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config" / "t-mcp" / "tokens.json"
    assert token_store.save("t-mcp", "one", kept("a")) == str(file)
    token_store.save("t-mcp", "two", kept("b"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    ring = Keyring()
    monkeypatch.setattr(token_store, "_keyring", lambda: ring)
    assert token_store.load("t-mcp", "one") == kept("a")
    assert token_store.save("t-mcp", "one", kept("c")) == "the system's keyring"
    assert token_store.load("t-mcp", "one") == kept("c")
    assert list(json.loads(file.read_text())) == ["two"]
    ring.limit = 10
    assert token_store.save("t-mcp", "one", kept("d")) == str(file)
    assert token_store.load("t-mcp", "one") == kept("d") and ring.held == {}
    ring.limit = 10_000
    token_store.save("t-mcp", "one", kept("e"))
    token_store.save("t-mcp", "one", None)
    assert token_store.load("t-mcp", "one") is None and ring.held == {}
    assert os.listdir(file.parent) == ["tokens.json"]


@pytest.mark.parametrize(
    "text", ["", "[]", "no json", '{"one": 7}', '{"one": {"access_token": 1}}']
)
def test_a_file_that_somebody_spoiled_holds_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config" / "t-mcp" / "tokens.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert token_store.load("t-mcp", "one") is None
    token_store.save("t-mcp", "one", kept("a"))
    assert token_store.load("t-mcp", "one") == kept("a")


# --- commands


def command(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command for a variable that prints what is in a file; the file of its runs."""
    script = folder / "print it.py"
    script.write_text(
        f"import pathlib, time\nwith open({str(folder / 'runs')!r}, 'a') as runs: runs.write('x')\n"
        f"time.sleep(0.3)\nprint(pathlib.Path({str(folder / 'value')!r}).read_text())\n"
    )
    monkeypatch.setenv(f"{name}_COMMAND", f"'{sys.executable}' '{script}'")
    return folder / "runs"


@pytest.mark.parametrize("kind", ["key", "password"])
def test_a_command_runs_once_for_all_that_wait_and_again_when_its_value_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    runs = command(tmp_path, "T_VALUE", monkeypatch)
    value = tmp_path / "value"
    value.write_text("first")
    monkeypatch.setenv("T_USER", "me")
    one = {
        "key": ApiKey("X-Key", variable="T_VALUE"),
        "password": Basic(username="T_USER", password="T_VALUE"),
    }[kind]

    async def whole() -> Json:
        async with upstream(*[answer()] * 5, answer(401), answer()) as server:
            api = Api("T", (server.url,), {"one": one}, (("one",),))
            assert await asyncio.gather(*[ask(api) for _ in range(5)]) == [{}] * 5
            assert runs.read_text() == "x"
            value.write_text("second")
            assert await ask(api) == {}
            await api.close()
            return server.headers()["x-key" if kind == "key" else "authorization"]

    assert asyncio.run(whole()) in ("second", "Basic bWU6c2Vjb25k")
    assert runs.read_text() == "xx"


# --- the caller


def test_without_a_callers_token_the_error_says_what_to_do() -> None:
    async def whole(security: Json) -> Json:
        async with upstream() as server:
            both = {"caller": Caller(), "key": ApiKey("X-Key", variable="T_NO_KEY")}
            api = Api("T", (server.url,), both, security)
            error = await ask(api)
            await api.close()
            return error["message"]

    sent = "a bearer token in the request to this server"
    assert asyncio.run(whole((("caller",),))) == f"This tool needs credentials: {sent}"
    assert asyncio.run(whole((("caller",), ("key",)))) == (
        f"This tool needs credentials: set T_NO_KEY in the environment of this server or {sent}"
    )


def test_a_callers_token_is_not_shown_where_the_api_repeats_it() -> None:
    async def whole() -> Json:
        INBOUND.set({"authorization": f"bearer {SECRET}", "x-tenant": "t-1"})
        async with upstream(answer(403, json.dumps({"error": SECRET}).encode())) as server:
            api = Api("T", (server.url,), {"c": Caller()}, (("c",),), pass_through=("X-Tenant",))
            error = await ask(api)
            await api.close()
            seen = server.headers()
            assert (seen["authorization"], seen["x-tenant"]) == (f"Bearer {SECRET}", "t-1")
            return json.dumps(error)

    assert "s3cr3t" not in asyncio.run(whole())
