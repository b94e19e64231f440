"""Measure what mcpgen promises, beside its peers where they are set up: `make bench`.

Servers are measured in turn, round by round, so that a busy machine is as hard on one as on another: trust the ratios.

    python bench/bench.py [PART …]        start calls load generation curve; all by default
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from documents import document
from driver import Load, Server, Stdio, call, load_http, load_stdio, memory_mib

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".venv-bench"
GITHUB = ROOT.parent / "shared" / "corpus" / "github30.json.gz"
ROUNDS = 7
CALLS = 3_000
UNDER_WAY = 32
BARS_OF_CALLS = {  # openapi-mcp-generator makes servers on the TypeScript SDK
    ("FastMCP from_openapi", "stdio"): 12,
    ("FastMCP from_openapi", "HTTP"): 15,
    ("openapi-mcp-generator", "stdio"): 2,
}
CLIENTS = 1_000
PARTS = ("start", "calls", "load", "generation", "curve")

reached: list[bool] = []


def bar(what: str, value: float, limit: float, unit: str, *, at_least: bool = False) -> None:
    """One promise, held or not."""
    good = value >= limit if at_least else value <= limit
    reached.append(good)
    sign = ">=" if at_least else "<="
    verdict = "reached" if good else "SHORT"
    print(f"{verdict:8} {what}: {value:,.4g} {unit} ({sign} {limit:,.4g})", flush=True)


def generate(folder: Path, name: str, operations: int, url: str) -> Path:
    spec = folder / f"{name}.json"
    spec.write_text(json.dumps(document(operations, url)), encoding="utf-8")
    run_mcpgen(spec, folder / f"{name}-mcp", name)
    return folder / f"{name}-mcp"


def run_mcpgen(spec: Path, out: Path, name: str) -> float:
    """Seconds that it takes."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "mcpgen", str(spec), "-o", str(out), "--name", name, "-q"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def ours(package: Path, name: str, *options: str, tool: str = "get_thing0") -> Server:
    start = [sys.executable, "-m", f"{package.name.replace('-', '_')}", *options]
    http = [*start, "--transport", "http", "--port", "{port}"]
    return Server(name, start, http, tool, package)


def peers(folder: Path) -> list[Server]:
    """Those that `make bench` could set up."""
    found = []
    spec = str(folder / "bench20.json")
    for name, script, tool in (
        ("FastMCP from_openapi", "fastmcp_server.py", "getThing0"),
        ("official Python SDK", "sdk_server.py", "getThing0"),
    ):
        python = PEERS / ("fastmcp" if "fast" in script else "sdk") / "bin" / "python"
        if python.exists():
            start = [str(python), str(ROOT / "bench" / "peers" / script), spec]
            found.append(Server(name, start, [*start, "{port}"], tool))
    built = PEERS / "npm" / "out" / "build" / "index.js"
    node = shutil.which("node")
    if built.exists() and node:
        start = [node, str(built)]
        found.append(Server("openapi-mcp-generator", start, None, "getThing0"))
    return found


def build_node_peer(folder: Path) -> None:
    """openapi-mcp-generator makes a project of TypeScript from the very document that we measure."""
    tool = PEERS / "npm" / "node_modules" / ".bin" / "openapi-mcp-generator"
    if not tool.exists():
        return
    out = PEERS / "npm" / "out"
    shutil.rmtree(out, ignore_errors=True)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    spec = str(folder / "bench20.json")
    commands = (
        ([str(tool), "-i", spec, "-o", str(out), "-t", "stdio", "--force"], None),
        (["npm", "install", "--no-audit", "--no-fund"], out),
        (["npm", "run", "build"], out),
    )
    for command, cwd in commands:
        if subprocess.run(command, cwd=cwd, check=False, **quiet).returncode:  # type: ignore[call-overload]
            print(f"openapi-mcp-generator could not be built: {command[0]} failed")
            shutil.rmtree(out, ignore_errors=True)
            return


