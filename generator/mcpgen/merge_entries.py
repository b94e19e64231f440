"""Merge data files that hold one entry a line, such as catalog.json: by entry and by member, where lines alone conflict.

A tool is one long line there, next to other tools. A person who changes a description, and a document that changes the
schema of the same tool or of its neighbour, do not contradict each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

# What stands around an entry: one by itself, a member of an object, and the object's first member.
WRAPPINGS = (("", ""), ("{", "}"), ("", "}"))

MISSING: Final = object()


class Clash(Exception):
    """Both sides changed the same value, each to another."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: its value, and what has to be cut off the value's text to get the line back."""

    line: str
    value: Any
    wrapping: tuple[str, str]

    def with_value(self, value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        before, after = self.wrapping
        return text[len(before) : len(text) - len(after)]


def merge_layout(
    base: Sequence[str], yours: Sequence[str], new: Sequence[str]
) -> tuple[list[str], list[int]] | None:
    """The merged lines of whole files, and your clashing ones. None unless all three have the layout of entries.

    Lines that are no entry (`"tools":[`, `]}`) have to be the same in all three; between them entries are merged.
    """
    files = [_runs(lines) for lines in (base, yours, new)]
    frames = [[frame for frame, _ in file] for file in files]
    if not frames[0] or any(one != frames[0] for one in frames):
        return None
    lines, clashes, position = [], [], 0
    for (frame, old), (_, mine), (_, theirs) in zip(*files, strict=True):
        merged = merge_entries(old, mine, theirs)
        if merged is None:
            return None
        lines += [*merged[0], frame]
        clashes += [position + one for one in merged[1]]
        position += len(mine) + 1
    return lines, clashes


def _runs(lines: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Each line that is no entry, with the entries before it; empty if entries come last."""
    runs: list[tuple[str, list[str]]] = []
    entries: list[str] = []
    for line in lines:
        if _entry(line.rstrip("\r\n").removesuffix(",")):
            entries.append(line)
        else:
            runs.append((line, entries))
            entries = []
    return [] if entries else runs


def merge_entries(
    base: Sequence[str], yours: Sequence[str], new: Sequence[str]
) -> tuple[list[str], list[int]] | None:
    """The merged lines, and the numbers of your lines that clash and so stay. None where these are no entries."""
    old, mine, theirs = _entries(base), _entries(yours), _entries(new)
    if old is None or mine is None or theirs is None:
        return None
    names = _renamed(old, theirs)
    old, mine = _under_new_names(old, names), _under_new_names(mine, names)
    lines, clashes = [], []
    positions = {key: number for number, key in enumerate(mine)}
    for key in _ordered(list(mine), list(theirs)):
        try:
            line = _merged_line(old.get(key), mine.get(key), theirs.get(key))
        except Clash:
            line = mine[key].line if key in mine else None
            clashes.append(positions.get(key, 0))
        if line is not None:
            lines.append(line)
    return _ended(lines, [*yours, *new]), clashes


def _renamed(old: dict[str, Entry], new: dict[str, Entry]) -> dict[str, Entry]:
    """Entries that differ in their name alone, and say what it is the name of: the old key → the new entry."""
    come = {_nameless(one): one for key, one in new.items() if key not in old}
    gone = {_nameless(one): key for key, one in old.items() if key not in new}
    told = {rest: one for rest, one in come.items() if {"name", "description"} <= one.value.keys()}
    return {gone[rest]: one for rest, one in told.items() if rest in gone}


def _nameless(entry: Entry) -> str:
    return json.dumps({key: one for key, one in entry.value.items() if key != "name"})


def _under_new_names(entries: dict[str, Entry], names: Mapping[str, Entry]) -> dict[str, Entry]:
    found = {}
    for key, entry in entries.items():
        if named := names.get(key):
            key, value = _key(named), {**entry.value, "name": named.value["name"]}
            entry = replace(entry, line=entry.with_value(value), value=value)
        found[key] = entry
    return found


def _ordered(mine: list[str], theirs: list[str]) -> list[str]:
    """All keys as the new text has them; one that only you have follows the one that it followed."""
    order, known = list(theirs), set(theirs)
    for before, key in zip(["", *mine], mine, strict=False):
        if key not in known:
            at = order.index(before) + 1 if before in order else 0
            while at < len(order) and order[at] not in mine:
                at += 1
            order.insert(at, key)
    return order


def _merged_line(old: Entry | None, mine: Entry | None, theirs: Entry | None) -> str | None:
    values = [one.value if one else MISSING for one in (old, mine, theirs)]
    merged = _merged(*values)
    for one in (theirs, mine):
        if one and _same(one.value, merged):
            return one.line
    shape = theirs or mine
    return shape.with_value(merged) if shape and merged is not MISSING else None


def _merged(base: Any, yours: Any, new: Any) -> Any:
    if _same(yours, base):
        return new
    if _same(new, base) or _same(yours, new):
        return yours
    base = {} if base is MISSING else base
    if not all(isinstance(one, dict) for one in (base, yours, new)):
        raise Clash
    members = {
        key: _merged(*(one.get(key, MISSING) for one in (base, yours, new)))
        for key in [*new, *(key for key in yours if key not in new)]
    }
    return {key: value for key, value in members.items() if value is not MISSING}


def _same(a: Any, b: Any) -> bool:
    if a is MISSING or b is MISSING:
        return a is b
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)  # 1 is not true


def _entries(lines: Sequence[str]) -> dict[str, Entry] | None:
    """By what identifies an entry; None unless each line is one, and no two are the same."""
    found: dict[str, Entry] = {}
    for line in lines:
        entry = _entry(line.rstrip("\r\n").removesuffix(","))
        if entry is None or (key := _key(entry)) in found:
            return None
        found[key] = entry
    return found


def _entry(line: str) -> Entry | None:
    if not line.startswith(("{", '"')):  # ours are not indented
        return None
    for before, after in WRAPPINGS:
        try:
            value = json.loads(before + line + after)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value:
            return Entry(line, value, (before, after))
    return None


def _key(entry: Entry) -> str:
    value = entry.value
    if entry.wrapping != ("", ""):
        return json.dumps(sorted(value))
    return json.dumps([value.get("name"), value.get("method"), value.get("path")])


def _ended(lines: Sequence[str], models: Sequence[str]) -> list[str]:
    """With commas between, and at the end what the last of the models has there."""
    last = models[-1] if models else ""
    content = last.rstrip("\r\n").removesuffix(",")
    ending = last[len(content) :]
    return [line + (",\n" if one < len(lines) - 1 else ending) for one, line in enumerate(lines)]
