"""Calls to an upstream that answers, fails and lies: the exact outcome of each."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from upstream import Answer, Upstream, answer, upstream, variables

from mcpgen.runtime.api import Api, ApiKey, Basic, Bearer, OAuth2
from mcpgen.runtime.content import Blob
from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.request import Request

Json = Any
SECRET = "s3cr3t/+value"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in variables():
        monkeypatch.delenv(name, raising=False)


def call(
    request: Request,
    *answers: Answer,
    check: Callable[[Upstream], None] | None = None,
    **options: Json,
) -> Json:
    """The value of one call, or its ToolError."""

    async def run() -> Json:
        async with upstream(*answers) as server:
            api = Api("T", (server.url,), **options)
            try:
                return await api.send(request)
            except ToolError as error:
                return error
            finally:
                await api.close()
                if check:
                    check(server)

    return asyncio.run(run())


def failure(request: Request, *answers: Answer, **options: Json) -> ToolError:
    error = call(request, *answers, **options)
    assert isinstance(error, ToolError), error
    return error


def requests_made(request: Request, *answers: Answer, **options: Json) -> int:
    made: list[int] = []
    call(request, *answers, check=lambda server: made.append(len(server.requests)), **options)
    return made[0]


# --- on the wire


def test_nothing_is_quoted_again_on_the_wire() -> None:
    request = Request("GET", "/a'b/{x}/%2E")
    request.path("x", "é%2E'+:")
    request.query("q", "a'b+c d")
    request.query("r", "x:/?@'%41", allow_reserved=True)
    seen: list[str] = []
    call(request, check=lambda server: seen.append(server.lines()[0]))
    assert seen == ["GET /a'b/%C3%A9%252E%27%2B%3A/%2E?q=a%27b%2Bc%20d&r=x:/?@'%41 HTTP/1.1"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "QUERY", "POST", "COPY"])
def test_any_method_carries_its_body_and_type(method: str) -> None:
    request = Request(method, "/")
    request.json({"a": 1}, "application/vnd.x+json; v=2")
    seen: list[Upstream] = []
    call(request, check=seen.append)
    assert seen[0].requests[0].startswith(f"{method} / HTTP/1.1".encode())
    assert seen[0].requests[0].endswith(b'\r\n\r\n{"a":1}')
    assert seen[0].headers()["content-type"] == "application/vnd.x+json; v=2"


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_without_a_body_there_is_no_content_type(method: str) -> None:
    seen: list[Upstream] = []
    call(Request(method, "/"), check=seen.append)
    headers = seen[0].headers()
    assert "content-type" not in headers and "cookie" not in headers
    assert headers["user-agent"] == "t-mcp"


def test_cookies_of_an_answer_are_not_kept() -> None:
    async def run() -> list[dict[str, str]]:
        async with upstream(answer(Set_Cookie="sid=1; Path=/")) as server:
            api = Api("T", (server.url,))
            await api.send(Request("GET", "/"))
            await api.send(Request("GET", "/"))
            await api.close()
            return [server.headers(0), server.headers(1)]

    assert all("cookie" not in headers for headers in asyncio.run(run()))


# --- answers


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b'{"id":18446744073709551617}', "application/json", {"id": 2**64 + 1}),
        (b"[1]", "application/vnd.x+json; charset=utf-8", [1]),
        ('"ü"'.encode("latin-1"), "application/json; charset=latin-1", "ü"),
        (b"\xef\xbb\xbf{}", "application/json", {}),
        (b"not json", "application/json", "not json"),
        (b"NaN", "application/json", "NaN"),
        (b"[" * 100_000, "application/json", "[" * 100_000),
        (b"  ", "application/json", None),
        (b"", "application/json", None),
        (b"", "", None),
        ("ü".encode("latin-1"), "text/plain; charset=ISO-8859-1", "ü"),
        (b"a\xff", "text/plain", "a�"),
        (b"x", "text/plain; charset=klingon", "x"),
        (b"<a/>", "application/atom+xml", "<a/>"),
        (b'{"a":1}\n\n2\n', "application/x-ndjson", [{"a": 1}, 2]),
        (b'{"a":1}', "", {"a": 1}),
        (b"hi", "", "hi"),
    ],
)
def test_an_answer_is_read_by_its_type(body: bytes, content_type: str, expected: Json) -> None:
    assert call(Request("GET", "/"), answer(200, body, content_type)) == expected


def test_binary_answers_are_blobs_with_their_name() -> None:
    disposition = "attachment; filename=\"x.png\"; filename*=UTF-8''%C3%A9%2F..%2Fa.png"
    value = call(
        Request("GET", "/"), answer(200, b"\x89PNG", "image/png", Content_Disposition=disposition)
    )
    assert isinstance(value, Blob)
    assert (value.data, value.media_type, value.filename) == (b"\x89PNG", "image/png", "a.png")


def test_an_empty_success_is_none() -> None:
    assert call(Request("DELETE", "/"), b"HTTP/1.1 204 No Content\r\n\r\n") is None


# --- errors of the API


@pytest.mark.parametrize(
    ("body", "content_type", "said"),
    [
        (b'{"title":"Invalid","detail":"mail lacks an at sign"}', "application/problem+json", "Invalid: mail lacks an at sign"),
        (b'{"error":{"code":5,"message":"No such user"}}', "application/json", "No such user"),
        (b'{"error":"invalid_request","error_description":"bad scope"}', "application/json", "invalid_request: bad scope"),
        (b'{"detail":[{"loc":["body","age"],"msg":"not a number"}]}', "application/json", "body.age: not a number"),
        (b'{"errors":[{"field":"name","message":"too long"},{"message":"x"}]}', "application/json", "name: too long; x"),
        (b"<html><head><title>502</title><style>a{}</style></head><body><h1>Bad &amp; gateway</h1><script>x</script></body></html>", "text/html", "Bad & gateway"),
        (b"plain words", "text/plain", "plain words"),
        (b"{", "application/json", "{"),
        (b"\x00\xff", "image/png", ""),
        (b"", "", ""),
    ],
)  # fmt: skip
def test_what_the_api_says_about_its_error_is_passed_on(
    body: bytes, content_type: str, said: str
) -> None:
    error = failure(Request("POST", "/u"), answer(422, body, content_type))
    assert (error.kind, error.status, error.retryable) == ("upstream_status", 422, False)
    message = re.sub(r":\d+/u", "/u", error.message)
    expected = "POST http://127.0.0.1/u answered 422 Unprocessable Entity"
    assert message == (f"{expected}: {said}" if said else expected)


def test_a_huge_error_body_is_cut() -> None:
    error = failure(Request("POST", "/"), answer(500, b"x" * 2**20, "text/plain"))
    assert len(json.dumps(error.as_json())) < 6_000


# --- repeating


@pytest.mark.parametrize(
    ("method", "status", "expected"),
    [
        ("GET", 503, 2), ("GET", 429, 2), ("GET", 502, 2), ("PUT", 504, 2), ("DELETE", 503, 2),
        ("QUERY", 500, 2), ("GET", 404, 1), ("GET", 501, 1),
        ("POST", 503, 1), ("POST", 429, 1), ("PATCH", 502, 1), ("COPY", 503, 1),
    ],
)  # fmt: skip
def test_only_what_is_safe_to_repeat_is_repeated(method: str, status: int, expected: int) -> None:
    first = answer(status, b"", Retry_After="0")
    assert requests_made(Request(method, "/"), first, answer()) == expected


def test_an_idempotency_key_makes_a_post_repeatable_and_stays_the_same() -> None:
    seen: list[Upstream] = []
    first = answer(503, Retry_After="0")
    value = call(
        Request("POST", "/"), first, answer(), idempotency_key="Idempotency-Key", check=seen.append
    )
    keys = [seen[0].headers(index)["idempotency-key"] for index in (0, 1)]
    assert value == {} and keys[0] == keys[1] and len(keys[0]) == 32


def test_a_storm_of_429_ends_after_three_tries_and_says_when_to_come_back() -> None:
    made: list[int] = []
    error = failure(
        Request("GET", "/"),
        answer(429, Retry_After="0"),
        answer(429, Retry_After="0"),
        answer(429, Retry_After="7"),
        check=lambda server: made.append(len(server.requests)),
    )
    assert (made, error.status, error.retryable, error.retry_after) == ([3], 429, True, 7.0)


def test_a_long_retry_after_is_left_to_the_caller() -> None:
    error = failure(Request("GET", "/"), answer(503, Retry_After="3600"))
    assert (error.status, error.retryable, error.retry_after) == (503, True, 3600.0)


# --- broken upstreams


async def reset(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def hang(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


async def half(writer: asyncio.StreamWriter) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    )
    await writer.drain()


async def endless(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        writer.write(b"x" * 65_536)
        await writer.drain()


async def nonsense(writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
    await writer.drain()


BAD_GZIP = answer(200, b"no gzip", Content_Encoding="gzip")
BOMB = answer(200, gzip.compress(b"0" * 2**22), "text/plain", Content_Encoding="gzip")


async def half_chunks(writer: asyncio.StreamWriter) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked"
    writer.write(head + b"\r\n\r\n9\r\n[1, 2")
    await writer.drain()


async def half_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Ty")
    await writer.drain()


async def reset_in_body(writer: asyncio.StreamWriter) -> None:
    await half(writer)
    await asyncio.sleep(0.05)
    await reset(writer)


async def stall(writer: asyncio.StreamWriter) -> None:
    await half(writer)
    await hang(writer)


# With 429 and 503 the API says that it did nothing: any request may be sent again, by who asked for it.
@pytest.mark.parametrize(
    ("method", "fault", "kind", "status", "retryable", "requests"),
    [
        ("GET", hang, "upstream_timeout", None, True, 1),
        ("POST", hang, "upstream_timeout", None, False, 1),
        ("GET", stall, "upstream_timeout", None, True, 1),
        ("POST", stall, "upstream_timeout", None, False, 1),
        # aiohttp itself repeats at once, and once, an idempotent request whose connection broke before an answer.
        ("GET", reset, "upstream_unreachable", None, True, 6),
        ("POST", reset, "upstream_unreachable", None, False, 1),
        ("GET", half_head, "upstream_unreachable", None, True, 6),
        ("POST", half_head, "upstream_unreachable", None, False, 1),
        ("GET", reset_in_body, "upstream_invalid", None, True, 3),
        ("POST", reset_in_body, "upstream_invalid", None, False, 1),
        ("GET", half, "upstream_invalid", None, True, 3),
        ("POST", half, "upstream_invalid", None, False, 1),
        ("GET", half_chunks, "upstream_invalid", None, True, 3),
        ("POST", half_chunks, "upstream_invalid", None, False, 1),
        ("GET", answer(429, Retry_After="0"), "upstream_status", 429, True, 3),
        ("POST", answer(429, Retry_After="0"), "upstream_status", 429, True, 1),
        ("GET", answer(503, Retry_After="0"), "upstream_status", 503, True, 3),
        ("POST", answer(503, Retry_After="0"), "upstream_status", 503, True, 1),
        ("GET", answer(502, Retry_After="0"), "upstream_status", 502, True, 3),
        ("POST", answer(502, Retry_After="0"), "upstream_status", 502, False, 1),
        ("GET", BAD_GZIP, "upstream_invalid", None, True, 3),
        ("POST", BAD_GZIP, "upstream_invalid", None, False, 1),
        ("GET", nonsense, "upstream_invalid", None, True, 3),
        ("POST", nonsense, "upstream_invalid", None, False, 1),
        ("GET", endless, "too_large", None, False, 1),
        ("POST", endless, "too_large", None, False, 1),
        ("GET", BOMB, "too_large", None, False, 1),
        ("POST", BOMB, "too_large", None, False, 1),
    ],
)  # fmt: skip
def test_a_broken_upstream_gives_its_kind_of_error(
    method: str, fault: Answer, kind: str, status: int | None, retryable: bool, requests: int
) -> None:
    made: list[int] = []
    error = failure(
        Request(method, "/"),
        fault,
        max_bytes=2**20,
        timeout=0.3 if fault in (hang, stall) else 20,
        check=lambda one: made.append(len(one.requests)),
    )
    assert (error.kind, error.status, error.retryable) == (kind, status, retryable)
    assert made == [requests]


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"<html>Log in</html>", "application/json", "<html>Log in</html>"),
        (b'{"a":1}', "text/html", '{"a":1}'),
        (b'{"a":1}', "image/png", (b'{"a":1}', "image/png")),
        (b"\x89PNG\xff", "application/json", "\ufffdPNG\ufffd"),
    ],
)
def test_an_answer_of_another_type_than_it_says_is_given_as_it_is(
    body: bytes, content_type: str, expected: Json
) -> None:
    made: list[int] = []
    fault = answer(200, body, content_type)
    value = call(Request("GET", "/"), fault, check=lambda one: made.append(len(one.requests)))
    assert ((value.data, value.media_type) if isinstance(value, Blob) else value) == expected
    assert made == [1]


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [("text/event-stream", "[1]\n[2]\n"), ("application/x-ndjson", [[1], [2]])],
)
def test_of_a_stream_without_end_what_came_in_time_is_given(
    content_type: str, expected: Json
) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n[1]\n[2]\n[".encode())
        await writer.drain()
        await asyncio.sleep(30)

    assert call(Request("GET", "/"), drip, timeout=3) == expected


def test_nobody_listening_is_unreachable_and_safe_to_repeat() -> None:
    request = Request("POST", "/x", server="http://127.0.0.1:9")
    error = failure(request, retries=0)
    assert (error.kind, error.retryable) == ("upstream_unreachable", True)


@pytest.mark.parametrize("fault", [hang, stall, endless])
def test_a_cancelled_call_closes_its_connection(fault: Answer) -> None:
    async def run() -> int:
        async with upstream(fault) as server:
            api = Api("T", (server.url,), max_bytes=2**40)
            task: asyncio.Task[Json] = asyncio.create_task(api.send(Request("GET", "/")))
            while not server.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.wait_for(server.left.wait(), 5)
            with pytest.raises(asyncio.CancelledError):
                await task
            await api.close()
            return len(server.requests)

    assert asyncio.run(run()) == 1


# --- redirects


def redirected(status: int, method: str, *, elsewhere: bool) -> tuple[Json, Upstream, Upstream]:
    async def run() -> tuple[Json, Upstream, Upstream]:
        async with upstream(answer(200, b'"there"')) as other, upstream() as first:
            target = f"{other.url}/b?x=%2F" if elsewhere else "/b?x=%2F"
            first.answers = (answer(status, b"", Location=target), answer(200, b'"here"'))
            api = Api(
                "T",
                (first.url,),
                {"key": ApiKey("X-Key", variable="T_KEY"), "token": Bearer(variable="T_TOKEN")},
                (("key", "token"),),
            )
            request = Request(method, "/a")
            request.header("X-Own", "1")
            request.cookie("c", "1")
            if method == "POST":
                request.json({})
            try:
                value: Json = await api.send(request)
            except ToolError as error:
                value = error
            await api.close()
            return value, first, other

    return asyncio.run(run())


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T_KEY", SECRET)
    monkeypatch.setenv("T_TOKEN", SECRET)


@pytest.mark.usefixtures("credentials")
def test_a_redirect_on_the_same_origin_keeps_the_headers() -> None:
    value, first, _ = redirected(307, "GET", elsewhere=False)
    assert value == "here"
    assert first.lines(1)[0] == "GET /b?x=%2F HTTP/1.1"
    assert first.headers(1)["x-key"] == SECRET


@pytest.mark.usefixtures("credentials")
def test_a_redirect_to_another_origin_carries_no_secret() -> None:
    value, first, other = redirected(302, "GET", elsewhere=True)
    assert (value, len(first.requests), len(other.requests)) == ("there", 1, 1)
    assert sorted(other.headers()) == ["accept", "accept-encoding", "host", "user-agent"]


@pytest.mark.usefixtures("credentials")
def test_a_redirect_of_an_unsafe_method_is_reported() -> None:
    value, first, other = redirected(307, "POST", elsewhere=True)
    assert isinstance(value, ToolError) and value.status == 307
    assert value.message.endswith(f"it redirects to {other.url}/b, which is not followed")
    assert (len(first.requests), len(other.requests)) == (1, 0)


@pytest.mark.usefixtures("credentials")
def test_see_other_is_followed_by_get() -> None:
    value, first, _ = redirected(303, "POST", elsewhere=False)
    assert value == "here"
    assert first.lines(1)[0] == "GET /b?x=%2F HTTP/1.1"
    assert "content-type" not in first.headers(1)


@pytest.mark.parametrize(
    ("method", "retryable", "requests"), [("GET", True, 3), ("POST", False, 1)]
)
def test_a_redirect_to_a_host_that_is_down_repeats_only_what_is_safe(
    method: str, retryable: bool, requests: int
) -> None:
    made: list[int] = []
    away = answer(303, b"", Location="http://127.0.0.1:9/done")
    error = failure(Request(method, "/"), away, check=lambda one: made.append(len(one.requests)))
    assert (error.kind, error.retryable, made) == ("upstream_unreachable", retryable, [requests])


def test_endless_redirects_end() -> None:
    error = failure(Request("GET", "/"), answer(302, b"", Location="/"), retries=0)
    assert error.kind == "upstream_invalid"


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://[", "//", "http://:99999999/"])
def test_a_redirect_to_nowhere_is_an_error(location: str) -> None:
    error = failure(Request("GET", "/"), answer(302, b"", Location=location), retries=0)
    assert error.kind in ("upstream_status", "upstream_invalid")


# --- addresses


def test_the_base_url_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    api = Api("T", ("http://a.test/v1",))
    assert api.base_url == "http://a.test/v1"
    monkeypatch.setenv("T_BASE_URL", "http://b.test")
    api = Api("T", ("http://a.test/v1",))
    assert api.base_url == "http://b.test"
    api.base_url = "http://c.test"
    assert api.base_url == "http://c.test"


@pytest.mark.parametrize("servers", [(), ("/v1",), ("api.test",)])
def test_a_missing_base_url_names_the_variable_to_set(servers: tuple[str, ...]) -> None:
    with pytest.raises(ToolError, match="set T_BASE_URL"):
        asyncio.run(Api("T", servers).send(Request("GET", "/")))


def test_a_relative_server_is_resolved_against_the_base() -> None:
    seen: list[str] = []
    call(Request("GET", "/a", server="/v2"), check=lambda server: seen.append(server.lines()[0]))
    assert seen == ["GET /v2/a HTTP/1.1"]


def test_a_proxy_of_the_environment_is_used_unless_the_host_is_excepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> list[str]:
        async with upstream() as proxy, upstream() as direct:
            monkeypatch.setenv("http_proxy", proxy.url.replace("://", "://ann:pass@"))
            monkeypatch.setenv("no_proxy", "127.0.0.1")
            api = Api("T", (direct.url,))
            await api.send(Request("GET", "/a%27", server="http://api.test/v1"))
            await api.send(Request("GET", "/b"))
            await api.close()
            return [proxy.lines()[0], proxy.headers()["proxy-authorization"], direct.lines()[0]]

    expected = "Basic " + base64.b64encode(b"ann:pass").decode()
    assert asyncio.run(run()) == [
        "GET http://api.test/v1/a%27 HTTP/1.1",
        expected,
        "GET /b HTTP/1.1",
    ]


# --- credentials

SCHEMES = {
    "key": ApiKey("X-Key", variable="T_KEY"),
    "query": ApiKey("k y", place="query", variable="T_KEY"),
    "cookie": ApiKey("sid", place="cookie", variable="T_KEY"),
    "login": Basic(username="T_USERNAME", password="T_PASSWORD"),
    "token": Bearer(variable="T_TOKEN"),
    "digest": Bearer(variable="T_TOKEN", scheme="Token"),
}
ALL = {"T_KEY": "k/1", "T_USERNAME": "ann", "T_PASSWORD": "pä:ss", "T_TOKEN": "t0k"}


def sent(
    monkeypatch: pytest.MonkeyPatch, security: Json, environment: dict[str, str]
) -> tuple[str, dict[str, str]] | str:
    """The request line and the headers that credentials gave, or the error's message."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    seen: list[Upstream] = []
    value = call(Request("GET", "/", security=security), credentials=SCHEMES, check=seen.append)
    if isinstance(value, ToolError):
        assert value.kind == "missing_credentials" and not seen[0].requests
        return value.message
    kept = ("x-key", "cookie", "authorization")
    headers = {name: text for name, text in seen[0].headers().items() if name in kept}
    return seen[0].lines()[0].split(" ")[1], headers


