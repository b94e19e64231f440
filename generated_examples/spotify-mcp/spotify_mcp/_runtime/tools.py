"""Where handlers live: the base class of every namespace, and how a tool's method is found.

A module is imported when one of its tools is first called: custom/<module>.py where it exists and has the class,
else tools/<module>.py.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any, TypeVar

    from .api import Api
    from .context import Context

    Function = TypeVar("Function", bound=Callable[..., Any])


def tool(function: Function) -> Function:
    """Mark a function or method in custom/ as a tool of its own: the next run of mcpgen lists it, by its annotations.

    A function that is not `async` runs in a thread. A parameter `context: Context` is given the call's.
    """
    setattr(function, "is_tool", True)
    return function


class Tools:
    """One object serves one call: `api` is shared by all calls, `context` is the call's own."""

    def __init__(self, api: Api, context: Context) -> None:
        self.api = api
        self.context = context


def find_class(package: str, module: str, name: str, method: str) -> type[Tools]:
    """The class that serves a method of a namespace, the person's before the generated one."""
    custom = import_optional(f"{package}.custom.{module}")
    function = getattr(custom, method, None)
    if getattr(function, "is_tool", False):
        return _class_of(function)
    found = getattr(custom, name, None) if custom else None
    if found is None:
        found = getattr(import_module(f"{package}.tools.{module}"), name)
    if not (isinstance(found, type) and issubclass(found, Tools)):
        raise TypeError(f"{name} of {module} is not a subclass of Tools")
    return found


def _class_of(function: Any) -> type[Tools]:
    """A plain function as the one method of a class."""
    from asyncio import iscoroutinefunction, to_thread

    contexts = [name for name, kind in function.__annotations__.items() if _is_context(kind)]

    async def method(self: Tools, **arguments: Any) -> Any:
        arguments |= dict.fromkeys(contexts, self.context)
        if iscoroutinefunction(function):
            return await function(**arguments)
        return await to_thread(function, **arguments)

    return type("Functions", (Tools,), {function.__name__: method})


def _is_context(annotation: object) -> bool:
    return getattr(annotation, "__name__", annotation) == "Context"


def import_optional(name: str) -> ModuleType | None:
    """The module, or None where there is none. What goes wrong inside it is not hidden."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            return None
        raise
