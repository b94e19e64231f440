"""Do the classes in custom/ still fit the tools? They are parsed, never run.

Takes the plan, the texts of the modules and both catalogs; tells of each class and method that serves no tool any more,
and of each method that cannot be called as its tool is.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from mcpgen.diagnostics import Diagnostics, Location
from mcpgen.ir import Json
from mcpgen.views import MethodView, NamespacePlan, PackagePlan

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class ByHand:
    """What a person added to catalog.json: methods of a module, and properties of a method's tool."""

    methods: frozenset[tuple[str, str]] = frozenset()
    properties: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)


def added_by_hand(catalog: Json, made: Json) -> ByHand:
    """What stands in a catalog beyond what the last run made of it."""
    found, known = _methods(catalog), _methods(made)
    return ByHand(
        frozenset(found.keys() - known.keys()),
        {key: properties - known.get(key, frozenset()) for key, properties in found.items()},
    )


def _methods(catalog: Json) -> dict[tuple[str, str], frozenset[str]]:
    """(module, method) → the properties of its tool. A catalog that was edited out of shape says nothing."""
    try:
        properties = {
            one["name"]: frozenset(one.get("inputSchema", {}).get("properties", {}))
            for one in catalog["tools"]
        }
        return {
            (namespace["module"], method): properties.get(tool, frozenset())
            for namespace in catalog["namespaces"].values()
            for tool, method in namespace["tools"].items()
        }
    except (KeyError, TypeError, AttributeError):
        return {}


def check(
    plan: PackagePlan,
    modules: Mapping[str, str],
    by_hand: ByHand,
    place: Callable[[str], str],
    diagnostics: Diagnostics,
) -> None:
    """Warn of what does not fit. `modules` are texts by path in the package; `place` says where a path lies."""
    namespaces = {one.module: one for one in plan.namespaces}
    for path, text in modules.items():
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # told where tools of the person's own are looked for
            continue
        module = path.rpartition("/")[2].removesuffix(".py")
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                at = place(path)
                _check_class(
                    node, module, namespaces, _tool_modules(tree), by_hand, at, diagnostics
                )


def _tool_modules(tree: ast.Module) -> dict[str, str]:
    """The names by which a module knows the generated modules, or their classes: name → module."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            parent, _, module = node.module.rpartition(".")
            for alias in node.names:
                name = alias.asname or alias.name
                if node.module == "tools" or node.module.endswith(".tools"):
                    found[name] = alias.name
                elif parent == "tools" or parent.endswith(".tools"):
                    found[name] = module
    return found


def _check_class(
    node: ast.ClassDef,
    module: str,
    namespaces: Mapping[str, NamespacePlan],
    imported: Mapping[str, str],
    by_hand: ByHand,
    file: str,
    diagnostics: Diagnostics,
) -> None:
    for base in node.bases:
        named = base.value if isinstance(base, ast.Attribute) else base
        of = imported.get(named.id) if isinstance(named, ast.Name) else None
        if of and of not in namespaces and not any(one == of for one, _ in by_hand.methods):
            message = f"{node.name} overrides tools of '{of}', and there are none any more"
            where = Location(file, node.lineno, 1)
            diagnostics.warning("override-without-tool", message, where, hint="move or delete it")
            return
    namespace = namespaces.get(module)
    if namespace is None or namespace.class_name != node.name:
        return
    for part in node.body:
        if isinstance(part, Function) and not part.name.startswith("_"):
            where = Location(file, part.lineno, part.col_offset + 1)
            _check_method(part, namespace, by_hand, where, diagnostics)


def _check_method(
    function: Function,
    namespace: NamespacePlan,
    by_hand: ByHand,
    where: Location,
    diagnostics: Diagnostics,
) -> None:
    methods = {one.method_name: one for one in namespace.methods}
    key = (namespace.module, function.name)
    label = f"{namespace.class_name}.{function.name}"
    method = methods.get(function.name)
    if method is None:
        if isinstance(function, ast.AsyncFunctionDef) and key not in by_hand.methods:
            message = f"{label} overrides no tool: there is none of that name in '{namespace.name}'"
            hint = _hint(function.name, namespace)
            diagnostics.warning("override-without-tool", message, where, hint=hint)
    elif not function.decorator_list:  # which may change how it is called
        more = by_hand.properties.get(key, frozenset())
        if misfits := list(_misfits(function, method, more)):
            message = f"{label} does not fit its tool: {'; '.join(misfits)}"
            diagnostics.warning("override-signature", message, where)


def _hint(name: str, namespace: NamespacePlan) -> str:
    for one in namespace.tools:
        if one.original.replace("-", "_") == name:
            return f"the tool is called '{one.name}' now, and its method {one.method_name}"
    near = difflib.get_close_matches(name, [one.method_name for one in namespace.tools], 1, 0.8)
    if near:
        return f"did you mean {near[0]}?"
    return "delete it; a method of your own begins with '_'"


def _misfits(function: Function, method: MethodView, more: frozenset[str]) -> Iterator[str]:
    """Why a method cannot be called with the arguments of its tool, in words. `more` are arguments added by hand."""
    given = {
        one.name: one.default is None for one in method.parameters
    }  # name → is it always given?
    arguments = function.args
    by_position = arguments.args[1:]
    taken = {one.arg for one in [*by_position, *arguments.kwonlyargs]}
    for name in given:
        if name not in taken and arguments.kwarg is None:
            yield f"it does not take '{name}'"
    for name in _required(function):
        if name not in given and name not in more:
            yield f"it needs '{name}', which the tool does not have"
        elif not given.get(name, False) and name not in more:
            yield f"it needs '{name}', which may be left out"
    for name in _passed_on(function):
        if name not in given:
            yield f"it gives '{name}' to super(), which does not take it"


def _required(function: Function) -> list[str]:
    arguments = function.args
    positions = [*arguments.posonlyargs, *arguments.args]
    without = positions[: len(positions) - len(arguments.defaults)][1:]
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [one.arg for one in without] + [one.arg for one, default in keywords if default is None]


def _passed_on(function: Function) -> list[str]:
    """The keywords with which it calls the generated method that it overrides."""
    found = []
    for node in ast.walk(function):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name)
            ) if (name == function.name):
                found += [one.arg for one in node.keywords if one.arg]
    return found
