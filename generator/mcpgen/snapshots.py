"""Read a version of a server to compare: a document, the folder of a generated package, or either at a revision of git.

Takes what the user named, gives `changes.Snapshot`s. A document that is compared with a package is planned as that
package would be regenerated from it: with its settings, and with the names it has.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mcpgen import pipeline, revisions, settings, source
from mcpgen.changes import Snapshot, snapshot
from mcpgen.diagnostics import Diagnostics, Location, Stop
from mcpgen.journal import STATE, OutsidePackage, inside
from mcpgen.options import Options
from mcpgen.plan import make_plan
from mcpgen.revisions import Revision, RevisionError
from mcpgen.source import Document
from mcpgen.state import made_text
from mcpgen.views import PackagePlan

RECORD = ".mcpgen/record.json"
CATALOG = "catalog.json"
SUFFIXES = (".json", ".yaml", ".yml")
# Whether a document may refer to another file; a reference within itself begins with '#'. Manifests and workflows may too.
REFERS = re.compile(
    rb"""\$ref["']?\s*:\s*["']?[^#"'\s]|^\W*(?:mcpgen|arazzo)["']?\s*:""", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Package:
    """A generated package, read."""

    snapshot: Snapshot
    record: Mapping[str, Any]
    options: Options


def read_last_run(directory: Path) -> Snapshot | None:
    """The package as the last run made it, without what was edited since; None where that is not known."""
    try:
        record = json.loads(_made(directory, RECORD) or "{}")
        catalog = json.loads(_made(directory, f"{record['package']}/{CATALOG}") or "{}")
    except (OSError, ValueError, KeyError, TypeError, OutsidePackage):
        return None
    if not _are_tools(catalog.get("tools")) or not _are_entries(record):
        return None
    return snapshot(_label(catalog.get("server")), catalog["tools"], record)


def read_catalogs(directory: Path, package: str) -> tuple[Any, Any]:
    """The package's catalog as it stands, and as the last run made it; None where it cannot be read."""
    path = f"{package}/{CATALOG}"
    return _catalog(lambda: (directory / path).read_text("utf-8")), _catalog(
        lambda: _made(directory, path)
    )


def _catalog(read: Callable[[], str | None]) -> Any:
    try:
        return json.loads(read() or "null")
    except (OSError, ValueError, RecursionError, OutsidePackage):
        return None


def _made(directory: Path, path: str) -> str | None:
    if path.startswith(f"{STATE}/"):
        return inside(directory, path).read_text(encoding="utf-8")
    return made_text(directory, path)


def _label(server: Any) -> str:
    found = server if isinstance(server, dict) else {}
    return f"{found.get('name', '')} {found.get('version', '')}".strip()


def of_plan(plan: PackagePlan) -> Snapshot:
    """The package that a plan will make."""
    label = f"{plan.option_name} {plan.version}".strip()
    return snapshot(label, [tool.listed for tool in plan.tools], plan.record())


def read_pair(old: str, new: str, diagnostics: Diagnostics) -> tuple[Snapshot, Snapshot]:
    """Both versions. Raises Stop, after reporting, where one cannot be read."""
    packages = [_package(spec, diagnostics) for spec in (old, new)]
    found = []
    for spec, own, other in zip((old, new), packages, reversed(packages), strict=True):
        found.append(own.snapshot if own else _document(spec, other, diagnostics))
    return found[0], found[1]


# --- packages


def _package(spec: str, diagnostics: Diagnostics) -> Package | None:
    """The package that is named; None where it is a document."""
    if revisions.is_revision(spec):
        with _reporting(spec, diagnostics):
            revision = revisions.open_revision(spec)
            if not revisions.is_folder(revision):
                return None
            return _read_package(_AtRevision(revision), diagnostics)
    return _read_package(_InFolder(Path(spec)), diagnostics) if os.path.isdir(spec) else None


class _InFolder:
    """The files of a package in a folder."""

    def __init__(self, folder: Path) -> None:
        self.label = self.home = str(folder)
        self.folder = folder

    def name(self, path: str) -> str:
        return str(self.folder / path)

    def read(self, path: str) -> bytes | None:
        try:
            return (self.folder / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise RevisionError(f"cannot read it: {error.strerror}") from None


class _AtRevision:
    """The files of a package at a revision of git; what its settings name is sought in the working tree."""

    def __init__(self, revision: Revision) -> None:
        self.label = revision.label
        self.home = os.path.join(revision.top, revision.path)
        self.revision = revision

    def name(self, path: str) -> str:
        return f"{self.label.rstrip('/')}/{path}"

    def read(self, path: str) -> bytes | None:
        try:
            return revisions.read_file(self.revision, path)
        except RevisionError:
            return None


_Files = _InFolder | _AtRevision


def _read_package(files: _Files, diagnostics: Diagnostics) -> Package:
    record = _json(files, RECORD, diagnostics)
    name = record.get("package")
    if not isinstance(name, str) or not name.isidentifier():
        raise _refused(files.name(RECORD), "its 'package' is no name", diagnostics)
    catalog = _json(files, f"{name}/{CATALOG}", diagnostics)
    listed = catalog.get("tools")
    if not _are_tools(listed):
        message = "its 'tools' is no list of tools with names"
        raise _refused(files.name(f"{name}/{CATALOG}"), message, diagnostics)
    if not _are_entries(record):
        message = "it is no record: generate the package again"
        raise _refused(files.name(RECORD), message, diagnostics)
    found = snapshot(files.label, listed or (), record)
    return Package(found, record, _options(files, diagnostics))


def _json(files: _Files, path: str, diagnostics: Diagnostics) -> dict[str, Any]:
    name = files.name(path)
    try:
        data = files.read(path)
        if data is None:
            hint = "a generated package has .mcpgen/record.json and its catalog.json"
            message = f"there is no {name}: {files.label} is no generated package"
            diagnostics.error("no-package", message, Location(files.label), hint=hint)
            raise Stop
        found = json.loads(data)
    except RevisionError as error:
        raise _refused(name, str(error), diagnostics) from None
    except (ValueError, RecursionError) as error:
        raise _refused(name, f"this is no valid JSON: {error}", diagnostics) from None
    if not isinstance(found, dict):
        raise _refused(name, "it must hold an object", diagnostics)
    return found


def _refused(file: str, message: str, diagnostics: Diagnostics) -> Stop:
    diagnostics.error("no-package", message, Location(file))
    return Stop()


def _are_tools(listed: Any) -> bool:
    return isinstance(listed, list) and all(
        isinstance(one, dict) and isinstance(one.get("name"), str) for one in listed
    )


def _are_entries(record: Mapping[str, Any]) -> bool:
    """Whether the parts of a record that are looked at have the right shape."""
    tools, credentials = record.get("tools", []), record.get("credentials", {})
    return (
        _are_tools(tools)
        and all(_is_entry(one) for one in tools)
        and isinstance(credentials, dict)
        and all(_is_text_map(one) for one in credentials.values())
        and isinstance(record.get("base_url", ""), str)
    )


def _is_entry(entry: Mapping[str, Any]) -> bool:
    texts = (entry.get("operation_id") or "", entry.get("method") or "", entry.get("path") or "")
    return all(isinstance(one, str) for one in texts) and _is_text_map(entry.get("arguments") or {})


def _is_text_map(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _options(files: _Files, diagnostics: Diagnostics) -> Options:
    """The settings of a package, its overlays as seen from here; nothing where it has none."""
    data = files.read(settings.FILE)
    if data is None:
        return Options("")
    document = source.parse(data, files.name(settings.FILE), diagnostics)
    found = settings.read_document(document, diagnostics)
    return replace(found, overlays=tuple(_from(files.home, one) for one in found.overlays))


def _from(home: str, path: str) -> str:
    return path if "://" in path else os.path.normpath(os.path.join(home, path))


# --- documents


def _document(spec: str, other: Package | None, diagnostics: Diagnostics) -> Snapshot:
    """A document, planned as the other side would be if that is a package."""
    options = replace(other.options if other else Options(""), source=spec)
    previous = other.record if other else {}
    found: Snapshot | None = None
    with _loaded(spec, diagnostics) as document:
        api = pipeline.read_document(document, options, diagnostics)
        plan = make_plan(api, options, previous, diagnostics)
        found = snapshot(spec, [tool.listed for tool in plan.tools], plan.record())
        if other:  # the tools of custom/ stay whatever the document says
            own = {entry["name"] for entry in previous.get("tools", ()) if entry.get("custom")}
            kept = [one for one in other.snapshot.tools if one.name in own]
            found = replace(found, tools=(*found.tools, *kept))
    if diagnostics.has_errors:
        raise Stop
    return found


@contextmanager
def _loaded(spec: str, diagnostics: Diagnostics) -> Iterator[Document]:
    """The document, also from git; with the files it may refer to in a folder that is there for the while."""
    if not revisions.is_revision(spec):
        yield source.load(spec, diagnostics)
        return
    with _reporting(spec, diagnostics):
        revision = revisions.open_revision(spec)
        data = revisions.read_file(revision)
    if not REFERS.search(data):
        yield source.parse(data, spec, diagnostics)
        return
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        root = os.path.realpath(folder)
        try:
            with _reporting(spec, diagnostics):
                _check_out(revision, Path(root))
            path = Path(root, revision.path)
            yield source.load_path(path, str(path), diagnostics)
        finally:
            _rename(diagnostics, root, spec.partition(":")[0])


def _check_out(revision: Revision, folder: Path) -> None:
    """Write the documents of a revision that the one at hand may refer to."""
    files = dict(revisions.read_files(revision, SUFFIXES))
    files.setdefault(revision.path, revisions.read_file(revision))
    for path, data in files.items():
        target = Path(os.path.normpath(folder / path))
        if target.is_relative_to(folder):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def _rename(diagnostics: Diagnostics, folder: str, revision: str) -> None:
    """Let what was said of files in the folder name them in the revision."""
    for one in diagnostics:
        if one.location and one.location.file.startswith(folder + os.sep):
            relative = os.path.relpath(one.location.file, folder).replace(os.sep, "/")
            str(one.location)  # finds the line, while its text is there
            one.location.file = f"{revision}:{relative}"


@contextmanager
def _reporting(spec: str, diagnostics: Diagnostics) -> Iterator[None]:
    try:
        yield
    except RevisionError as error:
        diagnostics.error("no-revision", f"cannot read {spec}: {error}")
        raise Stop from None