@pytest.mark.parametrize(
    ("security", "expected"),
    [
        ((("key",),), ("/", {"x-key": "k/1"})),
        ((("query",),), ("/?k%20y=k%2F1", {})),
        ((("cookie",),), ("/", {"cookie": "sid=k/1"})),
        (
            (("login",),),
            ("/", {"authorization": "Basic " + base64.b64encode("ann:pä:ss".encode()).decode()}),
        ),
        ((("token",),), ("/", {"authorization": "Bearer t0k"})),
        ((("digest",),), ("/", {"authorization": "Token t0k"})),
        ((("key", "token"),), ("/", {"x-key": "k/1", "authorization": "Bearer t0k"})),
        (((), ("key",)), ("/", {"x-key": "k/1"})),
        ((), ("/", {})),
    ],
)
def test_each_scheme_goes_to_its_place(
    monkeypatch: pytest.MonkeyPatch, security: Json, expected: Json
) -> None:
    assert sent(monkeypatch, security, ALL) == expected


@pytest.mark.parametrize(
    ("security", "environment", "expected"),
    [
        ((("key",), ("token",)), {"T_TOKEN": "t"}, ("/", {"authorization": "Bearer t"})),
        ((("token",),), {"T_TOKEN": " bearer t\n"}, ("/", {"authorization": "Bearer t"})),
        ((("key",), ()), {}, ("/", {})),
        (
            (("key", "token"), ("login",)),
            {"T_KEY": "k", "T_USERNAME": "u"},
            "This tool needs credentials: set T_TOKEN or T_PASSWORD in the environment of this server",
        ),
        (
            (("login",),),
            {},
            "This tool needs credentials: set T_USERNAME and T_PASSWORD in the environment of this server",
        ),
    ],
)
def test_the_first_alternative_that_is_met_is_used(
    monkeypatch: pytest.MonkeyPatch, security: Json, environment: dict[str, str], expected: Json
) -> None:
    assert sent(monkeypatch, security, environment) == expected


