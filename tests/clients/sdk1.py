"""List a server's tools and call each with the official SDK 1.x, in whose environment this runs.

Takes on standard input `{"command": […], "cwd": "…", "calls": {tool: arguments}}`, gives on standard output
`{"version": …, "tools": […], "errors": {tool: text}}`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def drive(task: dict[str, Any]) -> dict[str, Any]:
    command, *arguments = task["command"]
    server = StdioServerParameters(command=command, args=arguments, cwd=task["cwd"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        tools: list[str] = []
        cursor: str | None = None
        while True:
            page = await session.list_tools(cursor)
            tools += [tool.name for tool in page.tools]
            cursor = page.nextCursor
            if cursor is None:
                break
        errors = {}
        for name, given in task["calls"].items():
            result = await session.call_tool(name, given)
            if result.isError:
                errors[name] = str(result.content)
        return {"version": hello.protocolVersion, "tools": tools, "errors": errors}


json.dump(asyncio.run(drive(json.load(sys.stdin))), sys.stdout)
