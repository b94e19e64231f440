"""mcpgen as a user installs it: into a fresh environment, used from another folder. Needs the package index, as setup does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from examples import ROOT

BIN = "Scripts" if sys.platform == "win32" else "bin"


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh one, with nothing of ours."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    return folder / BIN


def pip_install(environment: Path, *what: str | Path) -> None:
    quiet = ("--quiet", "--disable-pip-version-check")
    run(environment / "python", "-m", "pip", "install", *quiet, *what, cwd=environment)


def assert_works(environment: Path, folder: Path) -> None:
    """The installed command makes a package there; its templates and runtime are its own, not the checkout's."""
    found = "import mcpgen.resources as r; print(r.templates(), r.HERE)"
    places = run(environment / "python", "-c", found, cwd=folder).split()
    assert all(place.startswith(str(environment.parent)) for place in places)
    made = run(environment / "mcpgen", ROOT / "specs" / "petstore.yaml", "--json", cwd=folder)
    record = json.loads(made)
    assert record["package"] == "petstore_mcp" and len(record["tools"]) == 19
    assert (folder / "petstore-mcp" / "petstore_mcp" / "_runtime" / "main.py").exists()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


def test_a_checkout_then_a_wheel_install_and_work(
    environment: Path, wheel: Path, tmp_path: Path
) -> None:
    pip_install(environment, ROOT)
    (tmp_path / "checkout").mkdir()
    assert_works(environment, tmp_path / "checkout")

    run(
        environment / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "mcpgen", cwd=tmp_path
    )
    pip_install(environment, wheel)
    (tmp_path / "wheel").mkdir()
    assert_works(environment, tmp_path / "wheel")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"mcpgen"}

    # What it made installs as well, and serves from anywhere.
    pip_install(environment, tmp_path / "wheel" / "petstore-mcp")
    version = run(environment / "petstore-mcp", "--version", cwd=tmp_path)
    assert "petstore" in version


@pytest.fixture
def upstream() -> Iterator[str]:
    """An API of which `doctor` only wants to know that it is there."""
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("name", "tools"), [("petstore", 19), ("spotify", 97), ("twilio-verify", 57)]
)
def test_a_package_made_by_the_wheel_can_be_lived_with(
    environment: Path, wheel: Path, tmp_path: Path, upstream: str, name: str, tools: int
) -> None:
    pip_install(environment, wheel)
    spec = ROOT / "specs" / f"{name}.yaml"
    run(environment / "mcpgen", spec, "--name", name, "--quiet", cwd=tmp_path)
    package, command = tmp_path / f"{name}-mcp", f"{name}-mcp"
    run(sys.executable, "-m", "venv", tmp_path / "fresh", cwd=tmp_path)
    fresh = tmp_path / "fresh" / BIN
    pip_install(fresh, package, "pytest")

    tested = run(fresh / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package)
    assert re.search(rf"^{2 * tools + 1} passed", tested, re.MULTILINE), tested
    arguments = json.loads((package / "tests" / "arguments.json").read_text("utf-8"))
    # From another folder, so that it is the installed package that answers.
    record = json.loads((package / ".mcpgen" / "record.json").read_text("utf-8"))
    secrets = {one: "x" for parts in record["credentials"].values() for one in parts.values()}
    told = run(fresh / command, "doctor", "--base-url", upstream, cwd=tmp_path, **secrets)
    assert f"ok  the API answers at {upstream}\n" in told
    listed = run(fresh / command, "tools", cwd=tmp_path).splitlines()
    assert [line.split(" ", 1)[0] for line in listed] == list(arguments)
    tool = next(name for name, given in arguments.items() if given)
    given = json.dumps(arguments[tool])
    run(fresh / command, "call", tool, "--json", given, "--mock", cwd=tmp_path)
    run(fresh / "python", "-m", f"{name.replace('-', '_')}_mcp", "bundle", cwd=package)
    assert (package / f"{command}.mcpb").exists()
