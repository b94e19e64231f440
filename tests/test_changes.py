"""The change report: what an agent meets between two versions, and how much it matters."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen import change_report
from mcpgen.changes import Change, Report, Severity, Snapshot, Tool, compare, snapshot

STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def tool(
    name: str = "get_pet",
    request: str = "GET /pets/{id}",
    arguments: dict[str, Any] | None = None,
    required: str = "",
    keys: dict[str, str] | None = None,
    operation_id: str | None = None,
    **listed: Any,
) -> Tool:
    """A tool; its arguments travel in the query unless `keys` says where."""
    properties = arguments or {}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required.split()
    schema["additionalProperties"] = False
    method, _, path = request.partition(" ")
    wire = keys or {f"query:{one}": one for one in properties}
    whole = {"name": name, "description": "Get it.", "inputSchema": schema, **listed}
    return Tool(name, whole, operation_id, method, path, wire if method else {})


def changed(old: Tool | None, new: Tool | None) -> list[tuple[str, str, str]]:
    """(severity, kind, message) of each change of the one tool."""
    report = compare(Snapshot("old", (old,) if old else ()), Snapshot("new", (new,) if new else ()))
    return [(one.severity.value, one.kind, one.message) for one in report.changes]


# --- which tool is which


def test_a_new_tool_is_additive_and_a_lost_one_breaking() -> None:
    assert changed(None, tool()) == [("additive", "tool-added", "the tool is new (GET /pets/{id})")]
    assert changed(tool(), None) == [
        ("breaking", "tool-removed", "the tool is gone (GET /pets/{id})")
    ]


def test_a_tool_keeps_its_identity_by_its_request() -> None:
    assert changed(tool("get_pet", operation_id="a"), tool("show_pet", operation_id="b")) == [
        ("breaking", "tool-renamed", "the tool 'get_pet' is called 'show_pet' now")
    ]


def test_a_placeholder_may_get_another_name() -> None:
    old = tool(arguments={"id": STRING}, keys={"path:id": "id"})
    new = tool(
        request="GET /pets/{petId}", arguments={"petId": STRING}, keys={"path:petId": "petId"}
    )
    assert changed(old, new) == [
        ("breaking", "argument-renamed", "the argument 'id' is called 'petId' now")
    ]


@pytest.mark.parametrize("request_line", ["GET /v2/pets/{id}", "POST /pets/{id}"])
def test_a_request_may_move_under_its_operation_id(request_line: str) -> None:
    old, new = tool(operation_id="getPet"), tool("pet", request_line, operation_id="getPet")
    assert changed(old, new) == [
        ("breaking", "tool-renamed", "the tool 'get_pet' is called 'pet' now"),
        ("risky", "request-moved", f"sends {request_line}, which was GET /pets/{{id}}"),
    ]


def test_tools_that_are_much_alike_are_one() -> None:
    arguments = {"id": STRING, "verbose": INTEGER}
    old = tool("a", "GET /v1/pets/{id}", arguments, description="Find one pet by its number.")
    new = tool("b", "GET /v2/pets/{id}", arguments, description="Find one pet by its number.")
    assert [kind for _, kind, _ in changed(old, new)] == ["tool-renamed", "request-moved"]
    other = tool("b", "GET /v2/shops/{id}", {"town": STRING}, description="Find a shop.")
    assert [kind for _, kind, _ in changed(old, other)] == ["tool-removed", "tool-added"]


def test_what_is_not_unique_identifies_nothing() -> None:
    old = (tool("a", "GET /a", operation_id="x"), tool("b", "GET /b", operation_id="x"))
    new = (tool("c", "GET /c", {"q": STRING}, operation_id="x", description="Other things."),)
    kinds = [one.kind for one in compare(Snapshot("old", old), Snapshot("new", new)).changes]
    assert kinds == ["tool-removed", "tool-removed", "tool-added"]


def test_a_tool_written_by_hand_is_known_by_its_name() -> None:
    old, new = tool("roll", "", {"sides": INTEGER}), tool("roll", "", {"sides": STRING})
    assert changed(old, new) == [
        (
            "breaking",
            "argument-narrowed",
            "the argument 'sides' allows string instead of integer",
        )
    ]


# --- arguments


def test_arguments_come_and_go() -> None:
    old = tool(arguments={"a": STRING, "b": STRING}, required="b")
    new = tool(arguments={"b": STRING, "c": STRING, "d": STRING}, required="d")
    assert changed(old, new) == [
        ("breaking", "argument-removed", "the argument 'a' is gone"),
        ("breaking", "argument-added", "the argument 'd' is new and required"),
        ("additive", "argument-optional", "the argument 'b' is no longer required"),
        ("additive", "argument-added", "the argument 'c' is new and optional"),
    ]


def test_an_argument_that_becomes_required_breaks() -> None:
    assert changed(tool(arguments={"a": STRING}), tool(arguments={"a": STRING}, required="a")) == [
        ("breaking", "argument-required", "the argument 'a' is required now")
    ]


def test_an_argument_is_known_by_what_it_is_on_the_wire() -> None:
    old = tool(arguments={"id": STRING}, keys={"query:id": "id"})
    renamed = tool(arguments={"id_query": STRING}, keys={"query:id": "id_query"})
    moved = tool(arguments={"id": STRING}, keys={"header:id": "id"})
    assert changed(old, renamed) == [
        ("breaking", "argument-renamed", "the argument 'id' is called 'id_query' now")
    ]
    assert changed(old, moved) == [
        (
            "cosmetic",
            "argument-moved",
            "the argument 'id' travels as header now, not as query",
        )
    ]


def test_bodies_are_compared_to_the_bottom() -> None:
    def with_body(**pet: Any) -> Tool:
        body = {"$ref": "#/$defs/Pet"}
        found = tool(request="PUT /pets", arguments={"body": body}, keys={"body": "body"})
        found.input["$defs"] = {"Pet": {"type": "object", **pet}}
        return found

    old = with_body(properties={"name": STRING, "kind": {"enum": ["cat", "dog"]}})
    new = with_body(
        properties={"name": {**STRING, "description": "Its name."}, "kind": {"enum": ["cat"]}},
        required=["name"],
    )
    assert changed(old, new) == [
        ("breaking", "argument-narrowed", "the argument 'body.name' is required now"),
        ("breaking", "argument-narrowed", "the argument 'body.kind' no longer allows \"dog\""),
        (
            "cosmetic",
            "argument-described",
            "the argument 'body.name' says another description",
        ),
    ]


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (STRING, {"type": ["string", "null"]}, ("additive", "argument-widened")),
        (STRING, {**STRING, "format": "date"}, ("risky", "argument-changed")),
        (STRING, {**STRING, "maxLength": 5}, ("breaking", "argument-narrowed")),
        (STRING, {**STRING, "description": "It."}, ("cosmetic", "argument-described")),
        (STRING, {**STRING, "examples": ["a"]}, None),
    ],
)
def test_the_schema_of_an_argument_is_judged(old: Any, new: Any, want: Any) -> None:
    found = changed(tool(arguments={"a": old}), tool(arguments={"a": new}))
    assert [one[:2] for one in found] == ([want] if want else [])


def test_other_arguments_may_become_welcome() -> None:
    old, new = tool("roll", ""), tool("roll", "")
    new.input["additionalProperties"] = True
    assert changed(old, new) == [
        (
            "additive",
            "argument-widened",
            "the arguments as a whole: allows other members as well now",
        )
    ]


# --- answers, words, annotations, credentials


def test_answers_that_lose_members_are_risky() -> None:
    def answering(**members: Any) -> Tool:
        items = {"type": "array", "items": {"properties": members}}
        return tool(outputSchema={"type": "object", "properties": {"result": items}})

    assert changed(answering(id={}, name={}), answering(id={}, age={})) == [
        ("risky", "output-member-removed", "the answer's 'result[].name' is gone"),
        ("additive", "output-member-added", "the answer's 'result[].age' is new"),
    ]
    assert [one[:2] for one in changed(answering(), tool())] == [("risky", "output-removed")]
    assert [one[:2] for one in changed(tool(), answering())] == [("additive", "output-added")]


def test_an_answer_that_may_be_more_is_risky() -> None:
    def answering(schema: Any) -> Tool:
        return tool(outputSchema={"type": "object", "properties": {"result": schema}})

    nullable = {"type": ["string", "null"]}
    assert changed(answering(STRING), answering(nullable)) == [
        ("risky", "output-widened", "the answer's 'result' also allows null")
    ]
    assert [one[:2] for one in changed(answering(nullable), answering(STRING))] == [
        ("additive", "output-narrowed")
    ]


def test_words_are_cosmetic() -> None:
    assert changed(tool(description="A."), tool(description="B.", title="T")) == [
        ("cosmetic", "title", "the title is new"),
        ("cosmetic", "description", "the description changed"),
    ]


def test_broken_promises_are_risky_and_new_ones_cosmetic() -> None:
    reading, writing = tool(annotations={"readOnlyHint": True}), tool(annotations={})
    assert changed(reading, writing) == [
        ("risky", "annotations", "the tool no longer only reads now"),
        ("risky", "annotations", "the tool may destroy something now"),
        ("risky", "annotations", "the tool can no longer be repeated safely now"),
    ]
    assert [one[0] for one in changed(writing, reading)] == ["cosmetic"] * 3
    assert changed(writing, tool(annotations={"destructiveHint": True})) == []


def test_credentials_are_the_operators_to_set() -> None:
    old = Snapshot("old", (), {"key": {"key": "A_KEY"}, "gone": {}}, "A_BASE_URL")
    new = Snapshot("new", (), {"key": {"key": "B_KEY"}, "login": {"username": "B_USER"}}, "B_URL")
    assert [(one.severity.value, one.message) for one in compare(old, new).changes] == [
        ("risky", "the credential 'key' is read from B_KEY now, not from A_KEY"),
        ("risky", "the credential 'login' is new: B_USER"),
        ("risky", "the base URL is read from B_URL now, not from A_BASE_URL"),
        ("cosmetic", "the credential 'gone' is gone"),
    ]


names = st.text("abc", min_size=1, max_size=2)
any_schema = st.sampled_from(
    [STRING, {"$ref": "#/$defs/D"}, {"type": "array", "items": {"$ref": "#/$defs/D"}}, {}, {"type": "object"}]
)  # fmt: skip


@given(st.lists(st.tuples(names, names, st.dictionaries(names, any_schema, max_size=3)), max_size=4, unique_by=lambda one: one[0]))  # fmt: skip
def test_a_package_does_not_differ_from_itself(some: list[tuple[str, str, Any]]) -> None:
    tools = tuple(tool(name, f"GET /{path}", arguments) for name, path, arguments in some)
    for one in tools:
        one.input["$defs"] = {"D": {"properties": {"d": {"$ref": "#/$defs/D"}}}}
    assert compare(Snapshot("a", tools), Snapshot("b", tools)).changes == ()


def test_a_snapshot_takes_requests_from_the_record() -> None:
    listed = {"name": "get_pet", "inputSchema": {}}
    entry = {
        "name": "get_pet",
        "operation_id": "getPet",
        "method": "GET",
        "path": "/p",
        "arguments": {"query:a": "a"},
    }
    record = {"tools": [entry], "credentials": {"k": {"key": "K"}}, "base_url": "B"}
    assert snapshot("v", [listed], record) == Snapshot(
        "v",
        (Tool("get_pet", listed, "getPet", "GET", "/p", {"query:a": "a"}),),
        {"k": {"key": "K"}},
        "B",
    )


# --- the report

REPORT = Report(
    "old.yaml",
    "new.yaml",
    (
        Change("tool-removed", Severity.BREAKING, "drop", "the tool is gone (DELETE /a_b)"),
        Change("title", Severity.COSMETIC, "get", "the title <changed>\x1b[31m"),
    ),
)


def test_text_is_grouped_by_severity_and_obeys_no_document() -> None:
    assert change_report.text(REPORT) == (
        "old.yaml → new.yaml: 1 breaking, 1 cosmetic changes in 2 tools\n"
        "\n"
        "breaking (calls that were right can fail)\n"
        "  drop: the tool is gone (DELETE /a_b)\n"
        "\n"
        "cosmetic (it only reads differently)\n"
        "  get: the title <changed>\\x1b[31m\n"
    )


def test_markdown_is_escaped() -> None:
    assert change_report.markdown(REPORT) == (
        "# Changes from old.yaml to new.yaml\n"
        "\n"
        "1 breaking, 1 cosmetic changes in 2 tools.\n"
        "\n"
        "## Breaking: calls that were right can fail\n"
        "\n"
        "- **drop**: the tool is gone (DELETE /a\\_b)\n"
        "\n"
        "## Cosmetic: it only reads differently\n"
        "\n"
        "- **get**: the title \\<changed\\>\\\\x1b\\[31m\n"
    )


def test_what_happened_to_many_tools_alike_is_told_once() -> None:
    change = ("argument-narrowed", Severity.BREAKING)
    message = "the argument 'page' has the maximum 9 now"
    found = [Change(*change, f"tool_{number}", message, "page") for number in range(9)]
    gone = [Change("tool-removed", Severity.BREAKING, f"t{n}", "the tool is gone") for n in "abcd"]
    assert change_report.text(Report("a", "b", (*found, *gone))).splitlines()[3:] == [
        f"  9 tools (tool_0, tool_1, tool_2 and 6 more): {message}",
        *(f"  {one.tool}: the tool is gone" for one in gone),
    ]


def test_json_has_everything() -> None:
    assert json.loads(change_report.as_json(REPORT)) == {
        "old": "old.yaml",
        "new": "new.yaml",
        "summary": {"breaking": 1, "risky": 0, "additive": 0, "cosmetic": 1},
        "changes": [
            {
                "kind": "tool-removed",
                "severity": "breaking",
                "tool": "drop",
                "place": "",
                "was": "",
                "message": "the tool is gone (DELETE /a_b)",
            },
            {
                "kind": "title",
                "severity": "cosmetic",
                "tool": "get",
                "place": "",
                "was": "",
                "message": "the title <changed>\x1b[31m",
            },
        ],
    }


def test_nothing_changed_is_said() -> None:
    assert change_report.text(Report("a", "b", ())) == "a → b: nothing changed for an agent\n"


def test_a_report_fails_on_its_severity_and_worse() -> None:
    assert [severity.value for severity in Severity if REPORT.fails_on(severity)] == [
        "breaking",
        "risky",
        "additive",
        "cosmetic",
    ]
    additive = Report("a", "b", (Change("tool-added", Severity.ADDITIVE, "t", "new"),))
    assert [one.value for one in Severity if additive.fails_on(one)] == ["additive", "cosmetic"]


@pytest.mark.parametrize(
    "listed",
    [
        {"inputSchema": 7},
        {"inputSchema": {"properties": []}},
        {"inputSchema": {"required": [{}]}},
        {"inputSchema": {"properties": {"a": 7}}},
        {"inputSchema": {"properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}, "$defs": [1]}},
        {"inputSchema": {"$schema": "http://127.0.0.1:9/", "properties": {"a": {}}}},
        {"outputSchema": {"properties": {"a": {"minimum": 1e999}}}},
        {"outputSchema": []},
        {"annotations": []},
        {"description": 7, "title": []},
    ],
)
def test_a_tool_that_a_person_broke_is_compared_as_far_as_it_goes(listed: dict[str, Any]) -> None:
    good = tool(arguments={"a": STRING}, outputSchema={"properties": {"a": {"minimum": 1}}})
    broken = Tool("get_pet", {"name": "get_pet", **listed})
    assert changed(good, broken)
    assert changed(broken, good)
    assert changed(broken, broken) == []
