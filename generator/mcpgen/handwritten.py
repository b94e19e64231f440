"""What a person wrote in custom/: tools of their own, and methods that must fit what the server calls them with.

Reads the sources as text and runs nothing of them. A function or a method is a tool of its own where it is marked with
`@tool`; its schema comes from its annotations, its description from its docstring.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mcpgen.diagnostics import Diagnostics, Location
from mcpgen.ir import Api, Field, Schema, Tool
from mcpgen.views import MethodView, PackagePlan

Json = Any
Function = ast.FunctionDef | ast.AsyncFunctionDef

SCALARS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
OPEN: Mapping[str, Schema] = {"Any": {}, "object": {}, "dict": {"type": "object"}, "list": {"type": "array"}}  # fmt: skip
# Answers that are content of their own kind, and listed without a schema.
UNLISTED = ("Any", "object", "Blob", "Content")


@dataclass(frozen=True, slots=True)
class Source:
    """One module of custom/. `file` is how the user would name it."""

    module: str
    file: str
    tree: ast.Module

    def place(self, node: ast.AST) -> Location:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Location(self.file, line, column + 1)

    def functions(self) -> Iterator[tuple[str, Function]]:
        """The methods of all classes, with the class's name, and the functions beside them, with none."""
        for owner in self.tree.body:
            if isinstance(owner, Function):
                yield "", owner
            for node in owner.body if isinstance(owner, ast.ClassDef) else ():
                if isinstance(node, Function):
                    yield getattr(owner, "name"), node


def read_sources(folder: Path, diagnostics: Diagnostics) -> list[Source]:
    """The modules of a folder; nothing where there is no such folder."""
    found = []
    for path in sorted(folder.glob("*.py")):
        if path.name.startswith("_"):
            continue
        try:
            tree = ast.parse(path.read_bytes(), str(path))
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", 0) or 0
            message = f"it cannot be read: {getattr(error, 'msg', error)}"
            diagnostics.error("custom-syntax", message, Location(str(path), line, 1))
            continue
        found.append(Source(path.stem, str(path), tree))
    return found


# --- tools of their own


def with_tools(api: Api, sources: Collection[Source], diagnostics: Diagnostics) -> Api:
    """The API with the tools that are marked in custom/."""
    reader = _Reader(api.schemas, diagnostics)
    tools = tuple(
        reader.tool(source, name, function)
        for source in sources
        for name, function in source.functions()
        if any(_is_mark(one) for one in function.decorator_list)
    )
    known = {one.name for one in api.tools}
    for one in tools:
        if one.name in known:
            message = f"there is a tool '{one.name}' already"
            hint = "a method of a tool of the manifest needs no '@tool'"
            diagnostics.error("duplicate-tool", message, one.location, hint=hint)
        known.add(one.name)
    return replace(api, tools=(*api.tools, *tools))


