"""What several test files need."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

ROOT = Path(__file__).parent.parent

Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


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
