"""Reading documents: YAML 1.2 core, JSON, encodings, places, limits, and what is wrong with a text."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from mcpgen import source
from mcpgen.diagnostics import Diagnostics, Location, Stop


def read(text: str | bytes, file: str = "api.yaml") -> Any:
    """The value of a text that has no fault."""
    diagnostics = Diagnostics()
    data = text.encode() if isinstance(text, str) else text
    value = source.parse(data, file, diagnostics).value
    assert not diagnostics.found
    return value


def faults(text: str | bytes, file: str = "api.yaml") -> list[str]:
    diagnostics = Diagnostics()
    try:
        source.parse(text.encode() if isinstance(text, str) else text, file, diagnostics)
    except Stop:
        assert diagnostics.has_errors
    return [str(one) for one in diagnostics]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("no", "no"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("2024-01-31", "2024-01-31"),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("True", True),
        ("~", None),
        ("", None),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ('"\\ud83d\\ude00"', "😀"),
    ],
)
def test_yaml_scalars_follow_the_core_schema_of_1_2(text: str, want: Any) -> None:
    value = read(f"a: {text}")["a"]
    assert value == want and type(value) is type(want)


def test_yaml_keys_are_strings_as_written() -> None:
    assert read("200: a\non: b\n1.10: c\n~: d") == {"200": "a", "on": "b", "1.10": "c", "~": "d"}


def test_aliases_and_merge_keys_are_honoured_and_own_keys_win() -> None:
    text = "base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\nall: {<<: [*b, *m], x: 9}\n'<<': plain"
    value = read(text)
    assert value["all"] == {"x": 9, "y": 2, "z": 4}
    assert value["<<"] == "plain"


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfa: Gr\xc3\xb6\xc3\x9fe\r\nb: 1\r\n",
        "a: Größe\nb: 1\n".encode("utf-16"),
        "\ufeffa: Größe\nb: 1\n".encode("utf-32-be"),
    ],
)
def test_byte_order_marks_and_line_ends_are_read(data: bytes) -> None:
    assert read(data) == {"a": "Größe", "b": 1}


def test_json_may_be_indented_with_tabs_and_has_pairs_of_surrogates() -> None:
    assert read('{\n\t"a": "\\ud83d\\ude00"\n}', "api.json") == {"a": "😀"}


def test_half_a_surrogate_pair_becomes_a_character_that_can_be_written() -> None:
    assert read(r'{"a": "x\ud800y", "b": "[\\ud800]"}') == {"a": "x\ufffdy", "b": r"[\ud800]"}


@pytest.mark.parametrize(
    ("text", "file", "want"),
    [
        (
            "a: 1\nb:\n  c: 2\n  c: 3\n",
            "api.yaml",
            "api.yaml:4:3: error[duplicate-key]: the key 'c' is written twice; the first is in line 3",
        ),
        (
            '{"a": {\n "c": 1,\n "c": 2}}',
            "api.json",
            "api.json:3:2: error[duplicate-key]: the key 'c' is written twice; the first is in line 2",
        ),
        (
            '{"a": 1,\n "b": }',
            "api.json",
            "api.json:2:7: error[syntax]: this is no valid JSON: Expecting value",
        ),
        (
            '{"a": [NaN]}',
            "api.json",
            "api.json:1:8: error[bad-number]: NaN is not a number that JSON has",
        ),
        (
            "a: .inf",
            "api.yaml",
            "api.yaml:1:4: error[bad-number]: .inf is not a number that JSON has",
        ),
        (
            "a: &x [1, *x]",
            "api.yaml",
            "api.yaml:1:4: error[yaml-alias-cycle]: an alias stands inside of what it refers to",
        ),
        ("", "api.yaml", "api.yaml: error[empty-document]: the document is empty"),
        (
            "<!DOCTYPE html><p>Docs</p>",
            "api.yaml",
            "api.yaml: error[no-api]: this is a page, not an API description\n    hint: the address of"
            " the document itself is wanted, often one that ends in openapi.json",
        ),
        ("? [a]\n: 1", "api.yaml", "api.yaml:1:3: error[yaml-key]: a key must be a string"),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, file: str, want: str) -> None:
    assert faults(text, file) == [want]


def test_a_syntax_error_has_the_line_where_reading_failed() -> None:
    (fault,) = faults("openapi: 3.0.3\npaths:\n  /a:\n    get:\n      x: a\n     y: {}\n")
    assert fault.startswith("api.yaml:6:6: error[syntax]: this is no valid YAML: ")


def test_text_that_is_not_utf_8_is_named_with_its_byte() -> None:
    (fault,) = faults(b"a: 1\nb: caf\xe9\n")
    assert fault == (
        "api.yaml:2:7: error[encoding]: the text is not UTF-8: byte 0xE9\n    hint: save it as UTF-8"
    )


@pytest.mark.parametrize("file", ["api.yaml", "api.json"])
@pytest.mark.parametrize("depth", [400, 100_000])
def test_deep_nesting_is_refused_and_does_no_harm(file: str, depth: int) -> None:
    (fault,) = faults("[" * depth + "]" * depth, file)
    assert "error[too-deep]" in fault or "nesting" in fault


def test_an_alias_bomb_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    (fault,) = faults("\n".join(lines))
    assert "error[too-large]: aliases give more than 5,000,000 values" in fault


def place(text: str, *steps: str | int, file: str = "api.yaml") -> str:
    node = source.parse(text.encode(), file, Diagnostics()).root
    for step in steps:
        child = node.child(step)
        assert child is not None
        node = child
    return f"{node.location} {node.location.pointer}"


def test_yaml_places_are_of_the_key_for_what_fills_lines_and_of_the_value_else() -> None:
    text = "paths:\n  /a/b~c:\n    get:\n      tags: [x, y]\n"
    assert place(text, "paths", "/a/b~c") == "api.yaml:2:3 #/paths/~1a~1b~0c"
    assert place(text, "paths", "/a/b~c", "get", "tags", 1) == (
        "api.yaml:4:17 #/paths/~1a~1b~0c/get/tags/1"
    )


def test_json_places_are_found_without_reading_positions_for_everything() -> None:
    text = '{"a": {"x": [1,\n  {"b": "c}"}, 2]},\n "d": "e"}'
    assert place(text, "a", "x", 1, "b", file="api.json") == "api.json:2:9 #/a/x/1/b"
    assert place(text, "d", file="api.json") == "api.json:3:7 #/d"


def test_a_merged_key_has_the_place_where_it_was_written() -> None:
    text = "base: &b\n  x: 1\nall:\n  <<: *b\n"
    assert place(text, "all", "x") == "api.yaml:2:6 #/all/x"


def test_wrong_types_report_themselves_and_count_as_not_there() -> None:
    diagnostics = Diagnostics()
    text = b"a: [1]\nb: x\nc: maybe\nd: 1.10\ne: 'true'\nf:\n"
    root = source.parse(text, "api.yaml", diagnostics).root
    assert root.text("a", diagnostics, "-") == "-"
    assert root.mapping("b", diagnostics) is None
    assert root.sequence("b", diagnostics) == []
    assert root.flag("c", diagnostics) is None
    assert root.text("d", diagnostics) == "1.10"
    assert root.flag("e", diagnostics) is True
    assert root.sequence("f", diagnostics) == []
    assert [one.message for one in diagnostics] == [
        "'a' must be a string, not a list",
        "'b' must be a mapping, not the string 'x'",
        "'b' must be a list, not the string 'x'",
        "'c' must be true or false, not the string 'maybe'",
    ]


def test_locations_are_equal_by_what_they_say() -> None:
    root = source.parse(b"a: {b: 1}", "api.yaml", Diagnostics()).root
    first, second = root.child("a"), root.child("a")
    assert first is not None and second is not None
    assert first.location == second.location != root.location
    assert first.location == Location("api.yaml", 1, 1, "#/a")
    assert len({first.location, second.location}) == 1


def test_a_file_keeps_the_name_that_the_user_gave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "api.yaml").write_text("a: 1")
    monkeypatch.chdir(tmp_path)
    document = source.load("api.yaml", Diagnostics())
    assert (document.file, document.value) == ("api.yaml", {"a": 1})


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: 1")))
    document = source.load("-", Diagnostics())
    assert (document.file, document.value) == ("<stdin>", {"a": 1})


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        ("missing.yaml", "error[unreadable]: cannot read missing.yaml: No such file or directory"),
        ("a\0b", "error[unreadable]: cannot read a\0b: embedded null byte"),
        ("http://[bad", "error[unreadable]: cannot fetch http://[bad: Invalid IPv6 URL"),
    ],
)
def test_what_cannot_be_read_ends_the_run_with_a_reason(spec: str, want: str) -> None:
    diagnostics = Diagnostics()
    with pytest.raises(Stop):
        source.load(spec, diagnostics)
    assert [str(one) for one in diagnostics] == [want]
