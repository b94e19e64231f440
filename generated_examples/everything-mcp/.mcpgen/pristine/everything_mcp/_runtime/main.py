"""`run(package)`: what a generated package's `__main__.py` calls.

Reads the command line and the catalog, and serves. Nothing heavier than `json` is loaded on the way to the
answers of the handshake and the lists.
"""

from __future__ import annotations

import sys

from .catalog import load_catalog
from .options import COMMANDS, Options, parse
from .server import Server


def run(package: str) -> None:
    """Serve the package until its client goes, or do what the first word of the command line names."""
    catalog = load_catalog(package)
    program = package.replace("_", "-")
    version = f"{program} {catalog.server['version']}"
    words = sys.argv[1:]
    if words and words[0] in COMMANDS:
        from importlib import import_module

        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # whatever a pipe is taken for
        module, _ = COMMANDS[words[0]]
        sys.exit(import_module(f"{__package__}.subcommands.{module}").run(package, catalog, words))
    options = parse(program, version, words) if words else Options()
    server = Server(package, catalog, options)
    if options.transport == "http":
        from .streamable_http import serve
    else:
        from .stdio import serve
    serve(server)
