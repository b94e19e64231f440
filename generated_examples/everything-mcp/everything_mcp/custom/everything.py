"""What the everything server does, where the manifest cannot say it."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from .._runtime.content import Blob, Content
from .._runtime.errors import ToolError
from ..tools import everything as generated

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==")
NAME_FORM = {"properties": {"name": {"type": "string"}}, "required": ["name"]}


class EverythingTools(generated.EverythingTools):
    async def test_simple_text(self) -> str:
        return "This is a simple text response for testing."

    async def test_image_content(self) -> Blob:
        return Blob(PNG, "image/png")

    async def test_audio_content(self) -> Blob:
        return Blob(WAV, "audio/wav")

    async def test_embedded_resource(self) -> Content:
        return Content(_embedded("test://embedded-resource"))

    async def test_multiple_content_types(self) -> Content:
        return Content(
            "Multiple content types test:", Blob(PNG, "image/png"), _embedded("test://mixed")
        )

    async def test_tool_with_logging(self) -> str:
        for step in ("started", "processing", "completed"):
            await self.context.log("info", f"Tool execution {step}")
            await asyncio.sleep(0.05)
        return "Logged three messages."

    async def test_error_handling(self) -> str:
        raise ToolError("refused", "This tool intentionally returns an error for testing")

    async def test_tool_with_progress(self) -> str:
        for progress in (0, 50, 100):
            await self.context.progress(progress, 100, f"{progress} of 100")
            await asyncio.sleep(0.05)
        return "Done."

    async def test_sampling(self, *, prompt: str) -> str:
        answer = await self.context.sample(prompt, max_tokens=100)
        return f"LLM response: {answer['content']}"

    async def test_elicitation(self, *, message: str) -> str:
        answer = await self.context.elicit(
            message, {"properties": {"username": {"type": "string"}, "email": {"type": "string"}}}
        )
        return f"User response: {answer.action} {dict(answer.content)}"

    async def test_elicitation_sep1034_defaults(self) -> str:
        form = {
            "properties": {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {
                    "type": "string",
                    "enum": ["active", "inactive", "pending"],
                    "default": "active",
                },
                "verified": {"type": "boolean", "default": True},
            }
        }
        answer = await self.context.elicit("Check the defaults", form)
        return f"Elicitation completed: {answer.action} {dict(answer.content)}"

    async def test_elicitation_sep1330_enums(self) -> str:
        titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
        plain = ["option1", "option2", "option3"]
        form = {
            "properties": {
                "untitledSingle": {"type": "string", "enum": plain},
                "titledSingle": {"type": "string", "oneOf": titled},
                "legacyEnum": {
                    "type": "string",
                    "enum": plain,
                    "enumNames": ["One", "Two", "Three"],
                },
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
                "titledMulti": {"type": "array", "items": {"anyOf": titled}},
            }
        }
        answer = await self.context.elicit("Choose", form)
        return f"Elicitation completed: {answer.action} {dict(answer.content)}"

    async def json_schema_2020_12_tool(self, **arguments: Any) -> str:
        return f"Called with {sorted(arguments)}"

    async def test_reconnection(self) -> str:
        await self.context.leave_stream()
        await asyncio.sleep(0.2)
        return "Reconnection test completed successfully."

    async def test_x_mcp_header(self, *, region: str | None = None) -> str:
        return f"Region {region or ''}"

    async def test_missing_capability(self) -> str:
        await self.context.sample("Anything", max_tokens=10)
        return "Sampled."

    async def test_streaming_elicitation(self) -> str:
        await self.context.progress(1)
        answer = await self.context.elicit("Go on?")
        return f"User said {answer.action}"

    async def test_logging_tool(self) -> str:
        await self.context.log("info", "Only for those who asked")
        return "Logged."

    async def test_trigger_tool_change(self) -> str:
        await self.context.list_changed("tools")
        return "Told."

    async def test_trigger_prompt_change(self) -> str:
        await self.context.list_changed("prompts")
        return "Told."

    async def test_input_required_result_elicitation(self) -> str:
        answer = await self.context.elicit("What is your name?", NAME_FORM, key="user_name")
        return f"Hello, {answer.content.get('name')}!"

    async def test_input_required_result_sampling(self) -> str:
        answer = await self.context.sample(
            "What is the capital of France?", max_tokens=100, key="capital_question"
        )
        return f"The model said {answer['content']}"

    async def test_input_required_result_list_roots(self) -> str:
        roots = await self.context.roots(key="client_roots")
        return f"{len(roots)} roots: {[root['uri'] for root in roots]}"

    async def test_input_required_result_request_state(self) -> str:
        answer = await self.context.elicit(
            "Please confirm",
            {"properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
            key="confirm",
        )
        return f"state-ok {answer.action}"

    async def test_input_required_result_multiple_inputs(self) -> str:
        name, greeting, roots = await asyncio.gather(
            self.context.elicit("What is your name?", NAME_FORM, key="user_name"),
            self.context.sample("Generate a greeting", max_tokens=50, key="greeting"),
            self.context.roots(key="client_roots"),
        )
        return f"{greeting['content']}, {name.content.get('name')}: {len(roots)} roots"

    async def test_input_required_result_multi_round(self) -> str:
        name = await self.context.elicit("Step 1: What is your name?", NAME_FORM, key="step1")
        form = {"properties": {"color": {"type": "string"}}, "required": ["color"]}
        color = await self.context.elicit("Step 2: What is your favorite color?", form, key="step2")
        return f"{name.content.get('name')} likes {color.content.get('color')}"

    async def test_input_required_result_tampered_state(self) -> str:
        answer = await self.context.elicit(
            "Please confirm",
            {"properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
            key="confirm",
        )
        return f"Confirmed: {answer.action}"

    async def test_input_required_result_capabilities(self) -> str:
        if self.context.can("elicitation"):
            answer = await self.context.elicit("What is your name?", NAME_FORM, key="ask_user")
            return f"Hello, {answer.content.get('name')}!"
        sampled = await self.context.sample("Invent a name", max_tokens=20, key="ask_model")
        return f"Hello, {sampled['content']}!"

    async def read_static_binary(self) -> bytes:
        return PNG

    async def read_data(self, *, id: str) -> Any:
        return {"id": id, "data": f"Data for ID: {id}"}

    async def prompt_test_prompt_with_embedded_resource(self, *, resourceUri: str) -> list[Any]:
        return [_embedded(resourceUri), "Please process the embedded resource above."]

    async def prompt_test_prompt_with_image(self) -> list[Any]:
        return [Blob(PNG, "image/png"), "Please analyze the image above."]

    async def prompt_test_input_required_result_prompt(self) -> str:
        answer = await self.context.elicit(
            "What context should the prompt use?",
            {"properties": {"context": {"type": "string"}}},
            key="user_context",
        )
        return f"Use the context {answer.content.get('context')}"

    async def complete_test_prompt_with_arguments_arg1(
        self, *, value: str, arguments: dict[str, str]
    ) -> list[str]:
        return [one for one in ("paris", "park", "party") if one.startswith(value)]


def _embedded(uri: str) -> dict[str, Any]:
    return {
        "type": "resource",
        "resource": {
            "uri": uri,
            "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        },
    }
