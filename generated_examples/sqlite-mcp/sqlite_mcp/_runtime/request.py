"""One HTTP request to the API, built by a handler step by step.

Pure: arguments in, method, URL, headers and bytes out for any base URL. Knows nothing of sockets or credentials.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from . import bodies
from .errors import ToolError, invalid
from .serialize import (
    Pairs,
    essence,
    is_json,
    json_text,
    path_text,
    query_pairs,
    quote,
    quote_reserved,
    simple,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .errors import Json

Security = tuple[tuple[str, ...], ...]
Template = tuple[str, ...]  # literal text and the name of a parameter in turn


class Unset:
    """The type of `UNSET`: an argument that was not given, where null is a value."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET = Unset()

PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
TRIPLET = re.compile("%([0-9A-Fa-f]{2})")
# What stands for itself in the literal part of a path (RFC 3986 §3.3); "%" begins a triplet.
NOT_PATH = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]|%(?![0-9A-Fa-f]{2})")
HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
FORM = "application/x-www-form-urlencoded"


class Request:
    """One request; a value of None (or UNSET) is not sent.

    `server` is an absolute URL that replaces the API's. `security` says which credentials it needs: a choice (OR) of
    sets (AND); None for the API's own, () for none.
    """

    __slots__ = (
        "method", "template", "server", "security", "headers", "body", "_segments", "_query", "_cookies",
    )  # fmt: skip

    def __init__(
        self, method: str, path: str, *, server: str | None = None, security: Security | None = None
    ) -> None:
        self.method = method
        self.template = path
        self.server = server
        self.security = security
        self.headers: dict[str, str] = {}
        self.body: bytes | None = None
        self._segments: dict[str, str] = {}
        self._query: list[str] = []
        self._cookies: list[str] = []

    # --- parameters

    def path(
        self,
        name: str,
        value: Json,
        *,
        style: str = "simple",
        explode: bool = False,
        media_type: str | None = None,
    ) -> None:
        """Fill in `{name}`. Styles: simple, label, matrix."""
        if not absent(value):
            self._segments[name] = path_text(name, _content(value, media_type), style, explode)

    def query(
        self,
        name: str,
        value: Json,
        *,
        style: str = "form",
        explode: bool | None = None,
        allow_reserved: bool = False,
        media_type: str | None = None,
    ) -> None:
        """Styles: form, spaceDelimited, pipeDelimited, deepObject. With `media_type` the value is one text, say JSON."""
        if absent(value):
            return
        value = _content(value, media_type)
        explode = style in ("form", "deepObject") if explode is None else explode
        self._query += joined(query_pairs(name, value, style, explode, allow_reserved))

    def querystring(self, value: Json, media_type: str = FORM) -> None:
        """OpenAPI 3.2: the whole query string is this one value."""
        if absent(value):
            return
        if essence(media_type) == FORM and isinstance(value, dict):
            self._query += joined(bodies.form_pairs(value, {}))
        elif essence(media_type) == FORM:
            # Text is a query string already; its own "&", "+" and "%XX" have their meaning.
            pieces = re.split("([&+])", str(value))
            self._query.append(
                "".join(one if one in "&+" else quote_reserved(one) for one in pieces)
            )
        else:
            self._query.append(quote(_content(value, media_type)))

    def header(
        self, name: str, value: Json, *, explode: bool = False, media_type: str | None = None
    ) -> None:
        if not absent(value):
            text = simple(_content(value, media_type), explode, str)
            self._set_header(name, text, argument=name)

    def cookie(
        self,
        name: str,
        value: Json,
        *,
        style: str = "form",
        explode: bool = True,
        media_type: str | None = None,
    ) -> None:
        """Style form percent-encodes; style cookie (OpenAPI 3.2) sends the text as it is."""
        if absent(value):
            return
        value = _content(value, media_type)
        if style != "cookie":
            self._cookies += joined(query_pairs(name, value, "form", explode))
            return
        text = simple(value, explode, str)
        if not re.fullmatch(r"[^\x00-\x20;\x7f]*", text):
            raise invalid(name, f"{name!r} has a character that a cookie cannot carry")
        self._cookies.append(f"{name}={text}")

    def accept(self, *media_types: str) -> None:
        """What the answer may be; JSON where nothing is said."""
        self._set_header("Accept", ", ".join(media_types))

    # --- body; the last one said is sent

    def json(self, value: Json, media_type: str = "application/json") -> None:
        """Any JSON value: None is null, UNSET no body."""
        if not isinstance(value, Unset):
            self._set_body(bodies.json_bytes(value), media_type)

    def form(
        self, value: Json, *, encoding: bodies.Encoding | None = None, media_type: str = FORM
    ) -> None:
        """Properties as `name=value`. `encoding`: property → style, explode, allowReserved, contentType."""
        if not absent(value):
            found = joined(bodies.form_pairs(value, encoding or {}))
            self._set_body("&".join(found).encode(), media_type)

    def multipart(
        self,
        value: Json,
        *,
        encoding: bodies.Encoding | None = None,
        files: Sequence[str] = (),
        media_type: str = "multipart/form-data",
    ) -> None:
        """Properties as parts. `files` names those of raw bytes, whose plain text is base64; a file is
        `{"base64": …, "filename": …, "content_type": …}` anywhere."""
        if not absent(value):
            body, boundary = bodies.multipart(value, encoding or {}, files)
            self._set_body(body, f"{media_type}; boundary={boundary}")

    def text(self, value: Json, media_type: str = "text/plain") -> None:
        if not absent(value):
            self._set_body(bodies.text_bytes(value, media_type), media_type)

    def binary(self, value: Json, media_type: str = "application/octet-stream") -> None:
        """A file object, or base64. Its own content type counts where the document leaves that open."""
        if absent(value):
            return
        file = bodies.File(value, argument="body")
        is_open = "*" in media_type or media_type == "application/octet-stream"
        self._set_body(file.content, file.media_type or media_type if is_open else media_type)

    def xml(
        self,
        value: Json,
        media_type: str = "application/xml",
        *,
        schema: Mapping[str, Json] | None = None,
    ) -> None:
        """A JSON value as XML; see `bodies.xml_text` for `schema`. Text that begins with "<" is sent as it is."""
        if not absent(value):
            self._set_body(bodies.xml_bytes(value, schema or {}), media_type)

    def _set_body(self, body: bytes, media_type: str) -> None:
        self.body = body
        self._set_header("Content-Type", media_type, argument="body")

    def _set_header(self, name: str, text: str, *, argument: str | None = None) -> None:
        if HEADER_NAME.fullmatch(name) is None:
            raise ToolError("refused", f"{name!r} cannot be the name of a header")
        if re.search(r"[\x00\r\n]", text):
            raise invalid(argument, f"{name!r} has a line break, which a header cannot carry")
        for other in self.headers:
            if other.lower() == name.lower() and other != name:
                del self.headers[other]
                break
        self.headers[name] = text

    # --- the whole

    def build(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        query: Iterable[tuple[str, str]] = (),
        cookies: Iterable[tuple[str, str]] = (),
    ) -> tuple[str, str, dict[str, str], bytes | None]:
        """Method, URL, headers and body: those of the request, whose `url` this is, with what credentials add."""
        made = dict(self.headers)
        for name, text in (headers or {}).items():
            for other in [one for one in made if one.lower() == name.lower()]:
                del made[other]
            made[name] = text
        jar = [*self._cookies, *(f"{name}={text}" for name, text in cookies)]
        if jar:
            made["Cookie"] = "; ".join(jar)
        more = "&".join([f"{quote(name)}={quote(text)}" for name, text in query])
        if more:
            url += f"&{more}" if "?" in url else f"?{more}"
        return self.method, url, made, self.body

    def url(self, base_url: str) -> str:
        """The path is appended to the base URL, never resolved against it (OpenAPI 3.2 §4.5)."""
        base, _, base_query = base_url.partition("#")[0].partition("?")
        path_template, query_template = parsed(self.template)
        path = "/".join([self._segment(one) for one in path_template])
        if path and not path.startswith("/"):
            path = f"/{path}"
        strings = [base_query, self._fill(query_template), *self._query]
        whole = "&".join([one for one in strings if one])
        return base.rstrip("/") + path + (f"?{whole}" if whole else "")

    def _segment(self, template: Template) -> str:
        """One segment filled in. What a value makes of it must stay one segment, for any server that decodes it."""
        if len(template) == 1:
            return template[0]
        name = template[1]
        text = self._fill(template)
        if not text:
            raise invalid(name, f"{name!r} must not be empty: it is a part of the path")
        if leaves_segment(text):
            raise invalid(name, f"{name!r} must not hold a path segment '.' or '..'")
        return text

    def _fill(self, template: Template) -> str:
        pieces = list(template)
        for index in range(1, len(pieces), 2):
            name = pieces[index]
            if name not in self._segments:
                raise invalid(name, f"{name!r} is missing: it is a part of the path")
            pieces[index] = self._segments[name]
        return "".join(pieces)


