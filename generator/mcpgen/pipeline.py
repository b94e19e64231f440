"""The stages in their order: a document in, the files of a package out. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mcpgen import frontends, overlay, source
from mcpgen.diagnostics import Diagnostics
from mcpgen.files import Files, GeneratedFile, Owner
from mcpgen.identity import Record
from mcpgen.ir import Api
from mcpgen.options import Options
from mcpgen.plan import make_plan
from mcpgen.render import render, starter_files, starter_manifest
from mcpgen.source import Document
from mcpgen.views import PackagePlan


def read(options: Options, diagnostics: Diagnostics) -> Api:
    """The API that a document with its overlays describes. Raises Stop where nothing can be read of it."""
    return read_document(source.load(options.source, diagnostics), options, diagnostics)


def read_document(document: Document, options: Options, diagnostics: Diagnostics) -> Api:
    """The same for a document that has been loaded."""
    loaded = [source.load(one, diagnostics) for one in options.overlays]
    merged = overlay.apply(document, loaded, diagnostics)
    api = frontends.read_api(merged, diagnostics, options.allow_hosts)
    others = {**{one.file: one.sha256 for one in loaded}, **api.others}
    return replace(api, source_hash=document.sha256, others=others)


def plan(options: Options, previous: Record, diagnostics: Diagnostics) -> PackagePlan:
    """Read and plan, for those who only look. Raises Stop as `read` does."""
    return make_plan(read(options, diagnostics), options, previous, diagnostics)


def start(name: str, manifest: str, diagnostics: Diagnostics) -> tuple[PackagePlan, Files, str]:
    """A new tool server: its plan, all its files with the manifest among them, and the manifest's hash."""
    text = starter_manifest(name)
    document = source.parse(text.encode(), manifest, diagnostics)
    options = Options(manifest, name)
    api = read_document(document, options, diagnostics)
    plan, files = generate(api, options, {}, {}, diagnostics)
    own = {manifest: GeneratedFile(text, Owner.PERSON), **starter_files(plan)}
    return plan, {**files, **own}, api.source_hash


def generate(
    api: Api,
    options: Options,
    previous: Record,
    earlier: Files,
    diagnostics: Diagnostics,
    progress: Callable[[str], None] = lambda what: None,
) -> tuple[PackagePlan, Files]:
    """Plan and print the package. `previous` and `earlier` are the record and files of the package that is there, or empty."""
    progress(f"planning {len(api.operations) + len(api.tools):,} tools")
    plan = make_plan(api, options, previous, diagnostics)
    progress(f"writing the code of {len(plan.tools):,} tools")
    return plan, {} if diagnostics.has_errors else render(plan, earlier)