def test_a_secret_is_read_from_a_mounted_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "key").write_text("from-file\n")
    environment = {"T_KEY_FILE": str(tmp_path / "key")}
    assert sent(monkeypatch, (("key",),), environment) == ("/", {"x-key": "from-file"})


def test_a_secret_with_a_line_break_is_an_error_without_the_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("T_KEY", f"{SECRET}\r\nX: 1")
    error = failure(Request("GET", "/", security=(("key",),)), credentials=SCHEMES)
    assert SECRET not in str(error.as_json())


def test_no_error_shows_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ALL:
        monkeypatch.setenv(name, SECRET)
    security = (("key", "query", "cookie", "login", "token"),)
    echo = json.dumps({"error": f"bad key {SECRET}", "seen": [{SECRET: f"x{SECRET}y"}]}).encode()
    faults: list[Answer] = [
        answer(401, echo),
        answer(500, echo, "text/plain"),
        reset,
        half,
        BAD_GZIP,
    ]
    for fault in faults:
        error = failure(Request("POST", "/", security=security), fault, credentials=SCHEMES)
        shown = json.dumps(error.as_json()) + str(error) + repr(error)
        assert SECRET not in shown and "s3cr3t" not in shown


def test_a_mock_needs_no_credentials_and_takes_every_request() -> None:
    async def run() -> tuple[Json, list[str]]:
        async with upstream() as server:
            api = Api("T", ("https://real.test",), SCHEMES, (("key",),))
            api.use_mock(server.url)
            value: Json = await api.send(Request("GET", "/a", server="https://other.test"))
            await api.close()
            return value, [server.lines()[0]]

    assert asyncio.run(run()) == ({}, ["GET /a HTTP/1.1"])


