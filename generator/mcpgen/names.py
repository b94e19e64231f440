"""Names: from what a document says to what MCP, Python, files and the environment allow.

Pure text functions and one `Namespace` that keeps names apart. Which names a package uses is decided
in one pass in `plan.py`; nothing after that invents one.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Iterable

MAX_NAME = 64  # what every reported client takes for a tool (MCP allows 128) and for a property key

# A second step for letters that have no decomposition into ASCII.
LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "đ": "d", "ł": "l", "Ł": "L", "œ": "oe"}
)
# `HTTPServer` is two words, `IDs` one; digits belong to the letters right before them: `oauth2`, `s3`.
WORDS = re.compile(r"(?:[A-Z]+s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+)[0-9]*|[0-9]+")
FINE = re.compile(r"[a-z][a-z0-9_]{0,63}")

# Words of a title that say nothing about which API it is.
NOISE = {
    "api",
    "apis",
    "rest",
    "restful",
    "openapi",
    "swagger",
    "specification",
    "spec",
    "documentation",
    "the",
    "a",
    "an",
}
VERSION = re.compile(r"v\d+(\.\d+)*|\d+(\.\d+)+", re.IGNORECASE)

# Device names that Windows reserves in every folder, whatever the extension.
WINDOWS_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"com{n}" for n in range(10)),
    *(f"lpt{n}" for n in range(10)),
}


def ascii_text(text: str) -> str:
    """What of the text can be said in ASCII: accents go, other scripts vanish."""
    return unicodedata.normalize("NFKD", text.translate(LETTERS)).encode("ascii", "ignore").decode()


def words(text: str) -> list[str]:
    """The words of any identifier or phrase, lower-case ASCII: `getHTTPServer-2` → get, http, server, 2."""
    return [word.lower() for word in WORDS.findall(ascii_text(text))]


def snake(text: str) -> str:
    """`getPetById` → `get_pet_by_id`; empty if nothing of the text is left in ASCII."""
    return "_".join(words(text))


def camel(text: str) -> str:
    """`find pets by status` → `FindPetsByStatus`."""
    return "".join(word[:1].upper() + word[1:] for word in words(text))


def digest(text: str, length: int = 6) -> str:
    """A short mark that depends on the text alone, so that it never changes when other names come or go."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def shorten(name: str, identity: str, limit: int = MAX_NAME) -> str:
    """Cut a name at a word, with a mark of the identity so that two long names stay apart."""
    if len(name) <= limit:
        return name
    head = name[: limit - 7]
    return f"{head.rsplit('_', 1)[0] if '_' in head[20:] else head}_{digest(identity)}"


def identifier(name: str, prefix: str) -> str:
    """A Python identifier: keywords get an underscore, what begins with a digit a prefix."""
    if not name:
        return prefix
    if name[0].isdigit():
        name = f"{prefix}_{name}"
    return (
        f"{name}_" if keyword.iskeyword(name) or name in ("self", "None", "True", "False") else name
    )


def path_words(method: str, path: str) -> str:
    """A name for an operation without id: `GET /pets/{petId}` → `get_pets_by_pet_id`."""
    named = re.sub(r"\{([^{}]*)\}", r" by \1 ", path)
    return snake(f"{method.lower()} {named}")


def package_words(title: str) -> str:
    """What a title says beyond "API": `GitHub v3 REST API` → `github`. Empty if nothing is left."""
    chunks = [one for one in re.split(r"[^A-Za-z0-9.]+", ascii_text(title)) if one.strip(".")]
    kept = [one for one in chunks if one.lower() not in NOISE and not VERSION.fullmatch(one)]
    # A title's own spelling is no word boundary: GitHub is one word.
    name = "_".join(
        re.sub(r"[^a-z0-9]+", "_", one.lower()).strip("_") for one in (kept or chunks)[:5]
    )
    return shorten(name, title, 40).strip("_")


def module_name(text: str, fallback: str) -> str:
    """A module's name that is a file's on every platform."""
    name = identifier(shorten(snake(text) or fallback, text, 50), "n")
    return f"{name}_" if name in WINDOWS_DEVICES else name


def argument_name(wire: str, place: str) -> str:
    """The wire name where it is a fine identifier, else its snake_case."""
    if FINE.fullmatch(wire):
        return identifier(wire, place)
    return identifier(shorten(snake(wire), wire), place) or place


class Namespace:
    """Names that must differ. Case is folded, since some file systems and some clients do."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in reserved}

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._taken

    def take(self, *candidates: str) -> str:
        """The first free candidate; else the last one with the lowest free number from 2."""
        for candidate in candidates:
            if candidate and candidate not in self:
                self._taken.add(candidate.lower())
                return candidate
        base, number = candidates[-1], 2
        while f"{base}_{number}" in self:
            number += 1
        return self.take(
            f"{base[: MAX_NAME - 5]}_{number}" if len(base) > MAX_NAME - 5 else f"{base}_{number}"
        )
