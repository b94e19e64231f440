"""What a request looks like on the wire: the tables of RFC 6570 and OpenAPI, and round trips through decoders."""

from __future__ import annotations

import base64
import email
import email.policy
import json
import string
import xml.etree.ElementTree as ElementTree
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.request import UNSET, Request

Json = Any

BASE = "http://api.test/v1"
LIST = ["red", "green", "blue"]
KEYS = {"semi": ";", "dot": ".", "comma": ","}
COLORS = ["blue", "black", "brown"]
RGB = {"R": 100, "G": 200, "B": 150}


def path_of(value: Json, template: str = "/X{v}", **options: Json) -> str:
    request = Request("GET", template)
    request.path("v", value, **options)
    return request.url("http://h").removeprefix("http://h")


def query_of(value: Json, name: str = "color", **options: Json) -> str:
    request = Request("GET", "/x")
    request.query(name, value, **options)
    return request.url("http://h").removeprefix("http://h/x").removeprefix("?")


def body_of(request: Request) -> tuple[str | None, bytes | None]:
    _, _, headers, body = request.build(request.url(BASE))
    return headers.get("Content-Type"), body


def refusal(error: pytest.ExceptionInfo[ToolError]) -> tuple[str, str | None]:
    return error.value.kind, error.value.argument


# --- path


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        # RFC 6570 §3.2.2, §3.2.5, §3.2.7
        ("simple", False, "value", "value"),
        ("simple", False, "Hello World!", "Hello%20World%21"),
        ("simple", False, "50%", "50%25"),
        ("simple", False, "/foo/here", "%2Ffoo%2Fhere"),
        ("simple", False, LIST, "red,green,blue"),
        ("simple", True, LIST, "red,green,blue"),
        ("simple", False, KEYS, "semi,%3B,dot,.,comma,%2C"),
        ("simple", True, KEYS, "semi=%3B,dot=.,comma=%2C"),
        ("label", False, "value", ".value"),
        ("label", False, "50%", ".50%25"),
        ("label", False, LIST, ".red,green,blue"),
        ("label", True, LIST, ".red.green.blue"),
        ("label", False, KEYS, ".semi,%3B,dot,.,comma,%2C"),
        ("label", True, KEYS, ".semi=%3B.dot=..comma=%2C"),
        ("label", True, [], ""),
        ("label", False, {}, ""),
        ("matrix", False, "value", ";v=value"),
        ("matrix", False, "", ";v"),
        ("matrix", False, "Hello World!", ";v=Hello%20World%21"),
        ("matrix", False, LIST, ";v=red,green,blue"),
        ("matrix", True, LIST, ";v=red;v=green;v=blue"),
        ("matrix", False, KEYS, ";v=semi,%3B,dot,.,comma,%2C"),
        ("matrix", True, KEYS, ";semi=%3B;dot=.;comma=%2C"),
        # OpenAPI 3.2 §4.12.5
        ("label", False, COLORS, ".blue,black,brown"),
        ("label", True, RGB, ".R=100.G=200.B=150"),
        ("matrix", True, RGB, ";R=100;G=200;B=150"),
        ("matrix", False, RGB, ";v=R,100,G,200,B,150"),
        # JSON's own spelling
        ("simple", False, True, "true"),
        ("simple", False, 9223372036854775809, "9223372036854775809"),
        ("simple", False, 10**30, "1" + "0" * 30),
        ("simple", False, 0.1, "0.1"),
        ("simple", False, -0.0, "-0.0"),
        ("simple", False, [1, None, False], "1,false"),
        ("simple", False, "é/ß", "%C3%A9%2F%C3%9F"),
        ("simple", False, "a'b+c:d@e", "a%27b%2Bc%3Ad%40e"),
    ],
)
def test_path_values_expand_as_rfc_6570_says(
    style: str, explode: bool, value: Json, expected: str
) -> None:
    assert path_of(value, style=style, explode=explode) == f"/X{expected}"


