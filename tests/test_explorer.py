"""The page at `/` of a server over HTTP, in a real browser: Debian's Chromium."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from conftest import Run
from examples import ROOT

PETSTORE = ROOT / "generated_examples" / "petstore-mcp"
IMAGES = ROOT / "docs" / "images"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
HOSTILE = """\
openapi: 3.1.0
info: {title: "<img src=x onerror=alert(1)>", version: "1"}
paths:
  /a:
    get:
      operationId: a
      tags: ["<script>alert(2)</script>"]
      summary: "</script><script>document.title='taken'</script>"
      parameters:
        - {name: q, in: query, schema: {type: string}, description: "<img src=x onerror=document.title='taken'>"}
      responses: {"200": {description: ok, content: {application/json: {example: {x: "<b>bold</b>"}}}}}
"""


@contextmanager
def serving(package: Path, module: str, *options: str, **environment: str) -> Iterator[str]:
    """Where the server is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", module, "--mock", "--transport", "http", "--port", str(port)]
    process = subprocess.Popen(
        [*command, *options],
        cwd=package,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while socket.socket().connect_ex(("127.0.0.1", port)):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # whom Chromium gives no sandbox
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if root else []
        )
        yield started
        started.close()


@contextmanager
def opened(browser: Browser, url: str, path: str = "/", **options: Any) -> Iterator[Page]:
    """The page, which may complain of nothing and ask nobody else."""
    page = browser.new_page(**{"viewport": {"width": 1200, "height": 800}, **options})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda said: complaints.append(said.text) if said.type == "error" else None,
    )
    page.on(
        "request",
        lambda asked: None if asked.url.startswith(url) else complaints.append(asked.url),
    )
    page.goto(url + path)
    yield page
    page.close()
    # That a token is wanted is told by a status, which the browser notes.
    assert [one for one in complaints if "401" not in one] == []


def status(url: str, path: str, method: str = "GET", **headers: str) -> int:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)
    connection.request(method, path, headers=headers)
    return connection.getresponse().status


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tool_is_found_and_called_by_keyboard(
    browser: Browser, scheme: Any, update: bool
) -> None:
    with (
        serving(PETSTORE, "petstore_mcp") as url,
        opened(browser, url, color_scheme=scheme) as page,
    ):
        page.wait_for_selector("nav button")
        assert page.title() == page.inner_text("h1") == "Petstore"
        assert page.inner_text("#sum").startswith("1.0.27 · 19 tools, about 3,")
        sections = page.locator("nav h2").all_text_contents()
        assert sections == ["pet", "store", "user"]
        page.keyboard.press("/")
        page.keyboard.type("find ID")
        page.keyboard.press("Enter")
        while page.locator("nav button:focus span").inner_text() != "get_pet_by_id":
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        for _ in range(2):  # from the tool's heading to its first field
            if page.evaluate("document.activeElement.tagName") != "INPUT":
                page.keyboard.press("Tab")
        page.keyboard.type("10")
        page.keyboard.press("Enter")
        page.wait_for_selector("section pre")
        assert '"name": "Rex"' in page.inner_text("section > pre")
        assert page.inner_text("section .hint").endswith(" ms")
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == {"light": "rgb(251, 250, 248)", "dark": "rgb(21, 24, 27)"}[scheme]
        if update:
            IMAGES.mkdir(exist_ok=True)
            page.screenshot(path=IMAGES / f"explorer-{scheme}.png")


@needs_browser
def test_a_nested_body_is_filled_in_or_written_as_json(browser: Browser) -> None:
    with serving(PETSTORE, "petstore_mcp") as url, opened(browser, url, "/#add_pet") as page:
        page.wait_for_selector("form")
        page.get_by_label("name").first.fill("Rex")
        page.get_by_role("button", name="Edit as JSON").click()
        assert '"name": "Rex"' in page.get_by_label("Arguments as JSON").input_value()
        page.get_by_label("Arguments as JSON").fill('{"body": {"name": 7}}')
        page.get_by_role("button", name="Call", exact=True).click()
        page.wait_for_selector("section pre.bad")
        assert "invalid_arguments" in page.inner_text("section pre.bad")
        page.get_by_label("Arguments as JSON").fill("{")
        page.get_by_role("button", name="Call", exact=True).click()
        assert "no JSON" in page.inner_text("section p.bad")


@needs_browser
def test_what_a_stranger_wrote_is_only_text(browser: Browser, mcpgen: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(HOSTILE, "utf-8")
    assert mcpgen("a.yaml", "--name", "bad", "-q", cwd=tmp_path).returncode == 0
    with serving(tmp_path / "bad-mcp", "bad_mcp") as url, opened(browser, url, "/#a") as page:
        page.wait_for_selector("form")
        assert "<script>document.title='taken'</script>" in page.inner_text(".about")
        page.get_by_role("button", name="Call", exact=True).click()
        page.wait_for_selector("section pre")
        assert "<b>bold</b>" in page.inner_text("section > pre")
        assert page.locator("img, main b").count() == 0
        assert page.title() == page.inner_text("h1") == "bad"


@needs_browser
def test_where_a_token_is_wanted_the_page_asks_for_it(browser: Browser) -> None:
    with serving(PETSTORE, "petstore_mcp", PETSTORE_SERVER_TOKEN="s3cret") as url:
        assert status(url, "/") == 200
        assert status(url, "/explorer.json") == 401
        assert status(url, "/explorer.json", Authorization="Bearer s3cret") == 200
        with opened(browser, url) as page:
            page.locator("#token").fill("wrong")
            page.keyboard.press("Enter")
            page.wait_for_selector("#ask[open]")
            page.locator("#token").fill("s3cret")
            page.keyboard.press("Enter")
            page.wait_for_selector("nav button")
            assert "s3cret" not in page.content()


def test_the_page_keeps_to_the_protection_of_the_endpoint() -> None:
    with serving(PETSTORE, "petstore_mcp") as url:
        assert status(url, "/", Host="evil.example") == 421
        assert status(url, "/explorer.json", Host="evil.example") == 421
        assert status(url, "/explorer.json", Origin="https://evil.example") == 403
        assert status(url, "/", "POST") == 405
    with serving(PETSTORE, "petstore_mcp", "--no-explorer") as url:
        assert (status(url, "/"), status(url, "/explorer.json")) == (404, 404)
