"""A FastAPI application, wrapped from its own 3.1 document: every operation arrives as it was called."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from urllib.request import urlopen

import pytest

from real_apis import PYTHON, ROOT, Package, generate, needs_real_apis

Json = Any

pytestmark = needs_real_apis
SHOP = ROOT / "tests" / "real" / "shop.py"
ID = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
ITEM: Json = {
    "name": 'é & "q"',
    "price": 12.5,
    "sizes": ["S", "X L"],
    "made": "2024-02-29",
    "sold": "2024-03-01T12:00:00Z",
    "pets": [{"kind": "cat", "lives": 9}, {"kind": "dog", "good": False}],
    "parent": {"name": "p", "price": "0.10", "made": "2020-01-01"},
    "labels": {"a b": 1},
}


@dataclass
class Shop:
    package: Package
    port: int

    def received(self) -> list[Json]:
        with urlopen(f"http://127.0.0.1:{self.port}/_received", timeout=30) as answer:
            return list(json.load(answer))

    def call(self, tool: str, **given: Json) -> tuple[Json, Json]:
        """The tool's answer, and what the application received of it."""
        answers = self.package.call((tool, given))
        received = self.received()
        return answers[0], received[0] if received else None


def base64_of(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    folder = tmp_path_factory.mktemp("shop")
    document = folder / "shop.json"
    document.write_bytes(subprocess.check_output([PYTHON, SHOP, "document"], timeout=60))
    record = generate(document, folder / "out")
    assert record["skipped"] == [] and record["warnings"] == []
    uploads = folder / "uploads"
    uploads.mkdir()
    (uploads / "local.txt").write_text("from the disk", encoding="utf-8")
    (folder / "outside.txt").write_text("not for you", encoding="utf-8")
    (uploads / "link.txt").symlink_to(folder / "outside.txt")
    with subprocess.Popen(
        [PYTHON, SHOP, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        try:
            port = int(process.stdout.readline())
            environment = {
                record["base_url"]: f"http://127.0.0.1:{port}",
                record["credentials"]["token"]["token"]: "s3cret",
                "SHOP_FILES": str(uploads),
            }
            yield Shop(Package(folder / "out", record, environment), port)
        finally:
            process.stdin.close()
            process.wait(30)


def test_every_operation_is_a_tool(shop: Shop) -> None:
    document = urlopen(f"http://127.0.0.1:{shop.port}/openapi.json", timeout=30)
    paths = json.load(document)["paths"]
    wanted = {(method.upper(), path) for path, item in paths.items() for method in item}
    assert {(one["method"], one["path"]) for one in shop.package.record["tools"]} == wanted


def test_json_bodies_with_unions_dates_and_recursion(shop: Shop) -> None:
    answer, received = shop.call("create_item", item_id=ID, dry=True, body=ITEM)
    parent: Json = {
        "name": "p",
        "price": "0.10",
        "sizes": [],
        "made": "2020-01-01",
        "sold": None,
        "pets": [],
        "parent": None,
        "labels": {},
    }
    expected = {**ITEM, "price": "12.5", "parent": parent}
    assert received == {"item_id": ID, "item": expected, "dry": True}
    assert answer == expected


def test_a_query_model(shop: Shop) -> None:
    answer, received = shop.call("find_items", q="a&b=c +%", limit=7, tags=["x,y", "é", ""])
    assert received == {"filter": {"q": "a&b=c +%", "limit": 7, "tags": ["x,y", "é", ""]}}
    assert answer == {"result": ["a", "a&b=c +%"]}


def test_what_is_not_given_is_not_sent(shop: Shop) -> None:
    assert shop.call("find_items")[1] == {"filter": {"q": "", "limit": 10, "tags": []}}


def test_enums_dates_headers_and_cookies(shop: Shop) -> None:
    answer, received = shop.call(
        "by_size",
        size="X L",
        since="2024-03-01T12:00:00+02:00",
        sizes=["S", "X L"],
        x_trace=["one"],
        x_count=-3,
        session="a b;c=é",
    )
    received["session"] = unquote(received["session"])  # the framework leaves cookies encoded
    assert answer == {"result": 2**53 + 1}
    assert received == {
        "size": "X L",
        "since": "2024-03-01T12:00:00+02:00",
        "sizes": ["S", "X L"],
        "trace": ["one"],
        "count": -3,
        "session": "a b;c=é",
    }


def test_a_path_value_with_slashes(shop: Shop) -> None:
    answer, received = shop.call("read_file", path="a b/ü%2F?#.txt")
    assert received == {"path": "a b/ü%2F?#.txt"}
    assert answer == "text of a b/ü%2F?#.txt – ü"


def test_a_path_value_cannot_climb(shop: Shop) -> None:
    answer, received = shop.call("read_file", path="../_received")
    assert answer["error"]["kind"] == "invalid_arguments" and received is None


def test_form_bodies(shop: Shop) -> None:
    body = {"user": "a+b&c=ü", "remember": True, "codes": [1, 2]}
    assert shop.call("login", body=body) == ({"result": True}, {"form": body})


def test_uploads(shop: Shop) -> None:
    raw = bytes(range(256))
    photo = {"base64": base64_of(raw), "filename": "a ü;b.png", "content_type": "image/png"}
    body = {
        "photo": photo,
        "title": "T ü",
        "raw": {"base64": base64_of(b"\r\n--")},
        "more": [{"base64": "", "filename": "empty"}],
        "numbers": [1, 2],
    }
    answer, received = shop.call("upload", body=body)
    assert answer == {"files": 2}
    assert received == {
        "title": "T ü",
        "numbers": [1, 2],
        "raw": base64_of(b"\r\n--"),
        "files": [
            ["a ü;b.png", "image/png", base64_of(raw)],
            ["empty", "application/octet-stream", ""],
        ],
    }


def test_a_file_of_the_folder_that_the_operator_allowed(shop: Shop) -> None:
    body = {"photo": {"path": "local.txt"}, "title": "t"}
    _, received = shop.call("upload", body=body)
    assert received["files"] == [["local.txt", "text/plain", base64_of(b"from the disk")]]


@pytest.mark.parametrize("path", ["../outside.txt", "link.txt", "/etc/hosts", "none.txt", "."])
def test_no_other_file_can_be_sent(shop: Shop, path: str) -> None:
    answer, received = shop.call("upload", body={"photo": {"path": path}, "title": "t"})
    assert answer["error"]["kind"] == "refused" and received is None


def test_a_union_told_apart_by_its_discriminator(shop: Shop) -> None:
    answer, received = shop.call("put_pet", body={"kind": "dog", "good": False})
    assert answer == {"kind": "dog", "good": False} and received == {"pet": answer}


def test_a_wrong_variant_is_refused_before_it_is_sent(shop: Shop) -> None:
    answer, received = shop.call("put_pet", body={"kind": "cat", "lives": 10})
    assert answer["error"]["kind"] == "invalid_arguments" and received is None


def test_several_body_parameters(shop: Shop) -> None:
    body = {"first": {"kind": "cat", "lives": 1}, "second": [1, 2], "third": None}
    assert shop.call("patch_both", body=body) == ({}, body)


@pytest.mark.parametrize(
    ("given", "answer", "item"),
    [
        ({}, "none", None),
        ({"body": None}, "none", None),
        ({"body": {"kind": "dog"}}, "some", {"kind": "dog", "good": True}),
    ],
)
def test_an_optional_body(shop: Shop, given: Json, answer: str, item: Json) -> None:
    assert shop.call("maybe", **given) == ({"result": answer}, {"item": item})


def test_no_content(shop: Shop) -> None:
    assert shop.call("delete_item", item_id=ID) == (None, {"deleted": ID})


def test_an_image(shop: Shop) -> None:
    answer, _ = shop.call("image")
    assert (answer["type"], answer["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(answer["data"])[:4] == b"\x89PNG"


def test_a_download(shop: Shop) -> None:
    answer, _ = shop.call("download")
    assert answer["resource"] == {
        "uri": "attachment:all.zip",
        "mimeType": "application/zip",
        "blob": base64_of(b"PK\x00\xff"),
    }


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("latin", "é"),
        ("lines", {"result": [{"n": 0}, {"n": 1}, {"n": 2}]}),
        ("events", "event: tick\ndata: 0\n\nevent: tick\ndata: 1\n\n"),
    ],
)
def test_text_and_streams(shop: Shop, tool: str, answer: Json) -> None:
    assert shop.call(tool) == (answer, {tool: True})


def test_the_token_comes_from_the_environment(shop: Shop) -> None:
    assert shop.call("secret") == ({"token": "hidden"}, {"token": "s3cret"})


def test_an_error_of_the_application(shop: Shop) -> None:
    answer, _ = shop.call("broken")
    error = answer["error"]
    assert (error["kind"], error["status"], error["retryable"]) == ("upstream_status", 409, False)
    assert error["detail"] == {"detail": {"code": "busy", "message": "Someone else is at it"}}
    assert error["message"].endswith("answered 409 Conflict: Someone else is at it")


def test_a_value_that_only_the_application_refuses(shop: Shop) -> None:
    answer, _ = shop.call("by_size", size="S", since="never")
    assert (answer["error"]["kind"], answer["error"]["status"]) == ("upstream_status", 422)


def test_an_xml_body_is_built_from_its_schema(shop: Shop) -> None:
    answer, received = shop.call("order", body={"id": 5, "lines": ["a <b>", "é"], "note": "n"})
    assert answer == {"result": 1}
    assert received == {"tag": "{urn:shop}order", "id": "5", "lines": ["a <b>", "é"], "note": "n"}


@pytest.mark.parametrize(
    ("content_type", "body", "kind", "content"),
    [
        (None, {"rows": [1, 2]}, "application/json", {"rows": [1, 2]}),
        ("application/json", {"rows": [3]}, "application/json", {"rows": [3]}),
        (
            "multipart/form-data",
            {"sheet": {"base64": "YSxi", "filename": "s.csv"}, "name": "N"},
            "multipart/form-data",
            ["N", "s.csv", "a,b"],
        ),
        ("text/csv", "a,b\n1,ü\n", "text/csv", "a,b\n1,ü\n"),
        ("application/octet-stream", {"base64": "YSxi"}, "application/octet-stream", "a,b"),
    ],
)
def test_a_choice_of_media_types(
    shop: Shop, content_type: str | None, body: Json, kind: str, content: Json
) -> None:
    given = {"body": body} | ({"content_type": content_type} if content_type else {})
    assert shop.call("sheet", **given) == (
        {"result": kind},
        {"kind": kind, "content": content},
    )