def table(title: str, rows: dict[str, list[float]], unit: str) -> dict[str, float]:
    """Print medians with their ratios to the first row; gives the ratios."""
    print(f"\n{title}")
    first = next(iter(rows.values()))
    ratios = {}
    for name, values in rows.items():
        each = [one / base for one, base in zip(values, first, strict=False)]
        ratios[name] = statistics.median(each)
        spread = f"[{min(values):,.4g} – {max(values):,.4g}]"
        print(
            f"  {name:34} {statistics.median(values):10,.4g} {unit:4} {spread:24} x {ratios[name]:.3g}"
        )
    return ratios


def measure_start(servers: list[Server], folder: Path) -> None:
    times: dict[str, list[float]] = {one.name: [] for one in servers}
    memory: dict[str, list[float]] = {one.name: [] for one in servers}
    for _ in range(ROUNDS):
        for server in servers:
            one = Stdio(server)
            one.list()
            times[server.name].append((time.perf_counter() - one.begun) * 1000)
            memory[server.name].append(memory_mib(one.process.pid))
            one.close()
    ratios = table("spawn to tools/list, 20 operations, stdio", times, "ms")
    table("peak memory then", memory, "MiB")
    for name in ratios:
        if name.startswith("FastMCP"):
            bar(f"start against {name}", ratios[name], 30, "times", at_least=True)
    bar("peak memory at the list", statistics.median(memory[servers[0].name]), 14, "MiB")
    for pause, limit in ((0.5, 20.0), (0.0, 230.0)):
        found = []
        for _ in range(ROUNDS):
            one = Stdio(servers[0])
            one.list()
            time.sleep(pause)
            begun = time.perf_counter()
            one.send(call(5, servers[0].tool))
            one.read()
            found.append((time.perf_counter() - begun) * 1000)
            one.close()
        when = "half a second after the list" if pause else "at once after the list"
        bar(f"first call {when}", statistics.median(found), limit, "ms")
    if GITHUB.exists():
        measure_github_start(servers[0], folder)


def measure_github_start(small: Server, folder: Path) -> None:
    package = github_package(folder)
    modes = {
        mode: ours(package, mode, "--mode", mode)
        for mode in ("namespace", "single", "search", "all")
    }
    times: dict[str, list[float]] = {"20 operations": [], **{mode: [] for mode in modes}}
    sizes: dict[str, int] = {}
    for _ in range(ROUNDS):
        for name, server in {"20 operations": small, **modes}.items():
            one = Stdio(server)
            sizes[name] = one.list()
            times[name].append((time.perf_counter() - one.begun) * 1000)
            one.close()
    ratios = table("spawn to tools/list, GitHub's document", times, "ms")
    for mode in modes:
        bar(f"start with GitHub's, {mode}", ratios[mode], 3 if mode == "all" else 1.5, "times")
        limit = 1_500_000 if mode == "all" else 60_000
        bar(f"tools/list of GitHub's, {mode}", sizes[mode], limit, "bytes")


def github_package(folder: Path) -> Path:
    package = folder / "github-mcp"
    if not package.exists():
        import gzip

        (folder / "github.json").write_bytes(gzip.decompress(GITHUB.read_bytes()))
        run_mcpgen(folder / "github.json", package, "github")
    return package


def measure_calls(servers: list[Server]) -> None:
    for transport, measure in (("stdio", load_stdio), ("HTTP", load_http)):
        able = [one for one in servers if transport == "stdio" or one.http]
        cpu: dict[str, list[float]] = {one.name: [] for one in able}
        rate: dict[str, list[float]] = {one.name: [] for one in able}
        for _ in range(3):
            for server in able:
                calls = CALLS if server is servers[0] else CALLS // 5
                load = asyncio.run(measure(server, calls, UNDER_WAY))
                if load.wrong:
                    print(f"  {server.name}: {load.wrong} wrong answers")
                cpu[server.name].append(load.cpu_us)
                rate[server.name].append(calls / load.seconds)
        ratios = table(f"CPU a call, {UNDER_WAY} under way, {transport}", cpu, "us")
        table(f"calls a second, {UNDER_WAY} under way, {transport}", rate, "/s")
        for name, ratio in ratios.items():
            least = BARS_OF_CALLS.get((name, transport))
            if least is not None:
                bar(f"CPU a call against {name}, {transport}", ratio, least, "times", at_least=True)


