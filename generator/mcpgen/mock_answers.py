"""What the mock upstream of a package answers: one entry for each operation.

Takes the document's own example where there is one, else a value made from the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen import handlers
from mcpgen.examples import Direction, NoExample, example_value
from mcpgen.handlers import Kind
from mcpgen.ir import Json, MediaType, Operation
from mcpgen.tool_schemas import ToolSchemas
from mcpgen.views import PackagePlan

# The smallest PNG: one transparent pixel. Other binary types get its bytes too; nothing here reads them.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)


def mock_answers(plan: PackagePlan) -> Iterator[dict[str, Json]]:
    """The lines of mock.json, in the order of the document."""
    answered: set[tuple[str, str]] = set()
    for operation in (one for tool in plan.tools for one in tool.operations):
        if (operation.method, operation.path) not in answered:
            answered.add((operation.method, operation.path))
            yield _answer(operation, plan.schemas)


def _answer(operation: Operation, schemas: ToolSchemas) -> dict[str, Json]:
    entry: dict[str, Json] = {"method": operation.method, "path": operation.path, "status": 200}
    responses = handlers.successes(operation.responses)
    if not responses:
        return entry
    # An answer with something in it shows more than an empty one.
    response = next((one for one in responses if one.contents), responses[0])
    entry["status"] = int(response.status) if response.status.isdigit() else 200
    if entry["status"] in (204, 205, 304):
        return entry
    if content := handlers.choose_content(response.contents):
        return {**entry, **_body(content, schemas)}
    return entry


def _body(content: MediaType, schemas: ToolSchemas) -> dict[str, Json]:
    kind = handlers.media_kind(content.type)
    media_type = "application/json" if "*" in content.type or not content.type else content.type
    if kind == Kind.BINARY:
        return {"content_type": media_type, "base64": PIXEL}
    value = _value(content, schemas)
    if kind == Kind.JSON:
        return {"content_type": media_type, "body": value}
    text = value if isinstance(value, str) else "example"
    return {"content_type": media_type, "text": text}


def _value(content: MediaType, schemas: ToolSchemas) -> Json:
    if content.example is not None:
        return content.example
    try:
        return example_value(content.schema, schemas.definitions, direction=Direction.OUTPUT)
    except NoExample as fault:
        return fault.nearest  # a mock need not be right to be worth more than nothing
