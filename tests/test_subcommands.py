"""What a generated command does by hand: run as a person runs it, in a package made for this."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from anthropic.types import ToolParam
from google.genai.types import Tool as GeminiTool
from openai.types.chat import ChatCompletionToolParam
from pydantic import TypeAdapter

from conftest import Run
from examples import ROOT
from mcpgen import clients
from mcpgen.runtime.subcommands import function_calling
from mcpgen.runtime.subcommands.install import CLIENTS, Refused

Command: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("petstore") / "petstore-mcp"
    spec = ROOT / "specs" / "petstore.yaml"
    done = subprocess.run([sys.executable, "-m", "mcpgen", spec, "-o", folder, "-q"], check=False)
    assert done.returncode == 0
    return folder


@pytest.fixture
def petstore(package: Path) -> Command:
    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PETSTORE_")}
        return subprocess.run(
            [sys.executable, "-m", "petstore_mcp", *words],
            cwd=package,
            env={**kept, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return run


def test_help_names_the_commands_and_fits_a_screen(petstore: Command) -> None:
    shown = petstore("--help").stdout
    assert "\n  tools     list the tools" in shown
    assert len(shown.splitlines()) <= 40


def test_a_word_that_is_no_command_is_wrong_usage(petstore: Command) -> None:
    done = petstore("tool")
    assert done.returncode == 2
    assert done.stderr.startswith("usage: petstore-mcp [options]")


# --- tools


def test_a_command_that_comes_late_is_told(petstore: Command) -> None:
    done = petstore("--mock", "call", "get_inventory")
    assert done.returncode == 2
    assert done.stderr.endswith("unrecognized arguments: call get_inventory; 'call' comes first\n")


def test_tools_are_listed_in_a_table(petstore: Command) -> None:
    done = petstore("tools", "--namespaces", "store")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "get_inventory    Returns pet inventories by status.",
        "place_order      Place an order for a pet.  (body?)",
        "get_order_by_id  Find purchase order by ID.  (order_id)",
        "delete_order     Delete purchase order by identifier.  (order_id)",
    ]


def test_tools_as_json_are_what_a_client_lists(petstore: Command, package: Path) -> None:
    catalog = json.loads((package / "petstore_mcp" / "catalog.json").read_text("utf-8"))
    assert json.loads(petstore("tools", "--format", "json").stdout) == catalog["tools"]


def test_tools_may_be_shown_in_another_mode(petstore: Command) -> None:
    found = json.loads(petstore("tools", "--format", "json", "--mode", "search").stdout)
    assert [tool["name"] for tool in found] == ["find_tools", "describe_tool", "call_tool"]


@pytest.mark.skipif(os.name != "posix", reason="there is no such pipe")
def test_a_reader_that_has_read_enough_is_no_error(package: Path) -> None:
    command = [sys.executable, "-m", "petstore_mcp", "tools", "--format", "json"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, cwd=package, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def declared(petstore: Command, form: str) -> Any:
    done = petstore("tools", "--format", form)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_openai_takes_the_tools(petstore: Command) -> None:
    found = declared(petstore, "openai")
    TypeAdapter(list[ChatCompletionToolParam]).validate_python(found)
    functions: list[Any] = [one["function"] for one in found]
    assert problems("openai", functions, "parameters") == []
    assert functions[0]["parameters"]["required"] == ["body"]


def test_anthropic_takes_the_tools(petstore: Command) -> None:
    found = declared(petstore, "anthropic")
    TypeAdapter(list[ToolParam]).validate_python(found)
    assert problems("claude", found, "input_schema") == []
    assert set(found[0]) == {"name", "description", "input_schema"}


def test_gemini_takes_the_tools(petstore: Command) -> None:
    (found,) = declared(petstore, "gemini")
    GeminiTool.model_validate(found)
    functions = found["functionDeclarations"]
    assert problems("gemini", functions, "parameters") == []
    by_name = {one["name"]: one for one in functions}
    assert "parameters" not in by_name["get_inventory"]
    body = by_name["update_pet"]["parameters"]["properties"]["body"]
    assert body["required"] == ["name", "photoUrls"]
    assert body["properties"]["category"] == {
        "type": "OBJECT",
        "properties": {
            "id": {"type": "INTEGER", "format": "int64"},
            "name": {"type": "STRING"},
        },
    }


def problems(client: str, tools: list[Any], key: str) -> list[str]:
    """What the rules of `mcpgen inspect --client` say of the declarations. Types are in capitals for Gemini only."""
    listed: list[clients.Tool] = [
        {**tool, "inputSchema": lowered(tool.get(key, {"type": "object"}))} for tool in tools
    ]
    return [one.message for one in clients.problems(clients.CLIENTS[client], listed)]


def lowered(schema: Any) -> Any:
    if isinstance(schema, list):
        return [lowered(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: one.lower() if key == "type" and isinstance(one, str) else lowered(one)
        for key, one in schema.items()
    }


ENTRY = {"name": "t", "description": "d"}
REDUCED = {
    "a reference to itself": (
        {"$ref": "#/$defs/Node"},
        {
            "type": "OBJECT",
            "properties": {
                "next": {"type": "STRING", "description": "Give it as JSON text."},
                "v": {"type": "INTEGER"},
            },
        },
    ),
    "several types": (
        {"type": ["string", "integer", "null"], "description": "x"},
        {
            "anyOf": [
                {"type": "STRING", "description": "x"},
                {"type": "INTEGER", "description": "x"},
            ],
            "nullable": True,
            "description": "x",
        },
    ),
    "a null in a union": (
        {"anyOf": [{"type": "integer", "exclusiveMinimum": 1}, {"type": "null"}]},
        {"type": "INTEGER", "nullable": True},
    ),
    "an enum of numbers": (
        {"enum": [1, 2], "type": "integer", "description": "Which."},
        {"type": "INTEGER", "description": "Which. One of 1, 2."},
    ),
    "a constant": ({"const": "a"}, {"type": "STRING", "enum": ["a"]}),
    "members of allOf": (
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": True}},
            ]
        },
        {
            "type": "OBJECT",
            "properties": {"b": {"type": "STRING"}, "a": {"type": "STRING"}},
            "required": ["a"],
        },
    ),
    "an object of several forms": (
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "oneOf": [{"properties": {"b": {"type": "string"}}}, {"required": ["a"]}],
        },
        {"type": "OBJECT", "properties": {"b": {"type": "STRING"}, "a": {"type": "STRING"}}},
    ),
    "an object of anything": (
        {"type": "object", "additionalProperties": {"type": "integer"}, "description": "A map."},
        {"type": "STRING", "description": "A map. Give it as JSON text."},
    ),
    "an array of anything": ({"type": "array"}, {"type": "ARRAY", "items": {"type": "STRING"}}),
    "a format it does not know": ({"type": "string", "format": "uuid"}, {"type": "STRING"}),
}


@pytest.mark.parametrize("case", REDUCED)
def test_gemini_is_given_what_its_dialect_has(case: str) -> None:
    schema, expected = REDUCED[case]
    node = {"properties": {"next": {"$ref": "#/$defs/Node"}, "v": {"type": "integer"}}}
    tool = {
        **ENTRY,
        "inputSchema": {"type": "object", "properties": {"x": schema}, "$defs": {"Node": node}},
    }
    (found,) = function_calling.gemini([tool])
    GeminiTool.model_validate(found)
    assert found["functionDeclarations"][0]["parameters"]["properties"]["x"] == expected


def test_openai_is_given_items_of_every_array() -> None:
    schema = {
        "type": "object",
        "properties": {"type": {"type": "array", "default": {"type": "array"}}},
    }
    (found,) = function_calling.openai([{**ENTRY, "inputSchema": schema}])
    assert found["function"]["parameters"]["properties"] == {
        "type": {"type": "array", "default": {"type": "array"}, "items": {}}
    }


def test_too_many_tools_for_an_api_are_told(mcpgen: Run, tmp_path: Path) -> None:
    operation = {"responses": {"200": {"description": "ok"}}}
    paths = {f"/thing{number}": {"get": operation} for number in range(129)}
    document = {"openapi": "3.1.0", "info": {"title": "Many", "version": "1"}, "paths": paths}
    (tmp_path / "many.json").write_text(json.dumps(document), "utf-8")
    assert mcpgen("many.json", "-q", cwd=tmp_path).returncode == 0
    done = subprocess.run(
        [sys.executable, "-m", "many_mcp", "tools", "--format", "openai"],
        cwd=tmp_path / "many-mcp",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0 and len(json.loads(done.stdout)) == 129
    assert done.stderr == (
        "note: openai takes at most 128 tools, not 129: choose with --namespaces, --tools or --read-only,"
        " or show fewer with --mode\n"
    )


# --- call


def test_a_call_prints_the_result(petstore: Command) -> None:
    done = petstore("call", "get_pet_by_id", "pet_id=10", "--mock")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["name"] == "Rex"
    assert done.stdout.startswith('{\n  "id": 10,\n')


def test_a_call_shows_the_request_when_asked(petstore: Command) -> None:
    pet = '{"body": {"name": "Rex", "photoUrls": []}}'
    secret = "do-not-show-me"
    done = petstore("call", "add_pet", "--json", pet, "--mock", "-v", PETSTORE_TOKEN=secret)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert re.fullmatch(r"> POST http://127\.0\.0\.1:\d+/pet", lines[0])
    assert lines[1:-1] == [
        "> Content-Type: application/json",
        ">",
        '> {"name":"Rex","photoUrls":[]}',
    ]
    assert re.fullmatch(
        r"< POST http://127.0.0.1:\d+/pet answered 200 with \d+ bytes in \d+ ms", lines[-1]
    )
    assert secret not in done.stderr + done.stdout


def test_values_on_the_command_line_are_what_the_schema_wants(petstore: Command) -> None:
    # A string of digits stays one; what is no string is read as JSON.
    done = petstore(
        "call", "update_pet_with_form", "pet_id=7", "name=12", "status=sold", "--mock", "-v"
    )
    assert re.search(r"> POST http://127\.0\.0\.1:\d+/pet/7\?name=12&status=sold\n", done.stderr)
    assert done.returncode == 0, done.stderr


def test_arguments_are_read_from_stdin(package: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "petstore_mcp", "call", "get_pet_by_id", "--json", "-", "--mock"],
        cwd=package,
        input='{"pet_id": 10}',
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["id"] == 10


def test_an_error_goes_to_stderr_with_status_1(petstore: Command) -> None:
    done = petstore("call", "get_pet_by_id", "pet_id=ten", "--mock")
    assert (done.returncode, done.stdout) == (1, "")
    error = json.loads(done.stderr)["error"]
    assert (error["kind"], error["argument"]) == ("invalid_arguments", "pet_id")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("get_pet",), "there is no tool 'get_pet'; did you mean delete_pet or get_pet_by_id"),
        (("get_pet_by_id", "ten"), "'ten' is not of the form key=value"),
        (("get_pet_by_id", "--json", "[1]"), "--json must be an object"),
        (("get_pet_by_id", "--json", "{"), "--json is no JSON: Expecting property name"),
    ],
)
def test_wrong_usage_of_call_is_told(petstore: Command, words: Any, said: str) -> None:
    done = petstore("call", *words, "--mock")
    assert done.returncode == 2
    assert said in done.stderr


def test_a_tool_that_stands_for_others_is_called_as_a_client_does(petstore: Command) -> None:
    words = (
        "call",
        "pet",
        "--mode",
        "namespace",
        "command=get_pet_by_id",
        'arguments={"pet_id":10}',
    )
    done = petstore(*words, "--mock")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["id"] == 10


def test_a_result_is_utf_8_whatever_the_pipe_is_taken_for(petstore: Command) -> None:
    pet = '{"body": {"name": "Rëx", "photoUrls": []}}'
    words = ("call", "add_pet", "--json", pet, "--mock", "-v")
    done = petstore(*words, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert '"name":"Rëx"' in done.stderr


# --- doctor


@pytest.fixture
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), NotFound)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v3"
    server.shutdown()
    server.server_close()


class NotFound(BaseHTTPRequestHandler):
    """Any answer shows that the API is there."""

    def do_GET(self) -> None:
        assert "Authorization" not in self.headers
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_doctor_finds_all_well(petstore: Command, upstream: str) -> None:
    done = petstore("doctor", PETSTORE_BASE_URL=upstream, PETSTORE_API_KEY="k", PETSTORE_TOKEN="t")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "ok  petstore-mcp 1.0.27"
    assert lines[1].startswith(f"ok  Python {sys.version.split()[0]}")
    assert lines[-3:] == [
        "ok  the credential petstore_auth is set",
        "ok  the credential api_key is set",
        f"ok  the API answers at {upstream}",
    ]


def test_a_reference_that_a_client_left_as_it_is_counts_as_nothing(petstore: Command) -> None:
    left = "${env:PETSTORE_API_KEY}"
    done = petstore("doctor", "--base-url", "http://127.0.0.1:9", PETSTORE_API_KEY=left)
    assert "credential api_key is not set (PETSTORE_API_KEY)" in done.stdout


def test_doctor_names_what_is_missing(petstore: Command) -> None:
    # Port 9 of loopback is nobody's here.
    done = petstore("doctor", "--base-url", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert "credential api_key is not set (PETSTORE_API_KEY)" in done.stdout
    assert re.search(r"^!!  GET http://127\.0\.0\.1:9: cannot connect", done.stdout, re.MULTILINE)


def test_a_credential_that_every_operation_wants_is_wrong_to_miss(
    mcpgen: Run, tmp_path: Path, upstream: str
) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Locked", "version": "1"},
        "security": [{"key": []}],
        "paths": {"/x": {"get": {"responses": {"200": {"description": "ok"}}}}},
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
        },
    }
    (tmp_path / "locked.json").write_text(json.dumps(document), "utf-8")
    assert mcpgen("locked.json", "-q", cwd=tmp_path).returncode == 0
    command = [sys.executable, "-m", "locked_mcp", "doctor", "--base-url", upstream]
    folder = tmp_path / "locked-mcp"
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert "!!  the credential key is missing: LOCKED_API_KEY\n" in done.stdout


# --- install


def installed(petstore: Command, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
    return petstore("install", *words, HOME=str(home), USERPROFILE=str(home))


def place(home: Path) -> Path:
    return home / ".cursor" / "mcp.json"


def test_install_makes_the_configuration(petstore: Command, tmp_path: Path, package: Path) -> None:
    done = installed(
        petstore, "cursor", "--env", "PETSTORE_API_KEY=abc", "--", "--read-only", home=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Entered in {place(tmp_path)}.\n")
    (name, entry), *others = json.loads(place(tmp_path).read_text("utf-8"))["mcpServers"].items()
    assert (name, others) == ("petstore", [])
    assert [entry["command"], *entry["args"]] == [
        *(sys.executable, "-m", "petstore_mcp", "--read-only"),
    ]
    assert entry["env"] == {
        "PETSTORE_API_KEY": "abc",
        "PETSTORE_TOKEN": "${env:PETSTORE_TOKEN}",
        "PETSTORE_CLIENT_ID": "${env:PETSTORE_CLIENT_ID}",
        "PETSTORE_CLIENT_SECRET": "${env:PETSTORE_CLIENT_SECRET}",
        "PETSTORE_REFRESH_TOKEN": "${env:PETSTORE_REFRESH_TOKEN}",
        "PYTHONPATH": str(package),
    }
    if os.name == "posix":
        assert place(tmp_path).stat().st_mode & 0o077 == 0


def test_what_install_enters_starts_the_server(petstore: Command, tmp_path: Path) -> None:
    assert installed(petstore, "cursor", "--", "--version", home=tmp_path).returncode == 0
    entry = json.loads(place(tmp_path).read_text("utf-8"))["mcpServers"]["petstore"]
    command = [entry["command"], *entry["args"]]
    environment = {**os.environ, **entry["env"]}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.stdout == "petstore-mcp 1.0.27\n"


def test_install_keeps_what_is_there_and_a_copy_of_it(petstore: Command, tmp_path: Path) -> None:
    place(tmp_path).parent.mkdir()
    before = (
        '{\n\t"theme": "dark",\n\t"mcpServers": {"other": {"command": "x"}, "petstore": '
        '{"command": "old", "env": {"PETSTORE_API_KEY": "mine", "EXTRA": "1"}, "disabled": true}}\n}'
    )
    place(tmp_path).write_text(before, "utf-8")
    done = installed(petstore, "cursor", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = place(tmp_path).read_text("utf-8")
    found = json.loads(text)
    assert list(found) == ["theme", "mcpServers"] and '\n\t"theme"' in text
    assert found["mcpServers"]["other"] == {"command": "x"}
    entry = found["mcpServers"]["petstore"]
    assert entry["disabled"] is True and entry["command"] == sys.executable
    assert (entry["env"]["PETSTORE_API_KEY"], entry["env"]["EXTRA"]) == ("mine", "1")
    assert place(tmp_path).with_name("mcp.json.backup").read_text("utf-8") == before

    # A second time there is nothing to do; a change makes another copy.
    assert "has it already" in installed(petstore, "cursor", home=tmp_path).stdout
    installed(petstore, "cursor", "--env", "PETSTORE_API_KEY=new", home=tmp_path)
    assert sorted(path.name for path in place(tmp_path).parent.iterdir()) == [
        *("mcp.json", "mcp.json.backup", "mcp.json.backup1"),
    ]


@pytest.mark.parametrize(
    "text", ['{\n  // mine\n  "mcpServers": {}\n}', "[1]", '{"mcpServers": []}', "{"]
)
def test_install_leaves_what_it_cannot_read(petstore: Command, tmp_path: Path, text: str) -> None:
    place(tmp_path).parent.mkdir()
    place(tmp_path).write_text(text, "utf-8")
    done = installed(petstore, "cursor", home=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "was left as it is. Add this by hand:\n{" in done.stderr
    assert [path.read_text("utf-8") for path in place(tmp_path).parent.iterdir()] == [text]


def test_vscode_asks_for_secrets_itself(petstore: Command, tmp_path: Path) -> None:
    printed = installed(petstore, "vscode", "--print", home=tmp_path)
    found = json.loads(printed.stdout)
    assert list(found) == ["inputs", "servers"]
    asked = {one["id"]: one["password"] for one in found["inputs"]}
    assert asked["PETSTORE_API_KEY"] is True
    entry = found["servers"]["petstore"]
    assert (entry["type"], entry["env"]["PETSTORE_API_KEY"]) == (
        "stdio",
        "${input:PETSTORE_API_KEY}",
    )
    assert list(tmp_path.iterdir()) == []
    assert installed(petstore, "vscode", home=tmp_path).returncode == 0
    assert "has it already" in installed(petstore, "vscode", home=tmp_path).stdout


def test_each_client_has_its_places() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", "/home/me")
        patch.setattr(sys, "platform", "linux")
        assert CLIENTS["claude-desktop"].path(False) == (
            "/home/me/.config/Claude/claude_desktop_config.json"
        )
        assert CLIENTS["claude-code"].path(False) == "/home/me/.claude.json"
        assert CLIENTS["vscode"].path(True) == str(Path.cwd() / ".vscode" / "mcp.json")
        patch.setattr(sys, "platform", "darwin")
        assert CLIENTS["vscode"].path(False) == (
            "/home/me/Library/Application Support/Code/User/mcp.json"
        )
        with pytest.raises(Refused, match="no configuration of a project"):
            CLIENTS["claude-desktop"].path(True)


def test_claude_desktop_is_told_what_to_fill_in(petstore: Command, tmp_path: Path) -> None:
    done = installed(petstore, "claude-desktop", "--env", "PETSTORE_TOKEN=t", home=tmp_path)
    assert "Fill in there what the API asks for: " in done.stdout
    assert "PETSTORE_API_KEY" in done.stdout and "PETSTORE_TOKEN" not in done.stdout
