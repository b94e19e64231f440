"""`mcpgen init`: a tool server that works at once, asks nothing, and grows by its manifest."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

from conftest import Run

NEW = """
  shout:
    description: Make a text loud.
    input:
      text: string
    output: string
"""


async def call(folder: Path, package: str, name: str, arguments: dict[str, object]) -> object:
    command = StdioServerParameters(command=sys.executable, args=["-m", package], cwd=folder)
    async with asyncio.timeout(60), Client(command) as client:
        result = await client.call_tool(name, arguments)
        return result.structured_content or result.content[0].text  # type: ignore[union-attr]


def test_a_new_server_is_typed_tested_and_called(mcpgen: Run, tmp_path: Path) -> None:
    made = mcpgen("init", "my-texts", cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.splitlines()[1:] == [
        "",
        "Next:",
        "  cd my-texts",
        "  pip install -e '.[dev]' && pytest",
        "  my-texts-mcp",
    ]
    folder = tmp_path / "my-texts"
    for module in (["mypy", "--strict"], ["pytest", "-q", "-p", "no:xdist"]):
        done = subprocess.run([sys.executable, "-m", *module], cwd=folder, capture_output=True)
        assert done.returncode == 0, done.stdout.decode()
    arguments = {"text": "one three", "longest": True}
    found = asyncio.run(call(folder, "my_texts_mcp", "count_words", arguments))
    assert found == {"words": 2, "characters": 9, "longest": "three"}


def test_a_new_tool_of_the_manifest_is_a_stub_and_custom_stays(mcpgen: Run, tmp_path: Path) -> None:
    assert mcpgen("init", "texts", cwd=tmp_path).returncode == 0
    folder = tmp_path / "texts"
    custom = folder / "texts_mcp" / "custom" / "texts.py"
    before = custom.read_text("utf-8")
    manifest = folder / "tools.yaml"
    text = manifest.read_text("utf-8").replace("\nprompts:", f"{NEW}\nprompts:", 1)
    manifest.write_text(text, "utf-8")
    assert mcpgen("--check", cwd=folder).returncode == 1
    assert mcpgen(cwd=folder).returncode == 0
    assert custom.read_text("utf-8") == before
    said = asyncio.run(call(folder, "texts_mcp", "shout", {"text": "hi"}))
    assert said == (
        '{"error":{"kind":"refused",'
        '"message":"shout is not implemented yet: write it in custom/texts.py","retryable":false}}'
    )
    shout = '\n    async def shout(self, *, text: str) -> str:\n        return text.upper() + "!"\n'
    custom.write_text(before + shout, "utf-8")
    assert mcpgen("--check", cwd=folder).returncode == 0
    assert asyncio.run(call(folder, "texts_mcp", "shout", {"text": "hi"})) == {"result": "HI!"}


def test_what_the_comments_show_works(mcpgen: Run, tmp_path: Path) -> None:
    assert mcpgen("init", "texts", cwd=tmp_path).returncode == 0
    folder = tmp_path / "texts"
    manifest = folder / "tools.yaml"
    text = manifest.read_text("utf-8")
    shown = re.sub(r"^  # (?=weather:|history:|  )", "  ", text, flags=re.MULTILINE)
    manifest.write_text(shown, "utf-8")
    made = mcpgen(cwd=folder)
    assert made.returncode == 0 and "weather: the tool is new" in made.stderr, made.stderr
    assert "3 tools in 1 namespace" in made.stdout
    done = subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stdout.decode()


def test_a_folder_that_is_in_use_stays_as_it_is(mcpgen: Run, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "mine.txt").write_text("mine", "utf-8")
    done = mcpgen("init", "used", cwd=tmp_path)
    assert done.returncode == 1
    assert "error[folder-taken]" in done.stderr
    assert [path.name for path in (tmp_path / "used").iterdir()] == ["mine.txt"]


def test_a_name_of_no_letters_still_makes_a_package(mcpgen: Run, tmp_path: Path) -> None:
    assert mcpgen("init", "日本", cwd=tmp_path).returncode == 0
    assert (tmp_path / "日本" / "api_mcp" / "custom" / "api.py").exists()
