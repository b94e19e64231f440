"""How the tools are shown: each by itself, or behind a few tools that list, describe and call them.

    all        every tool
    namespace  one tool for each namespace
    single     one tool for everything
    search     three tools: find, describe, call

A tool that stands for others takes a `command` and its `arguments`: nothing lists the commands, a command alone gives
its schema, a command with arguments is called, with the checks and errors of the tool itself. A schema that is too
large for a model is given in parts.
"""

from __future__ import annotations

from .errors import invalid
from .messages import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .messages import Json
    from .search import Index

MOST_TOOLS = 64  # models choose worse among more, unless somebody has asked for more
BUDGET = 25_000  # tokens
BYTES_A_TOKEN = 4
NAMED_COMMANDS = 20  # a tool that stands for more does not name them all in its description
FOUND = 10
PART = {"type": "string", "description": "What a schema names as `part`, to see that."}


class Command:
    """The tool that is meant, and its arguments."""

    def __init__(self, name: str, arguments: dict[str, Json]) -> None:
        self.name = name
        self.arguments = arguments


class Exposure:
    """What tools/list shows. `entries` holds the tools that stand for others, empty where every tool is shown."""

    def __init__(self, tools: Mapping[str, bytes], entries: Mapping[str, Json]) -> None:
        self._tools = tools
        self.schemas = {name: entry["inputSchema"] for name, entry in entries.items()}
        self.listed = [encode(entry) for entry in entries.values()] or list(tools.values())

    def route(self, name: str, arguments: dict[str, Json]) -> Command | Json:
        """The call that is meant, or at once the answer. Raises ToolError for a command that is none."""
        return Command(name, arguments)

    def _known(self, command: str, commands: Iterable[str]) -> bytes:
        known = list(commands)
        if command not in known:
            from difflib import get_close_matches

            near = get_close_matches(command, known, 3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise invalid("command", f"there is no command {command!r}{hint}")
        return self._tools[command]

    def _describe(self, entry: bytes, part: str = "") -> Json:
        from .schema_parts import portion

        shown = decode(entry)
        schema = portion(shown["inputSchema"], part)
        if part:
            return {"name": shown["name"], "part": part, "schema": schema}
        keys = ("name", "description", "inputSchema", "annotations")
        return {key: shown[key] for key in keys if key in shown} | {"inputSchema": schema}

    def _list(self, names: Iterable[str]) -> Json:
        return {"commands": [brief(decode(self._tools[name])) for name in names]}


class Grouped(Exposure):
    """One tool for each group of tools."""

    def __init__(
        self, tools: Mapping[str, bytes], groups: Mapping[str, tuple[str, list[str]]]
    ) -> None:
        """`groups`: name → (description, names of tools)."""
        entries = {name: _group(name, text, names, tools) for name, (text, names) in groups.items()}
        super().__init__(tools, entries)
        self._groups = {name: names for name, (_, names) in groups.items()}

    def route(self, name: str, arguments: dict[str, Json]) -> Command | Json:
        command = arguments.get("command")
        if command is None:
            return self._list(self._groups[name])
        entry = self._known(command, self._groups[name])
        part = arguments.get("part")
        if part or arguments.get("arguments") is None:
            return self._describe(entry, part or "")
        return Command(command, arguments["arguments"])


class Searched(Exposure):
    """Find, describe, call."""

    def __init__(self, tools: Mapping[str, bytes], namespaces: Mapping[str, list[str]]) -> None:
        super().__init__(tools, _search_entries(tools, namespaces))
        self._namespaces = namespaces
        self._index: Index | None = None

    def route(self, name: str, arguments: dict[str, Json]) -> Command | Json:
        if name == "find_tools":
            return self._find(arguments)
        entry = self._known(arguments["command"], self._tools)
        if name == "describe_tool":
            return self._describe(entry, arguments.get("part", ""))
        return Command(arguments["command"], arguments.get("arguments") or {})

    def _find(self, arguments: Mapping[str, Json]) -> Json:
        if self._index is None:
            from .search import Index

            self._index = Index(map(decode, self._tools.values()), self._namespaces)
        found = self._index.find(arguments["query"], arguments.get("namespace"))
        return self._list(found[: arguments.get("limit", FOUND)])


def shows_all(tools: Mapping[str, bytes], budget: int | None = None) -> bool:
    """Whether `auto` shows every tool: as much as a model's context bears, or as the budget in tokens says."""
    return (len(tools) <= MOST_TOOLS or budget is not None) and fits(tools.values(), budget)


def fits(entries: Iterable[bytes], budget: int | None) -> bool:
    return sum(map(len, entries)) <= (BUDGET if budget is None else budget) * BYTES_A_TOKEN


def expose(
    mode: str,
    name: str,
    tools: Mapping[str, bytes],
    namespaces: Mapping[str, Json],
    budget: int | None = None,
) -> Exposure:
    """`name` is the server's; `namespaces` as the catalog has them; `auto` is the first mode that the budget bears."""
    if mode == "auto":
        if shows_all(tools, budget):
            mode = "all"
        elif len(namespaces) <= MOST_TOOLS:
            found = expose("namespace", name, tools, namespaces)
            return (
                found if fits(found.listed, budget) else expose("search", name, tools, namespaces)
            )
        else:
            mode = "search"
    if mode == "all":
        return Exposure(tools, {})
    members = {
        one: [tool for tool in said["tools"] if tool in tools] for one, said in namespaces.items()
    }
    members = {one: found for one, found in members.items() if found}
    if mode == "search":
        return Searched(tools, members)
    if mode == "single":
        return Grouped(tools, {name.replace("-", "_"): (f"All of {name}.", list(tools))})
    return Grouped(
        tools,
        {
            one: (namespaces[one].get("description") or f"{one}.", found)
            for one, found in members.items()
        },
    )


def _group(name: str, text: str, names: list[str], tools: Mapping[str, bytes]) -> Json:
    commands = (
        f"{len(names)} commands" if len(names) > NAMED_COMMANDS else f"Commands: {', '.join(names)}"
    )
    how = "Without a command it lists them; a command alone gives its schema; with arguments it is called."
    return {
        "name": name,
        "description": f"{text}\n\n{commands}. {how}",
        "inputSchema": _object(
            {
                "command": {"type": "string"},
                "arguments": {
                    "type": "object",
                    "description": "The command's own arguments; {} if it has none.",
                },
                "part": PART,
            }
        ),
        "annotations": _annotations(tools[one] for one in names),
    }


def _search_entries(
    tools: Mapping[str, bytes], namespaces: Mapping[str, list[str]]
) -> dict[str, Json]:
    command = {"type": "string", "description": "A name that find_tools gave."}
    counts = ", ".join(f"{name} ({len(names)})" for name, names in namespaces.items())
    if len(counts) > 4_000:
        counts = f"{len(namespaces)} of them"
    find = {
        "query": {"type": "string", "description": "What it should do, in a few words."},
        "namespace": {"type": "string", "description": "Only of this namespace."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": FOUND},
    }
    reading = {"readOnlyHint": True, "openWorldHint": False}
    entries = (
        (
            "find_tools",
            f"Find among {len(tools)} tools. Namespaces: {counts}.",
            _object(find, "query"),
            reading,
        ),
        (
            "describe_tool",
            "The schema of one tool.",
            _object({"command": command, "part": PART}, "command"),
            reading,
        ),
        (
            "call_tool",
            "Call one tool with the arguments that its schema wants.",
            _object({"command": command, "arguments": {"type": "object"}}, "command"),
            _annotations(tools.values()),
        ),
    )
    return {
        name: {"name": name, "description": text, "inputSchema": schema, "annotations": hints}
        for name, text, schema, hints in entries
    }


def _object(properties: dict[str, Json], *required: str) -> Json:
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return {**schema, "additionalProperties": False}


def _annotations(entries: Iterable[bytes]) -> Json:
    """What holds for all: it reads if each of them does, it destroys if one of them may."""
    reads, destroys = True, False
    for entry in entries:
        reads = reads and b'"readOnlyHint":true' in entry
        destroys = destroys or b'"destructiveHint":true' in entry
        if destroys and not reads:
            break
    return {"readOnlyHint": reads, **({"destructiveHint": True} if destroys else {})}


def brief(tool: Json) -> Json:
    """A tool in a line: its name, the first line of its description, its arguments with `?` where they are optional."""
    text = tool["description"].split("\n", 1)[0]
    schema = tool["inputSchema"]
    required = schema.get("required", ())
    arguments = [name if name in required else f"{name}?" for name in schema.get("properties", {})]
    return {"name": tool["name"], "description": text, "arguments": arguments}
