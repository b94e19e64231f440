"""Types in a line: `integer = 3 -- How many days.`, `celsius | fahrenheit`, `Forecast[]`.

Takes text, gives a JSON Schema with the default, and the description. The whole grammar is in docs/manifest.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

Json = Any
Schema = dict[str, Any]

TYPES: dict[str, Schema] = {
    "any": {},
    **{one: {"type": one} for one in ("string", "integer", "number", "boolean", "object", "null")},
    **{
        one: {"type": "string", "format": one}
        for one in ("date", "date-time", "time", "duration", "email", "uri", "uuid", "path")
    },
}
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.-])"""
    r"""|(?P<list>\[\s*\])|(?P<word>\w[\w.-]*)|(?P<mark>[|()]))"""
)
TAIL = re.compile(r"""(?P<type>(?:"(?:[^"\\]|\\.)*"|[^"=])*?)(?:=(?P<default>.*))?""", re.DOTALL)
DESCRIPTION = re.compile(r"""((?:"(?:[^"\\]|\\.)*"|.)*?)(?:^|\s)--\s+(.*)""", re.DOTALL)


class BadShorthand(ValueError):
    """What is wrong with the text; `code` is that of the diagnostic."""

    def __init__(self, message: str, hint: str | None = None, code: str = "bad-type") -> None:
        super().__init__(message)
        self.hint = hint
        self.code = code


@dataclass(frozen=True, slots=True)
class Shorthand:
    schema: Schema
    description: str = ""

    @property
    def has_default(self) -> bool:
        return "default" in self.schema


def parse(text: str, schemas: Collection[str]) -> Shorthand:
    """Read a line; `schemas` are the names that stand for schemas. Raises BadShorthand."""
    found = DESCRIPTION.fullmatch(text)
    line, description = (found[1], found[2].strip()) if found else (text, "")
    tail = TAIL.fullmatch(line)
    if tail is None:
        raise BadShorthand(f"{text!r} has a quote that does not end")
    schema = _Parser(tail["type"], schemas).parse()
    if tail["default"] is not None:
        schema = {**schema, "default": _default(tail["default"].strip())}
    return Shorthand(schema, description)


def _default(text: str) -> Json:
    """JSON, or a word that is a text without its quotes."""
    if not text:
        raise BadShorthand("there is nothing behind '='")
    try:
        return json.loads(text)
    except ValueError:
        if text[0] in '"[{':
            raise BadShorthand(f"the default {text!r} is no JSON") from None
        return text


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that is neither a type nor a schema; a text, should all of its union be values."""

    text: str


class _Parser:
    def __init__(self, text: str, schemas: Collection[str]) -> None:
        self.text = text
        self.schemas = schemas
        self.tokens = list(self._tokens())

    def _tokens(self) -> list[tuple[str, str]]:
        tokens, at = [], 0
        text = self.text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if found is None:
                raise BadShorthand(f"{text[at:].strip()!r} makes no sense in a type")
            kind = found.lastgroup or ""
            tokens.append((kind, found[kind]))
            at = found.end()
        return tokens

    def parse(self) -> Schema:
        if not self.tokens:
            raise BadShorthand("a type is missing", hint="such as string, integer or Name[]")
        schema = self._union()
        if self.tokens:
            raise BadShorthand(f"{self.tokens[0][1]!r} is not expected there")
        return schema

    def _union(self) -> Schema:
        members = [self._item()]
        while self.tokens and self.tokens[0] == ("mark", "|"):
            self.tokens.pop(0)
            members.append(self._item())
        words = [one for one in members if isinstance(one, _Word)]
        nulls = [one for one in members if one == {"type": "null"}]
        values = [one for one in members if isinstance(one, dict) and "enum" in one]
        if len(words) + len(values) + len(nulls) == len(members) and len(members) > 1:
            return _enum([self._value(one) for one in members])
        if words:
            raise self._unknown(words[0].text, len(members) > 1)
        schemas = [one for one in members if isinstance(one, dict)]
        if len(schemas) == 1:
            return schemas[0]
        if all(one.keys() == {"type"} for one in schemas):
            return {"type": list(dict.fromkeys(one["type"] for one in schemas))}
        return {"anyOf": schemas}

    def _value(self, member: Schema | _Word) -> Json:
        if isinstance(member, _Word):
            return member.text
        return member["enum"][0] if "enum" in member else None

    def _item(self) -> Schema | _Word:
        if not self.tokens:
            raise BadShorthand("a type is missing behind '|'")
        kind, text = self.tokens.pop(0)
        item: Schema | _Word
        if (kind, text) == ("mark", "("):
            item = self._union()
            if not self.tokens or self.tokens.pop(0) != ("mark", ")"):
                raise BadShorthand("a ')' is missing")
        elif kind in ("text", "number"):
            item = _literal(text)
        elif kind == "word":
            item = self._named(text)
        else:
            raise BadShorthand(f"{text!r} is not expected there")
        while self.tokens and self.tokens[0][0] == "list":
            if isinstance(item, _Word):
                raise self._unknown(item.text, False)
            self.tokens.pop(0)
            item = {"type": "array", "items": item}
        return item

    def _named(self, word: str) -> Schema | _Word:
        if word in self.schemas:
            return {"$ref": f"#/$defs/{word}"}
        if word in TYPES:
            return dict(TYPES[word])
        if word in ("true", "false"):
            return {"enum": [word == "true"]}
        return _Word(word)

    def _unknown(self, word: str, in_union: bool) -> BadShorthand:
        near = get_close_matches(word, [*TYPES, *self.schemas], 1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(TYPES)}"
        if in_union:
            hint += f' A value among types is quoted: "{word}"'
        return BadShorthand(f"there is no type or schema '{word}'", hint, "unknown-type")


def _literal(text: str) -> Schema:
    try:
        return {"enum": [json.loads(text)]}
    except ValueError:
        raise BadShorthand(f"{text} is no JSON") from None


def _enum(values: list[Json]) -> Schema:
    if all(isinstance(one, str) for one in values):
        return {"type": "string", "enum": values}
    return {"enum": values}
