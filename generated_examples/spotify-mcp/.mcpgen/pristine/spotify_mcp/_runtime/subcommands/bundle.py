"""`bundle`: the package as an MCP bundle, which clients install with a click: a zip of its sources and a manifest.

What it needs is fetched by uv where it is installed, so that one bundle serves every platform.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser

from ..exposure import brief
from ..messages import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..catalog import Catalog

MANIFEST = os.path.join("deploy", "mcpb.json")
ALONGSIDE = ("pyproject.toml", "README.md", "LICENSE")


def run(package: str, catalog: Catalog, words: list[str]) -> int:
    program = package.replace("_", "-")
    description = f"Make an MCP bundle from this package's folder, with {MANIFEST} as its manifest."
    parser = ArgumentParser(prog=f"{program} bundle", description=description)
    out = f"{program}.mcpb"
    parser.add_argument("-o", "--output", metavar="FILE", default=out, help=f"default {out}")
    options = parser.parse_args(words[1:])
    root = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules[package].__file__ or "")))
    try:
        with open(os.path.join(root, MANIFEST), encoding="utf-8") as file:
            manifest = json.load(file)
    except FileNotFoundError:
        print(
            f"error: there is no {MANIFEST} in {root}: bundle from the package's own folder,"
            f" as `python -m {package} bundle`",
            file=sys.stderr,
        )
        return 1
    tools = (brief(decode(entry)) for entry in catalog.entries("tools") or ())
    manifest["tools"] = [{key: tool[key] for key in ("name", "description")} for tool in tools]
    contents = {"manifest.json": json.dumps(manifest, indent=2, ensure_ascii=False).encode()}
    for path in _sources(root, package):
        with open(os.path.join(root, *path.split("/")), "rb") as source:
            contents[path] = source.read()
    _write(options.output, contents)
    print(f"{options.output}: {len(contents)} files")
    return 0


def _sources(root: str, package: str) -> Iterator[str]:
    """The files to take, their paths below the root with slashes, sorted. Nothing hidden, no bytecode."""
    yield from (name for name in ALONGSIDE if os.path.exists(os.path.join(root, name)))
    for folder, folders, files in os.walk(os.path.join(root, package)):
        folders[:] = sorted(name for name in folders if name[:1] != "." and name != "__pycache__")
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        yield from (f"{below}/{name}" for name in sorted(files) if name[:1] != ".")


def _write(path: str, contents: dict[str, bytes]) -> None:
    """The same contents give the same bytes, whenever they are written."""
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    with ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(ZipInfo(name), data, ZIP_DEFLATED)
