"""Text of a manifest in which `{…}` stands for an argument, or in a step for a JMESPath expression.

A text that is nothing but `{name}` is the argument's value with its type; `{{` and `}}` are the braces themselves.
Nothing of this is a format string: a name is an argument's, or it is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import jmespath

from mcpgen.diagnostics import Diagnostics
from mcpgen.frontends.manifest_fields import nearest
from mcpgen.ir import Built, Fixed, Given, Joined, Picked, Value
from mcpgen.source import Node

Json = Any

PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Texts:
    """Reads texts of one tool. `arguments` are its arguments; `steps` the steps before, None where there are none.

    An argument that is unknown is a mistake, unless `new` takes it.
    """

    arguments: Collection[str]
    diagnostics: Diagnostics
    steps: Collection[str] | None = None
    new: Callable[[str], bool] = field(default=lambda name: False)

    def value(self, node: Node) -> Value:
        """A JSON value with texts anywhere in it."""
        if isinstance(node.value, str):
            return self.text(node)
        if isinstance(node.value, list):
            elements = tuple(self.value(one) for one in node.elements())
            fixed = [one.value for one in elements if isinstance(one, Fixed)]
            return Fixed(fixed) if len(fixed) == len(elements) else Built(elements)
        if isinstance(node.value, dict):
            members = {key: self.value(one) for key, one in node.items()}
            plain = {key: one.value for key, one in members.items() if isinstance(one, Fixed)}
            return Fixed(plain) if len(plain) == len(members) else Built(members)
        return Fixed(node.value)

    def text(self, node: Node) -> Value:
        text: str = node.value
        inner = text[1:-1]
        if len(text) > 2 and (text[0], text[-1], text[1] == "{") == ("{", "}", False):
            if NAME.fullmatch(inner) or "}" not in inner:
                return self._placeholder(inner, node)
            if self.steps is not None:
                return self._expression(inner, node)
        return self._joined(text, node)

    def _joined(self, text: str, node: Node) -> Value:
        parts: list[Fixed | Given] = []
        plain, at = "", 0
        for found in PIECE.finditer(text):
            plain += text[at : found.start()]
            at = found.end()
            if found[0] in ("{{", "}}"):
                plain += found[0][0]
            elif found[1] is None:
                message = f"'{found[0]}' stands alone in {text!r}"
                hint = "write '{{' or '}}' for a brace, '{name}' for an argument"
                self.diagnostics.error("bad-text", message, node.location, hint=hint)
                return Fixed("")
            else:
                given = self._placeholder(found[1], node)
                if not isinstance(given, Given):
                    if isinstance(given, Picked):
                        message = "an expression must be the whole text"
                        self.diagnostics.error("bad-text", message, node.location)
                    return Fixed("")
                parts += [Fixed(plain), given] if plain else [given]
                plain = ""
        plain += text[at:]
        if not parts:
            return Fixed(plain)
        return Joined((*parts, Fixed(plain)) if plain else tuple(parts))

    def _placeholder(self, inner: str, node: Node) -> Value:
        name = inner.strip()
        if NAME.fullmatch(name) and (name in self.arguments or self.new(name)):
            return Given(name)
        if self.steps is not None and not (NAME.fullmatch(name) and name not in self.steps):
            return self._expression(inner, node)
        known = [*self.arguments, *(self.steps or ())]
        hint = nearest(name, known, "arguments:")
        message = f"there is no argument '{name}'"
        self.diagnostics.error("unknown-argument", message, node.location, hint=hint)
        return Fixed("")

    def _expression(self, text: str, node: Node) -> Value:
        if not is_expression(text, node, self.diagnostics):
            return Fixed("")
        for name in roots(text):
            if name not in (known := [*self.arguments, *(self.steps or ())]):
                hint = nearest(name, known, "there are")
                message = f"there is no argument or earlier step '{name}'"
                self.diagnostics.error("unknown-argument", message, node.location, hint=hint)
                return Fixed("")
        return Picked(text.strip())


def is_expression(text: str, node: Node, diagnostics: Diagnostics) -> bool:
    """Whether a text is JMESPath; tells the mistake where it is not."""
    try:
        jmespath.compile(text)
    except jmespath.exceptions.JMESPathError as error:
        message = f"{text.strip()!r} is no JMESPath expression: {str(error).splitlines()[0]}"
        diagnostics.error("bad-expression", message, node.location)
        return False
    return True


FIRST = (
    *("subexpression", "index_expression", "projection", "value_projection", "flatten"),
    *("filter_projection", "pipe", "slice"),
)
EACH = (
    *("multi_select_list", "multi_select_dict", "key_val_pair", "function_expression"),
    *("comparator", "or_expression", "and_expression", "not_expression"),
)


def roots(text: str) -> list[str]:
    """The names that an expression looks up in what it is given."""
    return list(_roots(jmespath.compile(text).parsed))


def _roots(parsed: Json) -> Iterator[str]:
    if parsed["type"] == "field":
        yield parsed["value"]
    children = parsed.get("children") or []
    for child in children[: 1 if parsed["type"] in FIRST else None]:
        if parsed["type"] in FIRST or parsed["type"] in EACH:
            yield from _roots(child)
