"""The mock of an API: which operation answers, and what it remembers."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.runtime import mock
from mcpgen.runtime.api import Api
from mcpgen.runtime.content import Blob
from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.request import Request

Json = Any

PATHS = [
    "/pets/{id}", "/pets/mine", "/pets/{id}/photo", "/{kind}/mine/photo", "/files/{name}.{type}", "/files/{name}",
    "/m/{id}", "/a b/é", "/x?beta", "/x", "/x/", "/", "/{a}/{b}/{c}/{d}", "/l/v{n}:go",
]  # fmt: skip


def answers(operations: list[Json], method: str, path: str, query: str = "") -> tuple[int, Json]:
    status, _, body = mock.Mock(operations).answer(method, path, query)
    return status, json.loads(body) if body else None


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        ("/pets/1", "", "/pets/{id}"),
        ("/pets/a%2Fb", "", "/pets/{id}"),
        ("/pets/mine", "", "/pets/mine"),
        ("/pets/mine/photo", "", "/pets/{id}/photo"),
        ("/dogs/mine/photo", "", "/{kind}/mine/photo"),
        ("/files/a.tar.gz", "", "/files/{name}.{type}"),
        ("/files/a", "", "/files/{name}"),
        ("/m/;id=1;id=2", "", "/m/{id}"),
        ("/m/.1.2", "", "/m/{id}"),
        ("/a%20b/%C3%A9", "", "/a b/é"),
        ("/x", "beta&q=1", "/x?beta"),
        ("/x", "q=1", "/x"),
        ("/x/", "", "/x/"),
        ("/", "", "/"),
        ("/l/v3:go", "", "/l/v{n}:go"),
    ],
)
def test_the_most_literal_template_answers(path: str, query: str, expected: str) -> None:
    operations = [{"method": "GET", "path": one, "body": one} for one in PATHS]
    assert answers(operations, "GET", path, query) == (200, expected)
    assert answers(operations[::-1], "GET", path, query) == (200, expected)


def test_what_is_unknown_is_a_problem() -> None:
    operations = [{"method": "GET", "path": "/a"}]
    assert answers(operations, "GET", "/b")[0] == 404
    assert answers(operations, "POST", "/a") == (
        405,
        {
            "title": "Method Not Allowed",
            "status": 405,
            "detail": "The mock has no operation POST /a",
        },
    )


def test_a_running_mock_answers_and_remembers(tmp_path: Path) -> None:
    operations = [
        {"method": "GET", "path": "/j/{x}", "status": 200, "content_type": "application/json", "body": {"id": 2**63}},
        {"method": "GET", "path": "/b", "status": 200, "content_type": "image/png", "base64": "iVBORw=="},
        {"method": "GET", "path": "/t", "status": 200, "content_type": "text/plain", "text": "hé"},
        {"method": "QUERY", "path": "/d", "status": 204},
    ]  # fmt: skip
    file = tmp_path / "mock.json"
    lines = ",\n".join(json.dumps(one) for one in operations)
    file.write_text('{"operations":[\n' + lines + "\n]}", encoding="utf-8")

    async def run() -> tuple[list[Json], list[Json], ToolError]:
        server = await mock.start(str(file))
        api = Api("T")
        api.use_mock(server.base_url)
        first = Request("GET", "/j/{x}")
        first.path("x", "a/b c")
        first.query("q", "'+")
        large = Request("QUERY", "/d")
        large.json("x" * 2**21)
        values: list[Json] = [
            await api.send(one)
            for one in (first, Request("GET", "/b"), Request("GET", "/t"), large)
        ]
        with pytest.raises(ToolError) as error:
            await api.send(Request("GET", "/none"))
        await api.close()
        await server.close()
        seen = [(one.method, one.path, one.query, len(one.body)) for one in server.requests]
        return values, seen, error.value

    values, seen, error = asyncio.run(run())
    assert values[0] == {"id": 2**63} and values[2] == "hé" and values[3] is None
    assert isinstance(values[1], Blob) and values[1].data == b"\x89PNG"
    assert seen == [
        ("GET", "/j/a%2Fb%20c", "q=%27%2B", 0),
        ("GET", "/b", "", 0),
        ("GET", "/t", "", 0),
        ("QUERY", "/d", "", 2**21 + 2),
        ("GET", "/none", "", 0),
    ]
    assert error.status == 404 and "The mock has no operation GET /none" in error.message
