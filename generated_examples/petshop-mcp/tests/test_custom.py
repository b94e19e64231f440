"""The stock, of an inventory that a test makes up."""

from __future__ import annotations

import asyncio
from unittest.mock import AsyncMock, Mock

from petshop_mcp.custom.store import StoreTools


def test_the_stock_is_counted() -> None:
    api = Mock(send=AsyncMock(return_value={"available": 3, "sold": 1}))
    stock = asyncio.run(StoreTools(api, Mock()).stock())
    assert stock == {
        "total": 4,
        "by_status": {"available": 3, "sold": 1},
        "share_for_sale": 0.75,
    }


def test_an_empty_shop_has_a_stock_too() -> None:
    api = Mock(send=AsyncMock(return_value={}))
    stock = asyncio.run(StoreTools(api, Mock()).stock())
    assert stock == {"total": 0, "by_status": {}, "share_for_sale": 0.0}
