"""Servers made of manifests, called by the official client: requests, operations, steps, commands, prompts, resources."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, ResourceTemplateReference

from examples import ROOT
from test_manifest import PETS
from upstream import Upstream, answer, upstream, variables

LIMIT = 60
Json = Any
Call = Callable[[str, Json], Awaitable[Json]]


@asynccontextmanager
async def served(text: str, folder: Path, **environment: str) -> AsyncIterator[Client]:
    """A client of the server that is made of a manifest."""
    (folder / "pets.yaml").write_text(PETS, "utf-8")
    (folder / "m.yaml").write_text(text, "utf-8")
    command = [sys.executable, "-m", "mcpgen", "m.yaml", "--name", "made", "-q"]
    made = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
    assert (made.returncode, made.stderr) == (0, "")
    kept = {name: value for name, value in os.environ.items() if name not in set(variables())}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "made_mcp", "--mode", "all"],
        cwd=folder / "made-mcp",
        env={**kept, **environment},
    )
    async with asyncio.timeout(LIMIT), Client(server) as client:
        yield client


async def call(client: Client, name: str, /, **arguments: Json) -> Json:
    """The structured answer, the text of one that has none, or the error."""
    result = await client.call_tool(name, arguments)
    text = "".join(getattr(one, "text", "") for one in result.content)
    if result.is_error:
        return json.loads(text)["error"]
    return result.structured_content if result.structured_content is not None else text


def test_a_request_is_what_the_manifest_says(tmp_path: Path) -> None:
    async def run() -> tuple[Upstream, list[Json]]:
        async with upstream(answer(body=b'{"id": 1}')) as api:
            text = f"""
mcpgen: 1
api:
  url: {api.url}/base
  credentials: {{key: {{type: apiKey, in: header, name: X-Key}}}}
tools:
  send:
    input: {{to: 'string[]', text?: string = hi, n?: integer, id: string}}
    http:
      url: POST /send/{{id}}?fixed=yes
      query: {{q: '{{to}}', n: '{{n}}'}}
      headers: {{X-N: 'n={{n}}'}}
      credentials: [key]
      body: {{to: '{{to}}', more: {{text: '{{text}}', n: '{{n}}'}}, plain: '{{{{n}}}}'}}
  elsewhere:
    http: GET {api.url}/other
"""
            async with served(text, tmp_path, MADE_API_KEY="secret") as client:
                given = {"to": ["a", "b"], "id": "x/{y}"}
                sent = await call(client, "send", **given, n=3)
                less = await call(client, "send", **given)
                other = await call(client, "elsewhere")
                out = await call(client, "send", to=["a"], id="../../admin")
                return api, [sent, less, other, out.get("kind")]

    api, answers = asyncio.run(run())
    assert answers == [{"id": 1}, {"id": 1}, {"id": 1}, "invalid_arguments"]
    assert api.lines(0)[0] == ("POST /base/send/x%2F%7By%7D?fixed=yes&q=a&q=b&n=3 HTTP/1.1")
    assert (api.headers(0)["x-n"], api.headers(0)["x-key"]) == ("n=3", "secret")
    bodies = [json.loads(request.partition(b"\r\n\r\n")[2]) for request in api.requests[:2]]
    assert bodies == [
        {"to": ["a", "b"], "more": {"text": "hi", "n": 3}, "plain": "{n}"},
        {"to": ["a", "b"], "more": {"text": "hi"}, "plain": "{n}"},
    ]
    assert "x-n" not in api.headers(1)
    # Another address sees no credential that is not named for it.
    assert api.lines(2)[0] == "GET /other HTTP/1.1"
    assert "x-key" not in api.headers(2)


def test_operations_are_renamed_fixed_projected_and_put_together(tmp_path: Path) -> None:
    text = """
