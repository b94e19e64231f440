"""What the shop has in stock, counted from the inventory that the API gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._runtime.request import Request
from ..tools import store as generated

if TYPE_CHECKING:
    from ..models import Stock


class StoreTools(generated.StoreTools):
    async def stock(self) -> Stock:
        """How many pets there are in each status, and how many of them are for sale."""
        request = Request("GET", "/store/inventory", security=(("api_key",),))
        counts: dict[str, int] = await self.api.send(request)
        total = sum(counts.values())
        share = counts.get("available", 0) / total if total else 0.0
        return {"total": total, "by_status": counts, "share_for_sale": round(share, 3)}
