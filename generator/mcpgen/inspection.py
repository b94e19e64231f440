"""What a document would become, as a table for a person: tools, requests, arguments, and what listing them costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen import tokens
from mcpgen.clients import CLIENTS, problems
from mcpgen.diagnostics import Diagnostics
from mcpgen.render import catalog
from mcpgen.runtime.catalog import Catalog
from mcpgen.runtime.exposure import expose
from mcpgen.views import PackagePlan

GROUPED = ("namespace", "single", "search")  # the modes that do not show each tool by itself
MANY = 20  # tools, of which the dearest are named
DEAREST = 5


@dataclass(frozen=True, slots=True)
class Prices:
    """Tokens that a model reads: of each tool when it is listed, and of the whole list in each mode."""

    tools: Mapping[str, int]
    lists: Mapping[str, int]
    how: str


def prices(plan: PackagePlan) -> Prices:
    """By the very bytes that the server will send."""
    counter = tokens.counter()
    made = Catalog(catalog(plan).encode())
    tools = {name: counter.count(entry.decode()) for name, entry in made.tools().items()}
    lists = {"all": sum(tools.values())}
    for mode in GROUPED if tools else ():
        listed = expose(mode, plan.option_name, made.tools(), made.namespaces).listed
        lists[mode] = sum(counter.count(entry.decode()) for entry in listed)
    return Prices(tools, lists, counter.how)


def table(plan: PackagePlan, found: Prices) -> Iterator[str]:
    """The lines: one a tool by namespace, the skipped operations, and the sums."""
    prices = found.tools
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
    total = f"{found.lists['all']:,} tokens to list them all ({found.how})"
    yield f"{len(prices)} tools, about {total}; {len(plan.skipped)} skipped"
    if len(prices) > MANY:
        dearest = sorted(prices, key=lambda name: -prices[name])[:DEAREST]
        yield f"the dearest: {', '.join(f'{name} {prices[name]:,}' for name in dearest)}"
        fewer = ", ".join(f"--mode {mode} {found.lists[mode]:,}" for mode in GROUPED)
        yield f"behind fewer tools: {fewer}"


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
