"""`--watch`: a run after each change of the document, of what it refers to, and of the settings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

PETS = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    $ref: more.yaml#/pets
"""
MORE = """\
pets:
  get: {operationId: listPets, tags: [pets], responses: {"200": {description: ok}}}
"""

MANIFEST = """\
mcpgen: 1
name: shop
api: {document: pets.yaml, include: ["path:/**"]}
"""

Process = subprocess.Popen[str]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "pets.yaml").write_text(PETS)
    (tmp_path / "more.yaml").write_text(MORE)
    return tmp_path


@pytest.fixture
def watching(work: Path) -> Iterator[Process]:
    with watched(work, "pets.yaml") as process:
        yield process


@contextmanager
def watched(folder: Path, spec: str) -> Iterator[Process]:
    command = [sys.executable, "-m", "mcpgen", spec, "--watch"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, encoding="utf-8")
    timer = Timer(120, process.kill)
    timer.start()
    yield process
    timer.cancel()
    process.kill()
    process.communicate()


def told(process: Process, watches: str = "watching ") -> str:
    """What is said until the run is over and the watch goes on."""
    assert process.stderr
    lines: list[str] = []
    for line in process.stderr:
        if line.startswith("watching "):
            assert line.startswith(watches)
            return "".join(lines)
        lines.append(line)
    raise AssertionError(f"it ended: {''.join(lines)}")


def replace(path: Path, text: str) -> None:
    """As an editor does it: a new file in the place of the old one."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text)
    os.replace(beside, path)


def test_each_change_of_what_was_read_makes_a_run(work: Path, watching: Process) -> None:
    handlers = work / "pets-mcp/pets_mcp/tools/pets.py"
    assert told(watching) == ""
    assert "def list_pets" in handlers.read_text()
    replace(work / "more.yaml", MORE.replace("listPets, ", "listPets, summary: All of them, "))
    assert "cosmetic" in told(watching)
    assert "All of them." in handlers.read_text()
    replace(work / "pets.yaml", "openapi: [")
    assert told(watching).endswith("1 error; nothing was written\n")
    assert "All of them." in handlers.read_text()
    replace(work / "pets.yaml", PETS)
    told(watching)
    settings = work / "pets-mcp/mcpgen.yaml"
    replace(settings, settings.read_text() + "rename: {list_pets: all_pets}\n")
    assert "all_pets: the tool 'list_pets' is called 'all_pets' now" in told(watching)
    assert "def all_pets" in handlers.read_text()
    watching.send_signal(signal.SIGINT)
    assert watching.wait(30) == 0


def test_a_manifest_is_watched_with_the_document_that_it_attaches(work: Path) -> None:
    (work / "pets.yaml").write_text(PETS)
    (work / "tools.yaml").write_text(MANIFEST)
    with watched(work, "tools.yaml") as process:
        assert process.stderr
        assert (
            told(process, "watching more.yaml, pets.yaml, shop-mcp/mcpgen.yaml, tools.yaml;") == ""
        )
        replace(work / "more.yaml", MORE.replace("listPets, ", "listPets, summary: All of them, "))
        assert "cosmetic" in told(process)


def test_without_watchfiles_it_says_what_to_install(work: Path) -> None:
    code = "import sys; sys.modules['watchfiles'] = None; from mcpgen.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "pets.yaml", "--watch"],
        cwd=work,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "--watch needs watchfiles: pip install 'mcpgen[watch]'\n",
    )
    assert not (work / "pets-mcp").exists()


@pytest.mark.parametrize("other", ["--check", "--diff", "-"])
def test_what_cannot_be_watched_is_wrong_usage(work: Path, other: str) -> None:
    spec = () if other == "-" else ("pets.yaml",)
    done = subprocess.run(
        [sys.executable, "-m", "mcpgen", *spec, other, "--watch"],
        cwd=work,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert "--watch does not go with" in done.stderr
