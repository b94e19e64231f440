"""Overlays: what each action does to a document, what is told of a wrong one, and which places remain."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen import source
from mcpgen.diagnostics import Diagnostics
from mcpgen.overlay import apply
from mcpgen.source import Document

API = """\
openapi: 3.1.0
info:
  title: Pets
  version: 1.10
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets, old]
      parameters:
        - {name: dummy, in: query}
        - name: limit
          in: query
  /users:
    delete:
      operationId: dropUser
"""


def read(text: str, file: str = "api.yaml") -> Document:
    return source.parse(text.encode(), file, Diagnostics())


def overlaid(actions: str, api: str = API, version: str = "1.1.0") -> tuple[Document, list[str]]:
    """The document after the actions, and what was said, each in a line."""
    head = f"overlay: {version}\ninfo: {{title: T, version: 1.0.0}}\nactions:\n"
    diagnostics = Diagnostics()
    document = apply(read(api), [read(head + actions, "o.yaml")], diagnostics)
    return document, [str(one).split("\n", 1)[0] for one in diagnostics]


def values(actions: str, api: str, version: str = "1.1.0") -> Any:
    document, said = overlaid(actions, api, version)
    assert said == []
    return document.value


def test_an_update_merges_mappings_and_appends_to_lists() -> None:
    assert values(
        "- {target: $, update: {a: {x: 2, z: {new: 3}}, l: [3, 4], n: null}}",
        "{a: {x: 1, y: 1}, l: [1, 2]}",
    ) == {"a": {"x": 2, "y": 1, "z": {"new": 3}}, "l": [1, 2, 3, 4], "n": None}


@pytest.mark.parametrize(
    ("update", "want"), [("{name: c}", [{"name": "c"}]), ("[c, d]", ["c", "d"]), ("c", ["c"])]
)
def test_a_list_takes_in_what_it_is_given(update: str, want: list[Any]) -> None:
    found = values(f"- {{target: $.l, update: {update}}}", "{l: [a, b]}")
    assert found == {"l": ["a", "b", *want]}


def test_a_scalar_is_replaced() -> None:
    assert values("- {target: '$.a.*', update: null}", "{a: {x: 1, y: z}}") == {
        "a": {"x": None, "y": None}
    }


def test_one_action_changes_every_target() -> None:
    api = "{paths: {/a: {get: {}}, /b: {get: {}, put: {}}}}"
    assert values("- {target: $.paths.*.get, update: {x-safe: true}}", api) == {
        "paths": {"/a": {"get": {"x-safe": True}}, "/b": {"get": {"x-safe": True}, "put": {}}}
    }


def test_a_target_that_is_selected_twice_is_changed_once() -> None:
    assert values("- {target: \"$['l','l']\", update: 1}", "{l: []}") == {"l": [1]}


def test_several_elements_are_removed_at_once() -> None:
    assert values("- {target: '$.l[?@ > 1]', remove: true}", "{l: [1, 2, 3, 1]}") == {"l": [1, 1]}


def test_what_contains_another_target_is_removed_with_it() -> None:
    assert values("- {target: $..a, remove: true}", "{a: {a: 1}, b: {a: 2, c: 3}}") == {
        "b": {"c": 3}
    }


def test_removing_wins_over_updating() -> None:
    assert values("- {target: $.a, remove: true, update: {x: 1}}", "{a: {}, b: 1}") == {"b": 1}


def test_each_action_sees_what_the_one_before_left() -> None:
    actions = """\
- {target: $.a, remove: true}
- {target: $, update: {a: {y: 2}}}
- {target: $.a, update: {z: 3}}
"""
    assert values(actions, "{a: {x: 1}}") == {"a": {"y": 2, "z": 3}}


def test_a_copy_is_merged_and_then_lives_on_its_own() -> None:
    actions = """\
- {target: $.b, copy: $.a}
- {target: $.a.l, update: 9}
"""
    assert values(actions, "{a: {x: 1, l: [1]}, b: {y: 2}}") == {
        "a": {"x": 1, "l": [1, 9]},
        "b": {"y": 2, "x": 1, "l": [1]},
    }


def test_what_an_overlay_brought_to_two_places_is_changed_in_one() -> None:
    actions = """\
