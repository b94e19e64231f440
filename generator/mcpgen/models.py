"""The types of an API as Python: annotations for handlers and the text of models.py.

Takes IR schemas, gives text. `shapes` decides what every type is and is called; datamodel-code-generator writes the
classes. Its text comes from a stranger's document, so it is checked statement by statement and never run, and what it
leaves out or gets wrong becomes an alias: a quirk of the generator costs one type, not the package.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from mcpgen.ir import Schema
from mcpgen.shapes import ANYTHING, Shape, Shapes, annotation, used_classes

FALLBACK = "TypeAlias = dict[str, Any]"
# What a type expression is made of; anything else is not a type that we asked for.
TYPE_NODES = (
    ast.Name,
    ast.Load,
    ast.Subscript,
    ast.Tuple,
    ast.BinOp,
    ast.BitOr,
    ast.Constant,
    ast.UnaryOp,
    ast.USub,
)
BUILTINS = frozenset(["str", "int", "float", "bool", "list", "dict"])


@dataclass(frozen=True, slots=True)
class Wanted:
    """One type that a handler needs; `name` is for a class, should the schema need one."""

    name: str
    schema: Schema


@dataclass(frozen=True, slots=True)
class Models:
    """`annotations` and `names` go with the wanted types, in order; `made` are the classes that these name.

    The text of the classes takes most of the time, so that it is `models_text(made)`, for whoever wants it, when it is.
    """

    made: Mapping[str, Shape]
    annotations: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        return models_text(self.made)


def make_models(wanted: Sequence[Wanted], definitions: Mapping[str, Schema]) -> Models:
    shapes = Shapes(definitions)
    found = [shapes.wanted(one.name, one.schema) for one in wanted]
    shapes.break_cycles()
    return Models(
        made=shapes.made,
        annotations=tuple(map(annotation, found)),
        names=tuple(map(used_classes, found)),
    )


def models_text(made: Mapping[str, Shape]) -> str:
    """The module of all classes and aliases, each under exactly its name; empty if there is none."""
    if not made:
        return ""
    imports, statements = _checked(_write(made), made)
    if missing := [name for name in made if name not in statements]:
        imports |= {"Any", "TypeAlias"}
    # First, because a TypedDict with a key that is no identifier looks its types up as it is made.
    fallbacks = [f"{name}: {FALLBACK}" for name in missing]
    return "\n\n\n".join([_header(imports), *fallbacks, *statements.values()]) + "\n"


def _header(imports: set[str]) -> str:
    lines = [
        "# fmt: off",
        '"""The types of the API; made by mcpgen with datamodel-code-generator."""',
        "",
        "from __future__ import annotations",
    ]
    if imports:
        lines += ["", f"from typing import {', '.join(sorted(imports))}"]
    return "\n".join(lines)


# --- writing


def _write(made: Mapping[str, Shape]) -> str:
    """All shapes as the generator writes them, without those that it cannot take."""
    try:
        return _generate(made)
    except Exception:  # its faults have every type there is, and none may cost the package
        offending = set(_offending(list(made), made))
        try:
            return _generate({name: ANYTHING if name in offending else made[name] for name in made})
        except Exception:
            return ""


def _offending(names: Sequence[str], made: Mapping[str, Shape]) -> Iterator[str]:
    """Those of the names whose shapes the generator cannot take, found by halves."""
    used = {other for name in names for other in used_classes(made[name])}
    try:
        _generate({name: ANYTHING for name in used} | {name: made[name] for name in names})
    except Exception:
        if len(names) == 1:
            yield names[0]
            return
        yield from _offending(names[: len(names) // 2], made)
        yield from _offending(names[len(names) // 2 :], made)


def _generate(made: Mapping[str, Shape]) -> str:
    # Half a second that only a run with models should pay.
    from datamodel_code_generator import InputFileType, LiteralType, generate
    from datamodel_code_generator.enums import DataModelType, OpenAPIScope
    from datamodel_code_generator.format import PythonVersion

    document = {
        "openapi": "3.1.0",
        "info": {"title": "", "version": ""},
        "paths": {},
        "components": {"schemas": dict(made)},
    }
    text = generate(
        document,
        input_file_type=InputFileType.OpenAPI,
        openapi_scopes=[OpenAPIScope.Schemas],
        output_model_type=DataModelType.TypingTypedDict,
        target_python_version=PythonVersion.PY_311,
        formatters=[],
        disable_timestamp=True,
        treat_dot_as_module=False,
        special_field_name_prefix="",  # else `_id` becomes `field_id`
        enum_field_as_literal=LiteralType.All,
        use_union_operator=True,
        use_standard_collections=True,
        use_schema_description=True,
        use_field_description=True,
        use_single_line_docstring=True,
    )
    if not isinstance(text, str):
        raise TypeError("the models are not one module")
    ast.parse(text)
    return text


# --- checking


@dataclass(frozen=True, slots=True)
class Statement:
    """One class or alias of a generated module."""

    name: str
    keys: Mapping[str, ast.expr] | None  # of a TypedDict
    types: Sequence[ast.expr]


def _checked(text: str, made: Mapping[str, Shape]) -> tuple[set[str], dict[str, str]]:
    """What the text must import, and those of its statements that are what we asked for, by name."""
    lines = text.split("\n")
    tree = ast.parse(text)
    imports = {
        alias.asname
        or alias.name: f"{alias.name} as {alias.asname}" if alias.asname else alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        for alias in node.names
    }
    known = BUILTINS | imports.keys() | made.keys()
    fine: dict[str, str] = {}
    for node in tree.body:
        found = _statement(node)
        if (
            found is None
            or found.name not in made
            or not _is_as_asked(found, made[found.name], known)
        ):
            continue
        fine[found.name] = "\n".join(lines[node.lineno - 1 : node.end_lineno])
    return set(imports.values()), fine


def _statement(node: ast.stmt) -> Statement | None:
    match node:
        case ast.ClassDef(
            name=name, bases=[ast.Name(id="TypedDict")], keywords=[], decorator_list=[]
        ):
            keys: dict[str, ast.expr] = {}
            for part in node.body:
                match part:
                    case ast.AnnAssign(target=ast.Name(id=key), annotation=kind, value=None):
                        keys[key] = kind
                    case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                        pass
                    case _:
                        return None
            return Statement(name, keys, list(keys.values()))
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Name(id="TypedDict"),
                args=[ast.Constant(value=same), ast.Dict(keys=labels, values=kinds)],
                keywords=[],
            ),
        ) if (
            same == name
        ):
            keys = {
                label.value: kind
                for label, kind in zip(labels, kinds, strict=True)
                if isinstance(label, ast.Constant) and isinstance(label.value, str)
            }
            return Statement(name, keys, kinds)
        case ast.AnnAssign(
            target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=ast.expr() as kind
        ):
            return Statement(name, None, [kind])
    return None


def _is_as_asked(statement: Statement, shape: Shape, known: Set[str]) -> bool:
    keys = shape["properties"].keys() if "properties" in shape else None
    if (statement.keys and statement.keys.keys()) != keys:
        return False
    return all(
        isinstance(node, TYPE_NODES) and (not isinstance(node, ast.Name) or node.id in known)
        for kind in statement.types
        for node in ast.walk(kind)
    )
