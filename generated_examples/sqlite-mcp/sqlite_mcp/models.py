# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Table(TypedDict):
    name: str
    kind: Literal['table', 'view']
    rows: NotRequired[int]
    """How many rows; not counted for a view."""


class Column(TypedDict):
    name: str
    type: str
    """As declared; SQLite does not enforce it."""
    nullable: bool
    primary_key: bool
    default: str | None


class ForeignKey(TypedDict):
    columns: list[str]
    table: str
    """The table that is referred to."""
    references: list[str]


class Description(TypedDict):
    name: str
    sql: str
    """The statement that made it."""
    columns: list[Column]
    foreign_keys: list[ForeignKey]
    indexes: list[str]


class Rows(TypedDict):
    columns: list[str]
    rows: list[list[Any]]
    """One list a row, in the order of the columns; a blob is an object with its length in bytes."""
    is_complete: bool
    """Whether there are no more rows."""