def _is_mark(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id == "tool"


@dataclass(frozen=True, slots=True)
class _Reader:
    schemas: Collection[str]
    diagnostics: Diagnostics

    def tool(self, source: Source, owner: str, method: Function) -> Tool:
        """The tool that a method of `owner` is, or without one a function."""
        if owner and not isinstance(method, ast.AsyncFunctionDef):
            message = f"the tool '{method.name}' must be 'async def'"
            self.diagnostics.error("bad-tool", message, source.place(method))
        expected = f"{''.join(one[:1].upper() + one[1:] for one in source.module.split('_'))}Tools"
        if owner and owner != expected:
            message = f"the tool '{method.name}' must stand in a class {expected}, not {owner}"
            self.diagnostics.error("bad-tool", message, source.place(method))
        if method.args.vararg or method.args.kwarg or (not owner and method.args.posonlyargs):
            message = f"the tool '{method.name}' must name its arguments"
            self.diagnostics.error("bad-tool", message, source.place(method))
        return Tool(
            name=method.name,
            location=source.place(method),
            namespace=source.module,
            description=inspect.cleandoc(ast.get_docstring(method) or ""),
            fields=tuple(self._fields(source, method, is_method=bool(owner))),
            output=self._output(source, method),
            is_marked=True,
        )

    def _fields(self, source: Source, method: Function, *, is_method: bool) -> Iterator[Field]:
        for argument, default in parameters(method, is_method=is_method):
            if isinstance(argument.annotation, ast.Name) and argument.annotation.id == "Context":
                continue
            schema, description = self._annotated(source, argument.annotation)
            if default is not None and (value := _constant(default)) is not None:
                schema = {**schema, "default": value[0]} if isinstance(schema, dict) else schema
            place = source.place(argument)
            yield Field(argument.arg, schema, default is None, place, description)

    def _annotated(self, source: Source, node: ast.expr | None) -> tuple[Schema, str]:
        """The schema, and the text of `Annotated[int, "How many."]`."""
        match node:
            case ast.Subscript(
                value=ast.Name(id="Annotated"),
                slice=ast.Tuple(elts=[kind, ast.Constant(value=str() as text), *_]),
            ):
                return self._schema(source, kind), text
        return self._schema(source, node), ""

    def _output(self, source: Source, method: Function) -> Schema | None:
        node = method.returns
        if node is None or (isinstance(node, ast.Name) and node.id in UNLISTED):
            return None
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        return self._schema(source, node)

    def _schema(self, source: Source, node: ast.expr | None) -> Schema:
        match node:
            case None:
                return {}
            case ast.Constant(value=None):
                return {"type": "null"}
            case ast.Constant(value=str() as text):
                try:
                    return self._schema(source, ast.parse(text, mode="eval").body)
                except SyntaxError:
                    pass
            case ast.Name(id=name) if name in SCALARS:
                return {"type": SCALARS[name]}
            case ast.Name(id=name) if name in OPEN:
                return OPEN[name]
            case ast.Name(id=name) if name in self.schemas:
                return {"$ref": f"#/$defs/{name}"}
            case ast.Subscript(value=ast.Name(id="list"), slice=item):
                return {"type": "array", "items": self._schema(source, item)}
            case ast.Subscript(
                value=ast.Name(id="dict"), slice=ast.Tuple(elts=[ast.Name(id="str"), item])
            ):
                return {"type": "object", "additionalProperties": self._schema(source, item)}
            case ast.Subscript(value=ast.Name(id="Literal"), slice=values):
                elements = values.elts if isinstance(values, ast.Tuple) else [values]
                constants = [one.value for one in elements if isinstance(one, ast.Constant)]
                if len(constants) == len(elements):
                    is_text = all(isinstance(one, str) for one in constants)
                    return {"type": "string", "enum": constants} if is_text else {"enum": constants}
            case ast.Subscript(value=ast.Name(id="Optional"), slice=item):
                return {"anyOf": [self._schema(source, item), {"type": "null"}]}
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return {
                    "anyOf": [*_members(self._schema(source, left)), self._schema(source, right)]
                }
        written = ast.unparse(node) if node is not None else ""
        message = f"the type {written} has no schema"
        hint = "str, int, float, bool, list[…], dict[str, …], Literal[…], … | None, and schemas by name have"
        self.diagnostics.error(
            "bad-annotation", message, source.place(node) if node else None, hint=hint
        )
        return {}


def _members(schema: Schema) -> list[Schema]:
    if isinstance(schema, dict) and schema.keys() == {"anyOf"}:
        return list(schema["anyOf"])
    return [schema]


def _constant(node: ast.expr) -> tuple[Json] | None:
    """The JSON value that a default is; None for `None` and what is no constant."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    plain = isinstance(value, (str, int, float, bool, list, dict))
    return (value,) if plain else None


def parameters(
    method: Function, *, is_method: bool = True
) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """The parameters that may be given by name, with their defaults."""
    given = method.args
    positional = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults))
    found = zip(positional, [*defaults, *given.defaults], strict=True)
    yield from list(found)[1:] if is_method else found
    yield from zip(given.kwonlyargs, given.kw_defaults, strict=True)
