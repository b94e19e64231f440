"""Written by hand, for custom/pet.py."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from petstore_mcp._runtime.errors import ToolError
from petstore_mcp.custom.pet import PetTools
from test_server import Client


def test_pets_come_by_name() -> None:
    client = Client()
    call = {"name": "find_pets_by_status", "arguments": {"status": "available"}}
    result = client.request("tools/call", call)
    client.close()
    assert [pet["name"] for pet in json.loads(result["content"][0]["text"])] == ["Minka", "Rex"]


class Upstream:
    """Answers every request with the same pet."""

    def __init__(self, pet: dict[str, Any]) -> None:
        self.pet = pet

    async def send(self, request: Any) -> dict[str, Any]:
        return self.pet


def test_a_reserved_pet_is_not_deleted() -> None:
    tools: Any = PetTools(Upstream({"name": "Rex", "status": "pending"}), None)  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="pet 10 is reserved, so it cannot be deleted"):
        asyncio.run(tools.delete_pet(pet_id=10))
