"""What the strictest clients refuse, as checks of a finished tool list (`mcpgen inspect --client`).

Each rule is one that users met: the API behind the client rejects the whole request, or the client drops the tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen.ir import Json
from mcpgen.subschemas import MANY, NAMED, ONE
from mcpgen.tool_schemas import is_array

Tool = Mapping[str, Json]  # as tools/list gives it
Check = Callable[[Tool], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Client:
    """`most_tools` is how many it takes at once; 0 for no known limit."""

    name: str
    checks: tuple[Check, ...]
    most_tools: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """`tool` is empty for what concerns the whole list."""

    tool: str
    message: str


def problems(client: Client, tools: list[Tool]) -> Iterator[Problem]:
    if client.most_tools and len(tools) > client.most_tools:
        yield Problem(
            "", f"{len(tools)} tools, of which {client.name} takes {client.most_tools} at once"
        )
    for tool in tools:
        for check in client.checks:
            for message in check(tool):
                yield Problem(tool["name"], message)


def places(schema: Json, pointer: str = "") -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Each schema within a schema, with the way to it."""
    if not isinstance(schema, dict):
        return
    yield pointer or "/", schema
    for key, value in schema.items():
        if key in ONE:
            yield from places(value, f"{pointer}/{key}")
        elif key in MANY and isinstance(value, list):
            for index, one in enumerate(value):
                yield from places(one, f"{pointer}/{key}/{index}")
        elif key in NAMED and isinstance(value, dict):
            for name, one in value.items():
                yield from places(one, f"{pointer}/{key}/{name}")


def name_matches(pattern: str) -> Check:
    def check(tool: Tool) -> Iterator[str]:
        if not re.fullmatch(pattern, tool["name"]):
            yield f"the name does not match {pattern}"

    return check


def keys_match(pattern: str) -> Check:
    def check(tool: Tool) -> Iterator[str]:
        for pointer, schema in places(tool["inputSchema"]):
            for key in schema.get("properties", {}):
                if not re.fullmatch(pattern, key):
                    yield f"{pointer}: the property {key!r} does not match {pattern}"

    return check


def description_fits(limit: int) -> Check:
    def check(tool: Tool) -> Iterator[str]:
        if len(tool.get("description", "")) > limit:
            yield f"the description has more than {limit} characters"

    return check


def root_is_plain_object(tool: Tool) -> Iterator[str]:
    schema = tool["inputSchema"]
    if schema.get("type") != "object":
        yield "the input schema's root is no object"
    for word in ("oneOf", "anyOf", "allOf", "enum", "not"):
        if word in schema:
            yield f"the input schema has {word} at its root"


def arrays_have_items(tool: Tool) -> Iterator[str]:
    for pointer, schema in places(tool["inputSchema"]):
        if is_array(schema) and "items" not in schema:
            yield f"{pointer}: an array without items"


def without(*words: str) -> Check:
    def check(tool: Tool) -> Iterator[str]:
        for pointer, schema in places(tool["inputSchema"]):
            for word in words:
                if word in schema:
                    yield f"{pointer}: {word} is not taken"

    return check


def types_are_single(tool: Tool) -> Iterator[str]:
    for pointer, schema in places(tool["inputSchema"]):
        if isinstance(schema.get("type"), list) and len(set(schema["type"]) - {"null"}) > 1:
            yield f"{pointer}: several types at once are not taken"


def enums_are_text(tool: Tool) -> Iterator[str]:
    for pointer, schema in places(tool["inputSchema"]):
        if not all(isinstance(one, str) for one in schema.get("enum", ())):
            yield f"{pointer}: an enum of other values than text is not taken"


CLIENTS = {
    client.name: client
    for client in (
        # Anthropic Messages API: input_schema without a combinator at its root, keys of a closed alphabet.
        Client(
            "claude",
            (
                name_matches(r"[A-Za-z0-9_-]{1,64}"),
                keys_match(r"[A-Za-z0-9_.-]{1,64}"),
                root_is_plain_object,
            ),
        ),
        # OpenAI function calling: 1,024 characters of description, 128 tools.
        Client(
            "openai",
            (
                name_matches(r"[A-Za-z0-9_-]{1,64}"),
                description_fits(1024),
                root_is_plain_object,
                arrays_have_items,
            ),
            most_tools=128,
        ),
        # Gemini's function declarations take a subset of OpenAPI 3.0 where a client does not convert.
        Client(
            "gemini",
            (
                name_matches(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}"),
                root_is_plain_object,
                arrays_have_items,
                types_are_single,
                enums_are_text,
                without(
                    "$ref",
                    "const",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "patternProperties",
                    "not",
                    "if",
                    "prefixItems",
                    "propertyNames",
                    "multipleOf",
                ),
            ),
            most_tools=512,
        ),
        # VS Code validates each tool itself, and a chat request takes 128.
        Client(
            "vscode",
            (name_matches(r"[A-Za-z0-9_-]{1,64}"), root_is_plain_object, arrays_have_items),
            most_tools=128,
        ),
    )
}