mcpgen: 1
api: {document: pets.yaml, exclude: ['id:addPet']}
tools:
  name_of_pet:
    description: The name of a pet.
    operation: getPet
    with: {petId: '{id}', limit: 5}
    answer: name
    output: string
  copy_pet:
    input: {id: integer}
    steps:
      - {id: pet, operation: getPet, with: {petId: '{id}'}}
      - {id: added, operation: addPet, with: {body: {name: '{pet.name}', was: '{id}'}}}
    answer: '{name: pet.name, copied: id}'
"""

    async def run() -> tuple[Upstream, list[str], Json, list[Json]]:
        pet = answer(body=b'{"id": 7, "name": "Rex"}')
        async with upstream(pet, pet, answer(204, b"", ""), answer(404)) as api:
            async with served(text, tmp_path, MADE_BASE_URL=api.url) as client:
                tools = (await client.list_tools()).tools
                found = [
                    await call(client, "name_of_pet", id=7),
                    await call(client, "copy_pet", id=7),
                    await call(client, "copy_pet", id=8),
                ]
                names = [one.name for one in tools]
                return api, names, tools[0].input_schema, found

    api, names, schema, found = asyncio.run(run())
    assert names == ["name_of_pet", "copy_pet"]
    assert list(schema["properties"]) == ["id"]
    assert found[:2] == [{"result": "Rex"}, {"name": "Rex", "copied": 7}]
    assert (found[2]["kind"], found[2]["status"]) == ("upstream_status", 404)
    lines = [api.lines(index)[0] for index in range(4)]
    assert lines == [
        "GET /pets/7?limit=5 HTTP/1.1",
        "GET /pets/7 HTTP/1.1",
        "POST /pets HTTP/1.1",
        "GET /pets/8 HTTP/1.1",
    ]
    assert json.loads(api.requests[2].partition(b"\r\n\r\n")[2]) == {"name": "Rex", "was": 7}


def test_a_workflow_of_arazzo_runs_its_steps(tmp_path: Path) -> None:
    case = ROOT / "tests" / "cases" / "arazzo"
    (tmp_path / "openapi.yaml").write_bytes((case / "openapi.yaml").read_bytes())
    text = (case / "flows.yaml").read_text("utf-8").partition("  - workflowId: nested")
    workflows = text[0] + "components:" + text[2].partition("components:")[2]

    async def run() -> tuple[Upstream, Json]:
        old = answer(body=b'{"id": "a", "items": [{"name": "tea", "price": 2}]}')
        new = answer(201, b'{"id": "b"}')
        async with upstream(old, new) as api:
            environment = {"MADE_BASE_URL": api.url, "MADE_TOKEN": "t"}
            async with served(workflows, tmp_path, **environment) as client:
                return api, await call(client, "order_again", order_id="a", note="more")

    api, found = asyncio.run(run())
    assert found == {"id": "b", "new note": "more"}
    assert api.lines(0)[0] == "GET /orders/a?verbose=true&limit=10 HTTP/1.1"
    assert json.loads(api.requests[1].partition(b"\r\n\r\n")[2]) == {
        "items": [{"name": "tea", "price": 2}],
        "note": "again more: tea",
        "count": 2,
    }


def test_an_optional_body_that_is_not_given_is_not_sent(tmp_path: Path) -> None:
    async def run() -> Upstream:
        async with upstream() as api:
            text = f"""
mcpgen: 1
tools:
  put: {{input: {{data?: any}}, http: {{url: 'PUT {api.url}/x', body: '{{data}}'}}}}
"""
            async with served(text, tmp_path) as client:
                await call(client, "put")
                await call(client, "put", data=None)
                await call(client, "put", data=[1])
                return api

    api = asyncio.run(run())
    bodies = [request.partition(b"\r\n\r\n")[2] for request in api.requests]
    assert bodies == [b"", b"null", b"[1]"]


ECHO = "import json, os, sys; print(json.dumps([sys.argv[1:], sorted(os.environ), os.getcwd()]))"


def test_a_command_gets_words_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    (tmp_path / "work" / "out").symlink_to(tmp_path / "secret.txt")
    program = json.dumps(sys.executable)
    text = f"""
