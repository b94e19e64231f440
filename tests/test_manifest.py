"""Manifests: what they say reaches the IR, and every mistake is told with its place; the JSON Schema agrees."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from examples import ROOT
from mcpgen import frontends, source
from mcpgen.diagnostics import Diagnostics, Stop
from mcpgen.frontends import manifest_fields
from mcpgen.frontends.shorthand import BadShorthand, parse
from mcpgen.ir import Api, Built, CommandLine, Fixed, Given, Joined, Picked, Requests
from mcpgen.options import Options
from mcpgen.plan import make_plan
from mcpgen.render import starter_manifest
from mcpgen.resources import manifest_schema

SCHEMA: dict[str, Any] = json.loads(manifest_schema())
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
PETS = """
openapi: 3.1.0
info: {title: Pets, version: "1"}
servers: [{url: https://pets.example.com}]
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      parameters:
        - {name: petId, in: path, required: true, schema: {type: integer}}
        - {name: limit, in: query, schema: {type: integer}}
      responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
  /pets:
    post:
      operationId: addPet
      requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
      responses: {"204": {description: done}}
components:
  schemas:
    Pet: {type: object, properties: {id: {type: integer}, name: {type: string}}}
"""


def read(text: str, folder: Path) -> tuple[Api | None, list[str]]:
    """The API, None where nothing can be made of it; and what was said."""
    (folder / "pets.yaml").write_text(PETS, encoding="utf-8")
    diagnostics = Diagnostics()
    file = "m.yaml"
    document = source.parse(text.encode(), file, diagnostics, path=folder / file)
    object.__setattr__(document, "file", str(folder / file))
    try:
        api = frontends.read_api(document, diagnostics)
    except Stop:
        api = None
    said = [str(one).replace(f"{folder}/", "") for one in diagnostics]
    said = [re.sub(r"\n    at #.*", "", one) for one in said]
    return None if diagnostics.has_errors else api, said


def value(text: str) -> Any:
    return source.parse(text.encode(), "m.yaml", Diagnostics()).value


def read_well(text: str, folder: Path) -> Api:
    api, said = read(text, folder)
    assert (said, api is not None) == ([], True)
    assert [error.message for error in VALIDATOR.iter_errors(value(text))] == []
    assert api is not None
    return api


# --- shorthand


@pytest.mark.parametrize(
    ("line", "schema", "description"),
    [
        ("string", {"type": "string"}, ""),
        ("integer = 3 -- How many.", {"type": "integer", "default": 3}, "How many."),
        ("celsius | fahrenheit", {"type": "string", "enum": ["celsius", "fahrenheit"]}, ""),
        ('"string" | "a b"', {"type": "string", "enum": ["string", "a b"]}, ""),
        ("1 | 2 | null", {"enum": [1, 2, None]}, ""),
        ("string | null", {"type": ["string", "null"]}, ""),
        ("Pet[]", {"type": "array", "items": {"$ref": "#/$defs/Pet"}}, ""),
        ("Pet | null", {"anyOf": [{"$ref": "#/$defs/Pet"}, {"type": "null"}]}, ""),
        ("(a | b)[] = [\"a\"]",
         {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": ["a"]}, ""),
        ("integer[][]", {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, ""),
        ("date", {"type": "string", "format": "date"}, ""),
        ("any", {}, ""),
        ("low | high = low", {"type": "string", "enum": ["low", "high"], "default": "low"}, ""),
        ('string = "a -- b = c" -- Text = more.', {"type": "string", "default": "a -- b = c"}, "Text = more."),
    ],
)  # fmt: skip
def test_a_type_in_a_line(line: str, schema: Any, description: str) -> None:
    found = parse(line, ["Pet"])
    assert (found.schema, found.description) == (schema, description)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "a type is missing"),
        ("strng", "there is no type or schema 'strng'"),
        ("string | strng", "there is no type or schema 'strng'"),
        ("string |", "a type is missing behind '|'"),
        ("(string", "a ')' is missing"),
        ("string)", "')' is not expected there"),
        ("string =", "there is nothing behind '='"),
        ("string = [", "the default '[' is no JSON"),
        ("string {}", "'{}' makes no sense in a type"),
        ("low[]", "there is no type or schema 'low'"),
    ],
)
def test_a_line_that_is_no_type(line: str, message: str) -> None:
    with pytest.raises(BadShorthand) as caught:
        parse(line, ["Pet"])
    assert str(caught.value) == message


# --- what is read


def test_a_tool_without_work_is_left_to_a_person(tmp_path: Path) -> None:
    api = read_well(
        """
mcpgen: 1
name: weather
schemas:
  Forecast: {fields: {city: string, note?: string -- More.}}
tools:
  forecast:
    description: The weather.
    input:
      city: string -- Where.
      days?: integer = 3
      near: {$ref: '#/schemas/Forecast'}
    output: Forecast[]
    annotations: {readOnlyHint: true}
""",
        tmp_path,
    )
    (tool,) = api.tools
    assert [(one.name, one.required, one.description) for one in tool.fields] == [
        ("city", True, "Where."),
        ("days", False, ""),
        ("near", True, ""),
    ]
    assert tool.fields[2].schema == {"$ref": "#/$defs/Forecast"}
    assert tool.output == {"type": "array", "items": {"$ref": "#/$defs/Forecast"}}
    assert (tool.work, api.is_called, dict(tool.annotations)) == (
        None,
        False,
        {"readOnlyHint": True},
    )
    assert api.schemas["Forecast"] == {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "note": {"type": "string", "description": "More."},
        },
        "required": ["city"],
    }


def test_a_whole_schema_stays_as_it_is_written(tmp_path: Path) -> None:
    api = read_well(
        """
mcpgen: 1
tools:
  t:
    input_schema:
      $schema: https://json-schema.org/draft/2020-12/schema
      type: object
      properties:
        region: {type: string, x-mcp-header: Region}
        address: {$ref: '#/$defs/address'}
      if: {required: [region]}
      then: {required: [address]}
      $defs: {address: {$anchor: a, type: object}}
""",
        tmp_path,
    )
    assert api.tools[0].input_schema == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "address": {"$ref": "#/$defs/address"},
        },
        "if": {"required": ["region"]},
        "then": {"required": ["address"]},
        "$defs": {"address": {"$anchor": "a", "type": "object"}},
    }


def test_a_request_takes_values_apart(tmp_path: Path) -> None:
    api = read_well(
        """
mcpgen: 1
api:
  credentials: {key: {type: apiKey, in: header, name: X-Key}}
tools:
  find:
    input: {q: string, n?: integer, tags?: 'string[]'}
    http:
      url: POST https://api.example.com/v1/{q}?format=json
      query: {n: '{n}'}
      headers: {X-A: 'a {q} b'}
      body: {tags: '{tags}', plain: '{{q}}', fixed: {x: '{{'}, more: [1, '{n}']}
      credentials: [key]
""",
        tmp_path,
    )
    work = api.tools[0].work
    assert isinstance(work, Requests)
    (call,) = work.calls
    operation = call.operation
    assert (operation.method, operation.path) == ("POST", "/v1/{q}")
    assert [one.url for one in operation.servers] == ["https://api.example.com"]
    assert operation.security == (("key",),)
    assert call.values == {
        "path:q": Given("q"),
        "query:format": Fixed("json"),
        "query:n": Given("n"),
        "header:X-A": Joined((Fixed("a "), Given("q"), Fixed(" b"))),
        "body": Built(
            {
                "tags": Given("tags"),
                "plain": Fixed("{q}"),
                "fixed": Fixed({"x": "{"}),
                "more": Built((Fixed(1), Given("n"))),
            }
        ),
    }


def test_a_document_is_attached_and_its_operations_used(tmp_path: Path) -> None:
    api = read_well(
        """
mcpgen: 1
api: {document: pets.yaml}
tools:
  pet:
    operation: getPet
    with: {petId: '{id}'}
    hide: [limit]
    answer: name
    output: string
  renamed:
    input: {id: integer}
    steps:
      - {id: pet, operation: 'GET /pets/{petId}', with: {petId: '{id}'}}
      - {operation: addPet, with: {body: {name: '{pet.name}', id: '{id}'}}}
    answer: '{old: pet, id: id}'
    output: Pet
""",
        tmp_path,
    )
    pet, renamed = (one.work for one in api.tools)
    assert isinstance(pet, Requests) and isinstance(renamed, Requests)
    assert (pet.calls[0].values, pet.hidden, pet.answer, pet.is_open) == (
        {"path:petId": Given("id")},
        frozenset({"query:limit"}),
        "name",
        True,
    )
    assert [(call.step, call.operation.id) for call in renamed.calls] == [
        ("pet", "getPet"),
        ("step2", "addPet"),
    ]
    assert renamed.calls[1].values == {
        "body": Built({"name": Picked("pet.name"), "id": Given("id")})
    }
    # Whoever gives an operation another name does not want it twice; in a step it is only used.
    assert [one.id for one in api.operations] == ["addPet"]


def test_a_command_is_a_vector_of_words(tmp_path: Path) -> None:
    api = read_well(
        """
mcpgen: 1
tools:
  log:
    input: {n?: integer = 3, since?: date, file: path, text?: string}
    command:
      run: [git, log, '-n{n}', [--since, '{since}'], --, '{file}']
      folder: src
      environment: [GIT_DIR]
      timeout: 5
      output: lines
      stdin: '{text}'
""",
        tmp_path,
    )
    assert api.tools[0].work == CommandLine(
        program="git",
        words=(
            Fixed("log"),
            Joined((Fixed("-n"), Given("n"))),
            (Fixed("--since"), Given("since")),
            Fixed("--"),
            Given("file"),
        ),
        folder="src",
        environment=("GIT_DIR",),
        timeout=5,
        output="lines",
        stdin="text",
        paths=("file",),
    )


def test_prompts_and_resources(tmp_path: Path) -> None:
    api = read_well(
        """
mcpgen: 1
features: [logging]
prompts:
  sum:
    arguments:
      topic: string -- What about.
      style?: short | long
      file: {description: Which., complete: true}
    text: Sum up {topic}!
resources:
  about: {uri: 'notes://about', text: All about it.}
  note: {uri: 'notes://{name}', mimeType: text/markdown, complete: {name: [a, b]}}
""",
        tmp_path,
    )
    (prompt,) = api.prompts
    assert [(one.name, one.required) for one in prompt.fields] == [
        ("topic", True),
        ("style", False),
        ("file", True),
    ]
    assert prompt.completions == {"style": ("short", "long"), "file": True}
    assert prompt.text == (Fixed("Sum up "), Given("topic"), Fixed("!"))
    assert [(one.uri, one.variables, one.completions, one.text) for one in api.resources] == [
        ("notes://about", (), {}, "All about it."),
        ("notes://{name}", ("name",), {"name": ("a", "b")}, None),
    ]
    assert api.features == ("completions", "logging")


# --- mistakes

TOOL = "mcpgen: 1\ntools:\n  t:\n    "
WITH_PETS = "mcpgen: 1\napi: {document: pets.yaml}\ntools:\n  t:\n    "

# The manifest, what is said of it, and whether the JSON Schema can see it as well.
MISTAKES = {
    "no version": (
        "tools: {t: {}}",
        "m.yaml:1:1: error[missing-key]: the manifest does not say in which version it is written\n"
        "    hint: begin it with 'mcpgen: 1'",
        True,
    ),
    "another version": (
        "mcpgen: 2",
        "m.yaml:1:9: error[unsupported-version]: 'mcpgen' must be 1, the version of the manifest's format",
        True,
    ),
    "unknown key": (
        "mcpgen: 1\ntool: {}",
        "m.yaml:2:1: error[unknown-key]: there is no key 'tool'\n    hint: did you mean 'tools'?",
        True,
    ),
    "unknown key of a tool": (
        TOOL + "desciption: x",
        "m.yaml:4:17: error[unknown-key]: there is no key 'desciption'\n"
        "    hint: did you mean 'description'?",
        True,
    ),
    "wrong type": (
        "mcpgen: 1\ntools: [a]",
        "m.yaml:2:1: error[wrong-type]: 'tools' must be a mapping, not a list",
        True,
    ),
    "tool is no mapping": (
        "mcpgen: 1\ntools: {t: hello}",
        "m.yaml:2:12: error[wrong-type]: 't' must be a mapping, not the string 'hello'",
        True,
    ),
    "null": (
        TOOL + "title:",
        "m.yaml:4:11: error[wrong-type]: 'title' must be a text, not null",
        True,
    ),
    "duplicate tool": (
        "mcpgen: 1\ntools:\n  t: {}\n  t: {}",
        "m.yaml:4:3: error[duplicate-key]: the key 't' is written twice; the first is in line 3",
        False,
    ),
    "bad tool name": (
        "mcpgen: 1\ntools: {a b: {}}",
        "m.yaml:2:9: error[bad-name]: 'a b' cannot be the name of a tool: up to 64 letters, digits, '_' and '-'",
        True,
    ),
    "bad argument name": (
        TOOL + "input: {class: string}",
        "m.yaml:4:20: error[bad-name]: 'class' cannot be the name of an argument: handlers are Python",
        False,
    ),
    "an argument named as a function": (
        TOOL + "input: {join: string}",
        "m.yaml:4:19: error[bad-name]: 'join' cannot be the name of an argument: handlers call a function so",
        False,
    ),
    "bad shorthand": (
        TOOL + "input:\n      city: string |",
        "m.yaml:5:13: error[bad-type]: 'city': a type is missing behind '|'",
        True,
    ),
    "unknown type": (
        TOOL + "input: {city: strng}",
        "m.yaml:4:19: error[unknown-type]: 'city': there is no type or schema 'strng'\n"
        "    hint: did you mean 'string'?",
        False,
    ),
    "default of another type": (
        TOOL + "input: {days: integer = three}",
        "m.yaml:4:19: error[bad-default]: the default of 'days' is not what its type allows: "
        '"three" is not of type "integer"',
        False,
    ),
    "argument twice": (
        TOOL + "input: {a: string, a?: string}",
        "m.yaml:4:28: error[duplicate-key]: 'a' is there twice, with and without '?'",
        False,
    ),
    "unknown keyword of JSON Schema": (
        TOOL + "input: {a: {type: string, maxLenght: 3}}",
        "m.yaml:4:42: error[bad-schema]: JSON Schema has no keyword 'maxLenght'\n"
        "    hint: did you mean 'maxLength'?",
        False,
    ),
    "bad schema": (
        TOOL + "input: {a: {type: string, minLength: -1}}",
        "m.yaml:4:42: error[bad-schema]: 'minLength' must be an integer of at least 0, not the number -1",
        True,
    ),
    "type of no schema": (
        TOOL + "output: {type: strng}",
        "m.yaml:4:20: error[bad-schema]: 'type' must be a type of JSON Schema, not the string 'strng'\n"
        "    hint: did you mean 'string'?",
        True,
    ),
    "unknown reference": (
        "mcpgen: 1\nschemas: {Pet: string}\ntools: {t: {output: {$ref: '#/schemas/Pat'}}}",
        "m.yaml:3:28: error[unknown-type]: there is no schema '#/schemas/Pat'\n    hint: did you mean 'Pet'?",
        False,
    ),
    "a schema named as a type": (
        "mcpgen: 1\nschemas: {string: integer}",
        "m.yaml:2:19: error[bad-name]: 'string' cannot be the name of a schema: letters, digits, '_', '.', '-'; no type",
        True,
    ),
    "input that is no object": (
        TOOL + "input_schema: {type: string}",
        "m.yaml:4:5: error[bad-schema]: 'input_schema' must be the schema of an object: 'type: object' is missing",
        True,
    ),
    "two inputs": (
        TOOL + "input: {}\n    input_schema: {type: object}",
        "m.yaml:5:5: error[two-ways]: a tool has 'input' or 'input_schema', not both",
        True,
    ),
    "two ways": (
        TOOL + "http: https://a.b/c\n    command: {run: [ls]}",
        "m.yaml:5:5: error[two-ways]: a tool is carried out in one way, not by http and command",
        True,
    ),
    "unknown argument": (
        TOOL + "input: {city: string}\n    http: GET https://a.b/{citty}?c={city}",
        "m.yaml:5:11: error[unknown-argument]: there is no argument 'citty'\n    hint: did you mean 'city'?",
        False,
    ),
    "unused argument": (
        TOOL + "input: {city: string}\n    http: GET https://a.b/c",
        "m.yaml:4:19: error[unused-argument]: the argument 'city' is not used in 'http'\n"
        "    hint: '{city}' stands for its value",
        False,
    ),
    "an argument as host": (
        TOOL + "input: {host: string}\n    http: GET https://{host}/c",
        "m.yaml:5:11: error[bad-url]: the URL 'GET https://{host}/c' cannot be taken: "
        "an argument cannot choose the host",
        True,
    ),
    "a password in a URL": (
        TOOL + "http: GET https://me:secret@a.b/c",
        "m.yaml:4:11: error[bad-url]: the URL 'GET https://me:secret@a.b/c' cannot be taken: "
        "credentials belong into the environment: see 'credentials'",
        True,
    ),
    "a file as URL": (
        TOOL + "http: file:///etc/passwd",
        "m.yaml:4:11: error[bad-url]: the URL 'file:///etc/passwd' cannot be taken: only http and https are asked",
        True,
    ),
    "a format string": (
        TOOL + "input: {a: string}\n    http: {url: https://a.b, query: {q: '{a.__class__}'}}",
        "m.yaml:5:41: error[unknown-argument]: there is no argument 'a.__class__'\n    hint: arguments: a",
        False,
    ),
    "a brace alone": (
        TOOL + "input: {a: string}\n    http: {url: https://a.b, query: {q: 'x{a'}}",
        "m.yaml:5:41: error[bad-text]: '{' stands alone in 'x{a'\n"
        "    hint: write '{{' or '}}' for a brace, '{name}' for an argument",
        False,
    ),
    "unknown credential": (
        "mcpgen: 1\napi: {credentials: {key: {type: http, scheme: bearer}}}\n"
        "tools: {t: {http: {url: https://a.b, credentials: [kee]}}}",
        "m.yaml:3:52: error[unknown-credential]: 'api' has no credential 'kee'\n    hint: did you mean 'key'?",
        False,
    ),
    "a credential of no kind": (
        "mcpgen: 1\napi: {credentials: {key: {type: magic}}}",
        "m.yaml:2:21: error[bad-security-scheme]: the security scheme 'key' has no known type ('magic')",
        True,
    ),
    "unknown operation": (
        WITH_PETS + "operation: getPat",
        "m.yaml:5:16: error[unknown-operation]: there is no operation 'getPat'\n    hint: did you mean 'getPet'?",
        False,
    ),
    "operation without a document": (
        TOOL + "operation: getPet",
        "m.yaml:4:16: error[unknown-operation]: there is no operation 'getPet'\n"
        "    hint: 'document' of 'api' attaches an OpenAPI document",
        False,
    ),
    "unknown parameter": (
        WITH_PETS + "operation: getPet\n    with: {pettId: 1}",
        "m.yaml:6:20: error[unknown-argument]: the operation has no parameter 'pettId'\n    hint: did you mean 'petId'?",
        False,
    ),
    "hides what is required": (
        WITH_PETS + "operation: getPet\n    hide: [petId]",
        "m.yaml:6:12: error[missing-value]: 'petId' is required: it cannot be hidden, only fixed by 'with'",
        False,
    ),
    "answer of no JMESPath": (
        WITH_PETS + "operation: getPet\n    answer: 'name['",
        "m.yaml:6:13: error[bad-expression]: 'name[' is no JMESPath expression: Invalid jmespath expression: "
        "Incomplete expression:",
        False,
    ),
    "answer of what has none": (
        TOOL + "answer: name",
        "m.yaml:4:13: error[unknown-key]: 'answer' goes with 'operation'",
        True,
    ),
    "unknown step": (
        WITH_PETS + "steps:\n      - {id: pet, operation: getPet, with: {petId: '{pat.id}'}}",
        "m.yaml:6:52: error[unknown-argument]: there is no argument or earlier step 'pat'",
        False,
    ),
    "a later step": (
        WITH_PETS + "steps:\n"
        "      - {id: one, operation: getPet, with: {petId: '{two.id}'}}\n"
        "      - {id: two, operation: getPet, with: {petId: 2}}",
        "m.yaml:6:52: error[unknown-argument]: there is no argument or earlier step 'two'",
        False,
    ),
    "a step without what it needs": (
        WITH_PETS + "steps:\n      - operation: getPet",
        "m.yaml:6:9: error[missing-value]: GET /pets/{petId} needs 'petId': give it in 'with'",
        False,
    ),
    "a step without operation": (
        WITH_PETS + "steps:\n      - id: one",
        "m.yaml:6:9: error[missing-key]: element 1 of 'steps' needs the key 'operation'",
        True,
    ),
    "a program that is an argument": (
        TOOL + "input: {a: string}\n    command: {run: ['{a}']}",
        "m.yaml:5:15: error[bad-command]: the program is fixed: no argument can choose it",
        True,
    ),
    "a shell line": (
        TOOL + "command: {run: ls -la}",
        "m.yaml:4:20: error[wrong-type]: 'run' must be a list that is not empty, not the string 'ls -la'",
        True,
    ),
    "two arguments in a word": (
        TOOL + "input: {a: string, b: string}\n    command: {run: [x, '{a}:{b}']}",
        "m.yaml:5:24: error[bad-command]: a word of a command holds one argument, not several: '{a}:{b}'",
        False,
    ),
    "an unknown output": (
        TOOL + "command: {run: [ls], output: jsn}",
        "m.yaml:4:34: error[wrong-value]: 'output' must be one of text, lines, json, not 'jsn'\n"
        "    hint: did you mean 'json'?",
        True,
    ),
    "no time": (
        TOOL + "command: {run: [ls], timeout: 0}",
        "m.yaml:4:35: error[wrong-type]: 'timeout' must be a number above 0, not the number 0",
        True,
    ),
    "resource without URI": (
        "mcpgen: 1\nresources: {r: {text: x}}",
        "m.yaml:2:13: error[missing-key]: 'r' needs the key 'uri'",
        True,
    ),
    "no URI": (
        "mcpgen: 1\nresources: {r: {uri: notes}}",
        "m.yaml:2:22: error[bad-url]: 'notes' is no URI such as notes://all",
        True,
    ),
    "a schema named any": (
        "mcpgen: 1\nschemas: {any: integer}",
        "m.yaml:2:16: error[bad-name]: 'any' cannot be the name of a schema: letters, digits, '_', '.', '-'; no type",
        True,
    ),
    "URI twice": (
        "mcpgen: 1\nresources: {a: {uri: 'n://a'}, b: {uri: 'n://a'}}",
        "m.yaml:2:32: error[duplicate-uri]: the resource 'a' has the URI n://a as well",
        False,
    ),
    "completes no variable": (
        "mcpgen: 1\nresources: {a: {uri: 'n://{x}', complete: {y: true}}}",
        "m.yaml:2:47: error[unknown-argument]: the URI has no variable 'y'\n    hint: variables: x",
        False,
    ),
    "prompt of numbers": (
        "mcpgen: 1\nprompts: {p: {arguments: {n: integer}}}",
        "m.yaml:2:30: error[bad-type]: the argument 'n' of a prompt must be string, or words to choose from: a | b",
        False,
    ),
    "unknown argument of a prompt": (
        "mcpgen: 1\nprompts: {p: {arguments: {topic: string}, text: 'About {topc}'}}",
        "m.yaml:2:49: error[unknown-argument]: there is no argument 'topc'\n    hint: did you mean 'topic'?",
        False,
    ),
    "unknown feature": (
        "mcpgen: 1\nfeatures: [loging]",
        "m.yaml:2:12: error[wrong-value]: there is no feature 'loging'\n    hint: did you mean 'logging'?",
        True,
    ),
    "a document that is not there": (
        "mcpgen: 1\napi: {document: nothing.yaml}",
        "m.yaml:2:17: error[unresolved-ref]: the reference 'nothing.yaml' cannot be resolved: there is no such file",
        False,
    ),
    "a document out of reach": (
        "mcpgen: 1\napi: {document: ../../../../../../../etc/passwd}",
        "",
        False,
    ),
    "a document at a URL": (
        "mcpgen: 1\napi: {document: 'http://169.254.169.254/latest'}",
        "m.yaml:2:17: error[unresolved-ref]: the reference 'http://169.254.169.254/latest' cannot be resolved: "
        "it leads to a URL; --allow-host 169.254.169.254 would allow that",
        False,
    ),
    "chooses from nothing": (
        "mcpgen: 1\napi: {include: ['tag:a']}",
        "m.yaml:2:7: error[missing-key]: 'include' chooses from a 'document', and there is none",
        True,
    ),
    "a schema of both": (
        "mcpgen: 1\napi: {document: pets.yaml}\nschemas: {Pet: string}",
        "m.yaml:3:16: error[duplicate-schema]: the attached document has a schema 'Pet' as well",
        False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_place(name: str, tmp_path: Path) -> None:
    text, message, in_schema = MISTAKES[name]
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    api, said = read(text, folder)
    assert api is None
    if message:
        assert said == [message]
    else:
        assert len(said) == 1 and "leads too far away" in said[0]
    if "duplicate-key" not in message:
        assert VALIDATOR.is_valid(value(text)) != in_schema


def test_patterns_of_operations_are_told_of_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "pets.yaml").write_text(PETS)
    manifest = "mcpgen: 1\nname: shop\napi:\n  document: pets.yaml\n  include: ['tag:none', pets]\n"
    diagnostics = Diagnostics()
    api, _ = read(manifest, tmp_path)
    assert api
    make_plan(api, Options("m.yaml"), {}, diagnostics)
    api, _ = read(manifest.replace(", pets", ""), tmp_path)
    assert api
    make_plan(api, Options("m.yaml"), {}, diagnostics)
    told = [str(one).partition(";")[0].split("\n")[0].split("/")[-1] for one in diagnostics]
    assert told == [
        "m.yaml:5:25: error[bad-pattern]: 'pets' is no pattern",
        "m.yaml:5:13: warning[unused-pattern]: no operation matches the pattern 'tag:none'",
    ]


def test_the_schema_knows_the_same_keys_as_the_reader() -> None:
    defs = SCHEMA["$defs"]
    pairs = {
        "MANIFEST": SCHEMA,
        "API": defs["api"],
        "TOOL": defs["tool"],
        "ANNOTATIONS": defs["tool"]["properties"]["annotations"],
        "HTTP": defs["http"],
        "COMMAND": defs["command"],
        "STEP": defs["step"],
        "RESOURCE": defs["resource"],
        "PROMPT": defs["prompt"],
        "PROMPT_ARGUMENT": defs["prompt"]["properties"]["arguments"]["additionalProperties"]["anyOf"][1],
    }  # fmt: skip
    for name, schema in pairs.items():
        assert set(getattr(manifest_fields, name)) == set(schema["properties"]), name
        assert schema["additionalProperties"] is False, name


def manifests() -> Iterator[str]:
    """Every whole manifest of this repository that is right."""
    for path in [*(ROOT / "specs").glob("*.yaml"), *(ROOT / "tests/cases").glob("manifest-*/*")]:
        if path.is_file() and "mcpgen: 1\n" in (text := path.read_text("utf-8")):
            yield text
    yield starter_manifest("texts")


def test_every_example_fits_the_schema() -> None:
    found = list(manifests())
    assert len(found) == 6
    for text in found:
        assert [error.message for error in VALIDATOR.iter_errors(value(text))] == []


GUIDE = (ROOT / "docs" / "manifest.md").read_text("utf-8")
FORECAST = (
    "mcpgen: 1\nschemas: {Forecast: {fields: {city: string}}, Offer: {fields: {id: integer}}}\n"
)


def test_what_the_guide_shows_can_be_read(tmp_path: Path) -> None:
    """Whole parts by themselves, and what carries a tool out in a tool that has its arguments."""
    (tmp_path / "openapi.yaml").write_bytes((ROOT / "specs" / "petstore.yaml").read_bytes())
    blocks = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    api = "api: {url: 'https://a.b', credentials: {key: {type: apiKey, in: header, name: K}}}\n"
    document = "api: {document: openapi.yaml}\n"
    seen = 0
    for block in blocks[1:]:
        text = block.replace("    hide: [limit]", "    hide: []")
        if text.startswith("    "):
            fields = (
                "" if "input:" in text else "    input: {city: string, days: integer, text: any}\n"
            )
            if "days" not in text:
                fields = fields.replace(", days: integer, text: any", "")
            text = re.sub(r"(input: \{since.*)\}", r"\1, text: string}", text)
            text = f"{document if 'steps' in text else api}tools:\n  t:\n{fields}{text}"
        _, said = read(FORECAST + text, tmp_path)
        assert said == [], text
        assert list(VALIDATOR.iter_errors(value(FORECAST + text))) == []
        seen += 1
    assert seen == 8