- {target: '$.*', update: {l: [1]}}
- {target: $.a.l, update: 2}
"""
    assert values(actions, "{a: {}, b: {}}") == {"a": {"l": [1, 2]}, "b": {"l": [1]}}


def test_several_overlays_apply_in_order() -> None:
    first = read("{overlay: 1.0.0, actions: [{target: $, update: {a: 1}}]}")
    second = read("{overlay: 1.1.0, actions: [{target: $.a, update: 2}]}")
    assert apply(read("{}"), [first, second], Diagnostics()).value == {"a": 2}


def test_nothing_that_was_given_is_changed() -> None:
    document = read(API)
    overlay = read("""\
overlay: 1.1.0
actions:
  - {target: $.paths.*.*, update: {tags: [new], x: {l: [1]}}}
  - {target: $.paths.*.*.x.l, update: 2}
  - {target: '$..parameters[0]', remove: true}
  - {target: $.info, copy: $.paths}
""")
    before = copy.deepcopy((document.value, overlay.value))
    apply(document, [overlay], Diagnostics())
    assert (document.value, overlay.value) == before


def test_a_document_that_no_action_changes_is_the_same_document() -> None:
    document = read(API)
    assert apply(document, [], Diagnostics()) is document


# --- what is told


@pytest.mark.parametrize(
    ("action", "want"),
    [
        (
            "- target: $.paths./none\n  remove: true",
            "o.yaml:4:11: error[overlay-target]: '$.paths./none' is no JSONPath (RFC 9535): unexpected token '/'",
        ),
        (
            "- target: $.none\n  remove: true",
            "o.yaml:4:11: warning[overlay-unmatched]: the target $.none matches nothing",
        ),
        ("- 7", "o.yaml:4:3: error[overlay-action]: an action is a mapping, not the number 7"),
        ("- update: {}", "o.yaml:4:3: error[overlay-action]: the action has no 'target'"),
        (
            "- target: [$.a]\n  remove: true",
            "o.yaml:4:3: error[wrong-type]: 'target' must be a JSONPath, not a list",
        ),
        (
            "- target: $.info\n  remove: 'yes'",
            "o.yaml:5:11: error[wrong-type]: 'remove' must be true or false, not the string 'yes'",
        ),
        (
            "- target: $.info",
            "o.yaml:4:3: error[overlay-action]: the action does nothing: it has neither 'update' nor 'copy'"
            " nor 'remove: true'",
        ),
        (
            "- {target: $.info, update: {}, copy: $.paths}",
            "o.yaml:4:3: error[overlay-action]: the action has both 'update' and 'copy'; make it two actions",
        ),
        (
            "- target: $\n  remove: true",
            "o.yaml:4:11: error[overlay-incompatible]: the action cannot be applied: the document itself cannot"
            " be removed",
        ),
        (
            "- target: $.info\n  update: text",
            "o.yaml:5:11: error[overlay-incompatible]: the action cannot be applied: the string 'text' cannot be"
            " merged into a mapping",
        ),
        (
            "- target: $\n  update: {info: {title: [a]}}",
            "o.yaml:5:3: error[overlay-incompatible]: the action cannot be applied: a list cannot be merged into"
            " the string 'Pets'",
        ),
        (
            "- target: $.*\n  update: {x: 1}",
            "o.yaml:5:3: error[overlay-incompatible]: the action cannot be applied: the target selects mappings"
            " and scalars together",
        ),
        (
            "- target: $.info\n  copy: $.paths.*",
            "o.yaml:5:9: error[overlay-incompatible]: the action cannot be applied: '$.paths.*' must select one"
            " value, and selects 2",
        ),
        (
            "- {target: $.info, update: {}, updates: {}}",
            "o.yaml:4:32: warning[unknown-key]: an action has no field 'updates'",
        ),
    ],
)
def test_a_wrong_action_is_told_with_its_place(action: str, want: str) -> None:
    assert overlaid(action)[1] == [want]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("[]", "o.yaml:1:1: error[no-overlay]: an overlay is a mapping, not a list"),
        ("actions: []", "o.yaml:1:1: error[no-overlay]: the field 'overlay' is missing"),
        (
            "overlay: 1.2.0",
            "o.yaml:1:10: error[unsupported-version]: overlay version the string '1.2.0' is not supported;"
            " 1.0 and 1.1 are",
        ),
        (
            "overlay: 1.0.0",
            "o.yaml:1:1: error[overlay-actions]: 'actions' must be a list of actions",
        ),
        (
            "overlay: 1.0.0\nactions: {}",
            "o.yaml:2:1: error[overlay-actions]: 'actions' must be a list of actions",
        ),
        (
            "overlay: 1.0.0\nactions: [{target: $, copy: $.a}]",
            "o.yaml:2:11: error[overlay-action]: 'copy' is new in Overlay 1.1; this overlay says 'overlay: 1.0'",
        ),
    ],
)
def test_a_wrong_overlay_is_told_with_its_place(text: str, want: str) -> None:
    diagnostics = Diagnostics()
    apply(read(API), [read(text, "o.yaml")], diagnostics)
    assert [str(one).split("\n", 1)[0] for one in diagnostics] == [want]


def test_a_wrong_action_costs_itself_only() -> None:
    document, _ = overlaid("- {target: $}\n- {target: $.info.title, update: Animals}")
    assert document.value["info"]["title"] == "Animals"


def test_version_1_0_replaces_what_cannot_be_merged() -> None:
    action = "- {target: $, update: {type: [string, 'null']}}"
    assert values(action, "{type: string}", "1.0.0") == {"type": ["string", "null"]}


def test_an_overlay_for_another_file_is_named(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(API)
    text = "overlay: 1.0.0\nextends: ./a.yaml\nactions: [{target: $, update: {x: 1}}]\n"
    (tmp_path / "o.yaml").write_text(text)
    overlay = source.load_path(tmp_path / "o.yaml", "o.yaml", Diagnostics())
    said = {}
    for name in ("a.yaml", "b.yaml"):
        diagnostics = Diagnostics()
        apply(source.load_path(tmp_path / name, name, diagnostics), [overlay], diagnostics)
        said[name] = [str(one).split("\n", 1)[0] for one in diagnostics]
    assert said == {
        "a.yaml": [],
        "b.yaml": [
            "o.yaml:2:10: warning[overlay-extends]: this overlay was written for './a.yaml', not for b.yaml"
        ],
    }


# --- places


def test_places_of_the_document_remain() -> None:
    document, _ = overlaid("""\
