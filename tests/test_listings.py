"""Answers that are lists: the next page, all pages, projections, and answers too large for a model; a real upstream."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, ResourceLink, TextContent

Json = Any
TOTAL = 95
SIZE = 20


def operation(name: str, parameters: dict[str, str], answer: Json, method: str = "get") -> Json:
    return {
        f"/{name}": {
            method: {
                "operationId": name,
                "parameters": [
                    {"name": key, "in": "query", "schema": {"type": kind}}
                    for key, kind in parameters.items()
                ],
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {"application/json": {"schema": answer}},
                    }
                },
            }
        }
    }


THING = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
THINGS = {"type": "array", "items": THING}


def wrapped(**members: Json) -> Json:
    return {"type": "object", "properties": members}


TEXT, INTEGER = "string", "integer"
SPEC = {
    "openapi": "3.1.0",
    "info": {"title": "Lists", "version": "1"},
    "paths": {
        **operation("by_page", {"page": INTEGER, "per_page": INTEGER}, THINGS),
        **operation("by_offset", {"offset": INTEGER, "limit": INTEGER}, wrapped(things=THINGS)),
        **operation(
            "by_cursor",
            {"cursor": TEXT},
            wrapped(data=THINGS, meta=wrapped(next_cursor={"type": ["string", "null"]})),
        ),
        **operation(
            "by_last",
            {"starting_after": INTEGER, "limit": INTEGER},
            wrapped(data=THINGS, has_more={"type": "boolean"}),
        ),
        **operation("by_header", {"page": INTEGER, "q": TEXT}, THINGS),
        **operation("by_link", {"page": INTEGER}, wrapped(items=THINGS, next={"type": "string"})),
        **operation("one", {"fields": TEXT}, {**THING, "properties": {"tags": THINGS}}),
        **operation("own_fields", {"fields": TEXT}, THINGS),
        **operation("huge", {}, wrapped(rows=THINGS, note={"type": "string"})),
        **operation("make", {}, THINGS, "post"),
        **operation("drop", {}, THING, "delete"),
    },
}


class Upstream(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        asked = {key: values[0] for key, values in parse_qs(url.query).items()}
        self.server.seen.append(self.path)  # type: ignore[attr-defined]
        headers: dict[str, str] = {}
        size = int(asked.get("limit") or asked.get("per_page") or SIZE)
        page = int(asked.get("page", 1))
        start = (page - 1) * size
        if "offset" in asked:
            start = int(asked["offset"])
        elif "cursor" in asked:
            start = int(asked["cursor"].removeprefix("c"))
        elif "starting_after" in asked:
            start = int(asked["starting_after"]) + 1
        things = [
            {"id": number, "name": f"thing {number}"}
            for number in range(start, min(start + size, TOTAL))
        ]
        more = start + size < TOTAL
        value: Json = things
        match url.path:
            case "/by_offset":
                value = {"things": things}
            case "/by_cursor":
                value = {
                    "data": things,
                    "meta": {"next_cursor": f"c{start + size}" if more else None},
                }
            case "/by_last":
                value = {"data": things, "has_more": more}
            case "/by_header":
                following = f'<http://x/by_header?page={page + 1}&q=a>; rel="next"'
                first = '<http://x/by_header?page=1>; rel="first"'
                headers["Link"] = f"{first}, {following}" if more else first
            case "/by_link":
                value = {"items": things, **({"next": f"/by_link?page={page + 1}"} if more else {})}
            case "/huge":
                rows = [{"id": number, "name": "x" * 100} for number in range(3000)]
                value = {"rows": rows, "note": "short"}
            case "/drop":
                value = {"id": 1}
        body = json.dumps(value).encode()
        self.send_response(200)
        for name, text in {**headers, "Content-Type": "application/json"}.items():
            if text:
                self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET

    def log_message(self, format: str, *arguments: Json) -> None:
        pass


@pytest.fixture(scope="module")
def upstream() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    server.seen = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def generate(folder: Path, settings: str = "") -> Path:
    (folder / "lists.json").write_text(json.dumps(SPEC), encoding="utf-8")
    package = folder / "lists-mcp"
    if settings:
        package.mkdir()
        text = f"source: ../lists.json\nname: lists\n{settings}\n"
        (package / "mcpgen.yaml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mcpgen", "lists.json", "-o", "lists-mcp", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    return package


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate(tmp_path_factory.mktemp("lists"))


def drive(
    package: Path, upstream: ThreadingHTTPServer, work: Any, *options: str, **more: Any
) -> Any:
    async def run() -> Any:
        url = f"http://127.0.0.1:{upstream.server_port}"
        arguments = ["-m", "lists_mcp", "--base-url", url, *options]
        environment = more.pop("environment", None)
        server = StdioServerParameters(
            command=sys.executable, args=arguments, cwd=package, env=environment
        )
        async with asyncio.timeout(60), Client(server, **more) as client:
            return await work(client)

    upstream.seen.clear()  # type: ignore[attr-defined]
    return asyncio.run(run())


def texts(result: Json) -> list[str]:
    return [block.text for block in result.content if isinstance(block, TextContent)]


NEXT: list[tuple[str, Json, Json]] = [
    ("by_page", {}, {"page": 2}),
    ("by_page", {"page": 4, "per_page": 10}, {"page": 5}),
    ("by_page", {"page": 10, "per_page": 10}, None),
    ("by_offset", {"limit": 10}, {"offset": 10}),
    ("by_offset", {"offset": 90, "limit": 10}, None),
    ("by_cursor", {}, {"cursor": "c20"}),
    ("by_cursor", {"cursor": "c80"}, None),
    ("by_last", {}, {"starting_after": 19}),
    ("by_last", {"starting_after": 79}, None),
    ("by_header", {}, {"page": 2, "q": "a"}),
    ("by_header", {"page": 5}, None),
    ("by_link", {"page": 2}, {"page": 3}),
    ("by_link", {"page": 5}, None),
]


def test_each_way_of_paging_tells_the_next_call(
    package: Path, upstream: ThreadingHTTPServer
) -> None:
    async def work(client: Client) -> list[Json]:
        found = []
        for name, arguments, _ in NEXT:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result.content
            more = (result.meta or {}).get("org.mcpgen/nextPage")
            told = [json.loads(one.partition("call again with ")[2]) for one in texts(result)[1:]]
            assert told == ([more] if more else [])
            found.append(more)
        return found

    assert drive(package, upstream, work) == [more for _, _, more in NEXT]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("by_page", None),
        ("by_offset", "things"),
        ("by_cursor", "data"),
        ("by_last", "data"),
        ("by_header", None),
        ("by_link", "items"),
    ],
)
def test_all_pages_come_as_one_when_asked_for(
    package: Path, upstream: ThreadingHTTPServer, name: str, path: str | None
) -> None:
    async def work(client: Client) -> Json:
        arguments = {"limit": 20} if name == "by_offset" else {}
        return await client.call_tool(name, {**arguments, "all_pages": True})

    result = drive(package, upstream, work)
    value = json.loads(texts(result)[0])
    assert [one["id"] for one in (value[path] if path else value)] == list(range(TOTAL))
    assert "org.mcpgen/nextPage" not in (result.meta or {})
    assert 5 <= len(upstream.seen) <= 6  # type: ignore[attr-defined]


def test_a_projection_keeps_what_is_wanted(package: Path, upstream: ThreadingHTTPServer) -> None:
    async def work(client: Client) -> list[Json]:
        calls: list[tuple[str, Json]] = [
            ("by_page", {"fields": "[].id", "per_page": 3}),
            ("by_cursor", {"fields": "data[?id > `17`].{n: name}"}),
            ("own_fields", {"fields": "id", "select": "[0]"}),
            ("by_page", {"fields": "[?"}),
            ("by_page", {"fields": "abs(@)"}),
        ]
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    ids, names, own, bad, unsuited = drive(package, upstream, work)
    assert json.loads(texts(ids)[0]) == [0, 1, 2]
    assert (ids.meta or {})["org.mcpgen/nextPage"] == {"page": 2}
    assert json.loads(texts(names)[0]) == [{"n": "thing 18"}, {"n": "thing 19"}]
    assert json.loads(texts(own)[0])["id"] == 0
    assert "/own_fields?fields=id" in upstream.seen  # type: ignore[attr-defined]
    for one in (bad, unsuited):
        error = json.loads(texts(one)[0])["error"]
        assert (one.is_error, error["kind"], error["argument"]) == (
            True,
            "invalid_arguments",
            "fields",
        )


def test_only_lists_have_the_arguments(package: Path) -> None:
    catalog = json.loads((package / "lists_mcp" / "catalog.json").read_text("utf-8"))
    extra = {
        tool["name"]: sorted(
            set(tool["inputSchema"]["properties"]) & {"fields", "select", "all_pages"}
        )
        for tool in catalog["tools"]
    }
    assert extra["by_page"] == ["all_pages", "fields"]
    assert extra["own_fields"] == ["fields", "select"]
    assert extra["huge"] == ["fields"]
    assert extra["one"] == ["fields"], "its own"
    assert extra["make"] == extra["drop"] == []


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_an_answer_that_is_too_large_is_cut_and_kept(
    package: Path, upstream: ThreadingHTTPServer, mode: str
) -> None:
    async def work(client: Client) -> Json:
        result = await client.call_tool("huge", {})
        value = json.loads(texts(result)[0])
        assert value["note"] == "short"
        assert 100 < len(value["rows"]) < 3000
        assert len(texts(result)[0]) <= 80_000
        assert result.structured_content == value
        note = texts(result)[1]
        assert f"rows: {len(value['rows']):,} of 3,000 entries" in note
        [link] = [one for one in result.content if isinstance(one, ResourceLink)]
        assert str(link.uri) in note
        whole = (await client.read_resource(str(link.uri))).contents[0]
        assert len(json.loads(whole.text)["rows"]) == 3000  # type: ignore[union-attr]
        picked = await client.call_tool("huge", {"fields": "rows[:2].id"})
        assert json.loads(texts(picked)[0]) == [0, 1]
        with pytest.raises(Exception, match="any more"):
            await client.read_resource("answer://" + "x" * 22)
        return True

    assert drive(package, upstream, work, mode=mode)


def test_the_limit_is_a_setting(package: Path, upstream: ThreadingHTTPServer) -> None:
    async def work(client: Client) -> int:
        return len((await client.call_tool("huge", {})).content)

    assert drive(package, upstream, work, environment={"LISTS_MAX_RESULT": "0"}) == 1
    assert drive(package, upstream, work, environment={"LISTS_MAX_RESULT": "500"}) == 3


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("way", ["option", "setting", "pattern"])
def test_the_user_is_asked_before_something_is_destroyed(
    package: Path, tmp_path: Path, upstream: ThreadingHTTPServer, mode: str, way: str
) -> None:
    options: tuple[str, ...] = ()
    if way == "option":
        options = ("--confirm",)
    else:
        setting = "destructive" if way == "setting" else '["method:delete"]'
        package = generate(tmp_path, f"confirm: {setting}")
    asked: list[str] = []
    answers: Any = iter(["accept", "decline"])

    async def elicit(context: Json, params: Json) -> Json:

        asked.append(params.message)
        return ElicitResult(action=next(answers), content={})

    async def work(client: Client) -> list[Json]:
        return [await client.call_tool(name, {}) for name in ("drop", "drop", "huge", "make")]

    agreed, declined, read, made = drive(
        package, upstream, work, *options, mode=mode, elicitation_callback=elicit
    )
    assert [one.is_error for one in (agreed, declined, read, made)] == [False, True, False, False]
    assert "did not agree" in texts(declined)[0]
    assert upstream.seen.count("/drop") == 1  # type: ignore[attr-defined]
    assert len(asked) == 2 and "drop" in asked[0]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_where_the_user_cannot_be_asked_nothing_is_destroyed(
    package: Path, upstream: ThreadingHTTPServer, mode: str
) -> None:
    async def work(client: Client) -> str:
        try:
            return texts(await client.call_tool("drop", {}))[0]
        except Exception as error:
            return str(error)

    told = drive(package, upstream, work, "--confirm", mode=mode)
    assert "does not offer elicitation" in told
    assert upstream.seen == []  # type: ignore[attr-defined]
