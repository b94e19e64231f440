"""What a run takes from the last one instead of making it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcpgen import write as writing
from mcpgen.diagnostics import Diagnostics
from mcpgen.files import Files, GeneratedFile
from mcpgen.ir import MediaType, Operation, Response
from mcpgen.render import render
from mcpgen.state import read_made
from test_plan import HERE, operation, plan

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
ANSWER = Response("200", (MediaType("application/json", SCHEMA, HERE),), HERE)
CAT = operation("GET", "/cats", tags=("cats",), responses=(ANSWER,))
DOG = operation("GET", "/dogs", tags=("dogs",))
FORMATTED = [
    "__init__.py",
    "__main__.py",
    "api.py",
    "asgi.py",
    "models.py",
    "tools/__init__.py",
    "tools/cats.py",
    "tools/dogs.py",
]


def made(*operations: Operation, earlier: Files | None = None) -> Files:
    return render(plan(*operations), earlier or {})


def marked(files: Files) -> dict[str, GeneratedFile]:
    """What took long to make, with another text, so that one sees where it was taken from."""
    return {
        path: GeneratedFile("# earlier\n", made_from=file.made_from)
        for path, file in files.items()
        if file.made_from
    }


def taken(files: Files) -> list[str]:
    return [
        path.removeprefix("pets_mcp/") for path, file in files.items() if "# earlier" in file.text
    ]


def test_everything_that_takes_long_is_taken_where_nothing_changed() -> None:
    again = made(CAT, DOG, earlier=marked(made(CAT, DOG)))
    assert taken(again) == [*FORMATTED, "tests/test_server.py"]


def test_what_changed_is_made_again_and_nothing_else() -> None:
    cats = operation("GET", "/cats", tags=("cats",), responses=(ANSWER,), summary="All cats.")
    again = made(cats, DOG, earlier=marked(made(CAT, DOG)))
    assert sorted({*FORMATTED} - {*taken(again)}) == ["tools/cats.py"]
    assert again["pets_mcp/tools/cats.py"] == made(cats, DOG)["pets_mcp/tools/cats.py"]


def test_models_are_made_again_where_a_schema_changed() -> None:
    schema = {**SCHEMA, "required": ["name"]}
    response = Response("200", (MediaType("application/json", schema, HERE),), HERE)
    cats = operation("GET", "/cats", tags=("cats",), responses=(response,))
    assert "models.py" not in taken(made(cats, DOG, earlier=marked(made(CAT, DOG))))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    writing.write(made(CAT, DOG), tmp_path, force=False, diagnostics=Diagnostics())
    return tmp_path


def test_the_texts_of_the_last_run_are_found_whatever_was_edited(package: Path) -> None:
    handlers = package / "pets_mcp/tools/cats.py"
    handlers.write_text(handlers.read_text() + "# mine\n")
    files = made(CAT, DOG)
    assert read_made(package) == {path: file for path, file in files.items() if file.made_from}


def test_a_text_that_is_not_what_the_last_run_made_is_not_taken(package: Path) -> None:
    (package / ".mcpgen/pristine/pets_mcp/tools/cats.py").write_text("# not ours\n")
    assert "pets_mcp/tools/cats.py" not in read_made(package)
    assert "pets_mcp/tools/dogs.py" in read_made(package)


def test_another_version_of_mcpgen_makes_everything_again(package: Path) -> None:
    lock = package / ".mcpgen/lock.json"
    lock.write_text(lock.read_text().replace('"generator": "', '"generator": "9.'))
    assert read_made(package) == {}


def test_a_folder_without_a_package_has_nothing_to_take(tmp_path: Path) -> None:
    assert read_made(tmp_path / "none") == {}
