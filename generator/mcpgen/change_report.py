"""A report of changes as text for a terminal, Markdown for a pull request, JSON for a program.

Takes a `Report`, gives a string. What stands in documents is shown so that it can neither format nor command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping

from mcpgen.changes import Change, Report, Severity

MEANING = {
    Severity.BREAKING: "calls that were right can fail",
    Severity.RISKY: "calls may mean something else",
    Severity.ADDITIVE: "more can be done",
    Severity.COSMETIC: "it only reads differently",
}


def text(report: Report) -> str:
    lines = [f"{printable(report.old)} → {printable(report.new)}: {summary(report)}"]
    for severity in Severity:
        found = report.of(severity)
        if found:
            lines += ["", f"{severity} ({MEANING[severity]})"]
            lines += [f"  {printable(_line(one))}" for one in found]
    return "\n".join(lines) + "\n"


def markdown(report: Report) -> str:
    lines = [f"# Changes from {_escaped(report.old)} to {_escaped(report.new)}", ""]
    lines.append(f"{summary(report).capitalize()}.")
    for severity in Severity:
        found = report.of(severity)
        if found:
            lines += ["", f"## {severity.capitalize()}: {MEANING[severity]}", ""]
            for tool, changes in _by_tool(found).items():
                head = f"- **{_escaped(tool)}**: " if tool else "- "
                lines += [f"{head}{_escaped(one.message)}" for one in changes]
    return "\n".join(lines) + "\n"


def as_json(report: Report) -> str:
    counts = {severity.value: len(report.of(severity)) for severity in Severity}
    changes = [
        {
            "kind": one.kind,
            "severity": one.severity.value,
            "tool": one.tool,
            "place": one.place,
            "was": one.was,
            "message": one.message,
        }
        for one in report.changes
    ]
    found = {"old": report.old, "new": report.new, "summary": counts, "changes": changes}
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text,
    "markdown": markdown,
    "json": as_json,
}


def summary(report: Report) -> str:
    """How many changes of each severity, in how many tools."""
    counts = [(len(report.of(severity)), severity) for severity in Severity]
    parts = [f"{count} {severity}" for count, severity in counts if count]
    if not parts:
        return "nothing changed for an agent"
    tools = len({one.tool for one in report.changes if one.tool})
    total = len(report.changes)
    return (
        f"{', '.join(parts)} change{'' if total == 1 else 's'}"
        f" in {tools} tool{'' if tools == 1 else 's'}"
    )


def _line(change: Change) -> str:
    return f"{change.tool}: {change.message}" if change.tool else change.message


def _by_tool(changes: Iterable[Change]) -> dict[str, list[Change]]:
    groups: dict[str, list[Change]] = {}
    for one in changes:
        groups.setdefault(one.tool, []).append(one)
    return groups


def printable(value: str) -> str:
    """Without what a terminal would obey: control characters, and those that turn the direction of writing."""
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in value
    )


def _escaped(value: str) -> str:
    # CommonMark 2.4: a backslash takes the meaning from any ASCII punctuation.
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", printable(value))
