"""Documents of every version as one Api; mistakes cost at most their operation and are named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mcpgen import source
from mcpgen.diagnostics import Diagnostics, Stop
from mcpgen.frontends import read_api
from mcpgen.ir import (
    Api,
    Encoding,
    OAuthFlow,
    Operation,
    Parameter,
    Place,
    SecurityKind,
    Server,
    ServerVariable,
    Skipped,
    Tag,
)


class Read:
    """An API, and what was said while it was read."""

    def __init__(self, text: str, url: str | None = None) -> None:
        self.diagnostics = Diagnostics()
        document = source.parse(text.encode(), "api.yaml", self.diagnostics)
        self.api: Api = read_api(replace(document, url=url), self.diagnostics)

    @property
    def only(self) -> Operation:
        (operation,) = self.api.operations
        return operation

    @property
    def said(self) -> list[str]:
        return [f"{one.code}: {one.message}" for one in self.diagnostics]


def operation(text: str, path: str = "/a", version: str = "3.1.0") -> Read:
    """The one operation that the lines describe, in a document that is right."""
    lines = "".join(f"      {line}\n" for line in text.splitlines())
    head = f"openapi: {version}\ninfo: {{title: T, version: 1.0}}\npaths:\n  {path}:\n    get:\n"
    return Read(f"{head}      summary: S\n{lines}")


def test_the_head_of_a_document_is_read() -> None:
    read = Read("""
openapi: 3.0
info: {title: T, version: 1.10, description: D}
tags: [{name: a, description: A}, {name: a}, plain]
paths: {}
servers:
  - url: https://{host}/v1
    variables: {host: {default: x.org, enum: [x.org, y.org]}}
  - {url: /api, description: relative}
security: [{key: []}, {}]
components:
  securitySchemes:
    key: {type: apiKey, in: query, name: k}
    basic: {type: http, scheme: Basic}
    token: {type: http, scheme: BEARER}
    digest: {type: http, scheme: digest}
    login:
      type: oauth2
      flows: {clientCredentials: {tokenUrl: /token, scopes: {read: r}}}
    id: {type: openIdConnect, openIdConnectUrl: /id}
    tls: {type: mutualTLS}
""")
    api = read.api
    assert (api.title, api.version, api.description) == ("T", "1.10", "D")
    assert api.tags == (Tag("a", "A"), Tag("plain"))
    assert api.servers == (
        Server("https://{host}/v1", (ServerVariable("host", "x.org", ("x.org", "y.org")),)),
        Server("/api", (), "relative"),
    )
    assert api.security == (("key",), ())
    kinds = {one.name: one.kind for one in api.security_schemes}
    assert kinds == {
        "key": SecurityKind.API_KEY,
        "basic": SecurityKind.BASIC,
        "token": SecurityKind.BEARER,
        "digest": SecurityKind.HTTP,
        "login": SecurityKind.OAUTH2,
        "id": SecurityKind.OPENID,
        "tls": SecurityKind.MUTUAL_TLS,
    }
    assert api.security_schemes[0].place is Place.QUERY
    assert api.security_schemes[4].flows == (
        OAuthFlow("clientCredentials", token_url="/token", scopes=("read",)),
    )
    assert read.said == []


def test_the_scopes_of_an_openid_scheme_are_those_that_requirements_name() -> None:
    read = Read("""
openapi: 3.0.0
info: {title: T, version: '1'}
security: [{id: [read]}]
paths:
  /a:
    get: {security: [{id: [write, read]}, {other: [x]}, {}], responses: {}}
    put: {security: [{id: all, other: [3]}], responses: {}}
