"""References: pointers, anchors, files, URLs, circles, and what may not be read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen import source
from mcpgen.diagnostics import Diagnostics, Stop
from mcpgen.refs import Resolver, Unresolved
from mcpgen.source import Node


def follow(node: Node, diagnostics: Diagnostics) -> Any:
    return Resolver(node.document, diagnostics).follow(node).value


def resolve(text: str, key: str = "start") -> Any:
    """What the reference at the key of a document leads to; the reason where it leads nowhere."""
    diagnostics = Diagnostics()
    node = source.parse(text.encode(), "api.yaml", diagnostics).root.child(key)
    assert node is not None
    try:
        return follow(node, diagnostics)
    except Unresolved:
        (warning,) = diagnostics
        assert warning.code == "unresolved-ref"
        return str(warning)


@pytest.mark.parametrize(
    ("ref", "want"),
    [
        ("#/a/b", 1),
        ("#/a/in~0out", 2),
        ("#/paths/~1pets~1%7Bid%7D/get", 3),
        ("#/list/1", "y"),
        ("#a/b", 1),
        ("#/a/%C3%A4", 4),
        ("#tip", {"$anchor": "tip", "v": 5}),
        ("https://example.com/thing", {"$id": "https://example.com/thing", "w": 6}),
    ],
)
def test_a_fragment_is_percent_decoded_then_read_as_a_pointer_or_anchor(
    ref: str, want: Any
) -> None:
    text = f"""
