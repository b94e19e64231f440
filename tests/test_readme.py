"""README tells the truth: its sessions are run, and the code that it shows is in the examples."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from examples import ROOT

README = (ROOT / "README.md").read_text("utf-8")
SESSIONS = re.findall(r"<!-- run -->\n```console\n(.*?)```", README, re.DOTALL)
LISTINGS = re.findall(r"<!-- file (\S+) -->\n```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("session", SESSIONS)
def test_a_session_prints_what_readme_says(session: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "specs" / "petstore.yaml", tmp_path / "openapi.yaml")
    script = "\n".join(
        f"printf '%s\\n' {quote(line)}; {line[2:]}"
        for line in session.splitlines()
        if line.startswith("$ ")
    )
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # What this run of pytest tells its workers is not meant for a pytest of its own.
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=tmp_path,
        env={**kept, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    pattern = ".*".join(re.escape(part) for part in session.split("…"))
    assert re.fullmatch(pattern, done.stdout, re.DOTALL), done.stdout


@pytest.mark.parametrize(("path", "listing"), LISTINGS)
def test_code_that_is_shown_stands_in_an_example(path: str, listing: str) -> None:
    assert listing in (ROOT / path).read_text("utf-8")


def test_there_is_something_to_check() -> None:
    assert (len(SESSIONS), len(LISTINGS)) == (3, 2)


def quote(line: str) -> str:
    return "'" + line.replace("'", "'\\''") + "'"
