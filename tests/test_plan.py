"""The plan: names that last, operations that keep theirs, parameters that are credentials."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcpgen.diagnostics import Diagnostics, Location
from mcpgen.ir import (
    Api,
    Body,
    MediaType,
    OAuthFlow,
    Operation,
    Parameter,
    Place,
    Response,
    Server,
    SecurityKind,
    SecurityScheme,
    Tag,
)
from mcpgen.options import Options
from mcpgen.plan import make_plan, package_name
from mcpgen.views import PackagePlan

HERE = Location("api.yaml", 1, 1)


def operation(method: str, path: str, name: str | None = None, **more: Any) -> Operation:
    return Operation(name, method, path, HERE, **more)


def parameter(name: str, place: Place = Place.QUERY, *, required: bool = False) -> Parameter:
    return Parameter(name, place, required, {"type": "string"}, HERE, style="form", explode=True)


def plan(*operations: Operation, previous: Any = None, **more: Any) -> PackagePlan:
    api = Api("Pets", "1", HERE, operations=operations, **more)
    return make_plan(api, Options("pets.yaml"), previous or {}, Diagnostics())


def names(made: PackagePlan) -> dict[str, str]:
    return {tool.request_line: tool.name for tool in made.tools}


def test_operations_with_one_id_keep_apart_by_their_paths() -> None:
    made = plan(operation("GET", "/p1", "listAll"), operation("GET", "/p2", "listAll"))
    assert names(made) == {"GET /p1": "list_all", "GET /p2": "get_p2"}


def test_a_new_operation_never_renames_an_old_tool() -> None:
    old = plan(operation("GET", "/b", "list"))
    new = plan(
        operation("GET", "/a", "list"), operation("GET", "/b", "list"), previous=old.record()
    )
    assert names(new) == {"GET /a": "get_a", "GET /b": "list"}


def test_a_tool_keeps_its_name_when_its_operation_is_called_otherwise() -> None:
    old = plan(operation("GET", "/b", "list"))
    assert names(plan(operation("GET", "/b", "listAll"), previous=old.record())) == {
        "GET /b": "list"
    }


def test_a_tool_keeps_its_name_when_its_path_moves() -> None:
    old = plan(operation("GET", "/b", "list"))
    assert names(plan(operation("GET", "/v2/b", "list"), previous=old.record())) == {
        "GET /v2/b": "list"
    }


def modules(made: PackagePlan) -> dict[str, list[str]]:
    return {one.module: [tool.name for tool in one.tools] for one in made.namespaces}


def test_an_operation_is_followed_across_placeholders_and_versions() -> None:
    old = plan(operation("GET", "/v1/b/{id}", "list"), operation("GET", "/v1/c"))
    new = plan(operation("GET", "/v1/b/{key}", "read"), operation("GET", "/v2/c"))
    again = plan(*(one.operation for one in new.tools if one.operation), previous=old.record())
    assert names(again) == {"GET /v1/b/{key}": "list", "GET /v2/c": "get_v1_c"}


def test_operations_that_could_each_be_the_earlier_one_are_new() -> None:
    old = plan(operation("GET", "/v1/c"))
    new = plan(operation("GET", "/v2/c"), operation("GET", "/v3/c"), previous=old.record())
    assert names(new) == {"GET /v2/c": "get_v2_c", "GET /v3/c": "get_v3_c"}


def test_a_tool_stays_in_its_module_when_its_tag_changes() -> None:
    old = plan(operation("GET", "/a", tags=("pet",)), operation("GET", "/b", tags=("pet",)))
    new = plan(
        operation("GET", "/a", tags=("admin",)),
        operation("GET", "/b", tags=("pet",)),
        operation("GET", "/c", tags=("admin",)),
        operation("GET", "/d", tags=("pet",)),
        previous=old.record(),
    )
    assert modules(new) == {"pet": ["get_a", "get_b", "get_d"], "admin": ["get_c"]}
    assert [one.class_name for one in new.namespaces] == ["PetTools", "AdminTools"]


def test_a_tag_that_is_called_otherwise_keeps_its_module_and_its_new_tools_join() -> None:
    old = plan(operation("GET", "/a", tags=("pet",)), operation("GET", "/b", tags=("pet",)))
    renamed = (
        operation("GET", "/a", tags=("animals",)),
        operation("GET", "/b", tags=("animals",)),
        operation("GET", "/c", tags=("animals",)),
    )
    tags = (Tag("animals", "All animals."),)
    new = plan(*renamed, previous=old.record(), tags=tags)
    assert modules(new) == {"pet": ["get_a", "get_b", "get_c"]}
    assert new.namespaces[0].description == "All animals."
    again = plan(*renamed, previous=new.record(), tags=tags)
    assert again.record() == new.record()


def test_a_new_tag_does_not_take_the_module_of_another() -> None:
    old = plan(operation("GET", "/a", tags=("pet store",)))
    new = plan(
        operation("GET", "/b", tags=("pet-store",)),
        operation("GET", "/a", tags=("pet store",)),
        previous=old.record(),
    )
    assert modules(new) == {"pet_store_2": ["get_b"], "pet_store": ["get_a"]}


def test_a_record_that_names_a_module_elsewhere_is_not_followed() -> None:
    record = plan(operation("GET", "/a", tags=("pet",))).record()
    record["tools"][0]["namespace"] = "../../pet"
    assert modules(plan(operation("GET", "/a", tags=("pet",)), previous=record)) == {
        "pet": ["get_a"]
    }


def test_an_argument_keeps_its_name_when_another_takes_it_first() -> None:
    old = plan(operation("GET", "/b", parameters=(parameter("id", Place.HEADER),)))
    both = (parameter("id"), parameter("id", Place.HEADER))
    new = plan(operation("GET", "/b", parameters=both), previous=old.record())
    assert {one.key: one.name for one in new.tools[0].arguments} == {
        "header:id": "id",
        "query:id": "query_id",
    }


def test_a_place_is_named_only_where_names_clash() -> None:
    body = Body(True, (MediaType("application/json", {"type": "object"}, HERE),), HERE)
    parameters = (parameter("id", Place.PATH, required=True), parameter("id"), parameter("body"))
    made = plan(operation("PUT", "/b/{id}", parameters=parameters, body=body))
    assert {one.key: one.name for one in made.tools[0].arguments} == {
        "path:id": "id",
        "query:id": "query_id",
        "query:body": "query_body",
        "body": "body",
    }


def test_a_tool_called_like_a_type_gets_another_method() -> None:
    (tool,) = plan(operation("GET", "/b", "list")).tools
    assert (tool.name, tool.method_name) == ("list", "list_")


def test_an_argument_called_request_moves_the_local_variable() -> None:
    (tool,) = plan(operation("GET", "/b", parameters=(parameter("request"),))).tools
    assert tool.requests[0].variable == "request_"


def test_a_parameter_that_is_a_credential_is_no_argument_but_wanted() -> None:
    scheme = SecurityScheme("key", SecurityKind.API_KEY, HERE, key="X-Key", place=Place.HEADER)
    given = operation("GET", "/b", parameters=(parameter("x-key", Place.HEADER, required=True),))
    (tool,) = plan(given, security_schemes=(scheme,)).tools
    assert tool.arguments == ()
    assert tool.requests[0].options == (("security", (("key",),)),)


def test_an_optional_parameter_that_is_a_credential_changes_nothing_else() -> None:
    scheme = SecurityScheme("key", SecurityKind.API_KEY, HERE, key="X-Key", place=Place.HEADER)
    (tool,) = plan(
        operation("GET", "/b", parameters=(parameter("X-Key", Place.HEADER),)),
        security_schemes=(scheme,),
    ).tools
    assert (tool.arguments, tool.requests[0].options) == ((), ())


def test_a_later_scheme_takes_no_variable_of_an_earlier_one() -> None:
    first = SecurityScheme("first", SecurityKind.BEARER, HERE)
    second = replace(first, name="second")
    old = plan(operation("GET", "/b"), security_schemes=(second,))
    new = plan(operation("GET", "/b"), security_schemes=(first, second), previous=old.record())
    assert new.record()["credentials"] == {
        "first": {"token": "PETS_FIRST_TOKEN"},
        "second": {"token": "PETS_TOKEN"},
    }


def test_operations_without_a_tag_are_grouped_by_the_path() -> None:
    made = plan(
        operation("GET", "/api/v1/pets/{id}"),
        operation("GET", "/{x}"),
        operation("GET", "/b", tags=("Pet Shop",)),
    )
    assert [one.module for one in made.namespaces] == ["pets", "api", "pet_shop"]


def test_the_answer_is_typed_by_every_success_that_may_come() -> None:
    json = MediaType("application/json", {"type": "integer"}, HERE)
    text = MediaType("text/plain", {"type": "string"}, HERE)
    responses = (
        Response("200", (text, json), HERE),
        Response("202", (text,), HERE),
        Response("204", (), HERE),
        Response("default", (json,), HERE),
    )
    (tool,) = plan(operation("GET", "/b", responses=responses)).tools
    assert tool.method.returns == "int | str | None"
    assert tool.requests[0].statements == ()


def test_the_package_is_named_by_option_title_or_file() -> None:
    def name(title: str, option: str | None = None) -> str:
        return package_name(Api(title, "1", HERE), Options("dir/shop.yaml", option))

    assert name("Pet Shop API") == "pet_shop"
    assert name("Pet Shop API", "My-Pets") == "my_pets"
    assert name("Pet Shop API", "pets-mcp") == "pets"
    assert name("靴") == "shop"
    assert name("3 pets") == "api_3_pets"


def test_a_client_certificate_is_named_by_two_variables() -> None:
    scheme = SecurityScheme("mtls", SecurityKind.MUTUAL_TLS, HERE)
    made = plan(operation("GET", "/b"), security_schemes=(scheme,), security=(("mtls",),))
    assert made.record()["credentials"] == {
        "mtls": {"certificate": "PETS_CLIENT_CERT", "key": "PETS_CLIENT_KEY"}
    }
    assert made.credential_classes == ("ClientCertificate",)


def test_a_flow_may_have_a_url_of_its_own_to_renew_at() -> None:
    flow = OAuthFlow("authorizationCode", "/authorize", "/token", "/refresh", scopes=("read",))
    made = [
        plan(
            operation("GET", "/a"),
            security_schemes=(
                SecurityScheme("login", SecurityKind.OAUTH2, HERE, flows=(one,)),
                SecurityScheme("id", SecurityKind.OPENID, HERE, openid_url="/d", scopes=("write",)),
            ),
        ).credentials
        for one in (flow, replace(flow, refresh_url="/token"))
    ]
    assert [dict(one.options).get("refresh_url") for one, _ in made] == ["/refresh", None]
    assert [dict(one.options)["scopes"] for one in made[0]] == [("read",), ("write",)]


def test_a_scheme_never_takes_a_variable_of_the_server_itself() -> None:
    schemes = (
        SecurityScheme("a", SecurityKind.BEARER, HERE),
        SecurityScheme("server", SecurityKind.BEARER, HERE),
    )
    made = plan(operation("GET", "/b"), security_schemes=schemes)
    assert made.record()["credentials"] == {
        "a": {"token": "PETS_TOKEN"},
        "server": {"token": "PETS_SERVER_TOKEN_2"},
    }


def test_an_answer_of_json_lines_is_a_list() -> None:
    lines = MediaType("application/x-ndjson", {"type": "object"}, HERE)
    (tool,) = plan(operation("GET", "/b", responses=(Response("200", (lines,), HERE),))).tools
    assert tool.method.returns == "list[Any]"


def test_an_operation_without_security_gets_that_of_its_credential_parameter() -> None:
    scheme = SecurityScheme("key", SecurityKind.API_KEY, HERE, key="X-Key", place=Place.HEADER)
    given = (parameter("X-Key", Place.HEADER, required=True),)
    operation_ = operation("GET", "/b", parameters=given, security=())
    (tool,) = plan(operation_, security_schemes=(scheme,), security=(("key",),)).tools
    assert tool.requests[0].options == (("security", (("key",),)),)


def test_the_address_is_the_first_that_has_a_host() -> None:
    lost = plan(operation("GET", "/pets"), servers=(Server("/v1"),))
    assert (lost.default_url, lost.needed_variables) == ("", ("PETS_BASE_URL",))
    found = plan(operation("GET", "/pets"), servers=(Server("/v1"), Server("https://a/v1")))
    assert found.servers == ("https://a/v1", "/v1")
    assert (found.default_url, found.needed_variables) == ("https://a/v1", ())


def test_how_it_explodes_is_said_only_of_what_can() -> None:
    def said(schema: Any) -> str:
        one = Parameter("q", Place.QUERY, True, schema, HERE, style="form", explode=False)
        [tool] = plan(operation("GET", "/pets", parameters=(one,))).tools
        return str(tool.requests)

    assert "explode" in said({"type": "array", "items": {"type": "string"}})
    assert "explode" in said({})
    assert "explode" not in said({"type": "integer"})


def test_a_body_that_can_only_be_empty_is_no_argument() -> None:
    def arguments(schema: Any, *, required: bool = False) -> list[str]:
        body = Body(required, (MediaType("application/json", schema, HERE),), HERE)
        [tool] = plan(operation("GET", "/pets", body=body)).tools
        return list(tool.listed["inputSchema"]["properties"])

    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    assert arguments(empty) == []
    assert arguments(empty, required=True) == ["body"]
    assert arguments({"type": "object", "properties": {}}) == ["body"]
    assert arguments({**empty, "patternProperties": {"^x-": {}}}) == ["body"]
