"""`run(package)`: what a generated package's `__main__.py` calls.

Reads the command line and the catalog, and serves. Nothing heavier than `json` is loaded on the way to the
answers of the handshake and the lists.
"""

from __future__ import annotations

import os
import sys

from .catalog import Catalog
from .options import Options, parse
from .server import Server


def load_catalog(package: str) -> Catalog:
    folder = os.path.dirname(sys.modules[package].__file__ or "")
    return Catalog.load(os.path.join(folder, "catalog.json"))


def run(package: str) -> None:
    """Serve the package until its client goes."""
    if sys.argv[1:2] in (["login"], ["logout"]):
        from .login import main

        return main(package, sys.argv[1], sys.argv[2:])
    catalog = load_catalog(package)
    program = package.replace("_", "-")
    version = f"{program} {catalog.server['version']}"
    options = parse(program, version, sys.argv[1:]) if len(sys.argv) > 1 else Options()
    server = Server(package, catalog, options)
    if options.transport == "http":
        from .streamable_http import serve
    else:
        from .stdio import serve
    serve(server)
