"""Descriptions: what a model reads is the document's words without their packaging."""

from __future__ import annotations

import pytest

from mcpgen import descriptions


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("<p>Get a <b>pet</b>.</p><p>By id.</p>", "Get a pet.\n\nBy id."),
        ("Use <id> or List<Pet>", "Use <id> or List<Pet>"),
        ("a &amp; b", "a &amp; b"),
        ("<i>a</i> &amp; b", "a & b"),
        ("  two   words \r\n\r\n\r\n next", "two words\n\nnext"),
        ("<!-- hidden -->seen", "seen"),
        ("bell\x07 and \u202ereversed", "bell and \ufffdreversed"),
        ("\\N{bad} \\u12 \\d+ {brace} %s", "\\N{bad} \\u12 \\d+ {brace} %s"),
        ("Needs the `x` [scope](https://a.example/b_(c)#d).", "Needs the `x` scope."),
        ('The page. For more information, see "[Pages](https://a.example/p.html)."', "The page."),
        ("Learn more about it in [a](b) and [c](d).\n\nThe rest.", "The rest."),
        ("See [POST /pets](#post) to make one. More.", "See POST /pets to make one. More."),
        ("call f[0](x)", "call f[0](x)"),
    ],
)
def test_cleaning_drops_html_and_keeps_words(text: str, want: str) -> None:
    assert descriptions.clean(text) == want


def test_a_long_text_is_cut_after_a_sentence() -> None:
    assert (
        descriptions.cap("One two three. Four five six. Seven", 31)
        == "One two three. Four five six."
    )


def test_a_long_sentence_is_cut_at_a_word() -> None:
    assert descriptions.cap("one two three four", 12) == "one two…"


def test_a_description_that_repeats_the_summary_is_said_once() -> None:
    assert (
        descriptions.describe("Get a pet", "Get a pet by its id.", deprecated=False)
        == "Get a pet by its id."
    )
    assert descriptions.describe("Get a pet", "Get a pet.", deprecated=False) == "Get a pet."
    assert (
        descriptions.describe("Get a pet", "404 if gone.", deprecated=True)
        == "Deprecated. Get a pet.\n\n404 if gone."
    )
