"""Run each folder of tests/cases/; see the README there. `make update` rewrites what is expected."""

from __future__ import annotations

import shlex
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path

import pytest

from conftest import Run
from examples import ROOT

CASES = ROOT / "tests" / "cases"
SHOWN = ("*/tools/*.py", "*/custom/*.py", "*/api.py", "*/models.py", "*/catalog.json")


def texts(folder: Path, patterns: tuple[str, ...]) -> dict[str, str]:
    paths = sorted({path for pattern in patterns for path in folder.glob(pattern)})
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.is_file()
    }


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_case(name: str, mcpgen: Run, tmp_path: Path, update: bool) -> None:
    case, work = CASES / name, tmp_path / name
    answers = ("expected", "stdout.txt", "stderr.txt")
    shutil.copytree(case, work, ignore=shutil.ignore_patterns(*answers))
    arguments = case / "args"
    command = arguments.read_text(encoding="utf-8") if arguments.exists() else "openapi.yaml"
    if not command.startswith(("inspect", "changes", "init")):
        command += " -o out --quiet"
    done = mcpgen(*shlex.split(command), cwd=work)
    got = {
        "stdout.txt": done.stdout,
        "stderr.txt": done.stderr,
        **{f"expected/{path}": text for path, text in texts(work / "out", SHOWN).items()},
    }
    got = {path: text for path, text in got.items() if text and "/__init__." not in path}
    for path, text in got.items():
        if path.endswith(".py"):
            with warnings.catch_warnings(action="error"):
                compile(text, path, "exec")
    if update:
        rewrite(case, got)
    assert got == texts(case, ("expected/**/*", "stdout.txt", "stderr.txt"))
    failed = "error[" in done.stderr or "error:" in done.stderr.lower()
    assert (done.returncode != 0) == failed
    assert done.returncode in (0, 1, 2)


def rewrite(case: Path, got: Mapping[str, str]) -> None:
    shutil.rmtree(case / "expected", ignore_errors=True)
    for name in ("stdout.txt", "stderr.txt"):
        (case / name).unlink(missing_ok=True)
    for path, text in got.items():
        (case / path).parent.mkdir(parents=True, exist_ok=True)
        (case / path).write_text(text, encoding="utf-8", newline="\n")
