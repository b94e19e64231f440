"""Answers that are lists: where the next page is, all pages as one, and only the members that are wanted.

A listing, in catalog.json, says how: `items` is the path of the list in the answer, `fields` and `all_pages` the names of the
arguments that we add to the tool's own, `queries` its query parameters (wire name → argument), and one of

    cursor  {argument, path}      the value at the path of the answer is the argument's next
    after   {argument, id, more}  the id of the last entry is, as long as the member `more` is true
    offset  {argument, size}      it grows by the number of entries
    page    {argument, size}      it grows by one

A Link header with rel="next" (RFC 8288) or a URL at the cursor's path is followed by its query.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar

from .errors import invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .messages import Json

MOST_PAGES = 20
# The headers of the last answer of the API to the call under way.
HEADERS: ContextVar[Mapping[str, str] | None] = ContextVar("HEADERS", default=None)


class Listing:
    """What the catalog says of one tool."""

    def __init__(self, said: Mapping[str, Json], schema: Mapping[str, Json]) -> None:
        self._said = said
        self._types = {
            name: one.get("type") if isinstance(one, dict) else None
            for name, one in schema.get("properties", {}).items()
        }

    async def call(
        self, run: Callable[[dict[str, Json]], Awaitable[Json]], given: dict[str, Json]
    ) -> tuple[Json, dict[str, Json] | None]:
        """The answer, and the arguments of the next page where there is one."""
        arguments = dict(given)
        fields = self._take(arguments, "fields")
        wants_all = self._take(arguments, "all_pages")
        project = _projection(fields, str(self._said.get("fields"))) if fields else None
        value = await run(arguments)
        more = self.next(arguments, value)
        pages = 1
        while wants_all and more and pages < MOST_PAGES:
            arguments = {**arguments, **more}
            page = await run(arguments)
            self._items(value).extend(self._items(page))
            more = self.next(arguments, page)
            pages += 1
        return (project(value) if project else value), more

    def _take(self, arguments: dict[str, Json], name: str) -> Json:
        return arguments.pop(self._said[name], None) if name in self._said else None

    def _items(self, value: Json) -> list[Json]:
        found = _at(value, self._said["items"])
        return found if isinstance(found, list) else []

    def next(self, arguments: Mapping[str, Json], value: Json) -> dict[str, Json] | None:
        """The arguments that differ on the next page."""
        links = _links((HEADERS.get() or {}).get("Link", ""))
        if "next" in links:
            return self._of_url(links["next"], arguments)
        if {"first", "prev", "last"} & links.keys():
            return None
        items = self._items(value)
        if rule := self._said.get("cursor"):
            found = _at(value, rule["path"])
            if isinstance(found, str) and re.match(r"https?://|/|\?", found):
                return self._of_url(found, arguments)
            usable = isinstance(found, (str, int)) and not isinstance(found, bool) and found != ""
            return {rule["argument"]: found} if usable and rule["argument"] else None
        if not items:
            return None
        if rule := self._said.get("after"):
            last = items[-1].get(rule["id"]) if isinstance(items[-1], dict) else None
            return {rule["argument"]: last} if _at(value, [rule["more"]]) is True and last else None
        for kind, step in (("offset", len(items)), ("page", 1)):
            rule = self._said.get(kind)
            if rule is None:
                continue
            size = arguments.get(rule["size"]) if rule["size"] else None
            at = arguments.get(rule["argument"], rule.get("first", 0 if kind == "offset" else 1))
            if isinstance(at, int) and not (isinstance(size, int) and len(items) < size):
                return {rule["argument"]: at + step}
        return None

    def _of_url(self, url: str, arguments: Mapping[str, Json]) -> dict[str, Json] | None:
        """The arguments that a URL's query has other than we had them."""
        from urllib.parse import parse_qs, urlsplit

        found: dict[str, Json] = {}
        for wire, values in parse_qs(urlsplit(url).query).items():
            name = self._said["queries"].get(wire)
            if name is not None and len(values) == 1:
                text = values[0]
                is_number = self._types.get(name) == "integer" and text.lstrip("-").isdecimal()
                value = int(text) if is_number else text
                if arguments.get(name) != value:
                    found[name] = value
        return found or None


def _links(header: str) -> dict[str, str]:
    """Relation → target."""
    found = {}
    for target, parameters in re.findall(r"<([^>]*)>([^<]*)", header):
        relations = re.search(r'rel\s*=\s*"?([^";,]*)', parameters, re.IGNORECASE)
        for relation in relations[1].lower().split() if relations else ():
            found[relation] = str(target)
    return found


def _at(value: Json, path: list[str]) -> Json:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _projection(expression: Json, argument: str) -> Callable[[Json], Json]:
    import jmespath

    try:
        compiled = jmespath.compile(expression)
    except jmespath.exceptions.JMESPathError as error:
        reason = str(error).split("\n")[0]
        raise invalid(argument, f"it is no JMESPath expression: {reason}") from None

    def project(value: Json) -> Json:
        try:
            return compiled.search(value)
        except jmespath.exceptions.JMESPathError as error:
            reason = str(error).split("\n")[0]
            raise invalid(argument, f"it does not suit the answer: {reason}") from None

    return project