# --- OAuth 2


def token_answer(token: str, expires_in: Json = 3600) -> bytes:
    return answer(200, json.dumps({"access_token": token, "expires_in": expires_in}).encode())


def oauth(
    monkeypatch: pytest.MonkeyPatch,
    tokens: tuple[Answer, ...],
    answers: tuple[Answer, ...],
    calls: int,
) -> tuple[list[Json], Upstream, Upstream]:
    monkeypatch.setenv("T_CLIENT_ID", "id:1")
    monkeypatch.setenv("T_CLIENT_SECRET", SECRET)

    async def run() -> tuple[list[Json], Upstream, Upstream]:
        async with upstream(*tokens) as issuer, upstream(*answers) as server:
            scheme = OAuth2(
                token="T_TOKEN",
                client_id="T_CLIENT_ID",
                client_secret="T_CLIENT_SECRET",
                token_url=f"{issuer.url}/token",
                scopes=("a", "b"),
            )
            api = Api("T", (server.url,), {"oauth": scheme}, (("oauth",),), retries=0)
            waiting: list[Any] = [api.send(Request("GET", "/")) for _ in range(calls)]
            values: list[Json] = await asyncio.gather(*waiting, return_exceptions=True)
            await api.close()
            return values, issuer, server

    return asyncio.run(run())


