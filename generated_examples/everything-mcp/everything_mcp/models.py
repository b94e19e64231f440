# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class JsonSchema202012ToolAddress(TypedDict):
    street: NotRequired[str]
    city: NotRequired[str]
