"""The committed examples are what mcpgen makes now, and they work: types, bytecode, their own tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Run
from examples import EXAMPLES, FOLDER, ROOT, Example

IGNORED = ("__pycache__", ".mcpgen/cache/", ".pytest_cache", ".mypy_cache", ".egg-info")

each_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)


@each_example
def test_the_example_is_what_mcpgen_makes(
    example: Example, mcpgen: Run, tmp_path: Path, update: bool
) -> None:
    if update:
        assert mcpgen(*example.command, cwd=ROOT).returncode == 0
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    made = mcpgen(*example.command, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    fresh = files(tmp_path / FOLDER / f"{example.name}-mcp")
    kept = files(example.directory)
    for path in example.by_hand:
        del kept[path]
        fresh.pop(path, None)
    assert sorted(fresh) == sorted(kept)
    assert [path for path in fresh if fresh[path] != kept[path]] == [], "run `make examples`"


@each_example
def test_the_example_is_up_to_date_in_its_place(example: Example, mcpgen: Run) -> None:
    checked = mcpgen("--check", cwd=example.directory)
    assert (checked.returncode, checked.stderr) == (0, "")


@each_example
def test_the_example_passes_mypy_strict(example: Example) -> None:
    cache = ROOT / ".mypy_cache" / "examples" / example.name
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache)]
    assert_passes(command, example)


@each_example
def test_the_example_compiles_without_a_warning(example: Example, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "compileall", "-q", "-f", example.package]
    assert_passes(command, example, PYTHONPYCACHEPREFIX=str(tmp_path))


@each_example
def test_the_examples_own_tests_pass(example: Example) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    assert_passes(command, example)


def test_no_example_names_a_machine_or_a_time() -> None:
    for example in EXAMPLES:
        for path, content in files(example.directory).items():
            assert str(ROOT).encode() not in content, path


def assert_passes(command: list[str], example: Example, **environment: str) -> None:
    done = subprocess.run(
        command,
        cwd=example.directory,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def files(directory: Path) -> dict[str, bytes]:
    found = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*")}
    return {
        name: path.read_bytes()
        for name, path in sorted(found.items())
        if path.is_file() and not any(part in name for part in IGNORED)
    }
