"""Data files with one entry a line."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.merge import Conflict, Merged, merge

GET = '{"name":"get","description":"Get it.","inputSchema":{"type":"object"}}'
PUT = '{"name":"put","description":"Put it.","inputSchema":{"type":"object"}}'


def catalog(*tools: str, version: str = "1") -> str:
    server = f'{{"server":{{"name":"shop","version":"{version}"}}'
    names = {json.loads(tool)["name"]: 1 for tool in tools}
    namespaces = f'"namespaces":{json.dumps(names, separators=(",", ":"))}'
    return f'{server},\n{namespaces},\n"tools":[\n' + ",\n".join(tools) + "\n]}\n"


def test_a_description_and_a_schema_of_one_tool_go_together() -> None:
    yours = GET.replace("Get it.", "Get one.")
    new = GET.replace('"object"', '"object","required":["id"]')
    both = yours.replace('"object"', '"object","required":["id"]')
    assert merge(catalog(GET, PUT), catalog(yours, PUT), catalog(new, PUT)) == Merged(
        catalog(both, PUT)
    )


def test_neighbours_do_not_disturb_each_other() -> None:
    yours, new = GET.replace("Get it.", "Get one."), PUT.replace("Put it.", "Replace it.")
    assert merge(catalog(GET, PUT), catalog(yours, PUT), catalog(GET, new)) == Merged(
        catalog(yours, new)
    )


def test_the_head_is_merged_by_its_members() -> None:
    base = catalog(GET)
    yours = base.replace('"shop"', '"our shop"')
    new = catalog(GET, PUT, version="2")
    assert merge(base, yours, new) == Merged(new.replace('"shop"', '"our shop"'))


def test_a_new_tool_beside_an_edited_one_is_taken() -> None:
    yours = GET.replace("Get it.", "Get one.")
    assert merge(catalog(GET), catalog(yours), catalog(GET, PUT)) == Merged(catalog(yours, PUT))


def test_a_tool_that_went_takes_no_edited_neighbour_with_it() -> None:
    yours = PUT.replace("Put it.", "Put one.")
    assert merge(catalog(GET, PUT), catalog(GET, yours), catalog(PUT)) == Merged(catalog(yours))


def test_two_tools_added_in_one_place_both_stay() -> None:
    head, add = GET.replace('"get"', '"head"'), GET.replace('"get"', '"add"')
    merged = merge(catalog(GET, PUT), catalog(GET, head, PUT), catalog(GET, add, PUT))
    assert merged == Merged(
        catalog(GET, add, head, PUT).replace(
            '{"get":1,"add":1,"head":1,"put":1}', '{"get":1,"add":1,"put":1,"head":1}'
        )
    )


def test_code_is_not_taken_for_data() -> None:
    base = 'X = {\n    "a": {"x": 1},\n}\n'
    yours, new = base.replace("1", "2"), base.replace('"x"', '"y"')
    assert merge(base, yours, new).conflicts == (Conflict(1, 2),)


def test_the_same_member_changed_twice_is_a_conflict_in_its_line() -> None:
    yours = catalog(GET, PUT.replace("Put it.", "Put one."))
    new = catalog(GET.replace("Get it.", "Get!"), PUT.replace("Put it.", "Put!"))
    merged = merge(catalog(GET, PUT), yours, new)
    assert merged.conflicts == (Conflict(4, 5),)
    assert "Put one." in merged.text and "Get!" in merged.text


def test_an_edited_tool_that_is_no_longer_made_is_a_conflict() -> None:
    yours = PUT.replace("Put it.", "Put one.")
    merged = merge(catalog(GET, PUT), catalog(GET, yours), catalog(GET))
    assert merged.conflicts and "Put one." in merged.text


def test_an_edit_follows_an_entry_that_has_another_name_now() -> None:
    base = catalog('{"name":"a","title":"A","description":"What it is."}', '{"name":"z"}')
    yours = base.replace('"A"', '"Ours"')
    merged = merge(base, yours, base.replace('"a"', '"b"'))
    assert merged.text == yours.replace('"a"', '"b"') and not merged.conflicts


def test_true_is_not_one() -> None:
    base, yours, new = ('{"name":"a","x":true}\n', '{"name":"a","x":1}\n', '{"name":"a","x":2}\n')
    assert merge(base, yours, new).conflicts == (Conflict(0, 1),)


def test_lines_that_are_no_entries_conflict_as_ever() -> None:
    assert merge("a\n", '{"name":"a"}\n', '{"name":"b"}\n').conflicts == (Conflict(0, 1),)


TOOLS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1, max_size=5)


@given(TOOLS, TOOLS, TOOLS)
@settings(max_examples=300, deadline=None)
def test_what_is_merged_without_a_conflict_is_json_and_holds_both_changes(
    base: dict[str, int], yours: dict[str, int], new: dict[str, int]
) -> None:
    texts = [
        catalog(*(json.dumps({"name": name, "x": x}) for name, x in one.items()))
        for one in (base, yours, new)
    ]
    merged = merge(*texts)
    if merged.conflicts:
        return
    found = {tool["name"]: tool["x"] for tool in json.loads(merged.text)["tools"]}
    for name in {*base, *yours, *new}:
        old, mine, theirs = base.get(name), yours.get(name), new.get(name)
        assert found.get(name) == (theirs if mine == old else mine)