def measure_load(server: Server, calls: int) -> None:
    for transport, measure in (("stdio", load_stdio), ("HTTP", load_http)):
        load: Load = asyncio.run(measure(server, calls, UNDER_WAY))
        print(f"\n{calls:,} calls, {UNDER_WAY} under way, {transport}: {load.seconds:.0f} s")
        bar(f"wrong or lost answers, {transport}", load.wrong, 0, "of " + f"{calls:,}")
        settled = load.memory[len(load.memory) // 4]
        bar(
            f"memory at the end against a quarter, {transport}",
            load.memory[-1] / settled,
            1.05,
            "times",
        )
        bar(f"memory at the end, {transport}", load.memory[-1], 42, "MiB")
        p50, p99 = load.percentile(0.5), load.percentile(0.99)
        print(f"         p50 {p50:.2f} ms, p99 {p99:.2f} ms")
        bar(f"p99 against p50, {transport}", p99 / p50, 5, "times")
    crowd = asyncio.run(load_http(server, 5 * CLIENTS, CLIENTS))
    bar(f"wrong or lost answers, {CLIENTS:,} HTTP clients at once", crowd.wrong, 0, "of 5,000")


def measure_generation(folder: Path) -> None:
    if not GITHUB.exists():
        print("\nGitHub's document is not here: its figures are left out")
        return
    shutil.rmtree(folder / "github-mcp", ignore_errors=True)
    print()
    begun = time.perf_counter()
    package = github_package(folder)
    bar("GitHub's document, cold", time.perf_counter() - begun, 30, "s")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    bar("the largest process of it", peak, 1.5, "GiB")
    spec = folder / "github.json"
    bar("nothing changed", run_mcpgen(spec, package, "github"), 5, "s")


def measure_curve(folder: Path, url: str) -> None:
    print("\ngeneration by size")
    seconds = {}
    for operations in (100, 200, 400, 800, 1600):
        spec = folder / f"curve{operations}.json"
        spec.write_text(json.dumps(document(operations, url)), encoding="utf-8")
        seconds[operations] = run_mcpgen(spec, folder / f"curve{operations}-mcp", "curve")
        print(f"  {operations:5} operations {seconds[operations]:7.2f} s")
    growth = (seconds[1600] - seconds[800]) / max(seconds[800] - seconds[400], 0.01)
    bar("twice the operations, against twice before", growth, 2.5, "times")


def main() -> None:
    parts = sys.argv[1:] or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        raise SystemExit(f"error: no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * CLIENTS)), hard))
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"load average {', '.join(f'{one:.1f}' for one in os.getloadavg())}")
    with socket.socket() as free, tempfile.TemporaryDirectory() as made:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        folder, url = Path(made), f"http://127.0.0.1:{port}"
        free.close()
        upstream = subprocess.Popen([sys.executable, ROOT / "bench" / "upstream.py", str(port)])
        try:
            package = generate(folder, "bench20", 20, url)
            mine = ours(package, "mcpgen")
            if {"start", "calls"} & set(parts):
                build_node_peer(folder)
            servers = [mine, *peers(folder)]
            steps: dict[str, Callable[[], None]] = {
                "start": lambda: measure_start([*servers, *installed(package, folder)], folder),
                "calls": lambda: measure_calls(servers),
                "load": lambda: measure_load(mine, 100_000),
                "generation": lambda: measure_generation(folder),
                "curve": lambda: measure_curve(folder, url),
            }
            for part in parts:
                steps[part]()
        finally:
            upstream.terminate()
            upstream.wait()
    print(f"\n{sum(reached)} of {len(reached)} bars reached")


def installed(package: Path, folder: Path) -> list[Server]:
    """The entry point as pip makes it, in an environment of its own."""
    environment = folder / "installed"
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", str(package)]
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    done = subprocess.run(pip, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode:
        return []
    return [
        Server(
            "mcpgen, the installed command", [str(environment / "bin" / "bench20-mcp")], None, "x"
        )
    ]


if __name__ == "__main__":
    main()
