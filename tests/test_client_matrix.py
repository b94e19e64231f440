"""The everything server, used whole by the official SDKs: every revision, both transports, Python and TypeScript."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples import ROOT

EVERYTHING = ROOT / "generated_examples" / "everything-mcp"
CLIENTS = ROOT / ".venv-clients"
TYPESCRIPT = CLIENTS / "typescript"
COMMAND = [sys.executable, "-m", "everything_mcp"]
# The SDK, and the revision that it proposes.
PYTHON = [
    ("1.6.0", "2024-11-05"),
    ("1.9.4", "2025-03-26"),
    ("1.22.0", "2025-06-18"),
    ("1.30.0", "2025-11-25"),
]
SEEN = {
    "tools": 28,
    "text": "This is a simple text response for testing.",
    "is_error": True,
    "image": "image/png",
    "resources": 3,
    "resource": "This is the content of the static text resource.",
    "template": '{"id":"7","data":"Data for ID: 7"}',
    "prompts": 5,
    "prompt": "Prompt with arguments: arg1='a', arg2='b'",
    "completion": ["paris", "park", "party"],
    "progress": [0, 50, 100],
    "sampled": "LLM response: {'type': 'text', 'text': 'sampled x'}",
    "elicited": "User response: accept {'username': 'ann'}",
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The everything server over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*COMMAND, "--transport", "http", "--port", str(port)]
    process = subprocess.Popen(command, cwd=EVERYTHING, stdin=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}/mcp"
    process.terminate()
    assert process.wait(10) == 0


def drive(program: list[str | Path], cwd: Path, task: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(
        program,
        cwd=cwd,
        input=json.dumps(task),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


STDIO = {"command": COMMAND, "cwd": str(EVERYTHING)}


@pytest.mark.parametrize(
    ("sdk", "revision", "transport"),
    [(*one, "stdio") for one in PYTHON] + [(*one, "http") for one in PYTHON[1:]],  # new in 1.8
)
def test_the_python_sdk(
    sdk: str, revision: str, transport: str, request: pytest.FixtureRequest
) -> None:
    python = CLIENTS / sdk / "bin" / "python"
    if not python.exists():
        pytest.skip("`make test` sets the old SDKs up")
    task = STDIO if transport == "stdio" else {"url": request.getfixturevalue("url")}
    seen = drive([python, ROOT / "tests" / "clients" / "everything1.py"], ROOT, task)
    later = {"progress": "1.9.4", "elicited": "1.22.0"}
    versions = [name for name, _ in PYTHON]
    unknown = [name for name, since in later.items() if versions.index(sdk) < versions.index(since)]
    assert seen == {
        **SEEN,
        **dict.fromkeys(unknown),
        "version": revision,
        "logs": ["info"] * 3,
    }


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize(
    ("mode", "revision"), [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")]
)
def test_the_typescript_sdk(
    mode: str, revision: str, transport: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if not (TYPESCRIPT / "node_modules").exists() or not shutil.which("node"):
        pytest.skip("`make test` sets the TypeScript SDK up, where there is npm")
    task = STDIO if transport == "stdio" else {"url": request.getfixturevalue("url")}
    # Node finds packages from the place of the script.
    (tmp_path / "node_modules").symlink_to(TYPESCRIPT / "node_modules")
    script = shutil.copy(ROOT / "tests" / "clients" / "everything.mjs", tmp_path)
    seen = drive(["node", script], tmp_path, {**task, "mode": mode})
    assert seen == {**SEEN, "version": revision}
