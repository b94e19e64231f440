"""Written by hand: what this server does differently from its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .._runtime.errors import ToolError
from ..tools import pet as generated

if TYPE_CHECKING:
    from ..models import Pet


class PetTools(generated.PetTools):
    async def find_pets_by_status(
        self, *, status: Literal["available", "pending", "sold"]
    ) -> list[Pet]:
        """The same pets, by name: the API's own order changes from call to call."""
        pets = await super().find_pets_by_status(status=status)
        return sorted(pets, key=lambda pet: pet["name"])

    async def delete_pet(self, *, pet_id: int) -> None:
        """Not while somebody waits for it: an agent asked to tidy up once deleted pets that were reserved."""
        pet = await self.get_pet_by_id(pet_id=pet_id)
        if pet.get("status") == "pending":
            raise ToolError(
                "refused", f"pet {pet_id} is reserved, so it cannot be deleted", argument="pet_id"
            )
        await super().delete_pet(pet_id=pet_id)
