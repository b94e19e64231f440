# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


NoneModel = TypedDict('NoneModel', {
    'import': NotRequired[str],
    'with"quote': NotRequired[int],
    'new\nline': NotRequired[Literal['\x00']],
    '': NotRequired[None],})