@pytest.mark.parametrize(
    "value", [".", "..", "../admin", "a/../b", "%2e%2e", "%252E.", "..\\x", "x/..;a=b", "", [], {}]
)
def test_a_path_value_that_would_leave_its_segment_is_refused(value: Json) -> None:
    with pytest.raises(ToolError) as error:
        path_of(value, "/a/{v}/b")
    assert refusal(error) == ("invalid_arguments", "v")


@pytest.mark.parametrize(
    "value", ["...", "..a", "a..", ".git", "a.b", "~", "a;b", "%", "x%2F", " "]
)
def test_a_path_value_with_harmless_dots_passes(value: str) -> None:
    assert unquote(path_of(value, "/a/{v}")) == f"/a/{value}"


def test_percent_signs_nested_without_end_are_refused_in_bounded_time() -> None:
    with pytest.raises(ToolError):
        path_of("%" + "25" * 100_000 + "2E", "/a/{v}")


def test_values_that_make_a_dot_segment_only_together_are_refused() -> None:
    request = Request("GET", "/a/{x}.{y}")
    request.path("x", "")
    request.path("y", "")
    with pytest.raises(ToolError) as error:
        request.url(BASE)
    assert refusal(error) == ("invalid_arguments", "x")


def test_a_path_parameter_that_was_never_given_is_named() -> None:
    with pytest.raises(ToolError) as error:
        Request("GET", "/a/{id}").url(BASE)
    assert refusal(error) == ("invalid_arguments", "id")


@pytest.mark.parametrize(
    ("base", "template", "expected"),
    [
        ("http://h/v1", "/a", "http://h/v1/a"),
        ("http://h/v1/", "/a/", "http://h/v1/a/"),
        ("http://h", "/", "http://h/"),
        ("http://h/", "/", "http://h/"),
        ("http://h/v1", "", "http://h/v1"),
        ("http://h", "a", "http://h/a"),
        ("http://h?key=1", "/a?x=y", "http://h/a?key=1&x=y&q=1"),
        ("http://h#top", "/a?beta", "http://h/a?beta&q=1"),
        ("http://h", "/ä b/%2F/{x}", "http://h/%C3%A4%20b/%2F/1"),
        ("http://h", "/a/{x}:go", "http://h/a/1:go"),
        ("http://h", "/a//b/", "http://h/a//b/"),
        ("http://h", "/a?id={x}&v", "http://h/a?id=1&v"),
        ("http://h", "/100%", "http://h/100%25"),
    ],
)
def test_the_path_is_appended_to_the_base(base: str, template: str, expected: str) -> None:
    request = Request("GET", template)
    request.path("x", 1)
    if "q=1" in expected:
        request.query("q", 1)
    assert request.url(base) == expected


# --- query


