"""What a server reads of any parameter is what was given, for every style, explode and type.

The decoder is written from the texts: RFC 6570, RFC 3986 and OpenAPI 3.2 §4.12. It splits before it decodes, as both
say, and gives text, which is compared with JSON's spelling of the value. The request is made from the IR, as a handler
makes it, so that a default which the generator or the runtime mistakes is found too.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcpgen.diagnostics import Location
from mcpgen.handlers import Argument, Statement, statements
from mcpgen.ir import Operation, Parameter, Place
from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.request import Request
from mcpgen.tool_schemas import Property, ToolSchemas

Json = Any
HERE = Location("api.yaml", 1, 1)

PATH = [(Place.PATH, style) for style in ("simple", "label", "matrix")]
QUERY = [(Place.QUERY, style) for style in ("form", "spaceDelimited", "pipeDelimited")]
COOKIE = [(Place.COOKIE, "form")]


def sent(parameter: Parameter, value: Json) -> str:
    """What travels in the parameter's place: a path segment, a query, a header or cookie."""
    operation = Operation("x", "GET", "/a/{n}/z", HERE, parameters=(parameter,))
    if parameter.place is not Place.PATH:
        operation = Operation("x", "GET", "/a", HERE, parameters=(parameter,))
    key = f"{parameter.place}:{parameter.name}"
    argument = Argument(key, "value", Property("value", {}, required=True))
    request = Request("GET", operation.path)
    for one in statements(operation, (argument,), ToolSchemas({}), {}):
        assert isinstance(one, Statement)
        words = [value] if one.wire is None else [one.wire, value]
        getattr(request, one.method)(*words, **dict(one.options))
    _, url, headers, _ = request.build(request.url("http://h"))
    match parameter.place:
        case Place.PATH:
            _, a, segment, z = url.removeprefix("http://h").split("/")
            assert (a, z) == ("a", "z")
            return segment
        case Place.HEADER:
            return headers.get(parameter.name, "")
        case Place.COOKIE:
            return headers.get("Cookie", "")
        case _:
            return url.partition("?")[2]


# --- the server's side


def pairs_of(text: str, between: str) -> list[tuple[str, str]]:
    """`name=value` pieces, still encoded; a piece without `=` has the empty value."""
    pieces = [piece.partition("=") for piece in text.split(between)] if text else []
    return [(name, value) for name, _, value in pieces]


def together(flat: list[str]) -> dict[str, str]:
    return {unquote(key): unquote(one) for key, one in zip(flat[::2], flat[1::2], strict=True)}


def decode(parameter: Parameter, text: str, kind: str) -> Json:
    """The value of a parameter `n` as texts: a text, a list of texts, or a dict of them."""
    style, explode = parameter.style, parameter.explode
    if parameter.place in (Place.QUERY, Place.COOKIE):
        found = pairs_of(text, "&" if parameter.place is Place.QUERY else "; ")
        found = [(unquote(name), value) for name, value in found]
        if kind == "object" and explode:
            return {name: unquote(value) for name, value in found}
        assert {name for name, _ in found} == {"n"}
        if kind == "array" and explode:
            return [unquote(value) for _, value in found]
        [(_, joined)] = found
        delimiter = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}.get(style, ",")
        return members(joined, kind, delimiter)
    if style == "matrix":
        assert text.startswith(";")
        found = pairs_of(text[1:], ";")
        if kind == "object" and explode:
            return {unquote(name): unquote(value) for name, value in found}
        assert {name for name, _ in found} == {"n"}
        if kind == "array" and explode:
            return [unquote(value) for _, value in found]
        return members(found[0][1], kind, ",")
    delimiter = ","
    if style == "label":
        assert text.startswith(".")
        text = text[1:]
        delimiter = "." if explode else ","
    if kind == "object" and explode:
        return {unquote(name): unquote(value) for name, value in pairs_of(text, delimiter)}
    return members(text, kind, delimiter)


def members(text: str, kind: str, delimiter: str) -> Json:
    if kind == "primitive":
        return unquote(text)
    flat = text.split(delimiter)
    return [unquote(one) for one in flat] if kind == "array" else together(flat)


# --- any value

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["a,b", "a b", "a|b", "a;b=c", "%2C", "+", "&", "#", "a/b", "é", "", "'", "[x]"]
)
scalars = texts | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
keys = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
VALUES = {
    "primitive": scalars,
    "array": st.lists(scalars, min_size=1, max_size=4),
    "object": st.dictionaries(keys, scalars, min_size=1, max_size=3),
}


def spelled(value: Json) -> Json:
    """A value as a server reads it that knows nothing of types."""
    if isinstance(value, list):
        return [spelled(one) for one in value]
    if isinstance(value, dict):
        return {key: spelled(one) for key, one in value.items()}
    return value if isinstance(value, str) else json.dumps(value)


def is_ambiguous(parameter: Parameter, value: Json, kind: str) -> bool:
    """What the style itself cannot say: a dot is unreserved, so an exploded label's member cannot have one; the space
    and the pipe are sent encoded themselves (OpenAPI 3.2 §4.12.5), so that a member's cannot be told from them.
    """
    delimiter = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(parameter.style)
    if delimiter and not parameter.explode and kind != "primitive":
        return delimiter in json.dumps(spelled(value), ensure_ascii=False, separators=(",", ":"))
    dotted = parameter.style == "label" and parameter.explode and kind != "primitive"
    return dotted and "." in json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("explode", [False, True])
