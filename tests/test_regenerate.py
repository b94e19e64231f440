"""A package that a person works in, while its document changes: the whole way, through the command."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import Run
from examples import ROOT

EDITS = {
    "README.md": ("# Petstore", "# Our Petstore\n\nAsk the pets team."),
    "pyproject.toml": ('version = "1.0.27"', 'version = "2.0.0"'),
    ".gitignore": ("dist/", "dist/\n.idea/"),
    "petstore_mcp/api.py": ('prefix="PETSTORE"', 'prefix="OUR_PETSTORE"'),
    "petstore_mcp/tools/pet.py": (
        'request.query("tags", tags)',
        'request.query("tags", sorted(tags))',
    ),
    "petstore_mcp/tools/store.py": (
        "from __future__ import annotations",
        "from __future__ import annotations\n\nimport logging",
    ),
    "petstore_mcp/catalog.json": ("Returns a single pet.", "Returns one pet, with its photos."),
    "petstore_mcp/_runtime/mock.py": (
        "from __future__ import annotations",
        "# looked at by the pets team\nfrom __future__ import annotations",
    ),
    "tests/test_server.py": ("import json", "import json\nimport logging"),
    "petstore_mcp/custom/__init__.py": ('"""Yours', '"""Ours'),
    "mcpgen.yaml": ("# What", "# Ours. What"),
}

OVERRIDE = '''"""Ours."""

from ..tools import pet as generated


class PetTools(generated.PetTools):
    async def get_pet_by_id(self, *, pet_id: int) -> object:
        return await super().get_pet_by_id(pet_id=pet_id + 1)
'''

REPORT = """\
petstore 1.0.27: 1 breaking, 2 additive changes in 3 tools

breaking (calls that were right can fail)
  logout_user: the tool is gone (GET /user/logout)

additive (more can be done)
  upload_file: the argument 'album' is new and optional
  get_hours: the tool is new (GET /store/hours)
