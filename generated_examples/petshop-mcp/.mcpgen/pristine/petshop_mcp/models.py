# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Offer(TypedDict):
    id: int
    name: str
    kind: str | None


class Category(TypedDict):
    id: NotRequired[int]
    name: NotRequired[str]


class Tag(TypedDict):
    id: NotRequired[int]
    name: NotRequired[str]


class Pet(TypedDict):
    id: NotRequired[int]
    name: str
    category: NotRequired[Category]
    photoUrls: list[str]
    tags: NotRequired[list[Tag]]
    status: NotRequired[Literal['available', 'pending', 'sold']]
    """pet status in the store"""


class Sale(TypedDict):
    order: int
    """The number of the order."""
    pet: str
    """The name of the pet."""
    status: str | None
    """The pet's status after the sale."""


class Stock(TypedDict):
    total: int
    by_status: dict[str, int]
    share_for_sale: float
    """From 0 to 1."""


class Order(TypedDict):
    id: NotRequired[int]
    petId: NotRequired[int]
    quantity: NotRequired[int]
    shipDate: NotRequired[str | None]
    """When the order left the store; null before that"""
    status: NotRequired[Literal['placed', 'approved', 'delivered']]
    """Order Status"""
    complete: NotRequired[bool]
