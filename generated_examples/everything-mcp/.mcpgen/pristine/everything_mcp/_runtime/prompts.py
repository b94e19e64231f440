"""Prompts, and completion of what is typed for them and for resource templates.

A prompt's method takes its arguments as keywords, all strings, and returns a text, a content block, or a list of
messages: each a text or block, which is the user's, or `{"role": …, "content": …}`.
"""

from __future__ import annotations

from .content import block_of
from .messages import INVALID_PARAMS, RpcError, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .calls import Calls
    from .context import Context
    from .messages import Json
    from .session import Exchange

MOST_VALUES = 100  # 2026-07-28, completion


async def get_prompt(calls: Calls, exchange: Exchange, context: Context) -> bytes:
    """Answer prompts/get."""
    name = exchange.params.get("name")
    entry = calls.entry("prompts", "name", name) if isinstance(name, str) else None
    served = calls.serving("prompts", name) if isinstance(name, str) else None
    if entry is None or served is None:
        raise RpcError(INVALID_PARAMS, f"There is no prompt {name!r}")
    arguments = _arguments(entry, exchange.params.get("arguments"))
    value = await calls.run(*served, context, arguments)
    messages = value if isinstance(value, list) else [value]
    result = {"messages": [_message(one, exchange.version) for one in messages]}
    if "description" in entry:
        result["description"] = entry["description"]
    return encode(result)[1:-1]


def _arguments(entry: Json, given: Json) -> dict[str, str]:
    given = {} if given is None else given
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise RpcError(INVALID_PARAMS, "The arguments of a prompt are an object of strings")
    declared = {one["name"]: one for one in entry.get("arguments", ())}
    for name, argument in declared.items():
        if argument.get("required") and name not in given:
            raise RpcError(INVALID_PARAMS, f"The prompt {entry['name']!r} needs {name!r}")
    unknown = [name for name in given if name not in declared]
    if unknown:
        raise RpcError(INVALID_PARAMS, f"The prompt {entry['name']!r} takes no {unknown[0]!r}")
    return given


def _message(value: Json, version: str) -> Json:
    if isinstance(value, dict) and "role" in value:
        return {"role": value["role"], "content": block_of(value["content"], version)}
    return {"role": "user", "content": block_of(value, version)}


async def complete(calls: Calls, exchange: Exchange, context: Context) -> bytes:
    """Answer completion/complete: from a list of values, or by a method `(value, arguments) -> list[str]`."""
    name, typed = _typed(exchange.params)
    served = calls.serving("completions", name)
    argument = exchange.params["argument"]["name"]
    source = served[1].get(argument) if served else None
    if served is None or source is None:
        values: list[str] = []
    elif isinstance(source, list):
        values = [value for value in source if value.lower().startswith(typed.lower())]
    else:
        found = exchange.params.get("context")
        filled = found.get("arguments") if isinstance(found, dict) else None
        asked = {"value": typed, "arguments": filled or {}}
        values = list(await calls.run(served[0], source, context, asked))
    shown = values[:MOST_VALUES]
    completion = {"values": shown, "total": len(values), "hasMore": len(values) > len(shown)}
    return encode({"completion": completion})[1:-1]


def _typed(params: Mapping[str, Json]) -> tuple[str, str]:
    """What is being filled in, and what was typed so far."""
    reference, argument = params.get("ref"), params.get("argument")
    if isinstance(reference, dict) and isinstance(argument, dict):
        name = reference.get("name" if reference.get("type") == "ref/prompt" else "uri")
        value = argument.get("value")
        if isinstance(name, str) and isinstance(value, str) and isinstance(argument["name"], str):
            return name, value
    raise RpcError(INVALID_PARAMS, "completion/complete needs ref and argument with name and value")
