"""What a document would become, as a table for a person: tools, requests, arguments, and what listing them costs."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mcpgen.clients import CLIENTS, problems
from mcpgen.diagnostics import Diagnostics
from mcpgen.views import PackagePlan, ToolPlan

BYTES_PER_TOKEN = (
    4  # a rule of thumb for JSON in English; no tokenizer is needed to see which tool is dear
)


def tokens(tool: ToolPlan) -> int:
    """About how many tokens a tool takes in a model's context when it is listed."""
    text = json.dumps(tool.listed, ensure_ascii=False, separators=(",", ":"))
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def table(plan: PackagePlan) -> Iterator[str]:
    """The lines: one a tool by namespace, the skipped operations, and the sum."""
    prices = {tool.name: tokens(tool) for tool in plan.tools}
    width = max((len(name) for name in prices), default=4)
    request_width = min(48, max((len(tool.request_line) for tool in plan.tools), default=7))
    for namespace in plan.namespaces:
        yield f"{namespace.name}: {namespace.description}".rstrip(": ")
        for tool in namespace.tools:
            arguments = ", ".join(
                one.name if one.property.required else f"{one.name}?" for one in tool.arguments
            )
            yield (
                f"  {tool.name:{width}}  {tool.request_line:{request_width}}"
                f"  {prices[tool.name]:>6} tokens  {arguments}"
            ).rstrip()
    if plan.skipped:
        yield "skipped:"
    for one in plan.skipped:
        yield f"  {one.request_line}: {one.reason}"
    yield f"{len(prices)} tools, about {sum(prices.values()):,} tokens to list them all; {len(plan.skipped)} skipped"


def report_client(plan: PackagePlan, name: str, diagnostics: Diagnostics) -> int:
    """Warn of what a client would refuse; gives the number of tools that it concerns."""
    places = {tool.name: tool.location for tool in plan.tools}
    refused = set()
    for problem in problems(CLIENTS[name], [tool.listed for tool in plan.tools]):
        subject = f"the tool {problem.tool}: " if problem.tool else ""
        message = f"{subject}{problem.message}"
        diagnostics.warning(f"client-{name}", message, places.get(problem.tool))
        refused |= {problem.tool} if problem.tool else set(places)
    return len(refused)
