"""Classes in custom/: what is told of those that the tools have left behind, and that nothing of them is run."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.diagnostics import Diagnostics
from mcpgen.overrides import ByHand, added_by_hand, check
from test_plan import operation, parameter, plan

PETS = plan(
    operation("GET", "/pets", "listPets", tags=("pet",), parameters=(parameter("limit"),)),
    operation("GET", "/pet", "getPet", tags=("pet",), parameters=(parameter("id", required=True),)),
)
HEAD = "from ..tools import pet as generated\n\n\nclass PetTools(generated.PetTools):\n"


def told(text: str, path: str = "pets_mcp/custom/pet.py", by_hand: ByHand = ByHand()) -> list[str]:
    diagnostics = Diagnostics()
    check(PETS, {path: text}, by_hand, lambda path: f"DIR/{path}", diagnostics)
    return [str(one).removeprefix(f"DIR/{path}:") for one in diagnostics]


@pytest.mark.parametrize(
    "method",
    [
        "async def list_pets(self, *, limit=None): ...",
        "async def list_pets(self, limit=None): ...",
        "async def list_pets(self, **arguments): return await super().list_pets(**arguments)",
        "async def list_pets(self, *, limit=5, more=None): ...",
        "async def get_pet(self, *, id): return await super().get_pet(id=id)",
        "async def get_pet(self, id): ...",
        "@cached\n    async def get_pet(self): ...",
        "async def _mine(self): ...",
        "def mine(self): ...",
        "limit = 5",
    ],
)
def test_nothing_is_told_of_what_fits(method: str) -> None:
    assert told(f"{HEAD}    {method}\n") == []


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("async def list_pets(self): ...", "it does not take 'limit'"),
        ("async def list_pets(self, limit, /): ...", "it does not take 'limit'; it needs 'limit', which may be left out"),
        ("async def list_pets(self, *, limit): ...", "it needs 'limit', which may be left out"),
        ("async def get_pet(self, id, key): ...", "it needs 'key', which the tool does not have"),
        (
            "async def get_pet(self, *, id, tag=None): return await super().get_pet(id=id, tag=tag)",
            "it gives 'tag' to super(), which does not take it",
        ),
    ],
)  # fmt: skip
def test_a_method_that_cannot_be_called_as_its_tool_is_told(method: str, why: str) -> None:
    name = method.split("(")[0].removeprefix("async def ")
    assert told(f"{HEAD}    {method}\n") == [
        f"5:5: warning[override-signature]: PetTools.{name} does not fit its tool: {why}"
    ]


def test_a_method_without_a_tool_is_told() -> None:
    assert told(f"{HEAD}    async def drop_pet(self): ...\n") == [
        "5:5: warning[override-without-tool]: PetTools.drop_pet overrides no tool: "
        "there is none of that name in 'pet'\n"
        "    hint: delete it; a method of your own begins with '_'"
    ]
    assert told(f"{HEAD}    async def lists_pets(self): ...\n")[0].endswith("mean list_pets?")


@pytest.mark.parametrize(
    "text",
    [
        "from ..tools import store as generated\n\nclass StoreTools(generated.StoreTools): ...\n",
        "from ..tools.store import StoreTools as Base\n\nclass StoreTools(Base): ...\n",
        "from pets_mcp.tools import store\n\nclass StoreTools(store.StoreTools): ...\n",
    ],
)
def test_a_class_whose_namespace_is_gone_is_told(text: str) -> None:
    assert told(text, "pets_mcp/custom/store.py") == [
        "3:1: warning[override-without-tool]: StoreTools overrides tools of 'store', "
        "and there are none any more\n    hint: move or delete it"
    ]


def test_nothing_is_run_and_what_is_not_python_is_told_elsewhere() -> None:
    assert told("raise SystemExit\n") == []
    assert told("class PetTools(:\n") == []


def test_other_modules_and_classes_are_a_persons_own() -> None:
    assert told("class Cache:\n    async def get(self): ...\n", "pets_mcp/custom/cache.py") == []
    assert told("class Cache:\n    async def get(self): ...\n") == []


def test_tools_and_arguments_that_were_added_to_the_catalog_by_hand_are_known() -> None:
    made = catalog({"get_pet": ["id"]})
    by_hand = added_by_hand(catalog({"get_pet": ["id", "key"], "drop_pet": []}), made)
    method = "async def get_pet(self, *, id, key): ..."
    assert told(f"{HEAD}    {method}\n", by_hand=by_hand) == []
    assert told(f"{HEAD}    async def drop_pet(self): ...\n", by_hand=by_hand) == []
    assert added_by_hand(made, made).methods == frozenset()
    assert added_by_hand({"tools": 1}, None) == ByHand()


def catalog(tools: dict[str, list[str]]) -> Any:
    return {
        "namespaces": {"pet": {"module": "pet", "tools": {name: name for name in tools}}},
        "tools": [
            {"name": name, "inputSchema": {"properties": dict.fromkeys(properties, {})}}
            for name, properties in tools.items()
        ],
    }
