# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class OrderItemsItem(TypedDict):
    name: NotRequired[str]
    price: NotRequired[float]


class Order(TypedDict):
    id: NotRequired[str]
    items: NotRequired[list[OrderItemsItem]]
