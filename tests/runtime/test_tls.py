"""TLS with a private authority and with client certificates, by real handshakes."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme
from upstream import Upstream, answer

from mcpgen.runtime.api import Api, ClientCertificate, OAuth2
from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.request import Request

ENVIRONMENT = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@asynccontextmanager
async def tls_upstream(
    authority: Any, *, asks: bool, said: bytes | None = None
) -> AsyncIterator[Upstream]:
    """An upstream that shows a certificate of the authority, and may ask for one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    if asks:
        authority.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    made = Upstream((said or answer(),))
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=context)
    made.url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield made


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    made = trustme.CA()
    made.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    client = made.issue_cert("client@example.com")
    client.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "both.pem"))
    client.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    client.cert_chain_pems[0].write_to_path(str(tmp_path / "cert.pem"))
    return made


async def ask(made: Upstream, *, shows: bool) -> Any:
    credentials = {"tls": ClientCertificate(certificate="T_CLIENT_CERT", key="T_CLIENT_KEY")}
    api = Api("T", [made.url], credentials, (("tls",),) if shows else (), retries=0)
    try:
        return await api.send(Request("GET", "/x"))
    except ToolError as error:
        return error
    finally:
        await api.close()


@pytest.mark.parametrize("variable", ENVIRONMENT[:2])  # OpenSSL reads the third when it is loaded
def test_a_private_authority_is_trusted_where_it_is_named(
    authority: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    async def work() -> None:
        async with tls_upstream(authority, asks=False) as made:
            error = await ask(made, shows=False)
            assert (error.kind, error.retryable) == ("upstream_unreachable", False)
            assert made.requests == []
            monkeypatch.setenv(variable, str(tmp_path / "ca.pem"))
            assert await ask(made, shows=False) == {}

    asyncio.run(work())


@pytest.mark.parametrize("files", [("both.pem", ""), ("cert.pem", "key.pem")])
def test_a_client_shows_its_certificate(
    authority: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: tuple[str, str]
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))

    async def work() -> None:
        async with tls_upstream(authority, asks=True) as made:
            refused = await ask(made, shows=False)
            assert refused.kind == "upstream_unreachable" and made.requests == []
            missing = await ask(made, shows=True)
            assert missing.kind == "missing_credentials" and "T_CLIENT_CERT" in missing.message
            for name, file in zip(("T_CLIENT_CERT", "T_CLIENT_KEY"), files, strict=True):
                monkeypatch.setenv(name, str(tmp_path / file) if file else "")
            assert await ask(made, shows=True) == {}

    asyncio.run(work())


def test_tokens_come_over_the_same_tls(
    authority: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token endpoint is behind the private authority, and asks for the certificate too."""
    monkeypatch.setenv("T_REFRESH_TOKEN", "r")
    both = {
        "tls": ClientCertificate(certificate="T_CLIENT_CERT", key="T_CLIENT_KEY"),
        "login": OAuth2(token="T_TOKEN", refresh_token="T_REFRESH_TOKEN", token_url="/token"),
    }

    async def work() -> None:
        told = answer(200, b'{"access_token": "a-token"}')
        async with tls_upstream(authority, asks=True, said=told) as made:
            api = Api("T", [made.url], both, (("tls", "login"),), retries=0)
            monkeypatch.setenv("T_CLIENT_CERT", str(tmp_path / "both.pem"))
            with pytest.raises(ToolError, match="cannot connect"):
                await api.send(Request("GET", "/x"))
            await api.close()
            assert made.requests == []
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
            await api.send(Request("GET", "/x"))
            await api.close()
            assert [made.lines(index)[0] for index in range(2)] == [
                "POST /token HTTP/1.1",
                "GET /x HTTP/1.1",
            ]
            assert made.headers()["authorization"] == "Bearer a-token"

    asyncio.run(work())


def test_a_file_that_cannot_be_used_is_named(
    authority: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.pem").write_text("no certificate")
    monkeypatch.setenv("T_CLIENT_CERT", str(tmp_path / "bad.pem"))

    async def work() -> None:
        async with tls_upstream(authority, asks=True) as made:
            error = await ask(made, shows=True)
            assert error.kind == "missing_credentials" and "T_CLIENT_CERT" in error.message

    asyncio.run(work())