@pytest.mark.parametrize(("place", "style"), [*PATH, *QUERY, *COOKIE])
@given(data=st.data())
def test_a_server_reads_what_was_given(
    place: Place, style: str, explode: bool, kind: str, data: st.DataObject
) -> None:
    value = data.draw(VALUES[kind])
    parameter = Parameter("n", place, True, {}, HERE, style=style, explode=explode)
    assume(not is_ambiguous(parameter, value, kind))
    try:
        text = sent(parameter, value)
    except ToolError as error:
        assert place is Place.PATH and error.kind == "invalid_arguments"
        return
    assert re.fullmatch(r"[A-Za-z0-9\-._~%,;=&. ]*", text)
    assert decode(parameter, text, kind) == spelled(value)


plain = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: not re.search(r"[,=]", text)
)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("explode", [False, True])
@given(data=st.data())
def test_a_header_carries_what_has_no_delimiter(
    explode: bool, kind: str, data: st.DataObject
) -> None:
    """Headers are not percent-encoded, so that a comma of a member cannot be told from the delimiter."""
    given_values = {
        "primitive": plain,
        "array": st.lists(plain, min_size=1, max_size=4),
        "object": st.dictionaries(plain, plain, min_size=1, max_size=3),
    }
    value = data.draw(given_values[kind])
    parameter = Parameter("n", Place.HEADER, True, {}, HERE, style="simple", explode=explode)
    text = sent(parameter, value)
    if kind == "primitive":
        assert text == value
    elif kind == "array":
        assert text.split(",") == value
    elif explode:
        assert dict(pairs_of(text, ",")) == value
    else:
        flat = text.split(",")
        assert dict(zip(flat[::2], flat[1::2], strict=True)) == value


# --- deepObject, as qs, Rack and PHP read it

deep_keys = st.text("abcXYZ019_- é", min_size=1, max_size=4).filter(lambda key: not key.isdigit())
deep_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, min_size=1, max_size=3)
    | st.dictionaries(deep_keys, inner, min_size=1, max_size=3),
    max_leaves=6,
)


def deep(text: str) -> Json:
    """`n[a][0]=x` → {"a": ["x"]}."""
    root: dict[str, Json] = {}
    for name, value in pairs_of(text, "&"):
        steps = re.findall(r"\[([^\]]*)\]", unquote(name).removeprefix("n"))
        assert unquote(name) == "n" + "".join(f"[{one}]" for one in steps)
        at = root
        for step in steps[:-1]:
            at = at.setdefault(step, {})
        at[steps[-1]] = unquote(value)
    return listed(root)


def listed(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    found = {key: listed(one) for key, one in value.items()}
    if list(found) == [str(index) for index in range(len(found))]:
        return list(found.values())
    return found


@given(st.dictionaries(deep_keys, deep_values, min_size=1, max_size=3))
def test_deep_objects_of_any_depth(value: Json) -> None:
    parameter = Parameter("n", Place.QUERY, True, {}, HERE, style="deepObject", explode=True)
    assert deep(sent(parameter, value)) == spelled(value)


# --- allowReserved, content, querystring, cookies as they are


@pytest.mark.parametrize("explode", [False, True])
@given(value=st.lists(texts.filter(lambda text: not re.search("[%,]", text)), min_size=1))
def test_reserved_characters_pass_unharmed(explode: bool, value: list[str]) -> None:
    parameter = Parameter(
        "n", Place.QUERY, True, {}, HERE, style="form", explode=explode, allow_reserved=True
    )
    assert decode(parameter, sent(parameter, value), "array") == value


json_values = st.recursive(
    st.none() | scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
).filter(lambda value: value is not None)


@pytest.mark.parametrize("place", [Place.PATH, Place.QUERY, Place.COOKIE, Place.QUERYSTRING])
@given(value=json_values)
def test_a_parameter_with_content_is_json(place: Place, value: Json) -> None:
    parameter = Parameter("n", place, True, {}, HERE, media_type="application/json")
    try:
        text = sent(parameter, value)
    except ToolError as error:
        assert place is Place.PATH and error.kind == "invalid_arguments"
        return
    raw = text if place in (Place.PATH, Place.QUERYSTRING) else text.removeprefix("n=")
    assert json.loads(unquote(raw)) == value


@given(st.dictionaries(keys, scalars | st.lists(scalars, min_size=1, max_size=3), max_size=3))
def test_a_querystring_is_a_form(value: dict[str, Json]) -> None:
    media_type = "application/x-www-form-urlencoded"
    parameter = Parameter("n", Place.QUERYSTRING, True, {}, HERE, media_type=media_type)
    found = [(unquote(name), unquote(one)) for name, one in pairs_of(sent(parameter, value), "&")]
    assert found == [
        (name, spelled(one))
        for name, given_value in value.items()
        for one in (given_value if isinstance(given_value, list) else [given_value])
    ]


@given(st.text("abc%=+/:é", min_size=1))
def test_a_cookie_of_style_cookie_is_sent_as_it_is(value: str) -> None:
    parameter = Parameter("n", Place.COOKIE, True, {}, HERE, style="cookie", explode=True)
    assert sent(parameter, value) == f"n={value}"