components:
  securitySchemes:
    id: {type: openIdConnect, openIdConnectUrl: https://id.example/d}
    other: {type: apiKey, in: header, name: k}
""")
    assert [one.scopes for one in read.api.security_schemes] == [("read", "write"), ()]


@pytest.mark.parametrize(
    ("servers", "url", "want"),
    [
        ("[]", None, ()),
        ("[]", "https://x.org/docs/api.yaml", ("https://x.org/",)),
        ("[{url: ../v2}]", "https://x.org/docs/api.yaml", ("https://x.org/v2",)),
        ("[{url: '/{stage}'}]", "https://x.org/api.yaml", ("https://x.org/{stage}",)),
    ],
)
def test_servers_count_from_the_address_of_the_document(
    servers: str, url: str | None, want: tuple[str, ...]
) -> None:
    read = Read(f"openapi: 3.0.0\npaths: {{}}\nservers: {servers}", url)
    assert tuple(one.url for one in read.api.servers) == want


def test_parameters_have_the_defaults_of_their_places() -> None:
    read = operation(
        """parameters:
  - {name: p, in: path, schema: {type: string}}
  - {name: q, in: query, schema: {type: array}, allowReserved: true}
  - {name: d, in: query, style: deepObject, schema: {type: object}}
  - {name: h, in: header, required: true, schema: {type: string}, example: x}
  - {name: c, in: cookie, schema: {type: string}, examples: {one: {value: y}}}
  - {name: j, in: query, content: {application/json: {schema: {type: object}}}}
  - {name: accept, in: header, schema: {type: string}}""",
        "/a/{p}",
    )
    found = {
        one.name: (one.place.value, one.required, one.style, one.explode)
        for one in read.only.parameters
    }
    assert found == {
        "p": ("path", True, "simple", False),
        "q": ("query", False, "form", True),
        "d": ("query", False, "deepObject", False),
        "h": ("header", True, "simple", False),
        "c": ("cookie", False, "form", True),
        "j": ("query", False, "form", True),
    }
    parameters = {one.name: one for one in read.only.parameters}
    assert parameters["q"].allow_reserved
    assert (parameters["h"].example, parameters["c"].example) == ("x", "y")
    assert parameters["j"].media_type == "application/json"
    assert str(parameters["p"].location) == "api.yaml:8:11"
    assert read.said == []


def test_parameters_of_the_path_are_overridden_by_name_and_place() -> None:
    read = Read("""
openapi: 3.0.0
paths:
  /a:
    parameters:
      - {name: x, in: query, schema: {type: string}}
      - {name: x, in: header, schema: {type: string}}
      - {$ref: '#/components/parameters/y'}
    get:
      parameters: [{name: x, in: query, schema: {type: integer}}]
components: {parameters: {y: {name: y, in: query, schema: {type: boolean}}}}
""")
    found = [(one.name, one.place.value, one.schema) for one in read.only.parameters]
    assert found == [
        ("x", "query", {"type": "integer"}),
        ("x", "header", {"type": "string"}),
        ("y", "query", {"type": "boolean"}),
    ]


def test_bodies_and_responses_keep_every_media_type() -> None:
    read = operation("""requestBody:
  required: true
  content:
    application/json: {schema: {type: object}, example: {a: 1}}
    multipart/form-data:
      schema: {type: object}
      encoding: {f: {contentType: image/png, style: form, explode: false, headers: {X: {}}}}
responses:
  200: {description: fine, content: {application/json: {schema: {type: string}}}}
  4xx: {description: bad}
  default: {}
  x-note: {}
  abc: {}""")
    body = read.only.body
    assert body is not None and body.required
    json_type, form = body.contents
    assert (json_type.type, json_type.example) == ("application/json", {"a": 1})
    assert form.encoding == {"f": Encoding("image/png", "form", False, False, ("X",))}
    assert [one.status for one in read.only.responses] == ["200", "4XX", "default"]
    assert read.said == [
        "bad-status: 'abc' is no status such as 200, 2XX or default; the response is left out"
    ]


def test_3_2_has_other_methods_whole_query_strings_and_sequences() -> None:
    read = Read("""
openapi: 3.2.0
paths:
  /a:
    query: {operationId: q}
    additionalOperations:
      COPY:
        parameters:
          - name: all
            in: querystring
            content: {application/x-www-form-urlencoded: {schema: {type: object}}}
        responses:
          200: {content: {application/jsonl: {itemSchema: {type: integer}}}}
""")
    query, copy = read.api.operations
    assert (query.method, query.id, copy.method) == ("QUERY", "q", "COPY")
    assert copy.parameters[0].place is Place.QUERYSTRING
    assert copy.parameters[0].media_type == "application/x-www-form-urlencoded"
    content = copy.responses[0].contents[0]
    assert (content.schema, content.item_schema) == (True, {"type": "integer"})


def test_security_of_an_operation_replaces_removes_or_makes_optional() -> None:
    read = Read("""
openapi: 3.0.0
security: [{a: []}]
paths:
  /1: {get: {}}
  /2: {get: {security: []}}
  /3: {get: {security: [{}, {a: [], b: []}]}}
  /4: {get: {security: [{nope: []}, {b: []}]}}
  /5: {get: {security: [https]}}
components:
  securitySchemes: {a: {type: http, scheme: basic}, b: {type: http, scheme: bearer}}
""")
    found = [one.security for one in read.api.operations]
    assert found == [None, (), ((), ("a", "b")), (("b",),), ()]
    assert read.said == [
        "unknown-security-scheme: there is no security scheme 'nope'; what asks for it is left out",
        "wrong-type: a security requirement must be a mapping, not the string 'https';"
        " it is left out",
    ]


def test_a_path_item_by_reference_is_read_with_what_stands_beside() -> None:
    read = Read("""
openapi: 3.1.0
paths:
  /a:
    $ref: '#/components/pathItems/A'
    parameters: [{name: q, in: query, schema: {type: string}}]
    post: {operationId: own}
components:
  pathItems: {A: {get: {operationId: theirs}, post: {operationId: hidden}}}
""")
    found = {one.id: [p.name for p in one.parameters] for one in read.api.operations}
    assert found == {"own": ["q"], "theirs": ["q"]}


@pytest.mark.parametrize(
    ("text", "path", "said", "names"),
    [
        (
            "parameters: [{name: gone, in: path, schema: {}}]",
            "/a/{id}",
            [
                "unused-path-parameter: the path /a/{id} has no '{gone}'; the parameter is left out",
                "undeclared-path-parameter: '{id}' in the path /a/{id} is not declared;"
                " it is taken as a string",
            ],
            ["id"],
        ),
        (
            "parameters: [{name: x, in: nowhere}]",
            "/a",
            ["bad-parameter: the parameter 'x' has no place such as query (in: 'nowhere'); it is left out"],
            [],
        ),
        (
            "parameters: [{name: x, in: query}]",
            "/a",
            ["no-schema: the parameter has no schema; it is taken as a string"],
            ["x"],
        ),
        (
            "parameters: [{name: x, in: header, style: form, schema: {}}]",
            "/a",
            ["bad-style: a header parameter cannot have the style 'form'; 'simple' is taken"],
            ["x"],
        ),
        ("parameters: {x: 1}", "/a", ["wrong-type: 'parameters' must be a list, not a mapping"], []),
        (
            "parameters: [{name: Authorization, in: header}]",
            "/a",
            [
                "ignored-header: the header parameter 'Authorization' is ignored, as OpenAPI says,"
                " and there is no security scheme"
            ],
            [],
        ),
        ("tags: {a: 1}\nresponses: 5", "/a", [
            "wrong-type: 'tags' must be a list, not a mapping",
            "wrong-type: 'responses' must be a mapping, not the number 5",
        ], []),
    ],
)  # fmt: skip
def test_a_mistake_in_a_corner_costs_no_operation(
    text: str, path: str, said: list[str], names: list[str]
) -> None:
    read = operation(text, path)
    assert [one.name for one in read.only.parameters] == names
    assert sorted(read.said) == sorted(said)


def test_operators_and_query_pairs_written_into_a_path_are_taken_out() -> None:
    text = """parameters:
  - {name: id, in: path, style: matrix, schema: {type: string}}
  - {name: q, in: query, schema: {type: string}}"""
    read = operation(text, "'/a/{;id*}?q={q}&fixed=1'")
    assert read.only.path == "/a/{id}?fixed=1"
    assert read.said == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("parameters: [{$ref: '#/nope'}]", "unresolved reference '#/nope': there is no such place in api.yaml"),
        ("requestBody: {content: {application/json: {schema: {$ref: '#/nope'}}}}", "unresolved reference '#/nope'"),
        ("requestBody: [1]", "its request body must be a mapping, not a list"),
        ("parameters: [{name: x, in: body, required: true}]", "the parameter 'x' has no place such as query (in: 'body')"),
    ],
)  # fmt: skip
def test_an_operation_that_could_not_be_sent_right_is_skipped_by_name(
    text: str, reason: str
) -> None:
    read = operation(text)
    assert read.api.operations == ()
    assert read.api.skipped == (Skipped("GET", "/a", reason),)
    assert f"skipped-operation: GET /a is skipped: {reason}" in read.said


def test_a_hole_in_an_answer_is_named_and_costs_no_operation() -> None:
    text = "responses: {200: {content: {a/b: {schema: {$ref: '#/nope/X'}}}}, 400: {$ref: '#/no'}}"
    read = operation(text)
    assert [one.status for one in read.only.responses] == ["200"]
    assert read.api.schemas == {"X": True}
    assert [one.code for one in read.diagnostics] == ["unresolved-ref", "unresolved-ref"]


def test_the_deepest_schema_that_is_read_is_read_whole() -> None:
    schema = "{items: " * 180 + "{}" + "}" * 180
    read = operation(f"parameters: [{{name: q, in: query, schema: {schema}}}]")
    assert str(read.only.parameters[0].schema).count("items") == 180


def test_operation_ids_may_be_doubled_and_missing_paths_are_named() -> None:
    read = Read("openapi: 3.0.0\npaths: {/a: {get: {operationId: x}, put: {operationId: x}}}")
    assert [one.id for one in read.api.operations] == ["x", "x"]
    assert read.said == [
        "duplicate-operation-id: the operationId 'x' of PUT /a is that of GET /a too"
    ]
    none = Read("openapi: 3.0.0")
    assert none.said == ["no-paths: there are no 'paths', so there is nothing to make tools from"]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("info: {}", "no-api: the document has neither the field 'openapi' nor 'swagger'"),
        ("[1]", "no-api: an API description is a mapping, not a list"),
        ("openapi: 4.0.0", "unsupported-version: version '4.0.0' is not supported; 2.0, 3.0, 3.1 and 3.2 are"),
        ("swagger: 1.2", "unsupported-version: version '1.2' is not supported; 2.0, 3.0, 3.1 and 3.2 are"),
    ],
)  # fmt: skip
def test_what_is_no_api_description_ends_the_run(text: str, want: str) -> None:
    diagnostics = Diagnostics()
    with pytest.raises(Stop):
        read_api(source.parse(text.encode(), "api.yaml", diagnostics), diagnostics)
    assert [f"{one.code}: {one.message}" for one in diagnostics] == [want]


def swagger(text: str, head: str = "") -> Read:
    lines = "".join(f"      {line}\n" for line in text.splitlines())
    start = f"swagger: '2.0'\n{head}\npaths:\n  /a:\n    post:\n      summary: S\n"
    return Read(start + lines)


@pytest.mark.parametrize(
    ("written", "place", "style", "explode", "warned"),
    [
        ("csv", "query", "form", False, False),
        ("multi", "query", "form", True, False),
        ("ssv", "query", "spaceDelimited", False, False),
        ("pipes", "query", "pipeDelimited", False, False),
        ("tsv", "query", "form", False, True),
        ("csv", "header", "simple", False, False),
        ("pipes", "header", "simple", False, True),
    ],
)
def test_a_collection_format_becomes_a_style(
    written: str, place: str, style: str, explode: bool, warned: bool
) -> None:
    items = "type: array, items: {type: integer}"
    parameter = f"{{name: x, in: {place}, {items}, collectionFormat: {written}}}"
    read = swagger(f"parameters: [{parameter}]")
    (found,) = read.only.parameters
    assert (found.style, found.explode) == (style, explode)
    assert found.schema == {"type": "array", "items": {"type": "integer"}}
    assert bool(read.said) is warned


def test_a_body_parameter_is_the_whole_body_whatever_its_name() -> None:
    read = swagger(
        "parameters: [{name: vote, in: body, required: true, schema: {$ref: '#/definitions/V'}}]",
        "consumes: [application/json, text/xml]\ndefinitions: {V: {type: object}}",
    )
    body = read.only.body
    assert body is not None and body.required
    assert [(one.type, one.schema) for one in body.contents] == [
        ("application/json", {"$ref": "#/$defs/V"}),
        ("text/xml", {"$ref": "#/$defs/V"}),
    ]
    assert read.api.schemas == {"V": {"type": "object"}}


@pytest.mark.parametrize(
    ("consumes", "kind", "want"),
    [
        ("[]", "string", ["application/x-www-form-urlencoded"]),
        ("[multipart/form-data]", "string", ["multipart/form-data"]),
        ("[application/x-www-form-urlencoded]", "file", ["multipart/form-data"]),
    ],
)
def test_form_fields_become_one_object(consumes: str, kind: str, want: list[str]) -> None:
    read = swagger(f"""consumes: {consumes}
parameters:
  - {{name: f, in: formData, type: {kind}, required: true, description: D}}
  - {{name: n, in: formData, type: array, items: {{type: string}}, collectionFormat: multi}}""")
    body = read.only.body
    assert body is not None and body.required
    assert [one.type for one in body.contents] == want
    file = {"type": "string", "format": "binary"} if kind == "file" else {"type": kind}
    assert body.contents[0].schema == {
        "type": "object",
        "properties": {
            "f": {**file, "description": "D"},
            "n": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["f"],
    }
    assert body.contents[0].encoding == {"n": Encoding(style="form", explode=True)}


@pytest.mark.parametrize(
    ("head", "url", "want"),
    [
        ("host: x.org\nbasePath: /v1\nschemes: [http, https]", None, ["https://x.org/v1", "http://x.org/v1"]),
        ("host: x.org", None, ["https://x.org"]),
        ("host: 127.0.0.1:80", None, ["http://127.0.0.1:80"]),
        ("host: http://x.org/", None, ["http://x.org"]),
        ("basePath: v1", None, ["/v1"]),
        ("basePath: /", None, []),
        ("basePath: /v1", "http://y.org/s.json", ["http://y.org/v1"]),
    ],
)  # fmt: skip
def test_the_server_is_scheme_host_and_base_path(
    head: str, url: str | None, want: list[str]
) -> None:
    read = Read(f"swagger: '2.0'\npaths: {{}}\n{head}", url)
    assert [one.url for one in read.api.servers] == want


def test_answers_are_what_is_produced() -> None:
    read = swagger("""produces: [application/json, image/png]
responses:
  200: {schema: {type: file}, examples: {application/json: {a: 1}}}
  204: {description: none}""")
    fine, empty = read.only.responses
    assert [(one.type, one.example) for one in fine.contents] == [
        ("application/json", {"a": 1}),
        ("image/png", None),
    ]
    assert fine.contents[0].schema == {"type": "string", "format": "binary"}
    assert empty.contents == ()


def test_security_definitions_become_schemes() -> None:
    read = Read("""
swagger: '2.0'
paths: {}
securityDefinitions:
  login: {type: basic}
  key: {type: apiKey, in: header, name: X-Key}
  oauth: {type: oauth2, flow: accessCode, authorizationUrl: /a, tokenUrl: /t, scopes: {r: read}}
  odd: {type: magic}
""")
    found: dict[str, Any] = {one.name: one.kind.value for one in read.api.security_schemes}
    assert found == {"login": "basic", "key": "apiKey", "oauth": "oauth2"}
    assert read.api.security_schemes[2].flows == (
        OAuthFlow("authorizationCode", authorization_url="/a", token_url="/t", scopes=("r",)),
    )
    assert read.said == [
        "bad-security-scheme: the security scheme 'odd' has no known type ('magic'); it is left out"
    ]


def test_the_parameter_type_is_what_it_says() -> None:
    """Swagger 2 says the type beside the name; so do some 3.x documents, wrongly."""
    (parameter,) = operation("parameters: [{name: n, in: query, type: integer}]").only.parameters
    assert isinstance(parameter, Parameter)
    assert parameter.schema == {"type": "integer"}