mcpgen: 1
tools:
  echo:
    input:
      words?: string[]
      n?: integer
      since?: string
      file?: path
      rest?: string
    command:
      run: [{program}, -c, {json.dumps(ECHO)}, '-n{{n}}', [--since, '{{since}}'], '{{words}}', '{{file}}', --, '{{rest}}']
      folder: {json.dumps(str(tmp_path / "work"))}
      environment: [ALLOWED]
      output: json
  fail:
    command:
      run: [{program}, -c, 'import sys; print("some"); print("no such thing", file=sys.stderr); sys.exit(3)']
  sleep:
    command:
      run: [{program}, -c, 'import time; time.sleep(60)']
      timeout: 0.5
  flood:
    command:
      run: [{program}, -c, 'print("x" * 10000)']
      max_bytes: 1000
  upper:
    input: {{text: string}}
    command:
      run: [{program}, -c, 'import sys; print(sys.stdin.read().upper())']
      stdin: '{{text}}'
      output: lines
  nothing:
    command: {{run: [no-such-program-anywhere]}}
"""

    async def run() -> dict[str, Json]:
        async with served(text, tmp_path, ALLOWED="1", SECRET="s") as client:
            hostile = ["$(touch /tmp/pwned)", "; rm -rf /", "`id`", "a b", "{n}", "%s", "*", "|cat"]
            return {
                "all": await call(
                    client, "echo", words=hostile, n=-3, since="1 day", file="a/b", rest="-rf"
                ),
                "none": await call(client, "echo"),
                "option": await call(client, "echo", words=["--upload-file=x"]),
                "since": await call(client, "echo", since="-x"),
                "up": await call(client, "echo", file="../secret.txt"),
                "absolute": await call(client, "echo", file="/etc/passwd"),
                "link": await call(client, "echo", file="out"),
                "null": await call(client, "echo", rest="a\0b"),
                "fail": await call(client, "fail"),
                "sleep": await call(client, "sleep"),
                "flood": await call(client, "flood"),
                "upper": await call(client, "upper", text="hi\nyou"),
                "nothing": await call(client, "nothing"),
            }

    found = asyncio.run(run())
    words, names, folder = found["all"]["result"]
    hostile = ["$(touch /tmp/pwned)", "; rm -rf /", "`id`", "a b", "{n}", "%s", "*", "|cat"]
    assert words == ["-n-3", "--since", "1 day", *hostile, "a/b", "--", "-rf"]
    assert folder == os.path.realpath(tmp_path / "work")
    assert "ALLOWED" in names and "SECRET" not in names
    assert found["none"]["result"][0] == ["--"]
    for name, argument in (("option", "words"), ("since", "since"), ("null", "rest")):
        assert (found[name]["kind"], found[name]["argument"]) == ("invalid_arguments", argument)
    for name in ("up", "absolute", "link"):
        assert found[name]["message"] == "'file' leads out of the folder that this tool works in"
    assert (found["fail"]["kind"], found["fail"]["status"]) == ("upstream_status", 3)
    assert found["fail"]["detail"] == {"stderr": "no such thing", "stdout": "some"}
    assert found["sleep"]["kind"] == "upstream_timeout"
    assert found["flood"]["kind"] == "too_large"
    assert found["upper"] == {"result": ["HI", "YOU"]}
    assert found["nothing"]["message"] == (
        "The command cannot be run: there is no program no-such-program-anywhere"
    )


def test_prompts_resources_and_completion(tmp_path: Path) -> None:
    text = """
mcpgen: 1
prompts:
  sum_up:
    arguments: {topic: string, style: long | short}
    text: 'Sum up {topic}, {style}! {{topic}}'
resources:
  about: {uri: 'notes://about', text: 'All {about} "it".', mimeType: text/plain}
  note: {uri: 'notes://{name}', complete: {name: [alpha, beta]}}
