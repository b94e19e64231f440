"""A run that finds everything as the last one left it makes nothing again, and says what it would say all the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mcpgen import pipeline, resources
from mcpgen.cli import cli

PETS = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets: {$ref: more.yaml#/pets}
  /cats:
    get: {operationId: listCats, tags: [cats], responses: {"200": {description: ok}}}
"""
MORE = """\
pets:
  get: {operationId: listPets, tags: [pets], responses: {"200": {description: ok}}}
"""
OVERLAY = """\
overlay: 1.0.0
info: {title: More words, version: "1"}
actions: [{target: "$.paths['/cats'].get", update: {summary: All cats.}}]
"""
TOLD = "2 tools in 2 namespaces, 0 skipped; nothing to do\n"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry a run that made the package."""
    found: list[str] = []
    generate = pipeline.generate

    def counting(*arguments: object, **more: object) -> object:
        found.append("made")
        return generate(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "generate", counting)
    return found


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: list[str]) -> Path:
    """A folder with a document in two files, an overlay and the package that was made of them."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"pets.yaml": PETS, "more.yaml": MORE, "overlay.yaml": OVERLAY}.items():
        Path(name).write_text(text)
    assert run("pets.yaml", "--overlay", "overlay.yaml").exit_code == 0
    assert made.pop() == "made"
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def edit(path: str, before: str, after: str) -> None:
    text = Path(path).read_text()
    assert before in text
    Path(path).write_text(text.replace(before, after, 1))


def append(path: str, text: str) -> None:
    with Path(path).open("a") as file:
        file.write(text)


@pytest.mark.parametrize(
    "arguments", [["pets.yaml"], ["-o", "pets-mcp"], ["pets.yaml", "--check"], ["pets.yaml", "-v"]]
)
def test_nothing_is_made_again(work: Path, made: list[str], arguments: list[str]) -> None:
    first, second = run(*arguments), run(*arguments)
    assert made == []
    assert (first.exit_code, first.stdout, first.stderr) == (0, f"pets-mcp: {TOLD}", "")
    assert second.output == first.output


def test_it_says_what_a_whole_run_says(work: Path, made: list[str]) -> None:
    options = [["pets.yaml"], ["pets.yaml", "--json"], ["pets.yaml", "--diff"], ["pets.yaml", "-q"]]
    short = [run(*one).output for one in options]
    assert made == []
    shutil.rmtree("pets-mcp/.mcpgen/cache")
    whole = []
    for one in options:
        whole.append(run(*one).output)
        shutil.rmtree("pets-mcp/.mcpgen/cache", ignore_errors=True)
    assert len(made) == len(options)
    assert short == whole


def test_what_a_person_edited_is_looked_at_once(work: Path, made: list[str]) -> None:
    edit("pets-mcp/README.md", "# Pets", "# Our pets")
    append("pets-mcp/pets_mcp/tools/cats.py", "\n# ours\n")
    told = [run("pets.yaml").stdout for _ in range(2)]
    assert told == [f"pets-mcp: {TOLD}"] * 2
    assert made == ["made"]


CHANGES: dict[str, Callable[[], object]] = {
    "the document": lambda: edit("pets.yaml", "listCats", "allCats"),
    "a document that it refers to": lambda: edit("more.yaml", "listPets", "allPets"),
    "an overlay": lambda: edit("overlay.yaml", "All cats.", "Each cat."),
    "a setting": lambda: append("pets-mcp/mcpgen.yaml", "rename: {list_cats: cats}\n"),
    "code of a person's own": lambda: Path("pets-mcp/pets_mcp/custom/more.py").write_text("X = 1\n"),
    "the catalog, which overrides go by": lambda: edit(
        "pets-mcp/pets_mcp/catalog.json", "All cats.", "Cats."
    ),
    "a file that was deleted": lambda: Path("pets-mcp/pets_mcp/api.py").unlink(),
    "a pristine text that was lost": lambda: Path(
        "pets-mcp/.mcpgen/pristine/pets_mcp/api.py"
    ).unlink(),
    "the record": lambda: edit("pets-mcp/.mcpgen/record.json", "list_cats", "cats"),
    "the lock": lambda: Path("pets-mcp/.mcpgen/lock.json").unlink(),
    "the settings that were deleted": lambda: Path("pets-mcp/mcpgen.yaml").unlink(),
    "a file that is no text any more": lambda: Path("pets-mcp/.gitignore").write_bytes(b"\xff\x00"),
    "a pristine text that was touched": lambda: append("pets-mcp/.mcpgen/pristine/README.md", "x"),
    "what was kept of the last run": lambda: Path(
        "pets-mcp/.mcpgen/cache/last-run.json"
    ).write_text("{"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_it_is_made_again_where_anything_changed(work: Path, made: list[str], what: str) -> None:
    CHANGES[what]()
    first = run("pets.yaml", "--overlay", "overlay.yaml")
    assert made == ["made"]
    second = run("pets.yaml")
    if first.exit_code:
        assert (second.exit_code, second.stderr) == (first.exit_code, first.stderr)
    else:
        assert second.stdout == f"pets-mcp: {TOLD}"
        assert made == ["made"]


def test_other_flags_and_another_mcpgen_make_it_again(
    work: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("pets.yaml", "--exclude", "tag:cats").exit_code == 0
    assert len(made) == 1
    sources = list(resources.own_sources())
    monkeypatch.setattr(resources, "own_sources", lambda: iter([*sources, b"one more"]))
    assert run("pets.yaml").exit_code == 0
    assert len(made) == 2


def test_a_warning_is_said_each_time(work: Path, made: list[str]) -> None:
    edit("pets.yaml", "{operationId: listCats,", "{operationId: listCats, parameters: 3,")
    first, second = run("pets.yaml"), run("pets.yaml")
    assert made == ["made", "made"]
    assert "warning[wrong-type]" in first.stderr
    assert second.stderr == first.stderr[: len(second.stderr)] != ""


def test_a_conflict_is_said_each_time(work: Path, made: list[str]) -> None:
    handlers = "pets-mcp/pets_mcp/tools/cats.py"
    edit(handlers, "All cats.", "Our cats.")
    edit("overlay.yaml", "All cats.", "Each cat.")
    assert [run("pets.yaml").exit_code for _ in range(2)] == [1, 1]
    assert made == ["made", "made"]
    assert "Our cats." in Path(handlers).read_text()


def test_the_folder_of_the_cache_leads_nowhere_else(work: Path, made: list[str]) -> None:
    shutil.rmtree("pets-mcp/.mcpgen/cache")
    Path("elsewhere").mkdir()
    Path("pets-mcp/.mcpgen/cache").symlink_to(Path("elsewhere").absolute())
    assert run("pets.yaml").exit_code == 0
    assert list(Path("elsewhere").iterdir()) == []


def test_what_is_kept_is_for_this_machine_alone(work: Path) -> None:
    assert ".mcpgen/cache/" in Path("pets-mcp/.gitignore").read_text().splitlines()


def test_a_run_that_was_cut_short_is_told_of(work: Path) -> None:
    staging = Path("pets-mcp/.mcpgen/next")
    staging.mkdir()
    (staging / "journal.json").write_text("[]")
    assert "error[interrupted]" in run("pets.yaml", "--check").stderr
