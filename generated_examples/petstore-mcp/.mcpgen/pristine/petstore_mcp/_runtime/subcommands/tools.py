"""`tools`: what the server offers, as a table, or as what a request to a model's API takes for `tools`."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser

from ..exposure import brief
from ..messages import decode
from ..options import Options, add_selection, set_defaults
from ..server import Server
from .function_calling import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..catalog import Catalog
    from ..messages import Json


class Listing(Options):
    mode = "all"
    format = "table"


def run(package: str, catalog: Catalog, words: list[str]) -> int:
    program = package.replace("_", "-")
    parser = ArgumentParser(
        prog=f"{program} tools",
        description="List the tools. The formats of openai, anthropic and gemini are what a request takes for `tools`.",
    )
    formats = ("table", *FORMATS)
    parser.add_argument("--format", choices=formats, help="how to print them (default table)")
    add_selection(parser)
    set_defaults(parser, Listing)
    options = parser.parse_args(words[1:], namespace=Listing())
    tools = [decode(entry) for entry in Server(package, catalog, options).exposure.listed]
    if options.format == "table":
        _print("\n".join(table(tools)))
        return 0
    convert, most = FORMATS[options.format]
    _print(json.dumps(convert(tools), indent=2, ensure_ascii=False))
    if most and len(tools) > most:
        hint = "choose with --namespaces, --tools or --read-only, or show fewer with --mode"
        print(
            f"note: {options.format} takes at most {most} tools, not {len(tools)}: {hint}",
            file=sys.stderr,
        )
    return 0


def _print(text: str) -> None:
    """Print what may be too long for who reads it."""
    try:
        print(text, flush=True)
    except BrokenPipeError:  # `tools | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def table(tools: list[Json]) -> list[str]:
    """A line a tool, cut where a terminal would break it."""
    rows = [brief(tool) for tool in tools]
    names = max((len(row["name"]) for row in rows), default=0)
    width = sys.maxsize
    if sys.stdout.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    lines = []
    for row in rows:
        arguments = f"  ({', '.join(row['arguments'])})" if row["arguments"] else ""
        line = f"{row['name']:{names}}  {row['description']}{arguments}"
        lines.append(line if len(line) <= width else line[: width - 1] + "…")
    return lines
