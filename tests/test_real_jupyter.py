"""A Jupyter Server, wrapped from the Swagger 2.0 document that it ships: files and kernels through tools."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from real_apis import PYTHON, Package, generate, needs_real_apis

Json = Any

pytestmark = needs_real_apis
TOKEN = "c0ffee"
FILE = "/api/contents/{path}"
FIND_DOCUMENT = "import jupyter_server.services.api as api; print(api.__path__[0])"

# The document says nothing of how callers are known; what an operator would add to it.
OVERLAY = {
    "overlay": "1.0.0",
    "info": {"title": "Jupyter's token", "version": "1"},
    "actions": [
        {
            "target": "$",
            "update": {
                "securityDefinitions": {
                    "token": {"type": "apiKey", "in": "header", "name": "Authorization"}
                },
                "security": [{"token": []}],
            },
        }
    ],
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Package]:
    folder = tmp_path_factory.mktemp("jupyter")
    place = subprocess.check_output([PYTHON, "-c", FIND_DOCUMENT], encoding="utf-8", timeout=60)
    overlay = folder / "overlay.yaml"
    overlay.write_text(yaml.safe_dump(OVERLAY), encoding="utf-8")
    document = Path(place.strip()) / "api.yaml"
    record = generate(document, folder / "out", "--overlay", str(overlay))
    assert record["skipped"] == [] and record["warnings"] == []
    files = folder / "files"
    files.mkdir()
    port = free_port()
    own = {f"JUPYTER_{one}_DIR": str(folder / one) for one in ("CONFIG", "DATA", "RUNTIME")}
    command = [
        *(str(PYTHON), "-m", "jupyter_server", "--no-browser", "--allow-root"),
        f"--ServerApp.root_dir={files}",
        *(f"--IdentityProvider.token={TOKEN}", "--ServerApp.ip=127.0.0.1"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
    ]
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **own, "IPYTHONDIR": str(folder / "IPYTHON")},
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            read_until_running(process)
            environment = {
                record["base_url"]: f"http://127.0.0.1:{port}",
                record["credentials"]["token"]["key"]: f"token {TOKEN}",
            }
            yield Package(folder / "out", record, environment)
        finally:
            process.terminate()
            process.wait(60)


def read_until_running(process: subprocess.Popen[str]) -> None:
    """Wait for the line that says so; what comes later is read too, lest the pipe fill up."""
    assert process.stderr
    said = []
    for line in process.stderr:
        said.append(line)
        if "is running at" in line:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return
    raise AssertionError("".join(said))


def test_a_file_is_created_read_renamed_and_deleted(jupyter: Package) -> None:
    put, get, patch, delete = (
        jupyter.tool(method, FILE) for method in ("PUT", "GET", "PATCH", "DELETE")
    )
    text = "é = 1\nprint('a/b')\n"
    made, saved, read, renamed, listed, gone, missing = jupyter.call(
        (put, {"path": "w ü", "body": {"type": "directory"}}),
        (put, {"path": "w ü/a+b.py", "body": {"type": "file", "format": "text", "content": text}}),
        (get, {"path": "w ü/a+b.py", "type": "file", "format": "text", "content": 1}),
        (patch, {"path": "w ü/a+b.py", "body": {"path": "w ü/c%20d.py"}}),
        (get, {"path": "w ü"}),
        (delete, {"path": "w ü/c%20d.py"}),
        (get, {"path": "w ü/c%20d.py"}),
    )
    assert (made["type"], made["path"]) == ("directory", "w ü")
    assert (saved["name"], saved["path"], saved["size"]) == ("a+b.py", "w ü/a+b.py", len(text) + 1)
    assert (read["content"], read["format"], read["writable"]) == (text, "text", True)
    assert renamed["path"] == "w ü/c%20d.py"
    assert [one["path"] for one in listed["content"]] == ["w ü/c%20d.py"]
    assert gone is None or gone == {}
    assert (missing["error"]["kind"], missing["error"]["status"]) == ("upstream_status", 404)


def test_a_new_file_of_a_folder_gets_a_name(jupyter: Package) -> None:
    put, post = jupyter.tool("PUT", FILE), jupyter.tool("POST", FILE)
    _, made = jupyter.call(
        (put, {"path": "new", "body": {"type": "directory"}}),
        (post, {"path": "new", "body": {"ext": ".txt", "type": "file"}}),
    )
    assert (made["path"], made["type"], made["size"]) == ("new/untitled.txt", "file", 0)


def test_a_kernel_starts_and_stops(jupyter: Package) -> None:
    [started] = jupyter.call((jupyter.tool("POST", "/api/kernels"), {"body": {"name": "python3"}}))
    assert started["name"] == "python3"
    kernel = {"kernel_id": started["id"]}
    running, shown, stopped, after = jupyter.call(
        (jupyter.tool("GET", "/api/kernels"), {}),
        (jupyter.tool("GET", "/api/kernels/{kernel_id}"), kernel),
        (jupyter.tool("DELETE", "/api/kernels/{kernel_id}"), kernel),
        (jupyter.tool("GET", "/api/kernels"), {}),
    )
    assert [one["id"] for one in running["result"]] == [started["id"]]
    assert shown["id"] == started["id"]
    assert stopped is None or stopped == {}
    assert after == {"result": []}


def test_without_the_token_nothing_is_called(jupyter: Package) -> None:
    variable = jupyter.record["credentials"]["token"]["key"]
    [answer] = jupyter.without(variable).call((jupyter.tool("GET", "/api/kernels"), {}))
    assert (
        answer["error"]["kind"] == "missing_credentials" and variable in answer["error"]["message"]
    )


def test_a_wrong_token_is_told(jupyter: Package) -> None:
    variable = jupyter.record["credentials"]["token"]["key"]
    other = jupyter.without(variable, **{variable: "token wrong"})
    [answer] = other.call((jupyter.tool("GET", "/api/kernels"), {}))
    assert (answer["error"]["kind"], answer["error"]["status"]) == ("upstream_status", 403)
    assert "wrong" not in str(answer)