- {target: '$.paths.*.*.parameters[0]', remove: true}
- {target: $.paths.*.*, update: {x-new: {deep: 1}}}
- {target: '$.paths', update: {/new: {get: {}}}}
""")
    find = document.positions.find
    get: list[str | int] = ["paths", "/pets", "get"]
    assert find([*get, "parameters", 0, "name"], key=False) == (12, 17)  # it was the second
    assert find(["paths", "/users", "delete", "operationId"], key=True) == (16, 7)
    assert find([*get, "x-new", "deep"], key=True) == find(get, key=False) == (8, 7)
    assert find(["paths", "/new"], key=True) == find(["paths"], key=False) == (6, 3)


def test_a_scalar_is_as_written_only_where_no_overlay_changed_it() -> None:
    assert overlaid("- {target: $.info, update: {title: A}}")[0].positions.written(
        ["info", "version"]
    ) == ("1.10")
    changed = overlaid("- {target: $.info, update: {version: 2.5}}")[0]
    assert changed.positions.written(["info", "version"]) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.lists(st.tuples(st.sampled_from(["$", "$.*", "$..a", "$[0]"]), JSON), max_size=3))
def test_no_value_breaks_it_or_is_changed(value: Any, updates: list[tuple[str, Any]]) -> None:
    actions = [{"target": target, "update": update} for target, update in updates]
    actions.append({"target": "$..b", "remove": True})
    overlay = Document("o.yaml", {"overlay": "1.1.0", "actions": actions})
    before = copy.deepcopy((value, overlay.value))
    document = apply(Document("api.yaml", value), [overlay], Diagnostics())
    assert (value, overlay.value) == before
    stack = [document.root]
    while stack:
        node = stack.pop()
        assert node.position() == (0, 0)
        stack += [*node.elements(), *(child for _, child in node.items())]