@pytest.mark.parametrize(
    ("options", "value", "expected"),
    [
        # OpenAPI 3.2 §4.12.5, the table of styles
        ({"style": "form", "explode": False}, "", "color="),
        ({"style": "form", "explode": False}, "blue", "color=blue"),
        ({"style": "form", "explode": False}, COLORS, "color=blue,black,brown"),
        ({"style": "form", "explode": False}, RGB, "color=R,100,G,200,B,150"),
        ({"style": "form", "explode": True}, COLORS, "color=blue&color=black&color=brown"),
        ({"style": "form", "explode": True}, RGB, "R=100&G=200&B=150"),
        ({}, COLORS, "color=blue&color=black&color=brown"),
        ({}, RGB, "R=100&G=200&B=150"),
        ({"style": "spaceDelimited"}, COLORS, "color=blue%20black%20brown"),
        ({"style": "spaceDelimited"}, RGB, "color=R%20100%20G%20200%20B%20150"),
        ({"style": "pipeDelimited"}, COLORS, "color=blue%7Cblack%7Cbrown"),
        ({"style": "pipeDelimited"}, RGB, "color=R%7C100%7CG%7C200%7CB%7C150"),
        (
            {"style": "pipeDelimited", "explode": True},
            COLORS,
            "color=blue&color=black&color=brown",
        ),
        ({"style": "deepObject"}, RGB, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        # what the table leaves open
        (
            {"style": "deepObject"},
            {"a": {"b": 1}, "c": [True, {"d": "x"}], "e": None},
            "color%5Ba%5D%5Bb%5D=1&color%5Bc%5D%5B0%5D=true&color%5Bc%5D%5B1%5D%5Bd%5D=x",
        ),
        ({"style": "deepObject"}, ["a", "b"], "color%5B0%5D=a&color%5B1%5D=b"),
        ({"style": "deepObject"}, 5, "color=5"),
        ({}, [], ""),
        ({"explode": False}, [], ""),
        ({}, {}, ""),
        ({}, [None, 0], "color=0"),
        ({}, ["", "a,b"], "color=&color=a%2Cb"),
        ({"explode": False}, ["a,b", "c"], "color=a%2Cb,c"),
        ({}, [{"a": 1}], "color=%7B%22a%22%3A1%7D"),
        ({}, False, "color=false"),
        ({}, 1e21, "color=1e%2B21"),
        ({}, "a&b=c d%20#z+ü'", "color=a%26b%3Dc%20d%2520%23z%2B%C3%BC%27"),
        ({"media_type": "application/json"}, {"a": [1, "ü"]}, "color=%7B%22a%22%3A%5B1%2C%22%C3%BC%22%5D%7D"),
        ({"media_type": "application/json"}, "x", "color=%22x%22"),
        ({"media_type": "text/plain"}, "x y", "color=x%20y"),
        # RFC 6570 §3.2.3; "#", "&" and "+" would change what the API reads
        ({"allow_reserved": True}, "docs/a:b,c", "color=docs/a:b,c"),
        ({"allow_reserved": True}, "Hello World!", "color=Hello%20World!"),
        ({"allow_reserved": True}, "50%", "color=50%25"),
        ({"allow_reserved": True}, "a%2Fb%zz", "color=a%2Fb%25zz"),
        ({"allow_reserved": True}, "?@[]$'()*;=", "color=?@[]$'()*;="),
        ({"allow_reserved": True}, "a&b#c+d|", "color=a%26b%23c%2Bd%7C"),
        ({"allow_reserved": True, "explode": False}, ["a/b", "c"], "color=a/b,c"),
    ],
)  # fmt: skip
def test_query_values_expand_as_openapi_says(
    options: dict[str, Json], value: Json, expected: str
) -> None:
    assert query_of(value, **options) == expected


def test_names_are_encoded_too() -> None:
    assert query_of([1], name="filter[a b]") == "filter%5Ba%20b%5D=1"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {"a": [float("nan")]}])
def test_what_no_json_can_say_is_refused(value: Json) -> None:
    with pytest.raises(ToolError) as error:
        query_of(value)
    assert error.value.kind == "invalid_arguments"


@pytest.mark.parametrize(
    ("value", "media_type", "expected"),
    [
        ({"a": 1, "tags": ["x", "y z"]}, "application/x-www-form-urlencoded", "a=1&tags=x&tags=y%20z"),
        ("a=1&b=x y&c=%20+#", "application/x-www-form-urlencoded", "a=1&b=x%20y&c=%20+%23"),
        ({"a": True}, "application/json", "%7B%22a%22%3Atrue%7D"),
        ("$.a[?@.b>1]", "application/jsonpath", "%24.a%5B%3F%40.b%3E1%5D"),
    ],
)  # fmt: skip
def test_a_querystring_parameter_is_the_whole_query(
    value: Json, media_type: str, expected: str
) -> None:
    request = Request("GET", "/x")
    request.querystring(value, media_type=media_type)
    assert request.url("http://h") == f"http://h/x?{expected}"


# --- headers and cookies


