"""Two replicas behind a real nginx, one workers' pool, and a mount: nothing is kept between requests."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from examples import ROOT
from mcpgen.runtime.http_replies import Refused
from mcpgen.runtime.protection import Protection

PETSTORE = ROOT / "generated_examples" / "petstore-mcp"
NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + os.pathsep + "/usr/sbin")

CONFIGURATION = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  log_format upstreams '$upstream_addr';
  access_log {folder}/upstreams.log upstreams;
  upstream replicas {{ server 127.0.0.1:{one}; server 127.0.0.1:{other}; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://replicas; proxy_http_version {version}; proxy_set_header Connection ""; }}
  }}
}}
"""

PROGRESS = """
import asyncio
import os
from pathlib import Path

from ..tools import pet as generated


class PetTools(generated.PetTools):
    async def get_pet_by_id(self, *, pet_id):
        await self.context.progress(1, 2, "half")
        while not Path(os.environ["HEARD"]).exists():  # for ever, if a proxy holds the progress back
            await asyncio.sleep(0.01)
        return await super().get_pet_by_id(pet_id=pet_id)
"""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)


Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    running: list[subprocess.Popen[bytes]] = []

    def begin(command: list[str], port: int, cwd: Path, **environment: str) -> Any:
        process = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.DEVNULL
        )
        running.append(process)
        wait_for(port, process)
        return process

    yield begin
    for process in running:
        process.terminate()
    for process in running:
        process.wait(10)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "petstore-mcp"
    shutil.copytree(PETSTORE, folder)
    (folder / "petstore_mcp" / "custom" / "pet.py").write_text(PROGRESS, encoding="utf-8")
    return folder


async def use(url: str, mode: str, heard: Path, calls: int = 10) -> list[str]:
    """List and call; gives what one call said, which answers only when `heard` shows that its progress has arrived."""
    seen: list[str] = []

    async def step(progress: float, total: float | None = None, message: str | None = None) -> None:
        seen.append(str(message))
        heard.touch()

    async with asyncio.timeout(60), Client(url, mode=mode) as client:
        assert len((await client.list_tools()).tools) == 19
        for number in range(calls):
            result = await client.call_tool("get_order_by_id", {"order_id": number + 1})
            assert not result.is_error, result.content
        result = await client.call_tool("get_pet_by_id", {"pet_id": 1}, progress_callback=step)
        assert not result.is_error, result.content
        seen.append("answer")
    return seen


@pytest.mark.skipif(NGINX is None, reason="there is no nginx (Debian package nginx-light)")
@pytest.mark.parametrize("version", ["1.0", "1.1"])  # by 1.0 it holds a stream back unless told
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_two_replicas_behind_nginx(
    mode: str, version: str, package: Path, tmp_path: Path, start: Start
) -> None:
    one, other, port = free_port(), free_port(), free_port()
    for own in (one, other):
        start(
            [
                sys.executable,
                "-m",
                "petstore_mcp",
                "--mock",
                "--transport",
                "http",
                "--port",
                str(own),
            ],
            own,
            package,
            PETSTORE_ALLOWED_HOSTS="replicas",
            HEARD=str(tmp_path / "heard"),
        )
    text = CONFIGURATION.format(folder=tmp_path, one=one, other=other, port=port, version=version)
    (tmp_path / "nginx.conf").write_text(text, encoding="utf-8")
    start(
        [str(NGINX), "-c", str(tmp_path / "nginx.conf"), "-e", str(tmp_path / "error.log")],
        port,
        tmp_path,
    )
    seen = asyncio.run(use(f"http://127.0.0.1:{port}/mcp", mode, tmp_path / "heard"))
    assert seen == ["half", "answer"]
    answered = (tmp_path / "upstreams.log").read_text("utf-8").split()
    assert min(answered.count(f"127.0.0.1:{own}") for own in (one, other)) >= 5


def test_several_workers_of_one_server(package: Path, start: Start) -> None:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "petstore_mcp.asgi:app", "--workers", "2"]
    start([*command, "--port", str(port)], port, package, PETSTORE_BASE_URL="http://127.0.0.1:9")

    async def listed(mode: str) -> int:
        async with asyncio.timeout(60), Client(f"http://127.0.0.1:{port}/mcp", mode=mode) as client:
            return len((await client.list_tools()).tools)

    assert [asyncio.run(listed(mode)) for mode in ("legacy", "2026-07-28")] == [19, 19]


MOUNTED = """
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from petstore_mcp.asgi import app as petstore

app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("home")), Mount("/pets", petstore)])
"""


def test_it_mounts_into_another_application(package: Path, start: Start) -> None:
    port = free_port()
    (package / "site_app.py").write_text(MOUNTED, encoding="utf-8")
    command = [sys.executable, "-m", "uvicorn", "site_app:app", "--port", str(port)]
    start(command, port, package)

    async def listed() -> int:
        url = f"http://127.0.0.1:{port}/pets/mcp"
        async with asyncio.timeout(60), Client(url) as client:
            return len((await client.list_tools()).tools)

    assert asyncio.run(listed()) == 19


def test_others_are_not_served_by_a_mount_without_protection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def status(address: str, host: str = "localhost") -> int:
        scope: dict[str, Any] = {"server": (address, 8000)}
        try:
            asyncio.run(Protection("PETS").check(scope, {"host": host}))
        except Refused as refused:
            return refused.status
        return 200

    assert [status(one) for one in ("127.0.0.1", "::1", "10.0.0.5")] == [200, 200, 403]
    assert status("127.0.0.1", "evil.example.com") == 421
    monkeypatch.setenv("PETS_SERVER_TOKEN", "off")
    assert status("10.0.0.5") == 200
    monkeypatch.setenv("PETS_SERVER_TOKEN", "secret")
    assert status("10.0.0.5") == 401
