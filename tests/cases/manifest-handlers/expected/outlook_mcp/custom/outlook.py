"""Weather, and what to make of it.

Yours: mcpgen makes this file once. When the manifest gets another tool that needs code, its stub is in
tools/outlook.py; `self.context` tells progress, logs, asks the user, and lets the client's model answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .._runtime.errors import ToolError
from ..tools import outlook as generated

if TYPE_CHECKING:
    from ..models import AnythingFirst, Day, Forecast


class OutlookTools(generated.OutlookTools):
    async def forecast(
        self,
        *,
        city: str,
        days: int = 3,
        unit: Literal["celsius", "fahrenheit"],
        near: list[float] | None = None,
        self_: Day | None = None,
    ) -> Forecast:
        """The weather of the next days."""
        raise ToolError("refused", "forecast is not implemented yet: write it in custom/outlook.py")

    async def anything(
        self, *, first: AnythingFirst, day: Day | None = None, **others: Any
    ) -> str | None:
        """Anything."""
        raise ToolError("refused", "anything is not implemented yet: write it in custom/outlook.py")

    async def odd_names(self, *, plain: int = 1, **others: Any) -> Any:
        """Odd names."""
        raise ToolError(
            "refused", "odd_names is not implemented yet: write it in custom/outlook.py"
        )

    async def prompt_pack(self, *, city: str, style: str | None = None) -> str | list[Any]:
        """What to take along."""
        raise ToolError("refused", "pack is not implemented yet: write it in custom/outlook.py")

    async def complete_pack_city(self, *, value: str, arguments: dict[str, str]) -> list[str]:
        """What may complete the city of pack, of which `value` was typed so far."""
        return []

    async def read_map(self) -> bytes:
        """The resource map."""
        raise ToolError(
            "refused", "weather://map is not implemented yet: write it in custom/outlook.py"
        )