def test_headers_are_simple_and_not_encoded() -> None:
    request = Request("GET", "/")
    request.header("X-List", ["a b", 1, True])
    request.header("X-Object", RGB)
    request.header("X-Exploded", RGB, explode=True)
    request.header("X-Json", {"a": "é"}, media_type="application/json")
    request.header("X-None", None)
    request.accept("image/png", "image/*")
    assert request.build(request.url(BASE))[2] == {
        "X-List": "a b,1,true",
        "X-Object": "R,100,G,200,B,150",
        "X-Exploded": "R=100,G=200,B=150",
        "X-Json": '{"a":"é"}',
        "Accept": "image/png, image/*",
    }


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\x00b", ["x", "y\n"]])
def test_a_header_value_cannot_start_another_line(value: Json) -> None:
    with pytest.raises(ToolError) as error:
        Request("GET", "/").header("X-A", value)
    assert refusal(error) == ("invalid_arguments", "X-A")


def test_cookies_travel_in_one_header() -> None:
    request = Request("GET", "/")
    request.cookie("sid", "a;b c")
    request.cookie("n", 5)
    request.cookie("list", [1, 2])
    request.cookie("flat", [1, 2], explode=False)
    request.cookie("raw", "a=b%", style="cookie")
    request.cookie("none", None)
    headers = request.build(request.url(BASE), cookies=[("key", "s")])[2]
    assert headers == {"Cookie": "sid=a%3Bb%20c; n=5; list=1; list=2; flat=1,2; raw=a=b%; key=s"}


def test_an_unescaped_cookie_cannot_start_another() -> None:
    with pytest.raises(ToolError) as error:
        Request("GET", "/").cookie("a", "x; admin=1", style="cookie")
    assert refusal(error) == ("invalid_arguments", "a")


# --- bodies


def test_json_bodies_keep_every_value() -> None:
    request = Request("POST", "/")
    request.json({"id": 2**64 + 1, "name": "é", "half": "\ud800", "none": None, "x": 0.1})
    assert body_of(request) == (
        "application/json",
        rb'{"id":18446744073709551617,"name":"\u00e9","half":"\ud800","none":null,"x":0.1}',
    )


def test_null_is_a_json_body_and_unset_is_none() -> None:
    null, unset = Request("DELETE", "/"), Request("DELETE", "/")
    null.json(None, "application/merge-patch+json")
    unset.json(UNSET)
    assert body_of(null) == ("application/merge-patch+json", b"null")
    assert body_of(unset) == (None, None)


def test_other_bodies_of_none_are_not_sent() -> None:
    request = Request("POST", "/")
    request.form(None)
    request.multipart(UNSET)
    request.text(None)
    request.binary(None)
    request.xml(None)
    assert body_of(request) == (None, None)


@pytest.mark.parametrize(
    ("value", "encoding", "expected"),
    [
        ({"a": "x y&", "b": [1, True], "c": None}, None, "a=x%20y%26&b=1&b=true"),
        ({"a": {"b": 1}}, None, "a=%7B%22b%22%3A1%7D"),
        ({"a": {"b": 1}}, {"a": {"style": "deepObject", "explode": True}}, "a%5Bb%5D=1"),
        ({"a": [1, 2]}, {"a": {"style": "form", "explode": False}}, "a=1,2"),
        ({"a": [1, 2]}, {"a": {"style": "pipeDelimited"}}, "a=1%7C2"),
        ({"a": [1, 2]}, {"a": {"contentType": "application/json"}}, "a=%5B1%2C2%5D"),
        ({"a": "/x"}, {"a": {"allowReserved": True}}, "a=/x"),
        ({}, None, ""),
    ],
)
def test_form_bodies_follow_their_encoding(value: Json, encoding: Json, expected: str) -> None:
    request = Request("POST", "/")
    request.form(value, encoding=encoding)
    assert body_of(request) == ("application/x-www-form-urlencoded", expected.encode())


