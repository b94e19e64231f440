"""A raw MCP client over stdio and HTTP, and what it can measure of a server from outside. Linux only: reads /proc."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = Any
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(frozen=True)
class Server:
    """How to start one, and what the tool that is called is named there."""

    name: str
    stdio: Sequence[str]
    http: Sequence[str] | None
    tool: str
    cwd: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def variables(self) -> dict[str, str]:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        return {**clean, **self.environment}


def request(number: int, method: str, params: Json) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode()


INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def call(number: int, tool: str) -> bytes:
    arguments = {"id": number % 1000, "verbose": True}
    return request(number, "tools/call", {"name": tool, "arguments": arguments})


def cpu_ns(pid: int) -> int:
    """CPU time of a process with its threads."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total


def memory_mib(pid: int, what: str = "VmHWM") -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) / 1024
    return 0.0


class Stdio:
    """A server under way on stdio; blocking, so that the driver adds nothing to what it measures."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            server.stdio,
            cwd=server.cwd,
            env=server.variables(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def send(self, *messages: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"\n".join(messages) + b"\n")
        self.process.stdin.flush()

    def read(self) -> Json:
        """The next answer; what is said besides is passed over."""
        assert self.process.stdout
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if "id" in message and "method" not in message:
                return message
        raise RuntimeError(f"{self.server.name} has ended")

    def list(self) -> int:
        """Handshake and list; gives the bytes of the list."""
        self.send(request(0, "initialize", HELLO))
        self.read()
        self.send(INITIALIZED, request(1, "tools/list", {}))
        assert self.process.stdout
        while True:
            line = self.process.stdout.readline()
            if b'"tools"' in line:
                return len(line)
            if not line:
                raise RuntimeError(f"{self.server.name} has ended")

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


@dataclass
class Load:
    """What a number of calls cost: CPU of the server in microseconds a call, latencies in milliseconds."""

    cpu_us: float
    seconds: float
    latencies: list[float]
    wrong: int
    memory: list[float]

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def load_stdio(server: Server, calls: int, under_way: int) -> Load:
    process = await asyncio.create_subprocess_exec(
        *server.stdio,
        cwd=server.cwd,
        env=server.variables(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=2**26,
    )
    assert process.stdin and process.stdout
    source, sink = process.stdout, process.stdin
    waiting: dict[int, asyncio.Future[Json]] = {}

    async def pump() -> None:
        while line := await source.readline():
            message = json.loads(line)
            if message.get("id") in waiting:
                waiting.pop(message["id"]).set_result(message)

    async def ask(number: int, data: bytes) -> Json:
        waiting[number] = asyncio.get_running_loop().create_future()
        future = waiting[number]
        sink.write(data + b"\n")
        return await asyncio.wait_for(future, 60)

    pumping = asyncio.create_task(pump())
    await ask(-1, request(-1, "initialize", HELLO))
    sink.write(INITIALIZED + b"\n")
    load = await _load(server, calls, under_way, process.pid, ask)
    sink.close()
    await asyncio.wait_for(process.wait(), 20)
    pumping.cancel()
    return load


async def load_http(server: Server, calls: int, under_way: int) -> Load:
    assert server.http
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [one.replace("{port}", str(port)) for one in server.http]
    process = subprocess.Popen(
        command,
        cwd=server.cwd,
        env=server.variables(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while socket.socket().connect_ex(("127.0.0.1", port)):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{server.name} does not listen")
        await asyncio.sleep(0.05)
    pool: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    head = (
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
    ).replace("{port}", str(port))

    async def ask(number: int, data: bytes) -> Json:
        reader, writer = (
            pool.pop() if pool else await asyncio.open_connection("127.0.0.1", port, limit=2**26)
        )
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        answered = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        headers = answered.decode("latin-1").lower()
        if "content-length:" in headers:
            length = int(headers.split("content-length:")[1].split("\r\n")[0])
            body = await reader.readexactly(length)
        else:  # chunked, perhaps events
            body = b""
            while size := int((await reader.readline()).strip() or b"0", 16):
                body += await reader.readexactly(size)
                await reader.readexactly(2)
            await reader.readline()
        pool.append((reader, writer))
        if not headers.startswith("http/1.1 200"):
            return {"id": number}  # refused
        if body.startswith((b"event:", b"data:", b"id:")):
            [data] = [one[5:] for one in body.splitlines() if one.startswith(b"data:")][-1:]
            return json.loads(data)
        return json.loads(body)

    try:
        return await _load(server, calls, under_way, process.pid, ask)
    finally:
        for _, writer in pool:
            writer.close()
        process.terminate()
        process.wait(20)


async def _load(server: Server, calls: int, under_way: int, pid: int, ask: Any) -> Load:
    for number in range(20):  # whatever is loaded at the first call
        await ask(number, call(number, server.tool))
    numbers = iter(range(100, 100 + calls))
    latencies: list[float] = []
    wrong = 0
    memory = [memory_mib(pid, "VmRSS")]
    step = max(calls // 20, 1)

    async def work() -> None:
        nonlocal wrong
        for number in numbers:
            begun = time.perf_counter()
            message = await ask(number, call(number, server.tool))
            latencies.append((time.perf_counter() - begun) * 1000)
            result = message.get("result", {})
            if message["id"] != number or result.get("isError") or "content" not in result:
                wrong += 1
            if len(latencies) % step == 0:
                memory.append(memory_mib(pid, "VmRSS"))

    used, begun = cpu_ns(pid), time.perf_counter()
    await asyncio.gather(*[work() for _ in range(under_way)])
    seconds = time.perf_counter() - begun
    return Load((cpu_ns(pid) - used) / 1000 / calls, seconds, latencies, wrong, memory)