start: {{$ref: '{ref}'}}
a: {{b: 1, in~out: 2, ä: 4}}
paths: {{'/pets/{{id}}': {{get: 3}}}}
list: [x, y]
schemas: {{A: {{$anchor: tip, v: 5}}, B: {{$id: https://example.com/thing, w: 6}}}}
"""
    assert resolve(text) == want


def test_a_pointer_below_an_id_counts_from_the_schema_with_it() -> None:
    diagnostics = Diagnostics()
    text = b"A: {$id: https://e.com/a, x: {$ref: '#/$defs/d'}, $defs: {d: 1}}\n$defs: {d: 2}"
    node = source.parse(text, "api.yaml", diagnostics).root.child("A")
    assert node is not None and (inner := node.child("x")) is not None
    assert follow(inner, diagnostics) == 1


def test_a_dangling_reference_is_named_with_its_place() -> None:
    assert resolve("start:\n  $ref: '#/nowhere'\n") == (
        "api.yaml:2:9: warning[unresolved-ref]: the reference '#/nowhere' cannot be resolved:"
        " there is no such place in api.yaml\n    at #/start/$ref"
    )


def test_a_circle_of_references_ends() -> None:
    text = "start: {$ref: '#/b'}\nb: {$ref: '#/c'}\nc: {$ref: '#/b'}"
    assert "it leads in a circle" in resolve(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tree like that of a real split document, with things that are none of its business."""
    files = {
        "project/spec/api.yaml": "",
        "project/spec/parts/pet.yaml": "Pet: {$ref: ../common.json#/Base}",
        "project/spec/common.json": '{"Base": {"$ref": "../shared/id.yaml"}}',
        "project/shared/id.yaml": "type: string",
        "project/.hidden/x.yaml": "a: 1",
        "project/notes.txt": "a: 1",
        "project/spec/broken.yaml": "a: [",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "project/spec/link.yaml").symlink_to("/etc/hostname")
    return tmp_path / "project/spec"


def from_file(folder: Path, ref: str) -> Any:
    (folder / "api.yaml").write_text(f"start: {{$ref: '{ref}'}}")
    diagnostics = Diagnostics()
    node = source.load(str(folder / "api.yaml"), diagnostics).root.child("start")
    assert node is not None
    try:
        return follow(node, diagnostics)
    except Unresolved as unresolved:
        return str(unresolved).partition(": ")[2]


def test_a_relative_reference_counts_from_the_file_it_stands_in(folder: Path) -> None:
    assert from_file(folder, "parts/pet.yaml#/Pet") == {"type": "string"}


def test_a_reference_back_to_the_root_document_is_to_the_same_document(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "api.yaml").write_text("start: {$ref: parts/back.yaml}\nend: {x: 1}")
    (folder / "parts/back.yaml").write_text("$ref: ../api.yaml#/end")
    monkeypatch.chdir(folder)
    diagnostics = Diagnostics()
    root = source.load("./api.yaml", diagnostics).root
    start = root.child("start")
    assert start is not None
    assert Resolver(root.document, diagnostics).follow(start).document is root.document


@pytest.mark.parametrize(
    ("ref", "want"),
    [
        ("missing.yaml", "there is no such file"),
        ("../../../../../etc/x.yaml", "it leads too far away from the folder of api.yaml"),
        ("/etc/x.yaml", "it leads too far away from the folder of api.yaml"),
        ("../.hidden/x.yaml", "hidden files are not read"),
        (
            "../notes.txt",
            "outside the document's folder only .json, .yaml and .yml files are read",
        ),
        ("link.yaml", "it leads too far away from the folder of api.yaml"),
        ("file:///etc/passwd", "'file:' is not read"),
        ("http://example.com/x", "it leads to a URL; --allow-host example.com would allow that"),
        ("broken.yaml", "the document cannot be read"),
    ],
)
def test_what_does_not_belong_to_the_document_is_not_read(
    folder: Path, ref: str, want: str
) -> None:
    assert from_file(folder, ref) == want


class Site(BaseHTTPRequestHandler):
    """Two parts of a document, and redirects away from it."""

    pages = {
        "/v1/api.yaml": b"start: {$ref: part.yaml#/a}\naway: {$ref: 'http://127.0.0.2:1/x'}\n"
        b"moved: {$ref: moved.yaml}",
        "/v1/part.yaml": b"a: {found: 1}",
    }

    def do_GET(self) -> None:
        body = self.pages.get(self.path)
        self.send_response(302 if self.path == "/v1/moved.yaml" else 200 if body else 404)
        self.send_header("Location", "http://127.0.0.2:1/x")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/api.yaml"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("key", "want"),
    [
        ("start", {"found": 1}),
        (
            "away",
            "it leads to another host than 127.0.0.1; --allow-host 127.0.0.2 would allow that",
        ),
        ("moved", "it redirects to another host"),
    ],
)
def test_a_url_may_refer_to_its_own_host_only(address: str, key: str, want: Any) -> None:
    diagnostics = Diagnostics()
    node = source.load(address, diagnostics).root.child(key)
    assert node is not None
    try:
        assert follow(node, diagnostics) == want
    except Unresolved as unresolved:
        assert str(unresolved).partition(": ")[2] == want


def test_a_host_that_the_user_allows_is_asked(address: str) -> None:
    diagnostics = Diagnostics()
    host = address.split("/")[2]
    text = f"a: {{$ref: '{address}#/start'}}".encode()
    document = source.parse(text, "api.yaml", diagnostics, url="http://127.0.0.3:1/api.yaml")
    node = document.root.child("a")
    assert node is not None
    assert Resolver(document, diagnostics, [host]).follow(node).value == {"found": 1}


def test_an_allowed_host_never_leads_a_public_document_into_the_users_network(
    address: str, tmp_path: Path
) -> None:
    diagnostics = Diagnostics()
    text = f"a: {{$ref: '{address}#/start'}}".encode()
    document = source.parse(text, "api.yaml", diagnostics, path=tmp_path / "api.yaml")
    node = document.root.child("a")
    assert node is not None
    with pytest.raises(Unresolved, match="it leads to a private address"):
        Resolver(document, diagnostics, ["127.0.0.1"]).follow(node)


def test_what_a_server_does_not_give_is_named(address: str) -> None:
    diagnostics = Diagnostics()
    missing = address.replace("api.yaml", "none").replace("//", "//user:secret@")
    with pytest.raises(Stop):
        source.load(missing, diagnostics)
    shown = address.replace("api.yaml", "none")
    assert [str(one) for one in diagnostics] == [
        f"error[unreadable]: cannot fetch {shown}: the server answered 404 Not Found"
    ]
