"""`mcpgen changes`: documents, packages and revisions of either, read and compared from the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mcpgen.cli import cli

API = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 100}}
      responses: {"200": {description: OK}}
  /users:
    get: {operationId: listUsers, responses: {"200": {description: OK}}}
"""
NARROWER = API.replace("maximum: 100", "maximum: 50")
SAID = "the argument 'limit' has the maximum 50, which was 100"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test runs in a folder of its own with two versions of a document."""
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(API)
    Path("new.yaml").write_text(NARROWER)
    return tmp_path


def changes(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["changes", *arguments])


def make_package(*arguments: str) -> None:
    done = CliRunner().invoke(cli, ["old.yaml", "-q", "-o", "pets-mcp", *arguments])
    assert done.exit_code == 0, done.output


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(folder: Path) -> Path:
    """The old document as `api/api.yaml` in the one commit, the new one in the working tree."""
    Path("api").mkdir()
    Path("api/api.yaml").write_text(API)
    git("init", "-q", ".")
    git("add", "api")
    git("commit", "-q", "-m", "Begin")
    Path("api/api.yaml").write_text(NARROWER)
    return folder


def test_two_documents_are_compared() -> None:
    assert changes("old.yaml", "new.yaml").stdout == (
        "old.yaml → new.yaml: 1 breaking change in 1 tool\n"
        "\n"
        "breaking (calls that were right can fail)\n"
        f"  list_pets: {SAID}\n"
    )


def test_a_report_is_json_where_that_is_wanted() -> None:
    found = json.loads(changes("old.yaml", "new.yaml", "--format", "json").stdout)
    assert found["summary"] == {"breaking": 1, "risky": 0, "additive": 0, "cosmetic": 0}


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["old.yaml", "new.yaml"], 0),
        (["old.yaml", "new.yaml", "--fail-on", "breaking"], 1),
        (["old.yaml", "new.yaml", "--fail-on", "additive"], 1),
        (["new.yaml", "old.yaml", "--fail-on", "risky"], 0),
        (["new.yaml", "old.yaml", "--fail-on", "additive"], 1),
        (["old.yaml", "new.yaml", "--fail-on", "cosmetic"], 2),
        (["old.yaml"], 2),
        (["-", "-"], 2),
        (["old.yaml", "none.yaml"], 1),
    ],
)
def test_the_exit_status_says_what_happened(arguments: list[str], status: int) -> None:
    assert changes(*arguments).exit_code == status


def test_a_document_is_compared_with_a_package_by_its_settings_and_names() -> None:
    make_package("--include", "GET /pets")
    Path("new.yaml").write_text(NARROWER.replace("listPets", "allPets"))
    report = json.loads(changes("pets-mcp", "new.yaml", "--format", "json").stdout)
    assert [one["message"] for one in report["changes"]] == [SAID]


def test_two_packages_are_compared() -> None:
    make_package()
    catalog = Path("pets-mcp/pets_mcp/catalog.json")
    Path("pets-mcp").rename("before")
    make_package()
    catalog.write_text(catalog.read_text().replace('"maximum":100', '"maximum":50'))
    assert SAID in changes("before", "pets-mcp").stdout


def test_a_document_of_a_revision_is_compared(repository: Path) -> None:
    assert SAID in changes("HEAD:api/api.yaml", "api/api.yaml").stdout


def test_a_path_of_a_revision_may_count_from_here(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("api")
    assert SAID in changes("HEAD:./api.yaml", "api.yaml").stdout


def test_a_document_of_a_revision_finds_its_other_files_there(repository: Path) -> None:
    shared = "{name: limit, in: query, schema: {type: integer, maximum: %s}}"
    whole = API.replace(shared % 100, "{$ref: ../shared/limit.yaml}")
    assert "$ref" in whole
    Path("shared").mkdir()
    Path("shared/limit.yaml").write_text(shared % 100)
    Path("api/api.yaml").write_text(whole.replace("title: Pets", "title: 7, x: {$ref: no.yaml}"))
    git("add", "api", "shared")
    git("commit", "-q", "-m", "Split")
    Path("shared/limit.yaml").write_text(shared % 50)
    found = changes("HEAD:api/api.yaml", "api/api.yaml")
    assert SAID in found.stdout
    assert "mcpgen-" not in found.output


def test_a_manifest_of_a_revision_finds_its_document_there(repository: Path) -> None:
    manifest = (
        "mcpgen: 1\napi: {document: ../api/api.yaml}\ntools:\n  pets: {operation: listPets}\n"
    )
    Path("tools").mkdir()
    Path("tools/tools.yaml").write_text(manifest)
    git("add", "tools")
    git("commit", "-q", "-m", "Name")
    found = changes("HEAD:tools/tools.yaml", "tools/tools.yaml")
    assert SAID in found.stdout, found.output
    assert "mcpgen-" not in found.output


def test_a_package_of_a_revision_is_compared(repository: Path) -> None:
    make_package()
    git("add", "pets-mcp")
    git("commit", "-q", "-m", "Generate")
    assert SAID in changes("HEAD:pets-mcp", "new.yaml").stdout


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        (
            "HEAD:none.yaml",
            "error[no-revision]: cannot read HEAD:none.yaml: there is no such file in the revision"
            " (paths count from the root of the repository; ./path counts from here)",
        ),
        (
            "none:api.yaml",
            "error[no-revision]: cannot read none:api.yaml: there is no revision 'none'",
        ),
        (
            "--output=x:api.yaml",
            "error[no-revision]: cannot read --output=x:api.yaml: '--output=x' is no revision",
        ),
        (
            "HEAD:../../x.yaml",
            "error[no-revision]: cannot read HEAD:../../x.yaml: '../../x.yaml' leads out of the repository",
        ),
        (
            "api",
            "api: error[no-package]: there is no api/.mcpgen/record.json: api is no generated package",
        ),
    ],
)
def test_what_cannot_be_read_is_named(repository: Path, spec: str, want: str) -> None:
    found = changes("--", spec, "new.yaml")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.splitlines()[0] == want


def test_without_a_repository_there_is_no_revision() -> None:
    found = changes("HEAD:old.yaml", "new.yaml")
    assert found.exit_code == 1
    assert found.stderr.startswith("error[no-revision]: cannot read HEAD:old.yaml: ")


@pytest.mark.parametrize(
    ("file", "text", "want"),
    [
        (".mcpgen/record.json", "[]", ".mcpgen/record.json: error[no-package]: it must hold an object"),
        (".mcpgen/record.json", '{"package": "../x"}', ".mcpgen/record.json: error[no-package]: its 'package' is no name"),
        (
            ".mcpgen/record.json",
            '{"package": "pets_mcp", "tools": [{}]}',
            ".mcpgen/record.json: error[no-package]: it is no record: generate the package again",
        ),
        (
            "pets_mcp/catalog.json",
            '{"tools": [7]}',
            "pets_mcp/catalog.json: error[no-package]: its 'tools' is no list of tools with names",
        ),
        ("mcpgen.yaml", "source: a.yaml\nnames: b", "mcpgen.yaml:2:8: error[unknown-key]: there is no setting 'names'"),
    ],
)  # fmt: skip
def test_a_broken_package_is_told_with_its_file(file: str, text: str, want: str) -> None:
    make_package()
    Path("pets-mcp", file).write_text(text)
    found = changes("pets-mcp", "new.yaml")
    assert (found.exit_code, found.stderr.splitlines()[0]) == (1, f"pets-mcp/{want}")


def test_overlays_of_a_package_hold_for_the_document() -> None:
    overlay = "overlay: 1.0.0\nactions: [{target: \"$.paths['/users']\", remove: true}]\n"
    Path("o.yaml").write_text(overlay)
    make_package("--overlay", "o.yaml")
    assert "o.yaml" in Path("pets-mcp/mcpgen.yaml").read_text()
    assert "nothing changed" in changes("pets-mcp", "old.yaml").stdout
