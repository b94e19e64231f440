"""The tools of admin.

Yours: mcpgen makes this file once. When the manifest gets another tool that needs code, its stub is in
tools/admin.py; `self.context` tells progress, logs, asks the user, and lets the client's model answer.
"""

from __future__ import annotations

from typing import Any

from .._runtime.errors import ToolError
from ..tools import admin as generated


class AdminTools(generated.AdminTools):
    async def forget(self, *, older_than: str | None = None, tags: list[str] = ["old"]) -> Any:
        """Forget."""
        await self.context.confirm("Forget all that was asked?", older_than=older_than, tags=tags)
        raise ToolError("refused", "forget is not implemented yet: write it in custom/admin.py")

    async def read_city(self, *, country: str, name: str) -> Any:
        """The resource city."""
        raise ToolError(
            "refused",
            "weather://cities/{country}/{name} is not implemented yet: write it in custom/admin.py",
        )

    async def complete_city_name(self, *, value: str, arguments: dict[str, str]) -> list[str]:
        """What may complete the name of city, of which `value` was typed so far."""
        return []
