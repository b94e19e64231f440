"""The pages of docs/: what they show is run, what is made from the code is as the code is, and links lead somewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from examples import ROOT
from test_readme import quote

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
STEP = re.compile(r"<!-- (?:(run)|file (\S+)) -->\n```\w+\n(.*?)```", re.DOTALL)
RUN = [page for page in PAGES if "<!-- run -->" in page.read_text("utf-8")]


@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.stem))
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path) -> None:
    """All steps of a page in one shell, from a folder that has the petstore as openapi.yaml."""
    shutil.copy(ROOT / "specs" / "petstore.yaml", tmp_path / "openapi.yaml")
    lines, shown = ["exec 2>&1"], ""
    for is_run, path, text in STEP.findall(page.read_text("utf-8")):
        if not is_run:
            lines += [f"cat > {quote(path)} <<'END_OF_FILE'", text + "END_OF_FILE"]
            continue
        shown += text
        for line in text.splitlines():
            if line.startswith("$ "):
                lines += [f"printf '%s\\n' {quote(line)}", line[2:]]
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env={**kept, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    pattern = ".*".join(re.escape(part) for part in shown.split("…"))
    assert re.fullmatch(pattern, done.stdout, re.DOTALL), done.stdout


def test_pages_are_run() -> None:
    assert {page.stem for page in RUN} >= {"tutorial"}


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse words its help otherwise")
def test_the_reference_is_as_the_code_is(update: bool) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "reference.py")]
    made = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    if update:
        (DOCS / "reference.md").write_text(made, encoding="utf-8", newline="\n")
    assert (DOCS / "reference.md").read_text("utf-8") == made


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: str(page.stem))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
            slugs = {
                re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in headings
            }
            assert anchor in slugs, (target, anchor, slugs)