@lru_cache(4096)
def parsed(template: str) -> tuple[tuple[Template, ...], Template]:
    """The segments of a path, and its query."""
    path, _, query = template.partition("?")
    return tuple(_pieces(segment) for segment in path.split("/")), _pieces(query)


def _pieces(template: str) -> Template:
    return tuple(
        piece if index % 2 else NOT_PATH.sub(_escape, piece)
        for index, piece in enumerate(PLACEHOLDER.split(template))
    )


def absent(value: Json) -> bool:
    return value is None or isinstance(value, Unset)


def joined(pairs: Pairs) -> list[str]:
    return [f"{name}={text}" for name, text in pairs]


def leaves_segment(text: str) -> bool:
    """Whether a server, decoding as often as it likes, could see a `.` or `..` segment.

    `;` begins path parameters that some servers strip first, and some read `\\` as `/`.
    """
    if "." not in text and "%" not in text:
        return False
    for _ in range(32):
        pieces = re.split(r"[/\\]", text)
        if any(one.partition(";")[0] in (".", "..") for one in pieces):
            return True
        decoded = TRIPLET.sub(lambda found: chr(int(found.group(1), 16)), text)
        if decoded == text:
            return False
        text = decoded
    return True  # nobody encodes a name that often, but an attacker might


def _content(value: Json, media_type: str | None) -> Json:
    """The one text of a parameter with `content`; any other is left to its style."""
    if media_type is None or (isinstance(value, str) and not is_json(media_type)):
        return value
    return json_text(value)


def _escape(found: re.Match[str]) -> str:
    return quote(found.group())
