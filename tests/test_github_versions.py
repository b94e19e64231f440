"""A large package that people have worked on, and the next version of its document: GitHub's, 1,080 operations."""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from conftest import Run

Json = Any
VERSIONS = Path(__file__).parent / "data" / "github"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

# File, what stands there, and what a person makes of it.
EDITS = (
    (
        "github_mcp/tools/issues.py",
        '        request = Request("POST", "/repos/{owner}/{repo}/issues")\n',
        '        request = Request("POST", "/repos/{owner}/{repo}/issues")\n'
        '        request.header("X-Ours", "issues")  # the proxy wants it\n',
    ),
    (
        "github_mcp/tools/gists.py",
        '        """Get a gist. (GET /gists/{gist_id})"""\n',
        '        """Get a gist, ours first. (GET /gists/{gist_id})"""\n        gist_id = gist_id.strip()\n',
    ),
    (
        "github_mcp/tools/repos.py",
        "class ReposTools(Tools):\n",
        "LIMIT = 10  # of our own\n\n\nclass ReposTools(Tools):\n",
    ),
    (
        "github_mcp/api.py",
        '    prefix="GITHUB",\n',
        '    prefix="GITHUB",\n    headers={"X-GitHub-Api-Version": "2022-11-28"},\n    timeout=20,\n',
    ),
    (
        "github_mcp/models.py",
        "class Root(TypedDict):\n",
        "Login: TypeAlias = str  # of our own\n\n\nclass Root(TypedDict):\n",
    ),
    (
        "github_mcp/__main__.py",
        'if __name__ == "__main__":\n',
        'if __name__ == "__main__":  # started by our supervisor\n',
    ),
    (
        "github_mcp/catalog.json",
        '{"name":"issues_get","title":"Get an issue",',
        '{"name":"issues_get","title":"Read one of our issues",',
    ),
    (
        "README.md",
        "## Try it\n",
        "Ours is run by the platform team; ask in #platform.\n\n## Try it\n",
    ),
    (
        "pyproject.toml",
        'requires-python = ">=3.11"\n',
        'requires-python = ">=3.11"\nauthors = [{name = "The platform team"}]\n',
    ),
    ("Dockerfile", "USER 65532:65532\n", "USER 65532:65532\nENV TZ=Europe/Oslo\n"),
    ("deploy/kubernetes.yaml", "kind: Deployment\n", "kind: Deployment  # ours\n"),
    (".github/workflows/ci.yml", "jobs:\n", "env: {TEAM: platform}\njobs:\n"),
    (".gitignore", "", "/notes/\n"),
)
ADDED_TEST = """

def test_of_our_own() -> None:
    assert len(ARGUMENTS) > 1_000
"""
OVERRIDES = {
    "issues": """\
from __future__ import annotations

from typing import Any

from ..tools import issues as generated


class IssuesTools(generated.IssuesTools):
    async def issues_list_for_repo(self, **arguments: Any) -> Any:
        return await super().issues_list_for_repo(**{"per_page": 10, **arguments})
""",
    "projects_classic": """\
from __future__ import annotations

from typing import Any

from ..tools import projects_classic as generated


class ProjectsClassicTools(generated.ProjectsClassicTools):
    async def projects_classic_list_columns(self, **arguments: Any) -> Any:
        return []
""",
}
SETTINGS = """
changelog: true
rename:
  issues_get: read_issue
  projects_classic_list_columns: columns
describe:
  gists_get: One of our gists.
hide:
  issues_list_for_repo:
    milestone: "*"
"""


def operations(document: Json) -> dict[tuple[str, str], str]:
    """(method, path) → operationId."""
    return {
        (method.upper(), path): item[method]["operationId"]
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    }


def recorded(package: Path) -> dict[tuple[str, str], str]:
    """(method, path) → tool, as the record says."""
    record = json.loads((package / ".mcpgen" / "record.json").read_text("utf-8"))
    assert not record["skipped"]
    return {(one["method"], one["path"]): one["name"] for one in record["tools"]}


def listed(package: Path) -> dict[str, Json]:
    catalog = json.loads((package / "github_mcp" / "catalog.json").read_text("utf-8"))
    return {one["name"]: one for one in catalog["tools"]}


