"""A report of changes as text for a terminal, Markdown for a pull request, JSON for a program.

Takes a `Report`, gives a string. What stands in documents is shown so that it can neither format nor command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from mcpgen.changes import Change, Report, Severity

MANY = 4  # tools that the same happened to, from here on told in one line
MEANING = {
    Severity.BREAKING: "calls that were right can fail",
    Severity.RISKY: "calls may mean something else",
    Severity.ADDITIVE: "more can be done",
    Severity.COSMETIC: "it only reads differently",
}


SHORT = 30  # lines that a run prints of itself


def text(report: Report) -> str:
    return "\n".join(_text(report)) + "\n"


def short_text(report: Report) -> str:
    """The first lines, which are the most severe."""
    lines = _text(report)
    if len(lines) > SHORT + 1:
        lines[SHORT:] = [f"… {len(lines) - SHORT} lines more, with --verbose"]
    return "\n".join(lines) + "\n"


def _text(report: Report) -> list[str]:
    versions = dict.fromkeys([report.old, report.new])
    lines = [f"{' → '.join(map(printable, versions))}: {summary(report)}"]
    for severity in Severity:
        found = report.of(severity)
        if found:
            lines += ["", f"{severity} ({MEANING[severity]})"]
            lines += [f"  {printable(line)}" for line in _lines(found, _said)]
    return lines


def markdown(report: Report) -> str:
    return _markdown(report, "#")


def changelog_section(report: Report) -> str:
    """The same below the title of a change log."""
    return _markdown(report, "##")


def _markdown(report: Report, level: str) -> str:
    old = f" from {_escaped(report.old)}" if report.old != report.new else ""
    lines = [f"{level} Changes{old} to {_escaped(report.new)}", ""]
    lines.append(f"{summary(report).capitalize()}.")
    for severity in Severity:
        found = report.of(severity)
        if found:
            lines += ["", f"{level}# {severity.capitalize()}: {MEANING[severity]}", ""]
            lines += [f"- {line}" for line in _lines(found, _said_in_markdown)]
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


def _lines(changes: Sequence[Change], said: Callable[[str, str], str]) -> Iterator[str]:
    """One a change; what happened to many tools alike, as to a parameter that all share, in one."""
    groups: dict[str, list[str]] = {}
    for one in changes:
        key = one.message if one.place else f"{one.tool} {one.message}"
        groups.setdefault(key, []).append(one.tool)
    told: set[str] = set()
    for one in changes:
        tools = groups[one.message if one.place else f"{one.tool} {one.message}"]
        if len(tools) < MANY:
            yield said(one.tool, one.message)
        elif one.message not in told:
            told.add(one.message)
            names = ", ".join(tools[: MANY - 1])
            rest = len(tools) - MANY + 1
            yield said(f"{len(tools)} tools ({names} and {rest} more)", one.message)


def _said(subject: str, message: str) -> str:
    return f"{subject}: {message}" if subject else message


def _said_in_markdown(subject: str, message: str) -> str:
    return f"**{_escaped(subject)}**: {_escaped(message)}" if subject else _escaped(message)


def printable(value: str) -> str:
    """Without what a terminal would obey: control characters, and those that turn the direction of writing."""
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in value
    )


def _escaped(value: str) -> str:
    # CommonMark 2.4: a backslash takes the meaning from any ASCII punctuation.
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", printable(value))
