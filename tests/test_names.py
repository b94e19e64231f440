"""Names: words, identifiers, and how they are kept apart."""

from __future__ import annotations

import pytest

from mcpgen import names


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("getPetById", "get_pet_by_id"),
        ("getHTTPServer-2", "get_http_server_2"),
        ("repos/get-content", "repos_get_content"),
        ("listAPIs", "list_apis"),
        ("userID", "user_id"),
        ("Größe", "grosse"),
        ("v1Foo2Bar", "v1_foo2_bar"),
        ("read_item_items__item_id__get", "read_item_items_item_id_get"),
        ("靴", ""),
        ("", ""),
    ],
)
def test_snake_case_keeps_the_words(text: str, want: str) -> None:
    assert names.snake(text) == want


@pytest.mark.parametrize(
    ("title", "want"),
    [
        ("Swagger Petstore - OpenAPI 3.0", "petstore"),
        ("GitHub v3 REST API", "github"),
        ("Jira Cloud platform REST API", "jira_cloud_platform"),
        ("API", "api"),
        ("httpbin.org", "httpbin_org"),
        ("靴", ""),
    ],
)
def test_a_title_gives_the_words_that_say_which_api_it_is(title: str, want: str) -> None:
    assert names.package_words(title) == want


@pytest.mark.parametrize(
    ("wire", "want"),
    [
        ("limit", "limit"),
        ("petId", "pet_id"),
        ("X-Request-Id", "x_request_id"),
        ("filter[status]", "filter_status"),
        ("class", "class_"),
        ("self", "self_"),
        ("1st", "query_1_st"),
        ("größe", "grosse"),
        ("靴", "query"),
    ],
)
def test_an_argument_is_named_as_on_the_wire_where_that_is_an_identifier(
    wire: str, want: str
) -> None:
    assert names.argument_name(wire, "query") == want


def test_a_path_names_an_operation_without_id() -> None:
    assert names.path_words("GET", "/pets/{petId}/photos") == "get_pets_by_pet_id_photos"


def test_long_names_are_cut_and_stay_apart() -> None:
    one, two = (names.shorten("a_long_word_" * 9 + end, end) for end in ("one", "two"))
    assert one != two
    assert max(len(one), len(two)) <= names.MAX_NAME


def test_a_short_name_is_not_touched() -> None:
    assert names.shorten("get_pet", "GET /pet") == "get_pet"


def test_the_first_free_candidate_is_taken_and_then_numbers() -> None:
    taken = names.Namespace(["api"])
    assert [taken.take("api", "api_query"), taken.take("api", "api_query"), taken.take("api")] == [
        "api_query",
        "api_query_2",
        "api_2",
    ]


def test_names_that_differ_in_case_alone_clash() -> None:
    taken = names.Namespace(["Pet"])
    assert taken.take("pet") == "pet_2"


def test_modules_avoid_device_names_of_windows() -> None:
    assert names.module_name("AUX", "x") == "aux_"
