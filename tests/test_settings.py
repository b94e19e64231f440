"""mcpgen.yaml: what it may say, what it does to tools, and what is told of a line that does nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpgen import code, pipeline, resources, settings, source
from mcpgen.diagnostics import Diagnostics, Stop
from mcpgen.options import Options
from mcpgen.plan import make_plan
from mcpgen.views import PackagePlan, ToolPlan

PETS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "tags": ["pets"],
                "parameters": [
                    {"name": "api-version", "in": "query", "schema": {"type": "string"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                ],
            }
        },
        "/pets/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
            ],
            "get": {"operationId": "getPet", "tags": ["pets"]},
            "delete": {"operationId": "deletePet", "tags": ["pets"]},
        },
    },
}


def read(text: str) -> tuple[Options | None, list[str]]:
    diagnostics = Diagnostics()
    document = source.parse(text.encode(), "mcpgen.yaml", diagnostics)
    try:
        return settings.read_document(document, diagnostics), list(map(str, diagnostics))
    except Stop:
        return None, list(map(str, diagnostics))


def plan(text: str, previous: Any = None, document: Any = None) -> tuple[PackagePlan, list[str]]:
    options, told = read(f"source: pets.json\n{text}")
    assert options, told
    diagnostics = Diagnostics()
    data = json.dumps(document or PETS).encode()
    loaded = source.parse(data, "pets.json", diagnostics)
    api = pipeline.read_document(loaded, options, diagnostics)
    diagnostics.found.clear()  # what the document itself lacks
    made = make_plan(api, options, previous or {}, diagnostics)
    return made, list(map(str, diagnostics))


def names(made: PackagePlan) -> list[str]:
    return [one.name for one in made.tools]


def tool(made: PackagePlan, name: str) -> ToolPlan:
    return next(one for one in made.tools if one.name == name)


def calls(one: ToolPlan) -> list[str]:
    return [str(code.call(statement, "request")) for statement in one.requests[0].statements]


# --- what may stand there


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rename: [a]", "2:1: error[wrong-type]: 'rename' must be a mapping of tools to names"),
        ("rename:\n  a: 1", "3:6: error[wrong-type]: 'rename' must be a mapping of tools to names"),
        ("describe:\n  a: ''", "3:6: error[wrong-type]: 'describe' must be a mapping of tools to texts"),
        ("hide:\n  a: b", "3:6: error[wrong-type]: 'hide' must be a mapping of tools to mappings of parameters to values"),
        ("changelog: 1", "2:12: error[wrong-type]: 'changelog' must be true or false"),
        ("include: [1]", "2:11: error[wrong-type]: 'include' must be a list of texts"),
        ("confirm: all", "2:10: error[wrong-type]: 'confirm' must be 'destructive' or a list"),
        ("renames: {}", "2:1: error[unknown-key]: there is no setting 'renames'"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_at_its_place(line: str, told: str) -> None:
    options, found = read(f"source: pets.json\n{line}\n")
    assert options is None
    assert found[0].split("\n")[0] == f"mcpgen.yaml:{told}"


def test_an_unknown_setting_is_told_with_the_nearest() -> None:
    assert read("source: a\nrenames: {}")[1][0].endswith("hint: did you mean 'rename'?")


def test_a_setting_without_a_value_says_nothing() -> None:
    options, told = read("source: a\ninclude:\nrename:\n")
    assert (options, told) == (Options("a"), [])


# --- rename


@pytest.mark.parametrize("pattern", ["list_pets", "id:listPets", "GET /pets"])
def test_a_tool_is_renamed_by_its_name_or_a_pattern(pattern: str) -> None:
    made, told = plan(f"rename:\n  {pattern}: pets")
    assert (names(made), told) == (["pets", "get_pet", "delete_pet"], [])
    assert made.tools[0].method_name == "pets"


def test_a_renamed_tool_is_still_known_by_its_first_name_and_gets_it_back() -> None:
    renamed = "rename:\n  list_pets: pets"
    first, _ = plan(renamed)
    second, told = plan(renamed, first.record())
    assert (second.record(), told) == (first.record(), [])
    assert names(plan("", second.record())[0])[0] == "list_pets"


def test_two_tools_may_change_names() -> None:
    made, told = plan("rename:\n  list_pets: get_pet\n  get_pet: list_pets")
    assert (names(made), told) == (["get_pet", "list_pets", "delete_pet"], [])


def test_a_new_operation_does_not_take_a_name_that_is_given() -> None:
    renamed = "rename:\n  list_pets: pets"
    first, _ = plan(renamed)
    paths = {"/all": {"get": {"operationId": "pets", "tags": ["pets"]}}, **PETS["paths"]}
    made, told = plan(renamed, first.record(), PETS | {"paths": paths})
    assert (names(made), told) == (["get_all", "pets", "get_pet", "delete_pet"], [])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("list_pets: a b", "4:14: error[bad-name]: 'a b' is no name for a tool"),
        ("list_pets: get_pet", "4:14: error[bad-name]: two tools would be called 'get_pet'"),
        (
            "'*_pet': pet",
            "4:12: error[bad-name]: '*_pet' means 2 tools (get_pet, delete_pet…), and a name is for one",
        ),
        ("a b: c", "4:8: error[bad-pattern]: rename: 'a b' is no pattern; write tag:…, path:…, method:…, id:… or 'GET /path', or a tool's name"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_given_is_told(line: str, told: str) -> None:
    _, found = plan(f"rename:\n\n  {line}", plan("")[0].record())
    assert found[0].split("\n")[0] == f"mcpgen.yaml:{told}"


# --- describe


def test_a_description_is_the_one_that_settings_give() -> None:
    made, told = plan("describe:\n  get_pet: |\n    One pet.\n    Ask for its id first.\n")
    assert told == []
    assert tool(made, "get_pet").listed["description"] == "One pet.\nAsk for its id first."
    assert tool(made, "get_pet").method.doc == "Get pet. (GET /pets/{id})"


# --- hide


@pytest.mark.parametrize("parameter", ["api_version", "api-version", "query:api-version"])
def test_a_hidden_parameter_is_no_argument_and_always_sent(parameter: str) -> None:
    made, told = plan(f"hide:\n  tag:pets:\n    {parameter}: 2024-01-01\n")
    assert told == []
    found = tool(made, "list_pets")
    assert list(found.input_schema["properties"]) == ["limit"]
    assert [one.name for one in found.method.parameters] == ["limit"]
    assert calls(found) == [
        "request.query('api-version', '2024-01-01')",
        "request.query('limit', limit)",
    ]
    assert made.record()["tools"][0]["arguments"] == {"query:limit": "limit"}


def test_a_parameter_that_is_hidden_without_a_value_is_not_sent() -> None:
    made, told = plan("hide:\n  list_pets: {api-version: null, limit: 5}")
    assert (calls(tool(made, "list_pets")), told) == (["request.query('limit', 5)"], [])


def test_a_parameter_that_is_needed_cannot_be_left_out() -> None:
    _, told = plan("hide:\n  get_pet:\n    id: null")
    assert told[0].startswith(
        "mcpgen.yaml:4:9: error[missing-value]: get_pet needs 'id': give it a value"
    )


def test_a_body_and_its_type_may_be_fixed() -> None:
    body = {
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "text/plain": {"schema": {"type": "string"}},
        }
    }
    document = PETS | {
        "paths": {"/n": {"post": {"operationId": "note", "tags": ["n"], "requestBody": body}}}
    }
    made, _ = plan("hide:\n  note: {content_type: text/plain}", document=document)
    assert calls(made.tools[0]) == ["request.text(body)"]
    made, _ = plan("hide:\n  note: {content_type: text/plain, body: hello}", document=document)
    assert (calls(made.tools[0]), made.tools[0].arguments) == (["request.text('hello')"], ())


# --- what matches nothing


def test_each_pattern_that_matches_nothing_is_told_with_its_line() -> None:
    text = """
