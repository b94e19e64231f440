"""What mcpgen.yaml says of single tools: their names, their descriptions, parameters with fixed values, who asks first.

Takes the tools that the document gives and `Options`; gives what is wanted of each. A pattern that finds nothing is told
with its line: the document has changed under it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcpgen.diagnostics import Diagnostics, Location
from mcpgen.handlers import Argument
from mcpgen.ir import Json, Operation
from mcpgen.options import Options
from mcpgen.selection import BadPattern, tool_matcher

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what every reported client takes


@dataclass(frozen=True, slots=True)
class Subject:
    """A tool that patterns may mean: by its operation, its name, and the name that it has without settings."""

    operation: Operation
    original: str
    name: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.original, self.name) if self.name else (self.original,)


def matching(
    setting: str,
    pattern: str,
    subjects: Sequence[Subject],
    options: Options,
    diagnostics: Diagnostics,
) -> tuple[int, ...]:
    """The indexes of the subjects that a pattern means; where there is none, or it is no pattern, that is told."""
    place = options.places.get((setting, pattern))
    try:
        matches = tool_matcher(pattern)
    except BadPattern as bad:
        diagnostics.error("bad-pattern", f"{setting}: {bad}", place)
        return ()
    found = tuple(index for index, one in enumerate(subjects) if matches(one.operation, one.names))
    if not found:
        known = [name for one in subjects for name in one.names]
        hint = _did_you_mean(pattern, known)
        diagnostics.warning(
            "unused-pattern", f"{setting}: no tool is '{pattern}'", place, hint=hint
        )
    return found


def _did_you_mean(name: str, known: Sequence[str]) -> str | None:
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean '{near[0]}'?" if near else None


def names(
    subjects: Sequence[Subject], options: Options, diagnostics: Diagnostics
) -> tuple[str, ...]:
    """The name of each tool, as `rename` says."""
    found = [one.original for one in subjects]
    for pattern, name in options.rename.items():
        place = options.places.get(("rename", pattern))
        meant = matching("rename", pattern, subjects, options, diagnostics)
        if not NAME.fullmatch(name):
            message = f"'{name}' is no name for a tool"
            hint = "up to 64 of A-Z, a-z, 0-9, '_' and '-'"
            diagnostics.error("bad-name", message, place, hint=hint)
        elif len(meant) > 1:
            tools = ", ".join(subjects[index].original for index in meant[:3])
            message = f"'{pattern}' means {len(meant)} tools ({tools}…), and a name is for one"
            diagnostics.error("bad-name", message, place)
        elif meant:
            found[meant[0]] = name
    first: dict[str, int] = {}
    for index, name in enumerate(found):
        other = first.setdefault(name.lower(), index)
        if other != index:
            message = f"two tools would be called '{name}'"
            both = f"{subjects[other].original} and {subjects[index].original}"
            diagnostics.error("bad-name", message, _of_name(name, options), hint=f"rename {both}")
    return tuple(found)


def _of_name(name: str, options: Options) -> Location | None:
    """Where a name is given."""
    given = [pattern for pattern, one in options.rename.items() if one.lower() == name.lower()]
    return options.places.get(("rename", given[0])) if given else None


def new_names(options: Options) -> frozenset[str]:
    """The names that are given, so that no new tool takes one; those of tools that are there are not among them."""
    return frozenset(options.rename.values()) - options.rename.keys()


def described(
    subjects: Sequence[Subject], options: Options, diagnostics: Diagnostics
) -> dict[int, str]:
    """The descriptions of the tools that `describe` means."""
    return {
        index: text.strip()
        for pattern, text in options.describe.items()
        for index in matching("describe", pattern, subjects, options, diagnostics)
    }


def fixed(
    subjects: Sequence[Subject],
    arguments: Sequence[Sequence[Argument]],
    options: Options,
    diagnostics: Diagnostics,
) -> tuple[Mapping[str, Json], ...]:
    """The values of the arguments that `hide` means, by key, for each tool; None is not sent."""
    found: list[dict[str, Json]] = [{} for _ in subjects]
    for pattern, values in options.hide.items():
        meant = matching("hide", pattern, subjects, options, diagnostics)
        for parameter, value in values.items():
            place = options.places.get(("hide", pattern, parameter))
            hidden = [
                (index, one)
                for index in meant
                for one in arguments[index]
                if parameter in _names(one)
            ]
            for index, one in hidden:
                found[index][one.key] = value
                if value is None and one.property.required:
                    message = f"{subjects[index].original} needs '{parameter}': give it a value"
                    diagnostics.error("missing-value", message, place)
            if meant and not hidden:
                known = [
                    name for index in meant for one in arguments[index] for name in _names(one)
                ]
                message = f"hide: no tool that '{pattern}' means has a parameter '{parameter}'"
                hint = _did_you_mean(parameter, known)
                diagnostics.warning("unused-pattern", message, place, hint=hint)
    return tuple(found)


def _names(argument: Argument) -> tuple[str, ...]:
    """`page_size`, `pageSize`, `query:pageSize`."""
    return argument.name, argument.key.partition(":")[2] or argument.key, argument.key


def confirmed(
    subjects: Sequence[Subject], options: Options, diagnostics: Diagnostics
) -> frozenset[int]:
    """The tools that `confirm` means by patterns."""
    return frozenset(
        index
        for pattern in options.confirm
        for index in matching("confirm", pattern, subjects, options, diagnostics)
    )
