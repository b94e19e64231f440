"""The one gate through which text reaches a generated file.

A template may print `Code` and nothing else. Text of a document becomes `Code` only here: as a literal, an
escaped docstring, a checked identifier or type, an escaped Markdown, TOML or YAML value.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable

from mcpgen.handlers import Choice, Statement
from mcpgen.ir import Json


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
        words.append(identifier(statement.argument))
    if statement.options:
        words.append(options(statement.options))
    return Code(f"{identifier(variable)}.{identifier(statement.method)}({', '.join(words)})")


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
    "options": options,
    "quoted": quoted,
    "md": markdown,
    "code": markdown_code,
    "plain": plain,
}
