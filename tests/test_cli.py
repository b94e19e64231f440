"""The command line: what it prints, where, and with which status it ends."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
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
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    for option in ("--overlay", "--strict", "--json"):
        assert option in mcpgen("generate", "--help", cwd=ROOT).stdout


@pytest.mark.parametrize(
    ("words", "wanted"),
    [("mcpgen ins", "plain,inspect"), ("mcpgen a.yaml --inc", "plain,--include")],
)
def test_a_shell_completes(words: str, wanted: str, tmp_path: Path) -> None:
    asked = {
        "_MCPGEN_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    command = [sys.executable, "-c", "from mcpgen.cli import main; main()"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **asked}, capture_output=True, encoding="utf-8"
    )
    assert wanted in done.stdout.splitlines()


def on_a_terminal(*arguments: str, cwd: Path, **environment: str) -> str:
    """What a terminal is sent."""
    import pty

    terminal, child = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpgen", *arguments],
        cwd=cwd,
        env={**clean, **environment},
        stdin=child,
        stdout=child,
        stderr=child,
    )
    os.close(child)
    told = b""
    with contextlib.suppress(OSError):  # how a terminal of Linux ends
        while data := os.read(terminal, 65_536):
            told += data
    os.close(terminal)
    process.wait(60)
    return told.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pty")
def test_a_terminal_sees_progress_and_colours(spec: Path, mcpgen: Run) -> None:
    told = on_a_terminal("pets.yaml", "--include", "tag:dogs", cwd=spec.parent)
    for stage in ("reading …", "planning 2 tools …", "comparing with what is there …"):
        assert f"\r\x1b[2K{stage}" in told
    assert "\x1b[33m\x1b[1mwarning[unused-pattern]\x1b[0m: no operation matches" in told
    plain = on_a_terminal("missing.yaml", cwd=spec.parent, NO_COLOR="1")
    assert "error[unreadable]: cannot read missing.yaml" in plain and "\x1b[3" not in plain
    piped = mcpgen("pets.yaml", "--include", "tag:dogs", cwd=spec.parent)
    assert "\x1b" not in piped.stdout + piped.stderr


DOCUMENTS = {
    "postman.json": (
        '{"info": {"name": "x", "schema": "https://schema.getpostman.com/"}, "item": []}',
        "postman.json:1:1: error[no-api]: this is a Postman collection",
    ),
    "async.yaml": ("asyncapi: 3.0.0\n", "error[no-api]: this is an AsyncAPI document"),
    "old.json": ('{"swaggerVersion": "1.2"}', "error[no-api]: this is a Swagger 1 document"),
    "graph.json": ('{"data": {"__schema": {}}}', "error[no-api]: this is a GraphQL schema"),
    "empty.yaml": ("", "empty.yaml: error[empty-document]: the document is empty"),
    "page.html": ("<!DOCTYPE html><html></html>", "this is a page, not an API description"),
    "tab.yaml": ("openapi: 3.1.0\ninfo:\n\ttitle: x\n", "tab.yaml:3:1: error[syntax]"),
    "comma.json": ('{"openapi": "3.1.0",}', "comma.json:1:21: error[syntax]"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_another_kind_of_document_is_called_by_its_name(
    name: str, mcpgen: Run, tmp_path: Path
) -> None:
    text, told = DOCUMENTS[name]
    (tmp_path / name).write_text(text, "utf-8")
    made = mcpgen(name, cwd=tmp_path)
    assert made.returncode == 1 and told in made.stderr
    assert made.stderr.endswith("1 error; nothing was written\n")


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["pet.yaml"], 1, "hint: did you mean pets.yaml?"),
        (["specs"], 1, f"hint: did you mean {Path('specs', 'openapi.json')}?"),
        (["inspct", "pets.yaml"], 2, "No such command 'inspct'. Did you mean 'inspect'?"),
        (["pets.yaml", "--inclde", "x"], 2, "'--include'"),
        (["pets.yaml", "--include", "tag:pet"], 0, "hint: did you mean 'tag:pets'?"),
        (["pets.yaml", "--include", "tag:pet"], 0, "Nothing was found to make tools of"),
        (
            ["pets.yaml", "-o", "pets.yaml"],
            1,
            "pets.yaml: error[not-a-folder]: this is a file, not a folder",
        ),
    ],
)
def test_a_slip_is_told_with_what_may_be_meant(
    arguments: list[str], status: int, told: str, mcpgen: Run, spec: Path
) -> None:
    (spec.parent / "specs").mkdir()
    (spec.parent / "specs" / "openapi.json").write_text("{}", "utf-8")
    (spec.parent / "specs" / "a.json").write_text("{}", "utf-8")
    made = mcpgen(*arguments, cwd=spec.parent)
    assert made.returncode == status and told in made.stdout + made.stderr
    assert "internal error" not in made.stderr