"""


@pytest.fixture
def work(mcpgen: Run, tmp_path: Path) -> Path:
    """A document and the package made of it."""
    text = (ROOT / "specs" / "petstore.yaml").read_text(encoding="utf-8")
    (tmp_path / "petstore.yaml").write_text(text, encoding="utf-8")
    made = mcpgen("petstore.yaml", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    return tmp_path


def replace(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text, (path, before)
    path.write_text(text.replace(before, after, 1), encoding="utf-8", newline="\n")


def change_document(work: Path) -> None:
    """One operation goes, one comes, one takes an argument more."""
    spec = work / "petstore.yaml"
    text = spec.read_text(encoding="utf-8")
    start, end = text.index("  /user/logout:"), text.index("  /user/{username}:")
    text = text[:start] + text[end:]
    text = text.replace(
        "components:\n  schemas:",
        "  /store/hours:\n    get: {tags: [store], operationId: getHours, summary: When the store is open.}\n"
        "components:\n  schemas:",
    )
    text = text.replace(
        "        - name: additionalMetadata\n",
        "        - {name: album, in: query, schema: {type: string}}\n        - name: additionalMetadata\n",
    )
    spec.write_text(text, encoding="utf-8")


def test_a_dozen_edits_survive_a_change_of_the_document(mcpgen: Run, work: Path) -> None:
    package = work / "petstore-mcp"
    for path, (before, after) in EDITS.items():
        replace(package / path, before, after)
    change_document(work)
    run = mcpgen(cwd=package)
    assert (run.returncode, run.stderr) == (0, REPORT)
    for path, (_, after) in EDITS.items():
        assert after in (package / path).read_text(encoding="utf-8"), path
    assert "def get_hours" in (package / "petstore_mcp/tools/store.py").read_text()
    assert "logout" not in (package / "petstore_mcp/tools/user.py").read_text()
    assert 'request.query("album", album)' in (package / "petstore_mcp/tools/pet.py").read_text()
    again = mcpgen("--check", cwd=package)
    assert (again.returncode, again.stderr) == (0, "")


def test_check_and_diff_tell_what_is_out_of_date_and_write_nothing(mcpgen: Run, work: Path) -> None:
    package = work / "petstore-mcp"
    change_document(work)
    before = snapshot(package)
    checked, diff = mcpgen("--check", cwd=package), mcpgen("--diff", cwd=package)
    assert checked.returncode == 1 and "out of date" in checked.stderr
    assert "+    async def get_hours(self) -> Any:\n" in diff.stdout
    assert snapshot(package) == before
    if git := shutil.which("git"):  # a patch that other tools understand
        command = [git, "apply", "--check", "-"]
        subprocess.run(command, cwd=package, input=diff.stdout, encoding="utf-8", check=True)


def test_a_conflict_is_told_mended_and_over(mcpgen: Run, work: Path) -> None:
    package = work / "petstore-mcp"
    handlers = package / "petstore_mcp/tools/pet.py"
    replace(handlers, "self, *, pet_id: int, additional_metadata", "self, *, pet_id: int, note")
    change_document(work)
    first = mcpgen(cwd=package)
    assert first.returncode == 1
    line = 1 + handlers.read_text().split("pet_id: int, note")[0].count("\n")
    assert f"{handlers.relative_to(package)}:{line}:1: error[conflict]" in first.stderr
    assert (package / "petstore_mcp/tools/pet.py.new").exists()
    assert "def get_hours" in (package / "petstore_mcp/tools/store.py").read_text()
    assert mcpgen(cwd=package).returncode == 1

    replace(handlers, "pet_id: int, note", "pet_id: int, album: str | None = None, note")
    second = mcpgen(cwd=package)
    assert (second.returncode, second.stderr) == (0, "")
    assert not (package / "petstore_mcp/tools/pet.py.new").exists()
    assert mcpgen("--check", cwd=package).returncode == 0


def test_two_machines_make_the_same_bytes(mcpgen: Run, work: Path) -> None:
    first = snapshot(work / "petstore-mcp")
    other = work / "other" / "place"
    other.mkdir(parents=True)
    (other / "petstore.yaml").write_bytes((work / "petstore.yaml").read_bytes())
    assert mcpgen("petstore.yaml", cwd=other).returncode == 0
    assert snapshot(other / "petstore-mcp") == first


def test_a_checkout_with_the_newlines_of_windows_is_no_change(mcpgen: Run, work: Path) -> None:
    for path in work.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = snapshot(work)
    checked, made = mcpgen("--check", cwd=work / "petstore-mcp"), mcpgen(cwd=work / "petstore-mcp")
    assert (checked.returncode, checked.stderr) == (made.returncode, made.stderr) == (0, "")
    assert snapshot(work) == before


def test_an_override_and_an_edit_stay_with_an_operation_that_is_called_otherwise(
    mcpgen: Run, work: Path
) -> None:
    package = work / "petstore-mcp"
    edit = EDITS["petstore_mcp/tools/pet.py"]
    replace(package / "petstore_mcp/tools/pet.py", *edit)
    custom = package / "petstore_mcp/custom/pet.py"
    custom.write_text(OVERRIDE, encoding="utf-8")
    spec = work / "petstore.yaml"
    text = spec.read_text(encoding="utf-8")
    for before, after in (
        ("tags: [pet]", "tags: [animals]"),
        ("operationId: getPetById", "operationId: fetchAnimal"),
        ("  /pet/findByStatus:", "  /animals/findByStatus:"),
    ):
        assert before in text
        text = text.replace(before, after)
    spec.write_text(text, encoding="utf-8")
    run = mcpgen(cwd=package)
    assert run.returncode == 0, run.stderr
    assert custom.read_text(encoding="utf-8") == OVERRIDE
    handlers = (package / "petstore_mcp/tools/pet.py").read_text(encoding="utf-8")
    assert edit[1] in handlers
    assert '"GET", "/animals/findByStatus"' in handlers
    assert "def get_pet_by_id" in handlers
    assert not (package / "petstore_mcp/tools/animals.py").exists()
    assert "override" not in run.stderr


def test_an_override_whose_tool_changed_or_is_gone_is_told_with_its_line(
    mcpgen: Run, work: Path
) -> None:
    package = work / "petstore-mcp"
    head = "from ..tools import {0} as generated\n\n\nclass {1}(generated.{1}):\n    async def "
    custom = package / "petstore_mcp/custom"
    method = "upload_file(self, *, pet_id, additional_metadata=None, body=None): ...\n"
    (custom / "pet.py").write_text(head.format("pet", "PetTools") + method, encoding="utf-8")
    method = "logout_user(self): ...\n"
    (custom / "user.py").write_text(head.format("user", "UserTools") + method, encoding="utf-8")
    assert mcpgen("--check", cwd=package).stderr == ""
    change_document(work)
    told = mcpgen("-q", cwd=package).stderr
    assert mcpgen("-q", cwd=package).stderr == told
    assert told == (
        "petstore_mcp/custom/pet.py:5:5: warning[override-signature]: "
        "PetTools.upload_file does not fit its tool: it does not take 'album'\n"
        "petstore_mcp/custom/user.py:5:5: warning[override-without-tool]: "
        "UserTools.logout_user overrides no tool: there is none of that name in 'user'\n"
        "    hint: delete it; a method of your own begins with '_'\n"
    )


def test_the_change_log_grows_with_each_change_and_with_nothing_else(
    mcpgen: Run, work: Path
) -> None:
    package = work / "petstore-mcp"
    replace(package / "mcpgen.yaml", "name:", "changelog: true\nname:")
    log = package / "CHANGELOG.md"
    assert mcpgen("-q", cwd=package).returncode == 0
    assert not log.exists()
    change_document(work)
    assert mcpgen("-q", "--check", cwd=package).returncode == 1
    assert not log.exists()
    quiet = mcpgen("-q", cwd=package)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    text = log.read_text(encoding="utf-8")
    assert text.startswith("# Changes\n\n## Changes to petstore 1.0.27\n")
    assert "### Breaking: calls that were right can fail\n\n- **logout" in text
    assert mcpgen("--check", cwd=package).returncode == 0
    log.write_text(text + "\nShipped on Monday.\n", encoding="utf-8")
    spec = work / "petstore.yaml"
    replace(spec, "When the store is open.", "When the store is really open.")
    assert mcpgen("-q", cwd=package).returncode == 0
    grown = log.read_text(encoding="utf-8")
    assert grown.startswith(text + "\nShipped on Monday.\n\n## Changes")
    assert "### Cosmetic" in grown


def snapshot(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }
