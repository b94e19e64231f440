"""Swagger 2.0 documents to `ir.Api`."""

from __future__ import annotations

from mcpgen.diagnostics import Diagnostics
from mcpgen.ir import Api
from mcpgen.source import Document


def read(document: Document, diagnostics: Diagnostics) -> Api:
    return Api("", "", document.root.location)
