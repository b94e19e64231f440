# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class GetItemFilter(TypedDict):
    price: NotRequired[float]


class Item(TypedDict):
    id: NotRequired[int]
    name: str
    parts: NotRequired[list[Item]]
