"""The command line: arguments in, an exit status and words for a person out.

The only module that prints or exits. Exit status: 0 fine; 1 the input is wrong, or `--check` found a difference;
2 wrong usage.
"""

from __future__ import annotations

import difflib
import gc
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from mcpgen import __version__, change_report, generation, inspection, pipeline, snapshots
from mcpgen import watching, write
from mcpgen.changes import Severity, compare
from mcpgen.clients import CLIENTS
from mcpgen.diagnostics import Diagnostics, Location, Stop
from mcpgen.diagnostics import Severity as DiagnosticSeverity
from mcpgen.generation import Run
from mcpgen.ir import Api
from mcpgen.options import Options
from mcpgen.plan import package_name
from mcpgen.report import Report
from mcpgen.settings import FILE

MANIFEST = "tools.yaml"  # of a new tool server

HELP = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 110,
    "color": False if os.environ.get("NO_COLOR") else None,  # None: where there is a terminal
}
COLOURS = {DiagnosticSeverity.ERROR: "red", DiagnosticSeverity.WARNING: "yellow"}


# The options on the first page of help, which is to fit a screen.
COMMON = ("output", "name", "include", "exclude", "check", "diff", "force", "watch")


class Failed(click.ClickException):
    """The run ends with status 1 and this last line."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        click.echo(self.message, err=True)


class DefaultGroup(click.Group):
    """`mcpgen SPEC` is `mcpgen generate SPEC`: the main job needs no word, and has the first page of help."""

    default = "generate"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, "--help", "-h", "--version"):
            if args:
                self._refuse_near_command(args[0])
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def _refuse_near_command(self, word: str) -> None:
        """A word that is no document, and nearly a command."""
        near = difflib.get_close_matches(word, self.commands, 1, 0.75)
        if near and word.isalpha() and not os.path.exists(word):
            raise click.UsageError(f"No such command '{word}'. Did you mean '{near[0]}'?")

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("mcpgen", "SPEC [OPTIONS]")
        formatter.write_usage("mcpgen", "COMMAND …", prefix="       ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        command = self.commands[self.default]
        shown = [one for one in command.params if one.name in COMMON]
        with formatter.section("Options (mcpgen generate --help has all)"):
            found = [one.get_help_record(ctx) for one in [*shown, *self.get_params(ctx)]]
            formatter.write_dl([one for one in found if one])
        self.format_commands(ctx, formatter)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in super().list_commands(ctx) if name != self.default]


@click.group(cls=DefaultGroup, context_settings=HELP)
@click.version_option(__version__)
def cli() -> None:
    """Make a Python MCP server of SPEC (OpenAPI or a manifest; a path, a URL, - for standard input), or bring it up to
    date. In a generated package SPEC is known.
    """


def _complete_spec(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """In a shell: files, and the commands, which stand where the document does."""
    names = [name for name in cli.list_commands(ctx) if name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


@cli.command(context_settings=HELP)
@click.argument("spec", required=False, shell_complete=_complete_spec)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: ./<name>-mcp.")
@click.option("--name", help="Name of the package; default from the document's title.")
@click.option(
    "--include",
    multiple=True,
    metavar="PATTERN",
    help="Only these: tag:pets, path:/pets/**, 'GET /pets/*' …",
)
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Not these.")
@click.option("--overlay", multiple=True, metavar="FILE", help="OpenAPI Overlays, in order.")
@click.option("--allow-host", multiple=True, metavar="HOST", help="Let a remote $ref lead there.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the output is out of date.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option("--strict", is_flag=True, help="Warnings are errors.")
@click.option(
    "--force",
    is_flag=True,
    help="Take the new text where an edit conflicts (old text: <file>.orig).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the record of the package as JSON.")
@click.option("--watch", is_flag=True, help="Do it again whenever SPEC or mcpgen.yaml changes.")
@click.option("-q", "--quiet", is_flag=True, help="Only problems.")
@click.option("-v", "--verbose", is_flag=True, help="Name each file.")
def generate(
    spec: str | None,
    output: Path | None,
    name: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    overlay: tuple[str, ...],
    allow_host: tuple[str, ...],
    watch: bool,
    quiet: bool,
    check: bool,
    diff: bool,
    **flags: Any,
) -> None:
    """Make a package from SPEC (a path, an http(s) URL, or - for standard input), or bring it up to date.

    Without SPEC, in a generated package: regenerate it from its mcpgen.yaml.
    """
    given = Options(spec or "", name, include, exclude, overlay, allow_host)
    if spec is None:
        output = output or Path(".")
        if not (output / FILE).exists():
            missing = output / FILE
            raise click.UsageError(
                f"give a SPEC, or run in a generated package: there is no {missing}"
            )
    if watch and (check or diff or spec == "-"):
        other = "standard input" if spec == "-" else "--check" if check else "--diff"
        raise click.UsageError(f"--watch does not go with {other}")

    def run(where: Path | None) -> Outcome:
        return _generate(given, where, quiet=quiet, check=check, diff=diff, **flags)

    if watch:
        _watch(run, given, output, quiet=quiet)
    elif failure := run(output).failure:
        raise Failed(failure)


class Progress:
    """One line on a terminal that says what takes a while; nothing elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self._shows = not quiet and sys.stderr.isatty()

    def say(self, what: str) -> None:
        if self._shows:
            click.echo(f"\r\x1b[2K{what} …", err=True, nl=False)

    def end(self) -> None:
        if self._shows:
            click.echo("\r\x1b[2K", err=True, nl=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: `failure` is its last line, `directory` and `files` what it came to know."""

    failure: str | None
    directory: Path | None = None
    files: tuple[str, ...] = ()


def _watch(
    run: Callable[[Path | None], Outcome], given: Options, output: Path | None, *, quiet: bool
) -> None:
    """Run, and again after each change of what was read, until the user ends it."""
    try:
        watching.require()
    except watching.NotInstalled:
        raise Failed("--watch needs watchfiles: pip install 'mcpgen[watch]'") from None
    files: tuple[str, ...] = ()
    with suppress(KeyboardInterrupt):
        while True:
            seen = watching.signatures(_inputs(given, output, files))
            outcome = run(output)
            output = outcome.directory or output
            files = outcome.files or files
            if outcome.failure:
                click.echo(outcome.failure, err=True)
            seen = watching.signatures(_inputs(given, output, files)) | seen
            gc.collect()  # here: an interrupt that meets a finalizer is lost
            if not quiet:
                names = ", ".join(sorted(os.path.relpath(one) for one in seen))
                click.echo(f"watching {names}; Ctrl-C ends", err=True)
            watching.wait_for_change(seen)


def _inputs(given: Options, output: Path | None, files: tuple[str, ...]) -> set[Path]:
    """The files that a run reads, as far as one can say beforehand, and those that the last one has met."""
    found = {given.source, *given.overlays, *files}
    if output is not None:
        found.add(str(output / FILE))
        with suppress(Stop):
            kept = generation.with_settings(given, output, Diagnostics())
            found |= {kept.source, *kept.overlays}
    return {Path(os.path.abspath(one)) for one in found if one and "://" not in one}


def _generate(
    given: Options,
    output: Path | None,
    *,
    check: bool,
    diff: bool,
    strict: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> Outcome:
    diagnostics = Diagnostics()
    progress = Progress(quiet)
    writes = not (check or diff)
    run = generation.run(
        given, output, diagnostics, writes=writes, strict=strict, force=force, say=progress.say
    )
    progress.end()
    _print(diagnostics)
    if run.report is None or run.directory is None:
        return Outcome(_count(diagnostics, "nothing was written"), run.directory, run.documents)
    if run.changes and run.changes.changes and not (quiet or diff):
        told = change_report.text if verbose else change_report.short_text
        click.echo(told(run.changes), err=True, nl=False)
    if diff:
        click.echo("".join(run.report.diffs), nl=False)
    if as_json:
        _print_record(run.record, run.directory)
    elif not quiet and not diff and not diagnostics.has_errors:
        _summary(run, run.directory, run.report, verbose=verbose, checked=check)
    failure = None
    if diagnostics.has_errors:
        failure = _count(diagnostics, "see above")
    elif check and run.report.changed:
        failure = f"{run.directory} is out of date: run mcpgen to bring it up to date"
    return Outcome(failure, run.directory, run.documents)


@cli.command(context_settings=HELP)
@click.argument("spec")
@click.option("--name", help="Name of the package; default from the document's title.")
@click.option("--include", multiple=True, metavar="PATTERN", help="Only these operations.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Not these.")
@click.option("--overlay", multiple=True, metavar="FILE", help="OpenAPI Overlays, in order.")
@click.option("--allow-host", multiple=True, metavar="HOST", help="Let a remote $ref lead there.")
@click.option(
    "--client", type=click.Choice(list(CLIENTS)), help="Check against what this client takes."
)
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    metavar="TOKENS",
    help="Exit 1 if listing all tools takes more.",
)
def inspect(
    spec: str,
    name: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    overlay: tuple[str, ...],
    allow_host: tuple[str, ...],
    client: str | None,
    budget: int | None,
) -> None:
    """Show what would be made of SPEC: tools, names, what listing them costs, warnings. Writes nothing.

    With --client, exit 1 if that client would refuse any of it.
    """
    diagnostics = Diagnostics()
    try:
        plan = pipeline.plan(
            Options(spec, name, include, exclude, overlay, allow_host), {}, diagnostics
        )
    except Stop:
        _print(diagnostics)
        raise Failed(_count(diagnostics, "nothing can be made of this")) from None
    prices = inspection.prices(plan)
    for line in inspection.table(plan, prices):
        click.echo(line)
    refused = inspection.report_client(plan, client, diagnostics) if client else 0
    _print(diagnostics)
    if diagnostics.has_errors:
        raise Failed(_count(diagnostics, "see above"))
    if refused:
        raise Failed(f"{client} would refuse {refused} of {len(plan.tools)} tools")
    if budget is not None and prices.lists["all"] > budget:
        fitting = [mode for mode in inspection.GROUPED if prices.lists[mode] <= budget]
        raise Failed(
            f"listing all tools takes more than {budget:,} tokens"
            + (f"; a server with --mode {fitting[0]} keeps to it" if fitting else "")
            + "; --include and --exclude make it smaller"
        )


@cli.command(context_settings=HELP)
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--name", help="Name of the package; default from the folder's name.")
def init(directory: Path, name: str | None) -> None:
    """Start a tool server in DIRECTORY: a small manifest with comments, and the package made of it.

    Asks nothing. The manifest is tools.yaml; mcpgen in the folder makes the package anew after a change.
    """
    diagnostics = Diagnostics()
    wanted = Options("", name or directory.absolute().name)
    try:
        plan, files, source_hash = pipeline.start(
            package_name(Api("", "", Location("")), wanted), MANIFEST, diagnostics
        )
    except Stop:
        _print(diagnostics)
        raise Failed(_count(diagnostics, "nothing was written")) from None
    report = write.write(
        files, directory, force=False, diagnostics=diagnostics, source_hash=source_hash
    )
    _print(diagnostics)
    if diagnostics.has_errors:
        raise Failed(_count(diagnostics, "nothing was written"))
    click.echo(f"{directory}: {report.summary()}")
    click.echo(
        f"\nNext:\n  cd {directory}\n  pip install -e '.[dev]' && pytest\n  {plan.distribution}"
    )


@cli.command(context_settings=HELP)
@click.argument("old")
@click.argument("new")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(change_report.FORMATS)),
    default="text",
    show_default=True,
    help="How to print the report.",
)
@click.option(
    "--fail-on",
    type=click.Choice([one.value for one in Severity if one is not Severity.COSMETIC]),
    help="Exit 1 if there is such a change, or a worse one.",
)
def changes(old: str, new: str, form: str, fail_on: str | None) -> None:
    """Tell what changed for an agent from OLD to NEW.

    Each is a document (a path or URL), the folder of a generated package, or either at a revision of git:
    HEAD~1:openapi.yaml. A document that is compared with a package gets the package's settings and names.
    """
    if old == new == "-":
        raise click.UsageError("only one of OLD and NEW can come from standard input")
    diagnostics = Diagnostics()
    try:
        before, after = snapshots.read_pair(old, new, diagnostics)
    except Stop:
        _print(diagnostics)
        raise Failed(_count(diagnostics, "nothing was compared")) from None
    _print(diagnostics)
    report = compare(before, after)
    click.echo(change_report.FORMATS[form](report), nl=False)
    if fail_on and report.fails_on(Severity(fail_on)):
        raise Failed(
            f"there are changes that are {fail_on}{'' if fail_on == 'breaking' else ' or worse'}"
        )


def _print_record(record: Mapping[str, Any], directory: Path) -> None:
    shown = {"package": record["package"], "directory": str(directory.absolute()), **record}
    click.echo(json.dumps(shown, ensure_ascii=False, indent=2))


def _print(diagnostics: Diagnostics) -> None:
    for one in diagnostics:
        label = f"{one.severity}[{one.code}]"
        shown = click.style(label, fg=COLOURS[one.severity], bold=True)
        click.echo(str(one).replace(label, shown, 1), err=True)


def _count(diagnostics: Diagnostics, then: str) -> str:
    warnings = len(diagnostics.warnings)
    errors = len(diagnostics.found) - warnings
    counts = [
        f"{n} {word}{'' if n == 1 else 's'}"
        for n, word in ((errors, "error"), (warnings, "warning"))
        if n
    ]
    return f"{', '.join(counts)}; {then}"


def _summary(run: Run, directory: Path, report: Report, *, verbose: bool, checked: bool) -> None:
    if verbose:
        for line in report.lines():
            click.echo(line)
    to_do = "to do: " if checked and report.changed else ""
    click.echo(f"{directory}: {run.counts}; {to_do}{report.summary()}")
    if not run.record.get("tools"):
        click.echo("Nothing was found to make tools of: mcpgen inspect shows what was read.")
    elif run.plan and report.is_new and not checked:
        mock = " --mock" if run.plan.is_called else ""
        click.echo(
            f"\nTry it:\n  cd {directory}\n  pip install -e .\n  {run.plan.distribution}{mock}"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script. No input ends in a traceback: what we did not foresee is said in a line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    gc.disable()  # what a run reads lives to its end: looking for garbage there takes a fifth of the time
    try:
        cli.main(args=list(arguments) if arguments is not None else None, prog_name="mcpgen")
    except Exception as error:  # noqa: BLE001 - the last boundary
        if os.environ.get("MCPGEN_TRACEBACK"):
            raise
        click.echo(
            f"mcpgen: internal error, {type(error).__name__}: {error}\n"
            "    hint: please report it with the document; MCPGEN_TRACEBACK=1 shows where it happened",
            err=True,
        )
        sys.exit(1)
