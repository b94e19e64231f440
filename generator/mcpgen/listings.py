"""Which operations answer with a list, and where its next page is: what runtime/pages.py needs to know.

Nothing of this is in an OpenAPI document; it is read from names that APIs have in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.handlers import Argument
from mcpgen.ir import Json, Operation, Schema
from mcpgen.tool_schemas import Property, ToolSchemas, is_array

# Names without case, `-`, `_`, `.`, `[` and `]`.
PAGE = ("page", "pagenumber", "pagenum", "pageno", "pageindex", "currentpage")
OFFSET = ("offset", "skip", "startindex", "startat", "start", "pageoffset")
SIZE = (
    *(
        "perpage",
        "pagesize",
        "limit",
        "size",
        "pagelimit",
        "maxresults",
        "maxitems",
        "count",
        "top",
    ),
    *("take", "resultsperpage", "itemsperpage", "pagesizelimit"),
)
CURSOR = (
    *("cursor", "pagetoken", "nexttoken", "nextpagetoken", "continuationtoken", "pagecursor"),
    *(
        "marker",
        "bookmark",
        "continue",
        "after",
        "nextcursor",
        "startingtoken",
        "pageafter",
        "token",
    ),
)
AFTER = ("startingafter",)  # the id of the last entry, with `has_more` beside the list
NEXT = (
    *(
        "nextcursor",
        "nextpagetoken",
        "nexttoken",
        "nextpage",
        "continuationtoken",
        "next",
        "cursor",
    ),
    *("endcursor", "nextmarker", "continue", "bookmark", "nextlink", "odatanextlink", "nexturl"),
    *("nextpageuri", "after", "nextpageurl"),
)
AROUND = (
    *("meta", "metadata", "pagination", "paging", "page", "pageinfo", "links", "cursors"),
    *("responsemetadata", "cursor", "pages"),
)
WRAPPERS = (
    *(
        "data",
        "items",
        "results",
        "result",
        "values",
        "value",
        "records",
        "entries",
        "list",
        "rows",
    ),
    *("objects", "content", "elements", "hits", "resources", "collection", "nodes"),
)
FIELDS = ("fields", "select")
ALL_PAGES = ("all_pages", "fetch_all_pages")


@dataclass(frozen=True, slots=True)
class Listing:
    """`said` is what the catalog holds, `properties` the arguments that the tool has beside its operation's."""

    said: Mapping[str, Json]
    properties: tuple[Property, ...]


def find_listing(
    operation: Operation, arguments: Sequence[Argument], answer: Schema, schemas: ToolSchemas
) -> Listing | None:
    """How to page and project the answer of an operation that reads; None where that is no list."""
    items = _items(answer, schemas) if operation.method in ("GET", "QUERY") else None
    if items is None:
        return None
    taken = {one.name for one in arguments}
    queries = {
        one.key.removeprefix("query:"): one.name
        for one in arguments
        if one.key.startswith("query:")
    }
    rule = _rule(queries, answer, schemas)
    if items and not rule and plain(items[0]) not in WRAPPERS:
        return None  # one thing, which has a list among its members
    said: dict[str, Json] = {"items": items}
    properties = []
    if fields := _free(FIELDS, taken):
        said["fields"] = fields
        text = "JMESPath of what to keep of the answer"
        properties.append(Property(fields, {"type": "string"}, False, text))
    if rule:
        said.update(rule, queries=queries)
        if name := _free(ALL_PAGES, taken):
            said["all_pages"] = name
            text = "Follow up to 20 pages"
            properties.append(Property(name, {"type": "boolean"}, False, text))
    return Listing(said, tuple(properties))


def _free(names: Sequence[str], taken: set[str]) -> str | None:
    return next((name for name in names if name not in taken), None)


def _items(answer: Schema, schemas: ToolSchemas) -> list[str] | None:
    """The path of the list: the answer itself, or its one member that is a list of objects."""
    found = schemas.resolve(answer)
    if not isinstance(found, dict):
        return None
    if is_array(found):
        return []
    lists = [
        name for name, schema in _members(found, schemas) if is_array(schema) and "items" in schema
    ]
    objects = [
        name
        for name, schema in _members(found, schemas)
        if name in lists and schemas.is_object(schema["items"])
    ]
    if len(lists) == 1 or len(objects) == 1:
        return (objects if len(objects) == 1 else lists)[:1]
    return None


def _members(
    schema: Mapping[str, Json], schemas: ToolSchemas
) -> Iterator[tuple[str, dict[str, Json]]]:
    for part in [schema, *(schemas.resolve(one) for one in schema.get("allOf", ()))]:
        if isinstance(part, dict):
            for name, inner in part.get("properties", {}).items():
                resolved = schemas.resolve(inner)
                if isinstance(resolved, dict):
                    yield name, resolved


def _rule(queries: Mapping[str, str], answer: Schema, schemas: ToolSchemas) -> dict[str, Json]:
    """The one way of paging that the parameters and the answer agree on."""
    sizes = _named(queries, SIZE)
    size = sizes[0] if sizes else None
    path = _next_path(answer, schemas)
    for argument in _named(queries, CURSOR):
        if path:
            return {"cursor": {"argument": argument, "path": path}}
    found = schemas.resolve(answer)
    names = [name for name, _ in _members(found, schemas)] if isinstance(found, dict) else []
    for argument in _named(queries, AFTER):
        if "has_more" in names:
            return {"after": {"argument": argument, "id": "id", "more": "has_more"}}
    if path and queries and _is_link(path):
        return {"cursor": {"argument": "", "path": path}}
    for kind, known in (("offset", OFFSET), ("page", PAGE)):
        for argument in _named(queries, known):
            if kind == "page" or size is not None or plain(argument) in ("offset", "skip"):
                return {kind: {"argument": argument, "size": size}}
    return {}


def _is_link(path: Sequence[str]) -> bool:
    return plain(path[-1]) in (
        "next",
        "nextlink",
        "odatanextlink",
        "nexturl",
        "nextpageuri",
        "nextpageurl",
    )


def _next_path(answer: Schema, schemas: ToolSchemas) -> list[str] | None:
    """Where the answer tells what comes next: a member of its own, or one level down."""
    found = schemas.resolve(answer)
    members = dict(_members(found, schemas)) if isinstance(found, dict) else {}
    candidates = [([name], schema) for name, schema in members.items()]
    for name, schema in members.items():
        if plain(name) in AROUND:
            candidates += [([name, inner], one) for inner, one in _members(schema, schemas)]
    best = [
        (NEXT.index(plain(path[-1])), path)
        for path, schema in candidates
        if plain(path[-1]) in NEXT and _is_scalar(schema)
    ]
    return min(best)[1] if best else None


def _is_scalar(schema: Mapping[str, Json]) -> bool:
    kinds = schema.get("type", "string")
    return not {"array", "object", "boolean"} & set([kinds] if isinstance(kinds, str) else kinds)


def _named(queries: Mapping[str, str], known: Sequence[str]) -> list[str]:
    """The arguments whose parameter has one of these names, the best name first."""
    found = [
        (known.index(plain(wire)), name) for wire, name in queries.items() if plain(wire) in known
    ]
    return [name for _, name in sorted(found)]


def plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
