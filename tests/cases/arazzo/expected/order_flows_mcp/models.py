# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class OrderInput(TypedDict):
    any: NotRequired[bool]
