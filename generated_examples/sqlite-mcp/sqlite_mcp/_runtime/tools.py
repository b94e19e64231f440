"""Where handlers live: the base class of every namespace, and how a tool's method is found.

A module is imported when one of its tools is first called: custom/<module>.py where it exists and has the class,
else tools/<module>.py.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import TypeVar

    from .api import Api
    from .context import Context

    Method = TypeVar("Method")


def tool(method: Method) -> Method:
    """Mark a method in custom/ as a tool of its own: the next run of mcpgen lists it, with the schema of its annotations."""
    return method


class Tools:
    """One object serves one call: `api` is shared by all calls, `context` is the call's own."""

    def __init__(self, api: Api, context: Context) -> None:
        self.api = api
        self.context = context


def find_class(package: str, module: str, name: str) -> type[Tools]:
    """The class that serves a namespace, the person's before the generated one."""
    custom = import_optional(f"{package}.custom.{module}")
    found = getattr(custom, name, None) if custom else None
    if found is None:
        found = getattr(import_module(f"{package}.tools.{module}"), name)
    if not (isinstance(found, type) and issubclass(found, Tools)):
        raise TypeError(f"{name} of {module} is not a subclass of Tools")
    return found


def import_optional(name: str) -> ModuleType | None:
    """The module, or None where there is none. What goes wrong inside it is not hidden."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            return None
        raise
