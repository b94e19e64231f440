"""What several test files need."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

ROOT = Path(__file__).parent.parent
RUNTIME = "mcpgen.runtime"

Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_configure() -> None:
    """With MCPGEN_RUNTIME=<package>._runtime the runtime that is tested is the copy in that package."""
    copy = os.environ.get("MCPGEN_RUNTIME")
    if copy:
        package = sys.modules[RUNTIME] = importlib.import_module(copy)
        setattr(importlib.import_module("mcpgen"), "runtime", package)
        for found in pkgutil.walk_packages(package.__path__, f"{copy}."):
            sys.modules[RUNTIME + found.name.removeprefix(copy)] = importlib.import_module(
                found.name
            )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    session = importlib.import_module(f"{RUNTIME}.session")
    terminalreporter.write_line(f"the runtime that was tested is {session.__name__}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite expected outputs; read the diff"
    )


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Are expected outputs to be rewritten?"""
    return bool(request.config.getoption("--update"))


@pytest.fixture
def mcpgen() -> Run:
    """Run the command as a user does, in the folder `cwd`."""

    def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mcpgen", *map(str, arguments)]
        return subprocess.run(
            command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=120, check=False
        )

    return run
