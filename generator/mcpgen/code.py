"""The one gate through which text reaches a generated file.

A template may print `Code` and nothing else. Text of a document becomes `Code` only here: as a literal, an
escaped docstring, a checked identifier or type, an escaped Markdown, TOML or YAML value.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping

from mcpgen.handlers import Choice, Statement
from mcpgen.ir import Built, Fixed, Given, Joined, Json, Picked, Value
from mcpgen.views import MethodView, OfferPlan, ParameterView


class Code(str):
    """Text that is safe to print where it stands."""


class NotCode(TypeError):
    """A template tried to print text that went through no gate: a fault of ours."""


def only_code(value: object) -> object:
    """Jinja's `finalize`: refuse everything that did not pass the gate."""
    if isinstance(value, Code) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise NotCode(f"{value!r} is printed without passing the gate")


def literal(value: Json) -> Code:
    """A Python literal."""
    return Code(repr(value))


def docstring(text: str) -> Code:
    """The inside of a triple-quoted docstring: no quote run, no escape, no line of its own making."""
    escaped = text.replace("\\", "\\\\")
    if '"""' in escaped or escaped.endswith('"'):
        escaped = escaped.replace('"', '\\"')
    return Code(
        "".join(
            char if char == "\n" or char.isprintable() else char.encode("unicode_escape").decode()
            for char in escaped
        )
    )


def identifier(text: str) -> Code:
    """A name that `plan` chose; raises NotCode if it is none."""
    if not text.isidentifier():
        raise NotCode(f"{text!r} is no identifier")
    return Code(text)


TYPE_NODES = (
    ast.Expression, ast.Name, ast.Load, ast.Subscript, ast.BinOp, ast.BitOr, ast.Constant, ast.Tuple, ast.List,
    ast.UnaryOp, ast.USub,
)  # fmt: skip


def annotation(text: str) -> Code:
    """A type expression: names, subscripts, unions and constants only; raises NotCode for anything else."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        if not isinstance(node, TYPE_NODES):
            raise NotCode(f"{text!r} is no type")
    return Code(text)


def options(pairs: Iterable[tuple[str, Json]]) -> Code:
    """Arguments of a call: `"api_key", place="header"`; a pair without a name is positional."""
    return Code(
        ", ".join(
            f"{identifier(name)}={literal(value)}" if name else literal(value)
            for name, value in pairs
        )
    )


DEEP, DEEPER = " " * 8, " " * 12


def call(statement: Statement | Choice, variable: str) -> Code:
    """`request.query("tags", tags, style="pipeDelimited")`, or an `if` that chooses among such calls.

    The lines of a choice stand in a method's body, two levels deep.
    """
    if isinstance(statement, Choice):
        argument = identifier(statement.argument)
        lines = [
            f"{'elif' if index else 'if'} {argument} == {literal(value)}:\n{DEEPER}{call(one, variable)}"
            for index, (value, one) in enumerate(statement.cases)
        ]
        lines.append(f"else:\n{DEEPER}{call(statement.otherwise, variable)}")
        return Code(f"\n{DEEP}".join(lines))
    words = [] if statement.wire is None else [literal(statement.wire)]
    if statement.fixed is not None:
        words.append(literal(statement.fixed))
    elif statement.argument:
        words.append(expression(statement.argument))
    if statement.options:
        words.append(options(statement.options))
    return Code(f"{identifier(variable)}.{identifier(statement.method)}({', '.join(words)})")


def expression(value: Value | str) -> Code:
    """An argument by its name, or a value of a manifest: an argument, a literal, or a call of a function of the runtime's `values`."""
    match value:
        case str():
            return identifier(value)
        case Given():
            return identifier(value.name)
        case Fixed():
            return literal(value.value)
        case Picked():
            return Code(f"pick({literal(value.expression)}, {identifier(value.among)})")
        case Joined():
            return Code(f"join({', '.join(map(expression, value.parts))})")
        case Built() if isinstance(value.members, Mapping):
            pairs = (f"{literal(key)}: {expression(one)}" for key, one in value.members.items())
            return Code(f"present({{{', '.join(pairs)}}})")
        case Built():
            return Code(f"[{', '.join(map(expression, value.members))}]")


def signature(method: MethodView) -> Code:
    """`forecast(self, *, city: str, days: int = 3) -> Forecast`."""
    words = ["self", *(["*"] if method.parameters else []), *map(_parameter, method.parameters)]
    if method.others:
        words.append(f"**{identifier(method.others)}: Any")
    return Code(
        f"{identifier(method.method_name)}({', '.join(words)}) -> {annotation(method.returns)}"
    )


def _parameter(parameter: ParameterView) -> str:
    written = f"{identifier(parameter.name)}: {annotation(parameter.annotation)}"
    if parameter.default is None:
        return written
    if isinstance(parameter.default, Fixed):
        return f"{written} = {literal(parameter.default.value)}"
    return f"{written} = {identifier(parameter.default)}"


def told(offer: OfferPlan) -> Code:
    """The text of a prompt or resource: literals and arguments, added up; one that is not given is empty."""
    pieces = [
        literal(one.value) if isinstance(one, Fixed)
        else Code(f'({identifier(one.name)} or "")') if one.name in offer.optional
        else identifier(one.name)
        for one in offer.text
    ]  # fmt: skip
    return Code(" + ".join(pieces))


def keywords(names: Iterable[str]) -> Code:
    """`, city=city, days=days`."""
    return Code("".join(f", {identifier(name)}={identifier(name)}" for name in names))


def mapping(names: Iterable[str]) -> Code:
    """`{"city": city, "days": days}`."""
    return Code("{" + ", ".join(f"{literal(name)}: {identifier(name)}" for name in names) + "}")


UNPRINTABLE = re.compile(
    r"[\x7f-\xa0\u00ad\u0600-\u0605\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\ufffc\ufffe\uffff]"
)


def quoted(text: str) -> Code:
    """A double-quoted string that TOML, YAML and JSON all read as the same text."""
    plain = text.encode("utf-8", "replace").decode()  # a lone surrogate has no spelling in TOML
    return Code(
        UNPRINTABLE.sub(
            lambda found: f"\\u{ord(found[0]):04x}", json.dumps(plain, ensure_ascii=False)
        )
    )


MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown(text: str) -> Code:
    """Text on one line of Markdown, as it reads: no markup, no HTML, no link, no table cell of its own."""
    return Code(MARKDOWN.sub(r"\\\1", " ".join(text.split())))


def plain(text: str) -> Code:
    """Our own words, and names of a closed alphabet; raises NotCode for anything a format might read as syntax."""
    if not re.fullmatch(r"[A-Za-z0-9_.:/@ \-]*", text):
        raise NotCode(f"{text!r} is not plain")
    return Code(text)


def markdown_code(text: str) -> Code:
    """Text as inline code in Markdown."""
    return Code("`" + " ".join(text.split()).replace("`", "'").replace("|", "\\|") + "`")


FILTERS = {
    "py": literal,
    "doc": docstring,
    "name": identifier,
    "type": annotation,
    "call": call,
    "signature": signature,
    "told": told,
    "keywords": keywords,
    "mapping": mapping,
    "options": options,
    "quoted": quoted,
    "md": markdown,
    "code": markdown_code,
    "plain": plain,
}
