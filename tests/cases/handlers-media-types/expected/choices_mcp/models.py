# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Order(TypedDict):
    id: int
    lines: NotRequired[list[str]]
    part: NotRequired[Order]


class File(TypedDict):
    """A file: its bytes as base64, or its path in the folder that this server may send files from; with…"""
    base64: NotRequired[str]
    path: NotRequired[str]
    filename: NotRequired[str]
    content_type: NotRequired[str]


class ChooseBodyMultipartFormData(TypedDict):
    file: NotRequired[File]
