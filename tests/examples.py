"""The packages in generated_examples/ and what they are made of. Importing this does nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FOLDER = "generated_examples"


def is_manifest(spec: Path) -> bool:
    return b"\nmcpgen: 1" in spec.read_bytes()


@dataclass(frozen=True, slots=True)
class Example:
    """`by_hand` are the files of the example that a person wrote, some of them where mcpgen made a stub."""

    name: str
    spec: str
    options: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()

    @property
    def directory(self) -> Path:
        return ROOT / FOLDER / f"{self.name}-mcp"

    @property
    def package(self) -> str:
        return f"{self.name.replace('-', '_')}_mcp"

    @property
    def command(self) -> list[str]:
        """As a person types it in the root of the repository."""
        return [f"specs/{self.spec}", "-o", f"{FOLDER}/{self.name}-mcp", *self.options]

    @property
    def is_manifest(self) -> bool:
        """Whether it has tools that do what nobody but their author knows, and that are not called unasked."""
        return is_manifest(ROOT / "specs" / self.spec)

    def arguments(self) -> dict[str, dict[str, Any] | None]:
        """Valid arguments of each tool; None where we found none."""
        text = (self.directory / "tests" / "arguments.json").read_text(encoding="utf-8")
        found: dict[str, dict[str, Any] | None] = json.loads(text)
        return found


EXAMPLES = (
    Example(
        "petstore", "petstore.yaml", by_hand=("petstore_mcp/custom/pet.py", "tests/test_custom.py")
    ),
    Example("spotify", "spotify.yaml", ("--name", "spotify")),
    Example("twilio-verify", "twilio-verify.yaml"),
    Example("everything", "everything.yaml", by_hand=("everything_mcp/custom/everything.py",)),
    Example(
        "sqlite", "sqlite.yaml", by_hand=("sqlite_mcp/custom/sqlite.py", "tests/test_custom.py")
    ),
    Example(
        "petshop", "petshop.yaml", by_hand=("petshop_mcp/custom/store.py", "tests/test_custom.py")
    ),
)
