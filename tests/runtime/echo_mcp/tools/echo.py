"""Handlers that say, ask, fail and wait."""

from __future__ import annotations

import asyncio
from typing import Any

from mcpgen.runtime.content import Blob, Content
from mcpgen.runtime.errors import ToolError
from mcpgen.runtime.tools import Tools

NAME = {"properties": {"name": {"type": "string"}}, "required": ["name"]}


class EchoTools(Tools):
    async def echo(self, *, text: str) -> str:
        self.context.result_meta["com.example/seen"] = self.context.meta.get("com.example/sent")
        return text

    def plain(self) -> dict[str, Any]:
        return {"sync": True}

    async def wait(self) -> None:
        await asyncio.Event().wait()

    async def talk(self) -> str:
        await self.context.progress(1, 2, "half")
        await self.context.progress(1, 2, "again")
        await self.context.progress(2, 2)
        for level in ("debug", "info", "error"):
            await self.context.log(level, {"at": level}, "echo")
        return "done"

    async def ask(self) -> str:
        name = await self.context.elicit("Who?", NAME, key="who")
        if not name.accepted:
            return name.action
        sampled = await self.context.sample(f"Greet {name.content['name']}", max_tokens=9)
        return f"{name.content['name']}: {sampled['content']['text']}"

    async def ask_at_once(self) -> str:
        who, roots = await asyncio.gather(self.context.elicit("Who?", NAME), self.context.roots())
        return f"{who.content['name']} in {roots[0]['uri']}"

    async def visit(self) -> str:
        return (await self.context.elicit_url("Pay", "https://example.com/pay")).action

    async def change(self) -> None:
        await self.context.list_changed("tools")
        await self.context.resource_updated("echo://here")

    async def blocks(self) -> Content:
        link = {"type": "resource_link", "uri": "echo://here", "name": "here"}
        return Content("text", Blob(b"RIFF", "audio/wav"), link)

    async def broken(self) -> None:
        raise ZeroDivisionError("secret of the house")

    async def here(self) -> str:
        return "here"

    async def binary(self) -> bytes:
        return b"\x00\x01"

    async def item(self, *, kind: str, id: str) -> dict[str, str] | None:
        return None if id == "none" else {"kind": kind, "id": id}

    async def refused(self) -> str:
        raise ToolError("refused", "Not today")

    async def greet(self, *, name: str, tone: str = "warm") -> list[Any]:
        return [f"Greet {name}, {tone}", {"role": "assistant", "content": "Hello"}]

    async def asking_prompt(self) -> str:
        return (await self.context.elicit("Who?", NAME)).action

    async def names(self, *, value: str, arguments: dict[str, str]) -> list[str]:
        return [f"{value}{number}{arguments.get('tone', '')}" for number in range(150)]
