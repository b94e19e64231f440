"""mcpgen as a user installs it: into a fresh environment, used from another folder. Needs the package index, as setup does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from examples import ROOT

BIN = "Scripts" if sys.platform == "win32" else "bin"


def run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
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


def test_a_checkout_then_a_wheel_install_and_work(environment: Path, tmp_path: Path) -> None:
    pip_install(environment, ROOT)
    (tmp_path / "checkout").mkdir()
    assert_works(environment, tmp_path / "checkout")

    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
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