def multipart_parts(request: Request) -> list[tuple[str | None, str | None, str, bytes]]:
    """Name, file name, content type and bytes of each part, as the standard library reads them."""
    content_type, body = body_of(request)
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    message = email.message_from_bytes(head + (body or b""), policy=email.policy.HTTP)
    return [
        (
            part.get_param("name", header="content-disposition"),  # type: ignore[misc]  # email's parts are loosely typed
            part.get_filename(),
            part.get("Content-Type", ""),
            part.get_payload(decode=True),
        )
        for part in message.iter_parts()
    ]


def test_multipart_bodies_carry_files_byte_for_byte() -> None:
    request = Request("POST", "/")
    raw = bytes(range(256))
    file = {
        "base64": base64.b64encode(raw).decode(),
        "filename": "dot.png",
        "content_type": "image/png",
    }
    value = {
        "file": file,
        "title": "Hi there",
        "count": 3,
        "tags": ["x", "y"],
        "meta": {"a": 1},
        "none": None,
        "raw": "aGk=",
    }
    request.multipart(
        value, files=("file", "raw"), encoding={"raw": {"contentType": "text/csv, */*"}}
    )
    assert multipart_parts(request) == [
        ("file", "dot.png", "image/png", raw),
        ("title", None, "", b"Hi there"),
        ("count", None, "", b"3"),
        ("tags", None, "", b"x"),
        ("tags", None, "", b"y"),
        ("meta", None, "application/json", b'{"a":1}'),
        ("raw", "raw", "text/csv", b"hi"),
    ]


def test_a_file_name_cannot_start_another_header() -> None:
    request = Request("POST", "/")
    request.multipart({"f": {"base64": "", "filename": 'a"\r\nX: y.txt'}})
    body = body_of(request)[1] or b""
    assert b'filename="a%22%0D%0AX: y.txt"' in body


@pytest.mark.parametrize(
    "file", [{"base64": "%%"}, {"filename": "x"}, 5, {"base64": "", "content_type": "a/b\r\nX: y"}]
)
def test_a_file_that_is_none_is_refused_by_name(file: Json) -> None:
    with pytest.raises(ToolError) as error:
        Request("POST", "/").multipart({"f": file}, files=("f",))
    assert refusal(error) == ("invalid_arguments", "f")


def test_binary_bodies_are_the_decoded_bytes() -> None:
    plain, described, fixed = Request("POST", "/"), Request("POST", "/"), Request("POST", "/")
    file = {"base64": "/w==", "content_type": "image/png"}
    plain.binary("/w==")
    described.binary(file, "image/*")
    fixed.binary(file, "image/jpeg")
    assert body_of(plain) == ("application/octet-stream", b"\xff")
    assert body_of(described) == ("image/png", b"\xff")
    assert body_of(fixed) == ("image/jpeg", b"\xff")


@pytest.mark.parametrize(
    ("value", "media_type", "expected"),
    [
        ("é", "text/plain", b"\xc3\xa9"),
        ("é", "text/plain; charset=ISO-8859-1", b"\xe9"),
        (True, "text/plain", b"true"),
        ([{"a": 1}, 2], "application/x-ndjson", b'{"a":1}\n2\n'),
    ],
)
def test_text_bodies_are_written_in_their_charset(
    value: Json, media_type: str, expected: bytes
) -> None:
    request = Request("POST", "/")
    request.text(value, media_type)
    assert body_of(request) == (media_type, expected)


PET = {
    "name": "pet",
    "namespace": "http://pets.test",
    "prefix": "p",
    "properties": {
        "id": {"attribute": True},
        "photos": {"wrapped": True, "items": {"name": "photo"}},
        "tags": {"items": {"name": "tag", "properties": {"label": {"text": True}}}},
        "owner": {"name": "Owner", "prefix": "o", "namespace": "http://o.test"},
    },
}


