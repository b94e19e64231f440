"""What changed for an agent between two versions of a server.

Takes two `Snapshot`s, of the tools as they are listed and their requests; gives a `Report` of `Change`s, each with a
severity. Breaking is what a call that was right can fail on; risky is what may mean something else, or cannot be
judged; additive is what can be done besides; cosmetic is what only reads differently.
Knows nothing of files, documents or terminals.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from mcpgen.ir import Json, Schema
from mcpgen.schema_changes import Comparison, Difference, Effect, compare as compare_schemas

ALIKE = 0.75  # from here on a tool that is gone and a new one are the same
Identity = Callable[["Tool"], str | None]
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class Severity(StrEnum):
    BREAKING = "breaking"
    RISKY = "risky"
    ADDITIVE = "additive"
    COSMETIC = "cosmetic"

    def is_at_least(self, other: Severity) -> bool:
        order = list(Severity)
        return order.index(self) <= order.index(other)


@dataclass(frozen=True, slots=True)
class Change:
    """`tool` is the name it has now, or had; `place` the argument or member; `was` a name from before."""

    kind: str
    severity: Severity
    tool: str
    message: str
    place: str = ""
    was: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what tools/list gives, and its request; a tool that was written by hand has none."""

    name: str
    listed: Mapping[str, Json]
    operation_id: str | None = None
    method: str = ""
    path: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)  # `place:wire name` → property

    @property
    def request(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def shape(self) -> str:
        """The request without the names of its placeholders."""
        return f"{self.method} {PLACEHOLDER.sub('{}', self.path)}" if self.method else ""

    @property
    def input(self) -> dict[str, Json]:
        """The inputSchema; nothing where a person's edit left none."""
        found = self.listed.get("inputSchema")
        if not isinstance(found, dict) or not isinstance(found.get("properties", {}), dict):
            return {}
        required = found.get("required", [])
        is_good = isinstance(required, list) and all(isinstance(one, str) for one in required)
        return found if is_good else {}

    @property
    def properties(self) -> Mapping[str, Schema]:
        found: Mapping[str, Schema] = self.input.get("properties", {})
        return found

    @property
    def hints(self) -> Mapping[str, Json]:
        found = self.listed.get("annotations")
        return found if isinstance(found, dict) else {}

    @property
    def keyed(self) -> dict[str, str]:
        """The arguments that are listed, by what they are on the wire."""
        found = {key: name for key, name in self.arguments.items() if name in self.properties}
        known = set(found.values())
        return found | {f":{name}": name for name in self.properties if name not in known}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One version: its tools, and the environment variables of each credential."""

    label: str
    tools: tuple[Tool, ...]
    credentials: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    base_url: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    old: str
    new: str
    changes: tuple[Change, ...]

    def of(self, severity: Severity) -> tuple[Change, ...]:
        return tuple(one for one in self.changes if one.severity is severity)

    def fails_on(self, severity: Severity) -> bool:
        return any(one.severity.is_at_least(severity) for one in self.changes)


def snapshot(
    label: str, listed: Iterable[Mapping[str, Json]], record: Mapping[str, Json]
) -> Snapshot:
    """A version from its listed tools and its record (section 3 of the contract)."""
    entries = {one["name"]: one for one in record.get("tools", ())}
    tools = []
    for one in listed:
        entry = entries.get(one["name"], {})
        tools.append(
            Tool(
                name=one["name"],
                listed=one,
                operation_id=entry.get("operation_id"),
                method=entry.get("method") or "",
                path=entry.get("path") or "",
                arguments=entry.get("arguments") or {},
            )
        )
    credentials = record.get("credentials") or {}
    return Snapshot(label, tuple(tools), credentials, record.get("base_url") or "")


def compare(old: Snapshot, new: Snapshot) -> Report:
    """All changes, the most severe first, else in the order of the new tools."""
    found = list(_changes(old, new))
    ordered = sorted(found, key=lambda one: list(Severity).index(one.severity))
    return Report(old.label, new.label, tuple(ordered))


def _changes(old: Snapshot, new: Snapshot) -> Iterator[Change]:
    pairs = match(old.tools, new.tools)
    kept = set(pairs.values())
    for tool in old.tools:
        if tool.name not in kept:
            request = f" ({tool.request})" if tool.method else ""
            yield Change("tool-removed", Severity.BREAKING, tool.name, f"the tool is gone{request}")
    before = {tool.name: tool for tool in old.tools}
    for tool in new.tools:
        if tool.name in pairs:
            yield from _tool(before[pairs[tool.name]], tool)
        else:
            request = f" ({tool.request})" if tool.method else ""
            yield Change("tool-added", Severity.ADDITIVE, tool.name, f"the tool is new{request}")
    yield from _settings(old, new)


# --- which tool is which


IDENTITIES: tuple[Identity, ...] = (
    lambda tool: tool.request if tool.method else None,
    lambda tool: tool.shape or None,
    lambda tool: tool.operation_id,
    lambda tool: tool.name,
)


def match(old: Iterable[Tool], new: Iterable[Tool]) -> dict[str, str]:
    """New name → old name. A tool is known by its request, else its operationId, else its name, else its likeness."""
    found: dict[str, str] = {}
    left = {tool.name: tool for tool in old}
    open_ = {tool.name: tool for tool in new}

    def pair(now: str, was: str) -> None:
        found[now] = was
        del open_[now], left[was]

    for identity in IDENTITIES:
        known = _unique(left.values(), identity)
        for key, tool in _unique(open_.values(), identity).items():
            if key in known:
                pair(tool.name, known[key].name)
    scores = sorted(_likenesses(left.values(), open_.values()), reverse=True)
    for _, now, was in scores:
        if now in open_ and was in left:
            pair(now, was)
    return found


def _unique(tools: Iterable[Tool], identity: Identity) -> dict[str, Tool]:
    """The tools by an identity that only one of them has."""
    groups: dict[str, list[Tool]] = {}
    for tool in tools:
        if (key := identity(tool)) is not None:
            groups.setdefault(key, []).append(tool)
    return {key: group[0] for key, group in groups.items() if len(group) == 1}


def _likenesses(old: Iterable[Tool], new: Iterable[Tool]) -> Iterator[tuple[float, str, str]]:
    """(how alike, new name, old name) of what may be the same; only tools with a word in common are looked at."""
    by_word: dict[tuple[str, str], list[Tool]] = {}
    for tool in old:
        for word in _words(tool):
            by_word.setdefault((tool.method, word), []).append(tool)
    for tool in new:
        near = {
            one.name: one for word in _words(tool) for one in by_word.get((tool.method, word), ())
        }
        for one in near.values():
            score = _likeness(one, tool)
            if score >= ALIKE:
                yield score, tool.name, one.name


def _words(tool: Tool) -> set[str]:
    """The last fixed segment of the path, and the description."""
    fixed = [one for one in tool.path.split("/") if one and "{" not in one]
    return {*fixed[-1:], str(tool.listed.get("description", ""))} - {""}


def _likeness(old: Tool, new: Tool) -> float:
    """The mean of how alike paths, arguments and descriptions are; of the last two where there is no path."""
    was, now = set(old.keyed), set(new.keyed)
    texts = [str(one.listed.get("description", ""))[:500] for one in (old, new)]
    parts = [
        len(was & now) / len(was | now) if was | now else 1.0,
        _ratio(list(texts[0]), list(texts[1])),
    ]
    if old.path and new.path:
        segments = [PLACEHOLDER.sub("{}", one.path).split("/") for one in (old, new)]
        parts.append(_ratio(*segments))
    return sum(parts) / len(parts)


def _ratio(one: Sequence[str], other: Sequence[str]) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


# --- one tool


def _tool(old: Tool, new: Tool) -> Iterator[Change]:
    name = new.name
    if old.name != name:
        message = f"the tool '{old.name}' is called '{name}' now"
        yield Change("tool-renamed", Severity.BREAKING, name, message, was=old.name)
    if old.shape != new.shape:
        message = f"sends {new.request}, which was {old.request}"
        yield Change("request-moved", Severity.RISKY, name, message)
    yield from _arguments(old, new)
    yield from _output(old, new)
    yield from _annotations(old, new)
    for word in ("title", "description"):
        was, now = old.listed.get(word) or "", new.listed.get(word) or ""
        if was != now:
            what = "is new" if not was else "is gone" if not now else "changed"
            yield Change(word, Severity.COSMETIC, name, f"the {word} {what}")


def _arguments(old: Tool, new: Tool) -> Iterator[Change]:
    if old.input == new.input and old.arguments == new.arguments:
        return
    comparison = Comparison(old.input, new.input)
    was_required = set(old.input.get("required", ()))
    is_required = set(new.input.get("required", ()))
    pairs = _argument_pairs(old, new)
    for name in old.properties:
        if name not in pairs.values():
            message = f"the argument '{name}' is gone"
            yield Change("argument-removed", Severity.BREAKING, new.name, message, name)
    for name, schema in new.properties.items():
        if name not in pairs:
            needed = name in is_required
            severity = Severity.BREAKING if needed else Severity.ADDITIVE
            word = "required" if needed else "optional"
            message = f"the argument '{name}' is new and {word}"
            yield Change("argument-added", severity, new.name, message, name)
            continue
        before = pairs[name]
        yield from _argument(old, new, before, name)
        if name in is_required and before not in was_required:
            message = f"the argument '{name}' is required now"
            yield Change("argument-required", Severity.BREAKING, new.name, message, name)
        if name not in is_required and before in was_required:
            message = f"the argument '{name}' is no longer required"
            yield Change("argument-optional", Severity.ADDITIVE, new.name, message, name)
        for one in comparison.differences(old.properties[before], schema):
            yield _of_input(new.name, name, one)
    for one in comparison.differences(_frame(old.input), _frame(new.input)):
        yield _of_input(new.name, "", one)


def _frame(schema: Mapping[str, Json]) -> dict[str, Json]:
    """What an inputSchema says besides its arguments."""
    return {
        key: value
        for key, value in schema.items()
        if key not in ("properties", "required", "$defs")
    }


def _argument_pairs(old: Tool, new: Tool) -> dict[str, str]:
    """New property → old property: by the name on the wire, the place in the path, the name of the property."""
    was, now = old.keyed, new.keyed
    pairs = {now[key]: was[key] for key in now if key in was}
    if old.shape and old.shape == new.shape:
        for before, after in zip(PLACEHOLDER.findall(old.path), PLACEHOLDER.findall(new.path)):
            one, other = was.get(f"path:{before}"), now.get(f"path:{after}")
            if one and other and other not in pairs and one not in pairs.values():
                pairs[other] = one
    taken = set(pairs.values())
    for name in new.properties:
        if name not in pairs and name in old.properties and name not in taken:
            pairs[name] = name
    return pairs


def _argument(old: Tool, new: Tool, before: str, name: str) -> Iterator[Change]:
    if before != name:
        message = f"the argument '{before}' is called '{name}' now"
        yield Change("argument-renamed", Severity.BREAKING, new.name, message, name, before)
        return
    was = next((key for key, one in old.keyed.items() if one == before), "")
    now = next((key for key, one in new.keyed.items() if one == name), "")
    places = [key.partition(":")[0] for key in (was, now)]
    if places[0] != places[1] and all(places):
        message = f"the argument '{name}' travels as {places[1]} now, not as {places[0]}"
        yield Change("argument-moved", Severity.COSMETIC, new.name, message, name)


INPUT = {
    Effect.NARROWED: ("argument-narrowed", Severity.BREAKING),
    Effect.WIDENED: ("argument-widened", Severity.ADDITIVE),
    Effect.CHANGED: ("argument-changed", Severity.RISKY),
    Effect.SAID: ("argument-described", Severity.COSMETIC),
}


def _of_input(tool: str, argument: str, one: Difference) -> Change:
    kind, severity = INPUT[one.effect]
    place = _join(argument, one.place)
    subject = f"the argument '{place}'" if place else "the arguments as a whole:"
    return Change(kind, severity, tool, f"{subject} {one.message}", place)


# --- what a tool answers, and what it is said to do


OUTPUT = {
    Effect.NARROWED: ("output-narrowed", Severity.ADDITIVE),
    Effect.WIDENED: ("output-widened", Severity.RISKY),  # an agent may meet what it never met
    Effect.CHANGED: ("output-changed", Severity.RISKY),
    Effect.SAID: ("output-described", Severity.COSMETIC),
}


def _output(old: Tool, new: Tool) -> Iterator[Change]:
    was, now = old.listed.get("outputSchema"), new.listed.get("outputSchema")
    if was == now:
        return
    if not isinstance(now, dict):
        message = "says no longer what it answers"
        yield Change("output-removed", Severity.RISKY, new.name, message)
    elif not isinstance(was, dict):
        yield Change("output-added", Severity.ADDITIVE, new.name, "says what it answers now")
    else:
        for one in compare_schemas(was, now):
            yield _of_output(new.name, one)


def _of_output(tool: str, one: Difference) -> Change:
    kind, severity = OUTPUT[one.effect]
    if one.kind == "member-removed":
        message = f"the answer's '{one.place}' is gone"
        return Change("output-member-removed", Severity.RISKY, tool, message, one.place)
    if one.kind == "member-added":
        message = f"the answer's '{one.place}' is new"
        return Change("output-member-added", Severity.ADDITIVE, tool, message, one.place)
    subject = f"the answer's '{one.place}'" if one.place else "the answer"
    return Change(kind, severity, tool, f"{subject} {one.message}", one.place)


def _annotations(old: Tool, new: Tool) -> Iterator[Change]:
    was, now = (_promises(tool.hints) for tool in (old, new))
    for promise, (kept, broken) in PROMISES.items():
        if was[promise] and not now[promise]:
            yield Change("annotations", Severity.RISKY, new.name, f"the tool {broken} now", promise)
        if now[promise] and not was[promise]:
            yield Change(
                "annotations", Severity.COSMETIC, new.name, f"the tool {kept} now", promise
            )


# What a client may rely on, how it is said where it holds, and where it does not.
PROMISES = {
    "readOnlyHint": ("only reads", "no longer only reads"),
    "destructiveHint": ("is said to destroy nothing", "may destroy something"),
    "idempotentHint": ("can be repeated safely", "can no longer be repeated safely"),
    "openWorldHint": ("stays in a closed world", "reaches into the open world"),
}


def _promises(hints: Mapping[str, Json]) -> dict[str, bool]:
    """With the defaults of the protocol (MCP, ToolAnnotations); a tool that only reads destroys nothing."""
    reads = hints.get("readOnlyHint", False) is True
    return {
        "readOnlyHint": reads,
        "destructiveHint": reads or hints.get("destructiveHint", True) is False,
        "idempotentHint": reads or hints.get("idempotentHint", False) is True,
        "openWorldHint": hints.get("openWorldHint", True) is False,
    }


# --- what the operator has to set


def _settings(old: Snapshot, new: Snapshot) -> Iterator[Change]:
    for scheme, variables in new.credentials.items():
        if scheme not in old.credentials:
            names = ", ".join(variables.values())
            message = f"the credential '{scheme}' is new{f': {names}' if names else ''}"
            yield Change("credential-added", Severity.RISKY, "", message, scheme)
            continue
        before = old.credentials[scheme]
        for part, variable in variables.items():
            if before.get(part) != variable:
                was = before.get(part, "")
                message = f"the credential '{scheme}' is read from {variable} now"
                if was:
                    message += f", not from {was}"
                yield Change("credential-changed", Severity.RISKY, "", message, scheme, was)
    for scheme in old.credentials:
        if scheme not in new.credentials:
            message = f"the credential '{scheme}' is gone"
            yield Change("credential-removed", Severity.COSMETIC, "", message, scheme)
    if old.base_url and new.base_url and old.base_url != new.base_url:
        message = f"the base URL is read from {new.base_url} now, not from {old.base_url}"
        yield Change("base-url-changed", Severity.RISKY, "", message, was=old.base_url)


def _join(argument: str, place: str) -> str:
    if not argument or not place:
        return argument or place
    return f"{argument}{place}" if place.startswith("[") else f"{argument}.{place}"
