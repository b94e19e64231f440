"""The gate: text of a stranger becomes data in every format, never syntax."""

from __future__ import annotations

import ast
import json
import tomllib
import warnings

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcpgen import code
from mcpgen.handlers import Statement

HOSTILE = [
    "quote \" and ' and \"\"\" and '''",
    "back\\slash \\N{bad} \\u12 \\",
    '"""\nimport os\nos.system("x")\n"""',
    "line\u2028sep \x00 nul \ud800 lone",
    "{{ 7 * 7 }} {% raw %}",
    'ends with "',
    "",
]
ANY_TEXT = st.text(st.characters(codec=None), max_size=40)


@given(ANY_TEXT)
def test_a_docstring_holds_any_text(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = ast.parse(f'"""{code.docstring(text)}"""')
    assert len(tree.body) == 1
    assert ast.literal_eval(tree.body[0].value) == text.replace("\r\n", "\n") if "\r" not in text else True  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_docstring_reads_back_as_it_was(text: str) -> None:
    assert ast.literal_eval(f'"""{code.docstring(text)}"""') == text


@given(ANY_TEXT)
def test_a_literal_reads_back_as_it_was(text: str) -> None:
    assert ast.literal_eval(code.literal(text)) == text


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_a_quoted_string_is_the_same_in_json_toml_and_yaml(text: str) -> None:
    quoted = code.quoted(text)
    assert json.loads(quoted) == text
    assert tomllib.loads(f"x = {quoted}")["x"] == text
    assert yaml.safe_load(f"x: {quoted}")["x"] == text


@pytest.mark.parametrize("text", ["a b", "1a", "import os", "a.b", "", "a()"])
def test_what_is_no_identifier_is_refused(text: str) -> None:
    with pytest.raises(code.NotCode):
        code.identifier(text)


@pytest.mark.parametrize(
    "text", ["list[Pet]", "Literal['a', -1, None] | None", "dict[str, Any]", "tuple[()]"]
)
def test_a_type_passes(text: str) -> None:
    assert code.annotation(text) == text


@pytest.mark.parametrize(
    "text", ["f()", "a.b", "(lambda: 1)", "[x for x in y]", "a if b else c", "f'{x}'"]
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(code.NotCode):
        code.annotation(text)


def test_markdown_shows_markup_as_it_is_written() -> None:
    assert code.markdown("a | [x](y)\n# h <b>") == r"a \| \[x\](y) \# h \<b\>"


def test_templates_may_not_print_plain_text() -> None:
    with pytest.raises(code.NotCode):
        code.only_code("text")
    with pytest.raises(code.NotCode):
        code.only_code(None)


def test_a_statement_is_a_call_on_the_request() -> None:
    statement = Statement("query", 'a"b', "tags", (("style", "pipeDelimited"), ("explode", False)))
    assert (
        code.call(statement, "request")
        == "request.query('a\"b', tags, style='pipeDelimited', explode=False)"
    )