include: ["GET /**", tag:gone]
exclude:
  - id:nobody
rename:
  get_pat: a
describe:
  tag:none: text
hide:
  path:/none: {x: 1}
  list_pets:
    limits: 2
confirm:
  - delete_*
"""
    _, told = plan(text)
    assert [one.split("\n    at")[0] for one in told] == [
        "mcpgen.yaml:3:22: warning[unused-pattern]: no operation matches the pattern 'tag:gone'",
        "mcpgen.yaml:5:5: warning[unused-pattern]: no operation matches the pattern 'id:nobody'",
        "mcpgen.yaml:7:12: warning[unused-pattern]: rename: no tool is 'get_pat'",
        "mcpgen.yaml:9:13: warning[unused-pattern]: describe: no tool is 'tag:none'",
        "mcpgen.yaml:11:3: warning[unused-pattern]: hide: no tool is 'path:/none'",
        "mcpgen.yaml:13:13: warning[unused-pattern]: hide: no tool that 'list_pets' means has a parameter 'limits'",
        "mcpgen.yaml:15:5: warning[unused-pattern]: confirm: no tool is 'delete_*'",
    ]
    assert told[2].endswith("hint: did you mean 'get_pet'?")


def test_a_pattern_that_is_none_is_told_with_its_place() -> None:
    _, told = plan("exclude:\n  - tag:pets\n  - pets\n")
    assert told[0].startswith("mcpgen.yaml:4:5: error[bad-pattern]: 'pets' is no pattern; write")


def test_a_tool_asks_first_by_its_name_too() -> None:
    made, told = plan("rename: {delete_pet: drop}\nconfirm: [drop]")
    assert (made.confirmed, told) == (("drop",), [])


def test_what_the_template_shows_in_comments_can_be_said() -> None:
    lines = resources.templates().joinpath("mcpgen.yaml.j2").read_text("utf-8").splitlines()
    shown = [one[2:] for one in lines[lines.index("#") :] if one.startswith("# ")]
    options, told = read("\n".join(["source: a", *shown]))
    assert options and options.hide == {"path:/pets/**": {"api-version": "2024-01-01"}}, told
