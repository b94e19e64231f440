# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


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


class File(TypedDict):
    """A file: its bytes as base64, or its path in the folder that this server may send files from; with…"""
    base64: NotRequired[str]
    path: NotRequired[str]
    filename: NotRequired[str]
    content_type: NotRequired[str]


class ApiResponse(TypedDict):
    code: NotRequired[int]
    type: NotRequired[str]
    message: NotRequired[str]


class Order(TypedDict):
    id: NotRequired[int]
    petId: NotRequired[int]
    quantity: NotRequired[int]
    shipDate: NotRequired[str | None]
    """When the order left the store; null before that"""
    status: NotRequired[Literal['placed', 'approved', 'delivered']]
    """Order Status"""
    complete: NotRequired[bool]


class User(TypedDict):
    id: NotRequired[int]
    username: NotRequired[str]
    firstName: NotRequired[str]
    lastName: NotRequired[str]
    email: NotRequired[str]
    password: NotRequired[str]
    phone: NotRequired[str]
    userStatus: NotRequired[int]
    """User Status"""