def work_on(package: Path) -> None:
    for path, old, new in EDITS:
        file = package / path
        text = file.read_text("utf-8")
        assert old in text, path
        text = text.replace(old, new, 1) if old else text + new
        file.write_text(text, encoding="utf-8", newline="\n")
    for module, text in OVERRIDES.items():
        (package / "github_mcp" / "custom" / f"{module}.py").write_text(text, "utf-8")
    for path, text in (("tests/test_server.py", ADDED_TEST), ("mcpgen.yaml", SETTINGS)):
        with (package / path).open("a", encoding="utf-8") as end:
            end.write(text)


def test_the_next_version_of_a_large_document(mcpgen: Run, tmp_path: Path) -> None:
    documents = {}
    for version in ("20.0.0", "21.0.0"):
        document = lzma.decompress((VERSIONS / f"{version}.json.xz").read_bytes())
        (tmp_path / f"{version}.json").write_bytes(document)
        documents[version] = operations(json.loads(document))
    before, after = documents.values()
    api = tmp_path / "api.json"
    package = tmp_path / "github-mcp"

    api.write_bytes((tmp_path / "20.0.0.json").read_bytes())
    assert mcpgen("api.json", "--name", "github", "-q", cwd=tmp_path).returncode == 0
    tools = recorded(package)
    assert tools.keys() == before.keys()

    work_on(package)
    settled = mcpgen("-q", cwd=package)
    assert settled.returncode == 0, settled.stderr
    tools = recorded(package)
    assert "read_issue" in tools.values() and "columns" in tools.values()

    api.write_bytes((tmp_path / "21.0.0.json").read_bytes())
    made = mcpgen("-v", cwd=package)
    assert made.returncode == 0, made.stderr

    # Every edit.
    for path, old, new in EDITS:
        text = (package / path).read_text("utf-8")
        for line in set(new.splitlines()) - set(old.splitlines()):
            assert line.removeprefix('{"name":"issues_get",') in text, (path, line)
    for module, text in OVERRIDES.items():
        assert (package / "github_mcp" / "custom" / f"{module}.py").read_text("utf-8") == text
    assert ADDED_TEST in (package / "tests" / "test_server.py").read_text("utf-8")
    assert SETTINGS in (package / "mcpgen.yaml").read_text("utf-8")
    assert not [*package.rglob("*.new"), *package.rglob("*.orig")]
    catalog = listed(package)
    assert catalog["read_issue"]["title"] == "Read one of our issues"
    assert catalog["gists_get"]["description"].startswith("One of our gists.")
    assert "milestone" not in catalog["issues_list_for_repo"]["inputSchema"]["properties"]

    # Every operation, and none that is gone.
    now = recorded(package)
    assert now.keys() == after.keys()
    assert sorted(now.values()) == sorted(catalog)
    # One that stays keeps its tool, also with another operationId, and one that keeps its operationId with another path.
    kept = before.keys() & after.keys()
    assert sum(before[one] != after[one] for one in kept) == 9
    assert {one: tools[one] for one in kept} == {one: now[one] for one in kept}
    places = {identifier: one for one, identifier in after.items()}
    moved = {one: places[before[one]] for one in before.keys() - kept if before[one] in places}
    assert len(moved) == 8
    assert {old: tools[old] for old in moved} == {old: now[new] for old, new in moved.items()}

    # The report, on the screen and in the changelog.
    changelog = (package / "CHANGELOG.md").read_text("utf-8")
    gone = set(tools.values()) - set(now.values())
    come = set(now.values()) - set(tools.values())
    assert len(gone) == len(before.keys() - kept) - len(moved) and len(come) >= 30
    for told in (made.stderr, re.sub(r"\*\*|\\(?=_)", "", changelog)):
        for name in gone:
            assert f"{name}: the tool is gone" in told
        for name in come:
            assert f"{name}: the tool is new" in told
    custom = package / "github_mcp" / "custom" / "projects_classic.py"
    assert re.search(
        rf"{re.escape(custom.name)}:\d+:\d+: warning\[override-without-tool\]", made.stderr
    ), made.stderr
    [at] = [
        number
        for number, text in enumerate((package / "mcpgen.yaml").read_text("utf-8").split("\n"), 1)
        if "projects_classic_list_columns" in text
    ]
    assert re.search(rf"mcpgen\.yaml:{at}:\d+: warning\[unused-pattern\]", made.stderr)

    # Nothing is left to do, and what was made works.
    assert mcpgen("--check", "-q", cwd=package).returncode == 0
    for command in (["mypy", "--strict", "."], ["pytest", "-q", "-p", "no:xdist"]):
        done = subprocess.run([sys.executable, "-m", *command], cwd=package, capture_output=True)
        assert done.returncode == 0, done.stdout.decode()[-3000:]
