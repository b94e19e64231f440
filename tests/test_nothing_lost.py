"""Random documents, random edits: no line that a person wrote ever disappears without a word."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from mcpgen.cli import cli

SCHEMAS: tuple[Any, ...] = (
    None,
    {"type": "string"},
    {"type": "object", "title": "Pet", "properties": {"name": {"type": "string"}}},
    {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}},
)
PARAMETERS = [
    {"name": name, "in": "query", "required": name == "q", "schema": {"type": kind}}
    for name, kind in (("q", "string"), ("limit", "integer"), ("page-size", "integer"))
]
OPERATIONS = st.fixed_dictionaries(
    {
        "operationId": st.sampled_from([None, "listPets", "getPet", "drop", "a-b"]),
        "tag": st.sampled_from(["pets", "store", "Pets!", None]),
        "summary": st.sampled_from(["", "One.", 'Say "it".']),
        "parameters": st.lists(st.sampled_from(PARAMETERS), max_size=2, unique_by=str),
        "answer": st.sampled_from(SCHEMAS),
    }
)
REQUESTS = st.tuples(
    st.sampled_from(["/pets", "/v1/pets", "/v2/pets", "/store", "/x"]),
    st.sampled_from(["get", "post", "delete"]),
)
APIS = st.dictionaries(REQUESTS, OPERATIONS, min_size=1, max_size=4)
# Which file, which of its lines, and what is done there.
EDITS = st.lists(
    st.tuples(
        st.integers(0, 10_000),
        st.integers(0, 10_000),
        st.sampled_from(["insert", "replace", "delete", "append"]),
    ),
    max_size=4,
)
ROUNDS = st.lists(st.tuples(EDITS, APIS, st.booleans()), min_size=1, max_size=3)


def document(api: dict[tuple[str, str], dict[str, Any]], version: int) -> str:
    paths: dict[str, Any] = {}
    for (path, method), one in api.items():
        found: dict[str, Any] = {"summary": one["summary"], "parameters": one["parameters"]}
        if one["operationId"]:
            found["operationId"] = one["operationId"]
        if one["tag"]:
            found["tags"] = [one["tag"]]
        content = {"application/json": {"schema": one["answer"]}} if one["answer"] else {}
        found["responses"] = {"200": {"description": "ok", "content": content}}
        paths.setdefault(path, {})[method] = found
    info = {"title": "Shop", "version": f"{version}"}
    return json.dumps({"openapi": "3.1.0", "info": info, "paths": paths})


def run(folder: Path, *flags: str) -> str:
    """A run, which may complain but not break; what it said."""
    done = CliRunner().invoke(cli, [str(folder / "api.json"), "-o", str(folder / "shop"), *flags])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code in (0, 1), done.output
    return done.output


def files(package: Path) -> Iterator[Path]:
    """What a person sees of the package; of the runtime one file."""
    for path in sorted(package.rglob("*")):
        parts = path.relative_to(package).parts
        hidden = {".mcpgen", "__pycache__", *(["_runtime"] if path.name != "mock.py" else [])}
        if path.is_file() and not hidden & {*parts}:
            yield path


def edit(path: Path, line: int, kind: str, mark: str) -> bool:
    """Change a text as a person might, with a mark to know it by. Says whether something was written."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) or ["\n"]
    at = line % len(lines)
    written = f'"{mark}"\n' if path.suffix == ".json" else f"# {mark}\n"
    if path.name.startswith("mcpgen.yaml"):
        at = 0  # anywhere else it might mean something
        kind = "insert"
    if kind == "insert":
        lines.insert(at, written)
    elif kind == "append":
        lines.append(written)
    elif kind == "replace" and path.suffix == ".json" and '":"' in lines[at]:
        lines[at] = re.sub('":"', f'":"{mark} ', lines[at], count=1)
    elif kind == "replace":
        lines[at] = written
    else:
        del lines[at]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return kind != "delete"


def holding(package: Path, mark: str) -> set[str]:
    return {
        path.relative_to(package).as_posix()
        for path in files(package)
        if mark in path.read_text(encoding="utf-8")
    }


@given(APIS, ROUNDS)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    # Without shrinking: an example takes seconds.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
def test_no_line_of_a_persons_disappears_without_a_word(first: Any, rounds: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package = folder / "shop"
        (folder / "api.json").write_text(document(first, 0))
        run(folder)
        written: dict[str, str] = {}  # the mark of a line → its file
        for number, (edits, api, force) in enumerate(rounds, 1):
            for index, (which, line, kind) in enumerate(edits):
                ours = [one for one in files(package) if not re.search(r"\.(new|orig)", one.name)]
                path = ours[which % len(ours)]
                mark = f"person-{number}-{index}."
                if edit(path, line, kind, mark):
                    written[mark] = path.relative_to(package).as_posix()
            # What the person's own later edit took away again is not ours to keep.
            written = {mark: path for mark, path in written.items() if holding(package, mark)}
            (folder / "api.json").write_text(document(api, number))
            told = run(folder, "-v", *(["--force"] if force else []))
            for mark, path in written.items():
                found = holding(package, mark)
                if force and path not in found:
                    assert any(one.startswith(f"{path}.orig") for one in found), (mark, told)
                    assert re.search(rf"put aside {re.escape(path)}\.orig", told), told
                    written[mark] = next(iter(found))
                else:
                    assert path in found, (mark, path, told)
            again = run(folder, "-q")
            assert {mark for mark in written if not holding(package, mark)} == set(), again
