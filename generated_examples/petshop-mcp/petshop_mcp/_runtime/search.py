"""Find tools by words: Okapi BM25 over names, descriptions, arguments and namespaces.

Small and exact enough for some thousand tools; built at the first search.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .messages import Json

# The usual parameters: how soon a repeated word stops counting, and how much a long text counts less.
K1, B = 1.2, 0.75
NAME_WEIGHT = 4  # a word of the name says more than one of the description
COMMON = frozenset(
    "a an and are as at be by for from in is it of on or that the this to with".split()
)


class Index:
    def __init__(self, tools: Iterable[Json], namespaces: Mapping[str, list[str]]) -> None:
        """`namespaces`: name → names of its tools."""
        self._namespace_of = {tool: name for name, found in namespaces.items() for tool in found}
        self._counts = {tool["name"]: self._count(tool) for tool in tools}
        self._lengths = {name: sum(counts.values()) for name, counts in self._counts.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(self._lengths))
        self._spread = Counter(word for counts in self._counts.values() for word in counts)

    def find(self, query: str, namespace: str | None = None) -> list[str]:
        """The names of the tools that fit, best first; of equal ones as the catalog has them."""
        wanted = words(query)
        scores = {
            name: self._score(name, wanted)
            for name in self._counts
            if namespace is None or self._namespace_of.get(name) == namespace
        }
        return sorted(
            (name for name, score in scores.items() if score > 0), key=lambda one: -scores[one]
        )

    def _score(self, name: str, wanted: list[str]) -> float:
        counts, total = self._counts[name], len(self._counts)
        norm = K1 * (1 - B + B * self._lengths[name] / self._mean)
        score = 0.0
        for word in wanted:
            if count := counts.get(word, 0):
                spread = self._spread[word]
                rarity = math.log(1 + (total - spread + 0.5) / (spread + 0.5))
                score += rarity * count * (K1 + 1) / (count + norm)
        return score

    def _count(self, tool: Json) -> Counter[str]:
        counts = Counter(words(tool["description"]))
        for name in tool["inputSchema"].get("properties", {}):
            counts.update(words(name))
        for word in words(f"{tool['name']} {self._namespace_of.get(tool['name'], '')}"):
            counts[word] += NAME_WEIGHT
        return counts


def words(text: str) -> list[str]:
    """The words that tell something, without the endings that they come with: `list_pets` → list, pet."""
    found = re.findall(r"[a-z]+|\d+", re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower())
    return [_stem(word) for word in found if word not in COMMON]


def _stem(word: str) -> str:
    for ending, rest in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ses", "se"),
        ("s", ""),
        ("ing", ""),
        ("ed", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + rest
    return word
