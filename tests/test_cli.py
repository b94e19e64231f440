"""The command line: what it prints, where, and with which status it ends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from conftest import Run
from examples import ROOT

SMALL = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
servers: [{url: "https://pets.example"}]
paths:
  /pets:
    get: {operationId: listPets, tags: [pets]}
  /owners:
    get: {operationId: listOwners, tags: [owners]}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "pets.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def tools(package: Path) -> list[str]:
    record = json.loads((package / ".mcpgen" / "record.json").read_text("utf-8"))
    return [one["name"] for one in record["tools"]]


def test_the_main_job_needs_a_document_and_nothing_else(mcpgen: Run, spec: Path) -> None:
    made = mcpgen("pets.yaml", cwd=spec.parent)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith("pets-mcp: 2 tools in 2 namespaces, 0 skipped; ")
    assert tools(spec.parent / "pets-mcp") == ["list_pets", "list_owners"]


def test_the_record_is_all_that_json_prints(mcpgen: Run, spec: Path) -> None:
    made = mcpgen("pets.yaml", "-o", "out", "--json", cwd=spec.parent)
    record = json.loads(made.stdout)
    assert record["directory"] == str(spec.parent / "out")
    assert record["command"] == ["python", "-m", "pets_mcp"]
    assert record["tools"][0] == {
        "name": "list_pets",
        "operation_id": "listPets",
        "method": "GET",
        "path": "/pets",
        "arguments": {},
        "namespace": "pets",
    }
    kept = json.loads((spec.parent / "out" / ".mcpgen" / "record.json").read_text("utf-8"))
    assert kept == {name: value for name, value in record.items() if name != "directory"}


@pytest.mark.parametrize("output", [(), ("-o", "pets-mcp")])
def test_the_first_runs_flags_hold_for_the_next(
    mcpgen: Run, spec: Path, output: tuple[str, ...]
) -> None:
    mcpgen("pets.yaml", "--include", "tag:pets", cwd=spec.parent)
    again = mcpgen("pets.yaml", *output, cwd=spec.parent)
    assert again.stdout == "pets-mcp: 1 tool in 1 namespace, 0 skipped; nothing to do\n"


def test_a_package_is_regenerated_from_its_own_settings(mcpgen: Run, spec: Path) -> None:
    mcpgen("pets.yaml", cwd=spec.parent)
    package = spec.parent / "pets-mcp"
    spec.write_text(
        SMALL + "  /birds:\n    get: {operationId: listBirds, tags: [pets]}\n", encoding="utf-8"
    )
    checked = mcpgen("--check", cwd=package)
    assert checked.returncode == 1
    assert checked.stderr == (
        "pets 1: 1 additive change in 1 tool\n\n"
        "additive (more can be done)\n  list_birds: the tool is new (GET /birds)\n"
        ". is out of date: run mcpgen to bring it up to date\n"
    )
    assert tools(package) == ["list_pets", "list_owners"]
    diff = mcpgen("--diff", cwd=package).stdout
    assert "+    async def list_birds(self) -> Any:\n" in diff
    assert mcpgen(cwd=package).returncode == 0
    assert tools(package) == ["list_pets", "list_birds", "list_owners"]
    assert mcpgen("--check", cwd=package).returncode == 0


def test_a_document_may_come_on_standard_input(spec: Path) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "mcpgen", "-", "-o", "out", "--json"]
    with spec.open("rb") as stream:
        made = subprocess.run(
            command, stdin=stream, cwd=spec.parent, capture_output=True, check=True
        )
    assert json.loads(made.stdout)["package"] == "pets_mcp"


def test_a_setting_that_does_not_exist_is_told_with_its_place(mcpgen: Run, spec: Path) -> None:
    mcpgen("pets.yaml", cwd=spec.parent)
    package = spec.parent / "pets-mcp"
    (package / "mcpgen.yaml").write_text(
        "source: ../pets.yaml\nexlude: [tag:pets]\n", encoding="utf-8"
    )
    made = mcpgen(cwd=package)
    assert (made.returncode, made.stdout) == (1, "")
    assert made.stderr == (
        "mcpgen.yaml:2:1: error[unknown-key]: there is no setting 'exlude'\n"
        "    at #/exlude\n"
        "    hint: did you mean 'exclude'?\n"
        "1 error; nothing was written\n"
    )


def test_strict_makes_a_warning_fatal(mcpgen: Run, spec: Path) -> None:
    spec.write_text(SMALL.replace("/pets:", "/pets/{id}:"), encoding="utf-8")
    assert mcpgen("pets.yaml", "-o", "loose", cwd=spec.parent).returncode == 0
    made = mcpgen("pets.yaml", "-o", "strict", "--strict", cwd=spec.parent)
    assert made.returncode == 1
    assert made.stderr.endswith("1 warning; nothing was written\n")
    assert not (spec.parent / "strict").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ([], 2, "give a SPEC, or run in a generated package: there is no mcpgen.yaml"),
        (["pets.yaml", "--nope"], 2, "No such option '--nope'"),
        (
            ["missing.yaml"],
            1,
            "error[unreadable]: cannot read missing.yaml: No such file or directory",
        ),
        (["pets.yaml", "--include", "pets"], 1, "error[bad-pattern]: 'pets' is no pattern"),
    ],
)
def test_a_mistake_ends_with_its_status_and_a_sentence(
    mcpgen: Run, spec: Path, arguments: list[str], status: int, told: str
) -> None:
    made = mcpgen(*arguments, cwd=spec.parent)
    assert made.returncode == status
    assert told in made.stderr
    assert "Traceback" not in made.stderr
    assert [one.name for one in spec.parent.iterdir()] == ["pets.yaml"]


def test_a_folder_of_somebody_else_is_not_touched(mcpgen: Run, spec: Path) -> None:
    (spec.parent / "out").mkdir()
    (spec.parent / "out" / "thesis.txt").write_text("mine", encoding="utf-8")
    made = mcpgen("pets.yaml", "-o", "out", cwd=spec.parent)
    assert (made.returncode, made.stdout) == (1, "")
    assert [one.name for one in (spec.parent / "out").iterdir()] == ["thesis.txt"]


def test_a_package_may_move_with_its_document(mcpgen: Run, spec: Path) -> None:
    mcpgen("pets.yaml", cwd=spec.parent)
    there = spec.parent / "elsewhere"
    there.mkdir()
    for name in ("pets.yaml", "pets-mcp"):
        shutil.move(spec.parent / name, there / name)
    assert mcpgen("--check", cwd=there / "pets-mcp").returncode == 0


def test_help_fits_a_screen(mcpgen: Run) -> None:
    lines = mcpgen("--help", cwd=ROOT).stdout.splitlines()
    assert lines[0] == "Usage: mcpgen SPEC [OPTIONS]"
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
