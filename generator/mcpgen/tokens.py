"""How many tokens a text takes in a model's context: counted by tiktoken where it and a vocabulary are at hand, else estimated.

Nothing is fetched: a vocabulary is used if an earlier use of tiktoken has left it in its cache.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

BYTES_PER_TOKEN = 4  # a rule of thumb for JSON in English
ENCODINGS = ("o200k_base", "cl100k_base")  # the newer first
SOURCE = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"  # a key of the cache


class Counter:
    """`how` is what it counts by, in words."""

    def __init__(self, how: str, count: Callable[[str], int]) -> None:
        self.how = how
        self.count = count


def counter() -> Counter:
    for name in ENCODINGS:
        if _is_cached(name):
            try:
                import tiktoken

                encoding = tiktoken.get_encoding(name)
            except (ImportError, ValueError):
                break
            return Counter(
                f"by {name} of tiktoken", lambda text: len(encoding.encode_ordinary(text))
            )
    return Counter(f"{BYTES_PER_TOKEN} bytes each", _estimate)


def _estimate(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def _is_cached(name: str) -> bool:
    """As tiktoken looks for it."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    cache = Path(folder or os.path.join(tempfile.gettempdir(), "data-gym-cache"))
    return (cache / hashlib.sha1(SOURCE.format(name).encode()).hexdigest()).is_file()
