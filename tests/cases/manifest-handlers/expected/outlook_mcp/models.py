# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Day(TypedDict):
    """One day."""
    date: str
    high: float
    """In the unit that was asked for."""
    clouds: NotRequired[Literal['clear', 'scattered', 'overcast']]


class Forecast(TypedDict):
    city: str
    days: list[Day]


class AnythingFirst(TypedDict):
    a: NotRequired[str]