def test_xml_is_built_from_the_schema() -> None:
    request = Request("POST", "/")
    value = {
        "id": 2**63,
        "name": '<Rex> & "Co"',
        "photos": ["a", "b"],
        "tags": [{"label": "x"}, {"label": "y"}],
        "owner": {"ok": True},
        "none": None,
        "empty": [],
    }
    request.xml(value, schema=PET)
    assert body_of(request) == (
        "application/xml",
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<p:pet xmlns:p="http://pets.test" id="9223372036854775808">'
        b"<name>&lt;Rex&gt; &amp; &quot;Co&quot;</name><photos><photo>a</photo><photo>b</photo></photos>"
        b"<tag>x</tag><tag>y</tag>"
        b'<o:Owner xmlns:o="http://o.test"><ok>true</ok></o:Owner></p:pet>',
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        # OpenAPI 3.0 §4.7.26.2, the examples of arrays
        ({}, "<animals>a</animals><animals>b</animals>"),
        ({"name": "aliens", "items": {"name": "animal"}}, "<animal>a</animal><animal>b</animal>"),
        ({"wrapped": True}, "<animals><animals>a</animals><animals>b</animals></animals>"),
        (
            {"wrapped": True, "name": "aliens"},
            "<aliens><aliens>a</aliens><aliens>b</aliens></aliens>",
        ),
        (
            {"wrapped": True, "name": "aliens", "items": {"name": "animal"}},
            "<aliens><animal>a</animal><animal>b</animal></aliens>",
        ),
    ],
)
def test_xml_lists_are_named_as_openapi_says(schema: Json, expected: str) -> None:
    request = Request("POST", "/")
    request.xml({"animals": ["a", "b"]}, schema={"name": "r", "properties": {"animals": schema}})
    assert (body_of(request)[1] or b"").decode().partition("\n")[2] == f"<r>{expected}</r>"


@pytest.mark.parametrize("value", [{"a b": 1}, {"a": "\x00"}, {"<x/>": 1}, {"": 1}])
def test_what_xml_cannot_carry_is_refused(value: Json) -> None:
    with pytest.raises(ToolError) as error:
        Request("POST", "/").xml(value)
    assert refusal(error) == ("invalid_arguments", "body")


def test_xml_text_is_sent_as_it_is() -> None:
    request = Request("POST", "/")
    request.xml("<a>é</a>", "text/xml")
    assert body_of(request) == ("text/xml", "<a>é</a>".encode())


# --- whatever the value: what a decoder reads is what was given

