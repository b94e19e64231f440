"""Whether everything is as the last run left it, so that the package need not be made again to find nothing to do.

A run that has nothing to report leaves a fingerprint of all that went into it in `.mcpgen/cache/`. That is for this
machine alone: git does not keep it, and to delete it costs nothing but time.
"""

from __future__ import annotations

import dataclasses
import json
import platform
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from mcpgen import resources
from mcpgen.ir import Api
from mcpgen.journal import STATE, OutsidePackage, inside, pending
from mcpgen.options import Options
from mcpgen.settings import FILE
from mcpgen.state import read_made_paths

# Where nothing is known of the last run, the next is made in full. ImportError: a library that was installed otherwise.
UNKNOWN = (OSError, OutsidePackage, ValueError, KeyError, TypeError, ImportError)
# Whose other version may make another text of the same.
LIBRARIES = (
    "black",
    "datamodel-code-generator",
    "Jinja2",
    "jsonschema-rs",
    "merge3",
    "python-jsonpath",
    "PyYAML",
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that a run goes by. `options` are those that the package records, `custom` is the folder of a person's own code."""

    api: Api
    options: Options
    directory: Path
    custom: Path

    def fingerprint(self) -> str:
        """Raises OSError where a file cannot be read."""
        found = sha256()
        for part in self._parts():
            found.update(sha256(part).digest())
        return found.hexdigest()

    def _parts(self) -> Iterator[bytes]:
        yield platform.python_version().encode()
        yield from (version(one).encode() for one in LIBRARIES)
        yield from resources.own_sources()
        # In the order in which they were asked for; by what name, the documents themselves say.
        yield json.dumps([self.api.source_hash, *self.api.others.values()]).encode()
        yield json.dumps(
            {
                one.name: getattr(self.options, one.name)
                for one in dataclasses.fields(self.options)
                if one.compare
            }
        ).encode()
        yield repr(self.api.servers).encode()  # which the address after a redirect has its part in
        for path in self._files():
            yield path.relative_to(self.directory).as_posix().encode()
            yield path.read_bytes().replace(b"\r\n", b"\n")

    def _files(self) -> list[Path]:
        """What a run looks at in the package: its notes, what the last one made, settings, a person's own code."""
        state = self.directory / STATE
        passing = (state / "cache", state / "next")
        notes = (path for path in state.rglob("*") if not any(map(path.is_relative_to, passing)))
        made = (self.directory / path for path in read_made_paths(self.directory))
        found = {*notes, *made, self.directory / FILE, *self.custom.glob("*")}
        return sorted(path for path in found if path.is_file())


def said_before(inputs: Inputs) -> str | None:
    """What the last run said of the package, if this one could only say the same."""
    with suppress(*UNKNOWN):
        kept = json.loads(_file(inputs).read_text(encoding="utf-8"))
        cut_short = pending(inputs.directory)
        if kept["fingerprint"] == inputs.fingerprint() and not cut_short:
            return str(kept["said"])
    return None


def remember(inputs: Inputs, said: str) -> None:
    """For a run that ended without a warning. A disk that does not take it costs the next run its time."""
    with suppress(*UNKNOWN):
        path = _file(inputs)
        path.parent.mkdir(exist_ok=True)
        kept = {"fingerprint": inputs.fingerprint(), "said": said}
        path.write_text(json.dumps(kept) + "\n", encoding="utf-8")


def _file(inputs: Inputs) -> Path:
    return inside(inputs.directory, f"{STATE}/cache/last-run.json")