def test_many_waiting_calls_cause_one_token_request(monkeypatch: pytest.MonkeyPatch) -> None:
    values, issuer, server = oauth(monkeypatch, (token_answer("tok-1"),), (answer(),), 20)
    assert values == [{}] * 20 and len(issuer.requests) == 1
    assert {server.headers(index)["authorization"] for index in range(20)} == {"Bearer tok-1"}
    credentials = base64.b64decode(issuer.headers()["authorization"].removeprefix("Basic "))
    assert credentials == b"id%3A1:s3cr3t%2F%2Bvalue"
    assert issuer.requests[0].endswith(b"\r\n\r\ngrant_type=client_credentials&scope=a%20b")


def test_a_token_that_is_refused_is_renewed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = (token_answer("old"), token_answer("new"))
    values, issuer, server = oauth(monkeypatch, tokens, (answer(401), answer()), 1)
    assert values == [{}] and len(issuer.requests) == 2
    assert server.headers()["authorization"] == "Bearer new"


def test_a_server_that_wants_the_secret_in_the_body_gets_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tokens = (answer(401, b'{"error":"invalid_client"}'), token_answer("t"))
    values, issuer, _ = oauth(monkeypatch, tokens, (answer(),), 1)
    assert values == [{}]
    assert b"client_secret=s3cr3t%2F%2Bvalue" in issuer.requests[1]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(answer(400, b'{"error":"invalid_scope"}'), "upstream_status"), (answer(200, b"[]"), "upstream_invalid")],
)  # fmt: skip
def test_a_token_that_cannot_be_had_is_said_to_every_caller(
    monkeypatch: pytest.MonkeyPatch, fault: Answer, kind: str
) -> None:
    values, _, server = oauth(monkeypatch, (fault,), (answer(),), 3)
    assert [value.kind for value in values] == [kind] * 3 and not server.requests
    assert all("/token" in value.message and SECRET not in str(value.as_json()) for value in values)
