"""One run of `mcpgen SPEC`: a package is made of a document, or brought up to date. Prints nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mcpgen import change_report, changes, handwritten, overrides, pipeline, snapshots
from mcpgen import unchanged, write
from mcpgen.diagnostics import Diagnostics, Location, Stop
from mcpgen.ir import Api
from mcpgen.options import Options
from mcpgen.plan import package_name
from mcpgen.report import Report
from mcpgen.settings import FILE, read_settings
from mcpgen.state import read_custom, read_made
from mcpgen.unchanged import Inputs
from mcpgen.views import PackagePlan

RECORD = ".mcpgen/record.json"
CHANGELOG = "CHANGELOG.md"


@dataclass(slots=True)
class Run:
    """What a run came to know, as far as it came; what stopped it is in the diagnostics."""

    directory: Path | None = None
    documents: tuple[str, ...] = ()  # those that were read beside the one that the user named
    plan: PackagePlan | None = None  # None also where nothing had to be made, since nothing changed
    record: Mapping[str, Any] = field(default_factory=dict)
    counts: str = ""  # of tools, in words
    changes: changes.Report | None = None  # for an agent, since the last run
    report: Report | None = None  # of the files; None: the run was given up before any was touched


def run(
    given: Options,
    output: Path | None,
    diagnostics: Diagnostics,
    *,
    writes: bool,
    strict: bool,
    force: bool,
    say: Callable[[str], None] = lambda what: None,
) -> Run:
    """Make the package of `given.source` in `output`, or in the folder that its name gives; only compare unless it `writes`.

    `given` are the flags, which go over the settings of the package that is there. With `strict` a warning stops the run.
    `say` is told what is being done.
    """
    made = Run()
    with suppress(Stop):  # it was reported
        say("reading")
        options, directory, api = _open(given, output, diagnostics)
        made.directory, made.documents = directory, tuple(api.others)
        if directory.exists() and not directory.is_dir():
            message = "this is a file, not a folder"
            hint = "name another with --output"
            diagnostics.error("not-a-folder", message, Location(str(directory)), hint=hint)
            raise Stop
        if writes:
            write.recover(directory, diagnostics)
        name = package_name(api, options)
        recorded = replace(_recorded(options, directory), name=name)
        custom = directory / f"{name}_mcp" / "custom"
        inputs = Inputs(api, recorded, directory, custom)
        if not diagnostics.found and (counts := unchanged.said_before(inputs)) is not None:
            made.record, made.counts, made.report = _previous(directory), counts, Report()
            return made
        sources = handwritten.read_sources(custom, diagnostics)
        api = handwritten.with_tools(api, sources, diagnostics)
        plan, files = pipeline.generate(
            api, recorded, _previous(directory), read_made(directory), diagnostics, say
        )
        say("comparing with what is there")
        overrides.check(
            plan,
            read_custom(directory, plan.package),
            overrides.added_by_hand(*snapshots.read_catalogs(directory, plan.package)),
            lambda path: str(directory / path),
            diagnostics,
        )
        if diagnostics.has_errors or (strict and diagnostics.warnings):
            return made
        before = snapshots.read_last_run(directory)
        made.changes = changes.compare(before, snapshots.of_plan(plan)) if before else None
        additions = {}
        if made.changes and made.changes.changes and options.changelog:
            additions = {CHANGELOG: change_report.changelog_section(made.changes)}
        bring = write.write if writes else write.compare
        made.report = bring(
            files,
            directory,
            force=force,
            diagnostics=diagnostics,
            source_hash=api.source_hash,
            additions=additions,
        )
        made.plan, made.record, made.counts = plan, plan.record(), _counts(plan)
        if writes and not diagnostics.found:
            unchanged.remember(inputs, made.counts)
    return made


def _open(
    given: Options, output: Path | None, diagnostics: Diagnostics
) -> tuple[Options, Path, Api]:
    """What to make and where, and the API it is made of."""
    if output is not None:
        options = with_settings(given, output, diagnostics)
        return options, output, pipeline.read(options, diagnostics)
    api = pipeline.read(given, diagnostics)
    directory = Path(f"{package_name(api, given).replace('_', '-')}-mcp")
    options = with_settings(given, directory, diagnostics)
    if (options.overlays, options.allow_hosts) != (given.overlays, given.allow_hosts):
        api = pipeline.read(options, diagnostics)
    return options, directory, api


def with_settings(given: Options, directory: Path, diagnostics: Diagnostics) -> Options:
    """The flags over the settings of the package that is there, if one is. Raises Stop where these cannot be read."""
    if not (directory / FILE).exists():
        return given
    kept = read_settings(directory / FILE, diagnostics)
    return replace(
        kept,
        source=given.source or _from_here(kept.source, directory),
        name=given.name or kept.name,
        include=given.include or kept.include,
        exclude=given.exclude or kept.exclude,
        overlays=given.overlays or tuple(_from_here(one, directory) for one in kept.overlays),
        allow_hosts=given.allow_hosts or kept.allow_hosts,
    )


def _from_here(path: str, directory: Path) -> str:
    """A path that a package's settings hold, as seen from the current folder."""
    return path if "://" in path or path == "-" else os.path.normpath(directory / path)


def _recorded(options: Options, directory: Path) -> Options:
    """The options as the package keeps them: its files as seen from its own folder, so that all can move."""
    return replace(
        options,
        source=_seen_from(directory, options.source),
        overlays=tuple(_seen_from(directory, one) for one in options.overlays),
    )


def _seen_from(directory: Path, path: str) -> str:
    if path == "-" or "://" in path:
        return path
    try:
        return Path(os.path.relpath(path, directory)).as_posix()
    except ValueError:  # another drive of Windows
        return Path(path).absolute().as_posix()


def _previous(directory: Path) -> dict[str, Any]:
    try:
        found = json.loads((directory / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _counts(plan: PackagePlan) -> str:
    tools, namespaces = len(plan.tools), len(plan.namespaces)
    return (
        f"{tools} tool{'' if tools == 1 else 's'}"
        f" in {namespaces} namespace{'' if namespaces == 1 else 's'}, {len(plan.skipped)} skipped"
    )
