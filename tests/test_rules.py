"""Rules of this repository that no tool knows: who may import whom, who may print, what a package may hold.

docs/architecture.md gives the reasons. Each entry of a list must be in use, so that the lists stay true.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "generator" / "mcpgen"

# Data flows down this table: stage → its modules.
STAGES = {
    "base": "__init__ diagnostics options files",
    "load": "source fetch positions json_reader yaml_reader refs anchors overlay",
    "ir": "ir",
    "read": "frontends schemas schema_cycles schema_keywords schema_repairs discriminators",
    "plan": "plan declared drafts identity views names credentials descriptions handlers listings overrides selection"
    " tool_settings tool_schemas models shapes"
    " subschemas xml_schemas clients examples example_scalars merged_schemas patterns variants schema_changes changes change_report",
    "render": "render code formatting mock_answers publishing resources",
    "write": "write state journal merge merge_entries newlines report",
    "shell": "cli __main__ generation handwritten pipeline settings inspection tokens snapshots revisions unchanged watching",
    "runtime": "runtime",
}

# stage → the other stages that it may import from. Nothing after `read` sees a document.
MAY_IMPORT = {
    "base": "",
    "load": "base",
    "ir": "base",
    "read": "base load ir",
    "plan": "base ir",
    "render": "base ir plan",
    "write": "base",
    "shell": "base load ir read plan render write runtime",  # which says what a list in another mode costs
    "runtime": "",
}

# What is not the standard library's, and who may import it. A package must not need what we need, so `runtime` has its own few.
THIRD_PARTY = {
    "aiohttp": "runtime",
    "black": "formatting",
    "click": "cli",
    "datamodel_code_generator": "models",
    "jinja2": "render",
    "jmespath": "frontends runtime",
    "jsonpath": "overlay",
    "jsonschema_rs": "schema_keywords schema_changes patterns examples variants runtime",
    "jwt": "runtime",
    "keyring": "runtime",
    "merge3": "merge",
    "opentelemetry": "runtime",
    "tiktoken": "tokens",
    "uvicorn": "runtime",
    "watchfiles": "watching",
    "yaml": "positions yaml_reader",
    "yarl": "runtime",
}

# Frontends do not know each other; what they share has a module of its own.
FRONTENDS = ("openapi3", "swagger2", "manifest", "arazzo")

MAY_PRINT = "cli runtime"
MAY_TOUCH_FILES = (
    "source fetch resources generation handwritten state journal snapshots runtime unchanged"
)


def modules() -> Iterator[tuple[str, Path, ast.Module]]:
    """Each source file, with the name that the tables have for it: of a subpackage, the subpackage's."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        yield name, path, ast.parse(path.read_bytes())


def imported(tree: ast.Module) -> Iterator[str]:
    """Full names, relative imports with their dots; what is imported from a package by its module's name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            prefix = "." * node.level + (node.module or "")
            if prefix in ("mcpgen", "mcpgen.frontends"):
                yield from (f"{prefix}.{alias.name}" for alias in node.names)
            else:
                yield prefix


def own(name: str) -> str:
    """The module of ours that `mcpgen.…` names."""
    part = name.split(".")[1]
    return "__init__" if part == "__version__" else part


STAGE_OF = {module: stage for stage, names in STAGES.items() for module in names.split()}


def test_every_module_has_a_stage_and_every_entry_a_module() -> None:
    assert {name for name, _, _ in modules()} == set(STAGE_OF)


def test_stages_import_only_what_they_may() -> None:
    seen = {
        (STAGE_OF[name], STAGE_OF[own(target)])
        for name, _, tree in modules()
        for target in imported(tree)
        if target.startswith("mcpgen.")
    }
    allowed = {(stage, other) for stage, others in MAY_IMPORT.items() for other in others.split()}
    assert {pair for pair in seen if pair[0] != pair[1]} == allowed


def test_third_party_packages_are_imported_only_where_they_may() -> None:
    seen = {
        (target.split(".")[0], name)
        for name, _, tree in modules()
        for target in imported(tree)
        if not target.startswith(("mcpgen", "."))
        and target.split(".")[0] not in sys.stdlib_module_names
    }
    allowed = {(package, name) for package, names in THIRD_PARTY.items() for name in names.split()}
    assert seen == allowed


def test_the_runtime_imports_nothing_of_mcpgen() -> None:
    runtime = PACKAGE / "runtime"
    found = []
    for path in runtime.rglob("*.py"):
        outside = "." * (len(path.relative_to(runtime).parts) + 1)
        found += [
            target
            for target in imported(ast.parse(path.read_bytes()))
            if target.startswith(("mcpgen", outside))
        ]
    assert found == []


def test_frontends_do_not_import_each_other() -> None:
    for frontend in FRONTENDS:
        tree = ast.parse((PACKAGE / "frontends" / f"{frontend}.py").read_bytes())
        others = {f"mcpgen.frontends.{other}" for other in FRONTENDS if other != frontend}
        assert not others & set(imported(tree))


def calls(tree: ast.Module) -> Iterator[str]:
    """What is called, as `name` or `.method` or `module.name`; SystemExit however it is raised."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id
            elif isinstance(node.func, ast.Attribute):
                yield f".{node.func.attr}"
                if isinstance(node.func.value, ast.Name):
                    yield f"{node.func.value.id}.{node.func.attr}"
        elif isinstance(node, ast.Name) and node.id == "SystemExit":
            yield node.id


PRINTING = {"print", "sys.exit", "exit", "SystemExit", "click.echo", "click.secho"}
FILES = {
    *("open", ".open", ".read_text", ".read_bytes", ".write_text", ".write_bytes", ".iterdir"),
    *(".mkdir", ".unlink", ".rmdir", ".rglob", "shutil.rmtree", "os.replace", "os.remove"),
}


@pytest.mark.parametrize(
    ("what", "allowed"), [(PRINTING, MAY_PRINT), (FILES, MAY_TOUCH_FILES)], ids=["print", "files"]
)
def test_only_these_modules_print_or_touch_files(what: set[str], allowed: str) -> None:
    seen = {name for name, _, tree in modules() if what & set(calls(tree))}
    assert seen == set(allowed.split())


def test_no_file_is_longer_than_a_person_reads() -> None:
    long = {
        path.name: len(path.read_text(encoding="utf-8").splitlines()) for _, path, _ in modules()
    }
    assert {name: lines for name, lines in long.items() if lines > 800} == {}
