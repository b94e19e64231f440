"""The rate, the circuit, the limit on requests under way, and the time-outs, against a real upstream."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from upstream import Answer, answer, upstream

from mcpgen.runtime import limits
from mcpgen.runtime.api import Api
from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.request import Request


def api(url: str, **options: Any) -> Api:
    return Api("SHOP", [url], retries=options.pop("retries", 0), **options)


async def outcomes(one: Api, count: int, **request: Any) -> list[str]:
    """The kind and status of each of some calls, one after the other."""
    found = []
    for _ in range(count):
        try:
            await one.send(Request("GET", "/x", **request))
            found.append("ok")
        except ToolError as error:
            found.append(f"{error.kind} {error.status or ''}".strip())
    return found


def test_a_host_that_fails_is_left_alone_until_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PAUSE", 0.3)

    async def work() -> None:
        bad, good = answer(502, b"{}"), answer(200, b"1")
        async with upstream(*[bad] * (limits.FAILURES + 1), good) as made:
            one = api(made.url)
            found = await outcomes(one, limits.FAILURES + 5)
            assert found == ["upstream_status 502"] * limits.FAILURES + ["upstream_unreachable"] * 5
            assert len(made.requests) == limits.FAILURES
            with pytest.raises(ToolError) as refused:
                await one.send(Request("GET", "/x"))
            assert refused.value.retryable and 0 < (refused.value.retry_after or 0) <= 0.3
            await asyncio.sleep(0.35)
            both = await asyncio.gather(outcomes(one, 1), outcomes(one, 1))
            assert sorted(sum(both, [])) == ["upstream_status 502", "upstream_unreachable"]
            await asyncio.sleep(0.65)
            assert await outcomes(one, 3) == ["ok"] * 3
            await one.close()

    asyncio.run(work())


@pytest.mark.parametrize("status", [400, 401, 404, 409, 422, 429])
def test_what_the_api_refuses_does_not_open_the_circuit(status: int) -> None:
    async def work() -> None:
        async with upstream(answer(status, b"{}")) as made:
            one = api(made.url)
            count = limits.FAILURES + 3
            assert await outcomes(one, count) == [f"upstream_status {status}"] * count
            await one.close()

    asyncio.run(work())


def test_each_host_has_a_circuit_of_its_own() -> None:
    async def work() -> None:
        async with upstream(answer(500, b"{}")) as bad, upstream() as good:
            one = api(bad.url)
            await outcomes(one, limits.FAILURES)
            assert await outcomes(one, 1, server=good.url) == ["ok"]
            assert await outcomes(one, 1) == ["upstream_unreachable"]
            await one.close()

    asyncio.run(work())


def test_requests_keep_to_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_RATE", "20")

    async def work() -> None:
        async with upstream() as made:
            one = api(made.url)
            begun = time.monotonic()
            found = await asyncio.gather(*[outcomes(one, 1) for _ in range(6)])
            assert found == [["ok"]] * 6
            assert time.monotonic() - begun >= 0.25 - 0.02
            one.client.timeout = 0.1
            waiting = await asyncio.gather(*[outcomes(one, 1) for _ in range(6)])
            assert (
                waiting.count(["refused"]) >= 3
            ), "those whose turn comes too late are told at once"
            await one.close()

    asyncio.run(work())


def test_so_many_requests_are_under_way_and_no_more() -> None:
    under_way = most = 0

    async def slow(writer: asyncio.StreamWriter) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.05)
        under_way -= 1
        writer.write(answer())
        await writer.drain()

    async def work() -> None:
        async with upstream(slow) as made:
            one = api(made.url, concurrency=3)
            found = await asyncio.gather(*[outcomes(one, 1) for _ in range(9)])
            assert found == [["ok"]] * 9
            await one.close()

    asyncio.run(work())
    assert most == 3


async def never(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(1)
    writer.write(answer())


@pytest.mark.parametrize(
    ("setting", "outcome"), [("0.1", "upstream_timeout"), ("0", "ok"), ("x", "refused")]
)
def test_the_time_out_is_a_setting(
    monkeypatch: pytest.MonkeyPatch, setting: str, outcome: str
) -> None:
    monkeypatch.setenv("SHOP_TIMEOUT", setting)
    quick: Answer = never

    async def work() -> None:
        async with upstream(quick) as made:
            one = api(made.url, timeout=0.2)
            assert await outcomes(one, 1) == [outcome]
            await one.close()

    asyncio.run(work())


def test_the_time_to_connect_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_CONNECT_TIMEOUT", "no number")

    async def work() -> None:
        async with upstream() as made:
            one = api(made.url)
            assert await outcomes(one, 1) == ["refused"]
            monkeypatch.setenv("SHOP_CONNECT_TIMEOUT", "0")
            assert await outcomes(one, 1) == ["ok"]
            await one.close()

    asyncio.run(work())


async def failure(one: Api, request: Request) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await one.send(request)
    return caught.value


def test_a_call_that_finds_no_place_in_time_was_not_sent_and_blames_no_host() -> None:
    async def work() -> None:
        async with upstream(never) as made:
            one = api(made.url, concurrency=1, timeout=5)
            first = asyncio.create_task(outcomes(one, 1))
            while not made.requests:
                await asyncio.sleep(0.01)
            one.client.timeout = 0.05
            for _ in range(limits.FAILURES + 1):
                refused = await failure(one, Request("POST", "/x"))
                assert (refused.kind, refused.retryable) == ("refused", True)
                assert "SHOP_CONCURRENCY" in refused.message
            assert (await first, len(made.requests)) == (["ok"], 1)
            one.client.timeout = 5
            assert await outcomes(one, 1) == ["ok"]
            await one.close()

    asyncio.run(work())


def test_a_cancelled_call_takes_no_turn_of_the_rate() -> None:
    async def work() -> None:
        async with upstream() as made:
            one = api(made.url, rate=2)
            assert await outcomes(one, 1) == ["ok"]
            waiting = [asyncio.create_task(outcomes(one, 1)) for _ in range(20)]
            await asyncio.sleep(0.01)
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)
            one.client.timeout = 2  # less than the twenty would take
            assert await outcomes(one, 1) == ["ok"]
            assert len(made.requests) == 2
            await one.close()

    asyncio.run(work())


def test_a_turn_that_comes_too_late_is_told_with_its_time() -> None:
    async def work() -> None:
        async with upstream() as made:
            one = api(made.url, rate=0.1, timeout=5)
            assert await outcomes(one, 1) == ["ok"]
            refused = await failure(one, Request("GET", "/x"))
            assert (refused.kind, refused.retryable) == ("refused", True)
            assert 5 < (refused.retry_after or 0) <= 10
            assert "0.1 requests a second (SHOP_RATE)" in refused.message
            assert len(made.requests) == 1
            await one.close()

    asyncio.run(work())


def test_an_open_circuit_shows_no_secret_of_the_address_and_names_the_request() -> None:
    async def work() -> None:
        async with upstream(answer(500, b"{}")) as made:
            one = api(made.url.replace("://", "://ann:s3cr3t@"))
            await outcomes(one, limits.FAILURES)
            error = await failure(one, Request("GET", "/x"))
            assert error.kind == "upstream_unreachable" and "s3cr3t" not in str(error.as_json())
            assert error.request == {"method": "GET", "url": f"{made.url}/x"}
            await one.close()

    asyncio.run(work())


def test_what_opens_the_circuit_is_told_and_not_that_it_is_open() -> None:
    async def work() -> None:
        async with upstream(answer(503, b"", Retry_After="0")) as made:
            one = api(made.url, retries=2)
            assert await outcomes(one, 5) == ["upstream_status 503"] * 4 + ["upstream_unreachable"]
            assert len(made.requests) == limits.FAILURES
            await one.close()

    asyncio.run(work())


def test_a_host_is_not_blamed_for_where_it_redirects_to() -> None:
    async def work() -> None:
        away = answer(302, b"", Location="http://127.0.0.1:9/")
        async with upstream(away) as made:
            one = api(made.url)
            count = limits.FAILURES + 3
            assert await outcomes(one, count) == ["upstream_unreachable"] * count
            assert len(made.requests) == count
            await one.close()

    asyncio.run(work())


def test_a_try_that_is_cancelled_does_not_keep_the_host_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "PAUSE", 0.2)

    async def hang(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    async def work() -> None:
        bad = answer(500, b"{}")
        async with upstream(*[bad] * limits.FAILURES, hang, answer()) as made:
            one = api(made.url)
            await outcomes(one, limits.FAILURES)
            await asyncio.sleep(0.25)
            lost = asyncio.create_task(outcomes(one, 1))
            while len(made.requests) == limits.FAILURES:
                await asyncio.sleep(0.01)
            lost.cancel()
            await asyncio.sleep(0.25)
            assert await outcomes(one, 1) == ["ok"]
            await one.close()

    asyncio.run(work())


def test_a_connection_that_is_not_made_in_time_was_not_used() -> None:
    """By a server that takes it and says nothing of TLS: even a POST may be repeated. With 0 the call's own time counts."""

    async def work() -> None:
        async with upstream() as made:
            one = api(made.url.replace("http:", "https:"), connect_timeout=0.1, timeout=0)
            error = await failure(one, Request("POST", "/x"))
            assert (error.kind, error.retryable) == ("upstream_timeout", True)
            assert "the connection was not made in time" in error.message
            one.client.connect_timeout, one.client.timeout = 0, 0.3
            error = await failure(one, Request("POST", "/x"))
            assert error.kind == "upstream_timeout" and "no complete answer" in error.message
            assert not made.requests
            await one.close()

    asyncio.run(work())
