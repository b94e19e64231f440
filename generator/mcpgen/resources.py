"""Find the parts of mcpgen that go into packages: templates, and the sources of the runtime.

The one module that knows where mcpgen itself is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent


def templates() -> Path:
    """The folder of the templates: within an installed package, or beside `generator/` in a checkout."""
    installed = HERE / "templates"
    return installed if installed.is_dir() else HERE.parent.parent / "templates"


def module_source(name: str) -> bytes:
    """The source of one of mcpgen's own modules."""
    return (HERE / f"{name}.py").read_bytes()


def own_sources() -> Iterator[bytes]:
    """All that mcpgen is made of, templates and runtime among it, in an order that lasts."""
    for root in dict.fromkeys([HERE, templates()]):
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.read_bytes()


def runtime_files() -> dict[str, bytes]:
    """The runtime's sources by their path below `runtime/`, sorted; no byte of them differs from package to package."""
    root = HERE / "runtime"
    paths = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    # An editor's leavings and bytecode must not travel into packages.
    sources = sorted(path for path in paths if path.endswith((".py", ".html", "/py.typed")))
    return {path: (root / path).read_bytes() for path in sources}


def manifest_schema() -> str:
    """The JSON Schema of manifests."""
    return (templates() / "manifest.schema.json").read_text(encoding="utf-8")
