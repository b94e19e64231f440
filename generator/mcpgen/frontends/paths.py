"""Path templates, and the parameters that fill them."""

from __future__ import annotations

from re import compile as regex

from mcpgen.frontends.reading import Reading, Site
from mcpgen.ir import Parameter, Place

TEMPLATE = regex(r"\{([^{}]*)\}")
QUERY_PAIR = regex(r"[^&=]*=\{([^{}]*)\}")


def fit_path(
    reading: Reading, site: Site, parameters: list[Parameter]
) -> tuple[str, tuple[Parameter, ...]]:
    """The path as it can be filled, and the parameters, those of the path being the ones of its template.

    An undeclared one is added, an unused one dropped, both with a warning.
    """
    path = _plain_path(site.path, parameters)
    wanted = list(dict.fromkeys(TEMPLATE.findall(path)))
    kept = []
    for parameter in parameters:
        if parameter.place is Place.PATH and parameter.name not in wanted:
            message = f"the path {path} has no '{{{parameter.name}}}'; the parameter is left out"
            code = "unused-path-parameter"
            reading.diagnostics.warning(code, message, parameter.location)
        else:
            kept.append(parameter)
    declared = _names(kept, Place.PATH)
    for name in wanted:
        if name not in declared:
            message = f"'{{{name}}}' in the path {path} is not declared; it is taken as a string"
            reading.warn("undeclared-path-parameter", message, site.node)
            location = site.node.location
            kept.append(Parameter(name, Place.PATH, True, {"type": "string"}, location))
    return path, tuple(kept)


def _plain_path(path: str, parameters: list[Parameter]) -> str:
    """Without what some write into the template and declare as well: RFC 6570's operators, query pairs."""
    in_path, in_query = _names(parameters, Place.PATH), _names(parameters, Place.QUERY)
    for written in TEMPLATE.findall(path):
        name = written.lstrip(".;+#/").rstrip("*")  # {;id*} says the style that the parameter says
        if written not in in_path and name in in_path:
            path = path.replace(f"{{{written}}}", f"{{{name}}}")
    base, mark, query = path.partition("?")
    kept = [pair for pair in query.split("&") if not _is_declared_pair(pair, in_query - in_path)]
    return base + mark + "&".join(kept) if kept and mark else base


def _is_declared_pair(pair: str, names: set[str]) -> bool:
    match = QUERY_PAIR.fullmatch(pair)
    return match is not None and match[1] in names


def _names(parameters: list[Parameter], place: Place) -> set[str]:
    return {one.name for one in parameters if one.place is place}
