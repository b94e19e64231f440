"""Use all of the everything server with an official SDK 1.x, in whose environment this runs.

Takes on standard input `{"command": […], "cwd": "…"}` or `{"url": "…"}`, gives on standard output what it saw. What the
SDK does not know yet is null.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from contextlib import asynccontextmanager
from typing import Any

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic import AnyUrl

KNOWN = inspect.signature(ClientSession.__init__).parameters


@asynccontextmanager
async def connection(task: dict[str, Any]):
    if "url" in task:
        from mcp.client.streamable_http import streamablehttp_client

        async with streamablehttp_client(task["url"]) as (read, write, _):
            yield read, write
    else:
        command, *arguments = task["command"]
        server = StdioServerParameters(command=command, args=arguments, cwd=task["cwd"])
        async with stdio_client(server) as streams:
            yield streams


async def sample(context: Any, params: Any) -> Any:
    text = types.TextContent(type="text", text=f"sampled {params.messages[0].content.text}")
    return types.CreateMessageResult(role="assistant", content=text, model="m")


async def elicit(context: Any, params: Any) -> Any:
    return types.ElicitResult(action="accept", content={"username": "ann"})


async def drive(task: dict[str, Any]) -> dict[str, Any]:
    logs: list[str] = []
    progress: list[float] = []

    async def log(params: Any) -> None:
        logs.append(params.level)

    async def step(done: float, total: float | None, *message: str | None) -> None:
        progress.append(done)

    callbacks: dict[str, Any] = {
        "sampling_callback": sample,
        "elicitation_callback": elicit,
        "logging_callback": log,
    }
    given = {name: one for name, one in callbacks.items() if name in KNOWN}
    async with connection(task) as (read, write), ClientSession(read, write, **given) as session:
        hello = await session.initialize()

        async def text(name: str, arguments: Any = None, **more: Any) -> str:
            result = await session.call_tool(name, arguments or {}, **more)
            return result.content[0].text

        async def read_text(uri: str) -> str:
            return (await session.read_resource(AnyUrl(uri))).contents[0].text

        found: dict[str, Any] = {"version": hello.protocolVersion}
        await session.send_ping()
        found["tools"] = len((await session.list_tools()).tools)
        found["text"] = await text("test_simple_text")
        found["is_error"] = (await session.call_tool("test_error_handling", {})).isError
        found["image"] = (await session.call_tool("test_image_content", {})).content[0].mimeType
        found["resources"] = len((await session.list_resources()).resources)
        found["resource"] = await read_text("test://static-text")
        found["template"] = await read_text("test://template/7/data")
        await session.subscribe_resource(AnyUrl("test://watched-resource"))
        found["prompts"] = len((await session.list_prompts()).prompts)
        prompt = await session.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
        found["prompt"] = prompt.messages[0].content.text
        reference = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        argument = {"name": "arg1", "value": "par"}
        completed = await session.complete(reference, argument)
        found["completion"] = completed.completion.values
        await session.set_logging_level("info")
        await text("test_tool_with_logging")
        found["logs"] = logs if "logging_callback" in KNOWN else None
        if "progress_callback" in inspect.signature(session.call_tool).parameters:
            await text("test_tool_with_progress", progress_callback=step)
            found["progress"] = progress
        else:
            found["progress"] = None
        found["sampled"] = await text("test_sampling", {"prompt": "x"})
        can = "elicitation_callback" in KNOWN
        found["elicited"] = await text("test_elicitation", {"message": "x"}) if can else None
        return found


json.dump(asyncio.run(drive(json.load(sys.stdin))), sys.stdout)