text = st.text(st.characters(codec="utf-8"), max_size=12)
names = st.text(string.ascii_letters + string.digits + "_-.[]$ é&=", min_size=1, max_size=8)
scalars = text | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
objects = st.dictionaries(names, scalars, min_size=1, max_size=4)
json_values = st.recursive(
    st.none() | scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


def spelled(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def decoded(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True, separator="&", max_num_fields=1_000)


@given(names, st.lists(scalars, max_size=4))
def test_form_lists_round_trip(name: str, value: list[Json]) -> None:
    assert decoded(query_of(value, name=name)) == [(name, spelled(one)) for one in value]


@given(st.lists(scalars, min_size=1, max_size=4))
def test_joined_lists_round_trip(value: list[Json]) -> None:
    raw = query_of(value, name="n", explode=False).removeprefix("n=")
    assert [unquote(one) for one in raw.split(",")] == list(map(spelled, value))


@given(objects)
def test_form_objects_round_trip(value: dict[str, Json]) -> None:
    assert decoded(query_of(value)) == [(name, spelled(one)) for name, one in value.items()]
    raw = query_of(value, name="n", explode=False).removeprefix("n=").split(",")
    assert [unquote(one) for one in raw] == [spelled(one) for pair in value.items() for one in pair]


@given(st.dictionaries(st.text(string.ascii_letters, min_size=1, max_size=5), scalars | st.lists(scalars, min_size=1, max_size=3)))  # fmt: skip
def test_deep_objects_round_trip(value: dict[str, Json]) -> None:
    expected = []
    for name, one in value.items():
        if isinstance(one, list):
            expected += [(f"f[{name}][{index}]", spelled(each)) for index, each in enumerate(one)]
        else:
            expected.append((f"f[{name}]", spelled(one)))
    assert decoded(query_of(value, name="f", style="deepObject")) == expected


@given(text.filter(lambda one: "%" not in one))
def test_reserved_values_round_trip(value: str) -> None:
    assert decoded(query_of(value, name="n", allow_reserved=True)) == [("n", value)]


@given(scalars, st.sampled_from(["simple", "label", "matrix"]))
def test_a_path_value_stays_in_its_segment(value: Json, style: str) -> None:
    try:
        raw = path_of(value, "/a/{v}/b", style=style)
    except ToolError as error:
        assert error.kind == "invalid_arguments"
        return
    first, second, segment, last = raw.split("/")
    assert (first, second, last) == ("", "a", "b")
    prefix = {"simple": "", "label": ".", "matrix": ";v=" if spelled(value) else ";v"}[style]
    assert unquote(segment) == prefix + spelled(value)
    assert not set(segment) - set(string.ascii_letters + string.digits + "-._~%;=")


@given(st.lists(scalars, min_size=1, max_size=4), st.sampled_from(["simple", "label", "matrix"]), st.booleans())  # fmt: skip
def test_path_lists_round_trip(value: list[Json], style: str, explode: bool) -> None:
    if style == "label" and explode:
        value = [
            spelled(one).replace(".", "") for one in value
        ]  # a dot cannot be told from the delimiter
    try:
        segment = path_of(value, "/a/{v}/b", style=style, explode=explode).split("/")[2]
    except ToolError as error:
        assert error.kind == "invalid_arguments"
        return
    if style == "matrix" and explode:
        found = [one.removeprefix("v").removeprefix("=") for one in segment.split(";")[1:]]
    elif style == "matrix":
        found = segment.removeprefix(";v").removeprefix("=").split(",")
    else:
        found = segment.removeprefix("." if style == "label" else "").split("." if style == "label" and explode else ",")  # fmt: skip
    assert [unquote(one) for one in found] == list(map(spelled, value))


@given(json_values)
def test_json_bodies_round_trip(value: Json) -> None:
    request = Request("POST", "/")
    request.json(value)
    assert json.loads(request.body or b"") == value


@given(st.dictionaries(names, scalars | st.lists(scalars, max_size=3), max_size=4))
def test_forms_round_trip(value: dict[str, Json]) -> None:
    request = Request("POST", "/")
    request.form(value)
    expected = [
        (name, spelled(one))
        for name, found in value.items()
        for one in (found if isinstance(found, list) else [found])
    ]
    assert decoded((request.body or b"").decode()) == expected


@given(st.binary(max_size=200), text)
def test_multipart_parts_round_trip(content: bytes, title: str) -> None:
    request = Request("POST", "/")
    file = {"base64": base64.b64encode(content).decode(), "filename": "a.bin"}
    request.multipart({"file": file, "title": title})
    content_type, body = body_of(request)
    assert content_type and body is not None
    delimiter = f"--{content_type.partition('boundary=')[2]}".encode()
    pieces = body.split(delimiter)
    assert pieces[0] == b"" and pieces[3] == b"--\r\n"
    contents = [piece.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for piece in pieces[1:3]]
    assert contents == [content, title.encode()]


xml_texts = st.text(
    st.characters(
        codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"
    ),
    max_size=12,
)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), xml_texts | st.lists(xml_texts, max_size=3), max_size=4))  # fmt: skip
def test_xml_round_trips(value: dict[str, Json]) -> None:
    request = Request("POST", "/")
    request.xml(value)
    root = ElementTree.fromstring((request.body or b"").decode())
    expected = [
        (name, one)
        for name, found in value.items()
        for one in (found if isinstance(found, list) else [found])
    ]
    assert [(child.tag, child.text or "") for child in root] == expected