"""

    async def run() -> list[Json]:
        async with served(text, tmp_path) as client:
            prompt = await client.get_prompt("sum_up", {"topic": "{style} %s", "style": "short"})
            about = await client.read_resource("notes://about")
            templates = await client.list_resource_templates()
            reference = ResourceTemplateReference(type="ref/resource", uri="notes://{name}")
            completed = await client.complete(reference, {"name": "name", "value": "b"})
            return [
                getattr(prompt.messages[0].content, "text"),
                getattr(about.contents[0], "text"),
                [one.uri_template for one in templates.resource_templates],
                completed.completion.values,
            ]

    assert asyncio.run(run()) == [
        "Sum up {style} %s, short! {topic}",
        'All {about} "it".',
        ["notes://{name}"],
        ["beta"],
    ]


@pytest.mark.parametrize(("action", "asked"), [("accept", 1), ("decline", 0)])
def test_a_tool_is_confirmed_by_the_user(action: str, asked: int, tmp_path: Path) -> None:
    messages: list[str] = []

    async def elicit(context: Any, params: Any) -> Any:
        messages.append(params.message)
        return ElicitResult(action=action, content={} if action == "accept" else None)  # type: ignore[arg-type]  # one of three

    async def run() -> tuple[int, Json]:
        async with upstream(answer(body=b'{"gone": true}')) as api:
            text = f"""
mcpgen: 1
tools:
  remove:
    confirm: Remove it for good?
    input: {{id: string}}
    http: DELETE {api.url}/things/{{id}}
"""
            async with served(text, tmp_path) as client:
                unasked = await call(client, "remove", id="{id}")
                assert "cannot ask" in unasked["message"]
            server = StdioServerParameters(
                command=sys.executable, args=["-m", "made_mcp"], cwd=tmp_path / "made-mcp"
            )
            async with (
                asyncio.timeout(LIMIT),
                Client(server, elicitation_callback=elicit) as client,
            ):
                said = await call(client, "remove", id="{id}")
            return len(api.requests), said

    requests, said = asyncio.run(run())
    assert messages == ['Remove it for good? {"id":"{id}"}']
    assert requests == asked
    expected = {"gone": True} if asked else "The user did not agree"
    assert (said if asked else said["message"]) == expected


HOSTILE: Json = {
    "mcpgen": 1,
    "name": 'evil"""; import os',
    "title": '"""; os.system("x")',
    "description": "{{ 7*7 }} {% raw %} '''  # nothing",
    "instructions": "</textarea>\u0007 \u202e",
    "schemas": {"Evil": {"fields": {"x": 'string -- """ # """'}}},
    "tools": {
        "t": {
            "title": '{{ config }}"""',
            "description": '"""\n    import os; os.system("touch pwned")',
            "confirm": '{0.__class__} " + __import__("os").name + "',
            "input": {"a?": 'string = "\\"); import os; (\\"" -- """ {a.__class__}'},
            "output": "Evil | null",
        },
        "u": {
            "namespace": "../../evil",
            "command": {"run": ['x"; import os', "{{a}}", "'''\\\"\"\""]},
        },
        "v": {"http": {"url": "https://a.b/c", "query": {'"': "'"}, "body": {'"""': "{{x}}"}}},
    },
    "prompts": {"p": {"text": '"""{{x}}" + __import__("os").name + "'}},
    "resources": {"r": {"uri": 'x:"""', "text": '"""'}, "../../../up": {"uri": "x:/y"}},
}


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(json.dumps(HOSTILE), "utf-8")
    command = [sys.executable, "-m", "mcpgen", "m.yaml", "-o", "out", "-q"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert (made.returncode, made.stderr) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.yaml", "out"]
    folder = tmp_path / "out"
    for module in (["mypy", "--strict"], ["pytest", "-q", "-p", "no:xdist"]):
        done = subprocess.run([sys.executable, "-m", *module], cwd=folder, capture_output=True)
        assert done.returncode == 0, done.stdout.decode()
    assert not list(tmp_path.rglob("pwned"))
