"""Request bodies as bytes: JSON, forms, multipart with files, XML, text.

Pure functions from JSON values; OpenAPI 3.2 §4.14 to §4.16 and §4.26 say how they look.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence

from .errors import ToolError, invalid
from .uploads import read_local
from .serialize import Pairs, essence, is_json, json_text, plain, query_pairs, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .errors import Json

    Encoding = Mapping[str, Mapping[str, Json]]

MEDIA_TYPE = re.compile(
    r"[\w!#$&^.+\-]+/[\w!#$&^.+\-]+(\s*;\s*[\w.\-]+=(\"[^\"\r\n]*\"|[\w.\-+]+))*"
)
XML_NAME = re.compile(r"[^\W\d][\w.\-]*(:[^\W\d][\w.\-]*)?")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0 §2.2
LINES = (
    "application/x-ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/ndjson",
)


class File:
    """The bytes of a file argument: `{"base64" or "path", "filename", "content_type"}` or a base64 string."""

    def __init__(self, value: Json, *, argument: str) -> None:
        described = value if isinstance(value, dict) else {"base64": value}
        self.filename: str | None = described.get("filename")
        self.media_type: str | None = described.get("content_type")
        if self.media_type and MEDIA_TYPE.fullmatch(self.media_type) is None:
            raise _wrong(argument, f"{self.media_type!r} is not a content type")
        text, path = described.get("base64"), described.get("path")
        if isinstance(path, str) and text is None:
            self.content = read_local(path, argument=argument)
            self.filename = self.filename or re.split(r"[/\\]", path)[-1]
            return
        if not isinstance(text, str):
            raise _wrong(argument, 'a file is an object like {"base64": "…", "filename": "a.png"}')
        try:
            self.content = base64.b64decode(re.sub(r"\s", "", text), validate=True)
        except (binascii.Error, ValueError):
            raise _wrong(argument, "its base64 text cannot be decoded") from None


def is_file(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("base64"), str)
        and value.keys() <= {"base64", "filename", "content_type"}
    )


def _wrong(argument: str, reason: str) -> ToolError:
    return invalid(argument, f"{argument!r}: {reason}")


def json_bytes(value: Json) -> bytes:
    text = json_text(value)
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate: JSON can say it escaped, UTF-8 cannot
        return json.dumps(value, separators=(",", ":")).encode()


def text_bytes(value: Json, media_type: str) -> bytes:
    if isinstance(value, list) and essence(media_type) in LINES:
        return "".join(json_text(one) + "\n" for one in value).encode()
    charset = re.search(r"charset=\"?([\w.:\-]+)", media_type, re.IGNORECASE)
    try:
        return plain(value).encode(charset.group(1) if charset else "utf-8")
    except (UnicodeEncodeError, LookupError):
        raise _wrong("body", f"it cannot be written as {media_type}") from None


# --- forms


def form_pairs(value: Json, encoding: Encoding) -> Pairs:
    """The encoded pairs of a urlencoded body: lists repeat the name, objects are JSON unless a style is said."""
    found: Pairs = []
    for name, one in _properties(value).items():
        said = encoding.get(name, {})
        if one is None:
            continue
        if "style" in said or "explode" in said or "allowReserved" in said:
            style = said.get("style", "form")
            explode = said.get("explode", style in ("form", "deepObject"))
            reserved = said.get("allowReserved", False)
            found += query_pairs(name, one, style, explode, reserved)
        elif _is_json(said) or isinstance(one, dict):
            found.append((quote(name), quote(json_text(one))))
        else:
            found += query_pairs(name, one, "form", True)
    return found


def _properties(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise _wrong("body", "it must be an object, whose properties are the fields of the form")
    return value


def _is_json(encoding: Mapping[str, Json]) -> bool:
    return is_json(str(encoding.get("contentType", "")))


def multipart(value: Json, encoding: Encoding, files: Sequence[str]) -> tuple[bytes, str]:
    """A multipart body and its boundary: one part a property, a list repeats the name (RFC 7578 §4.3).

    A list as the body gives parts without names, for multipart/mixed.
    """
    if isinstance(value, list):
        parts = [_part(None, one, {}, is_file(one)) for one in value]
    else:
        parts = [
            part
            for name, one in _properties(value).items()
            for part in _parts(name, one, encoding.get(name, {}), name in files)
        ]
    from hashlib import sha256

    boundary = sha256(b"".join(parts)).hexdigest()[:32]  # nothing holds its own hash
    delimiter = f"--{boundary}\r\n".encode()
    return b"".join(delimiter + part for part in parts) + f"--{boundary}--\r\n".encode(), boundary


def _parts(name: str, value: Json, encoding: Mapping[str, Json], is_bytes: bool) -> Iterator[bytes]:
    if isinstance(value, list) and not _is_json(encoding):
        for one in value:
            yield from _parts(name, one, encoding, is_bytes)
    elif value is not None:
        yield _part(name, value, encoding, is_bytes or is_file(value))


def _part(name: str | None, value: Json, encoding: Mapping[str, Json], is_bytes: bool) -> bytes:
    said = _concrete(str(encoding.get("contentType", "")))
    disposition = f'form-data; name="{_quoted(name)}"' if name is not None else None
    if is_bytes:
        file = File(value, argument=name or "body")
        media_type = file.media_type or said or _guess(file.filename) or "application/octet-stream"
        filename = _quoted(file.filename or name or "file")
        disposition = f'{disposition or "attachment"}; filename="{filename}"'
        content = file.content
    else:
        nested = isinstance(value, (dict, list)) or _is_json(encoding)
        media_type = said or ("application/json" if nested else "")
        content = json_bytes(value) if nested else plain(value).encode()
    lines = [f"Content-Disposition: {disposition}\r\n" if disposition else ""]
    lines.append(f"Content-Type: {media_type}\r\n" if media_type else "")
    return "".join(lines).encode() + b"\r\n" + content + b"\r\n"


def _quoted(text: str) -> str:
    """As browsers write it (WHATWG HTML, multipart/form-data)."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _concrete(content_types: str) -> str:
    """The first of a list like `image/png, image/*` that is no pattern."""
    return next((one.strip() for one in content_types.split(",") if one and "*" not in one), "")


def _guess(filename: str | None) -> str | None:
    import mimetypes

    return mimetypes.guess_type(filename)[0] if filename else None


# --- XML


def xml_bytes(value: Json, schema: Mapping[str, Json]) -> bytes:
    if isinstance(value, str) and value.lstrip().startswith("<"):
        return value.encode()
    text = "".join(xml_text(value, schema, schema.get("name") or "root"))
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + text.encode()


def xml_text(value: Json, schema: Mapping[str, Json], name: str) -> Iterator[str]:
    """An element, or for a list that is not wrapped one element a member.

    `schema` is what a generator knows of the XML Objects; every member may be left out:

    - `name`, `prefix`, `namespace`: of the element or attribute; else the name of the property
    - `attribute`: it is an attribute of its parent; `text`: it is the text of its parent
    - `wrapped`: a list has an element of its own around its members
    - `properties`: property → schema; `items`: the schema of a list's members
    """
    if isinstance(value, list):
        items = schema.get("items", {})
        if not schema.get("wrapped"):
            # OpenAPI 3.2 §4.26: the name of a list that is not wrapped has no effect where its items have one.
            for one in value:
                yield from xml_text(one, {**_naming(schema), **items}, name)
            return
        inner = items.get("name") or schema.get("name") or name
        children = "".join(text for one in value for text in xml_text(one, items, inner))
        yield from _element(schema, name, "", children)
    elif isinstance(value, dict):
        properties = schema.get("properties", {})
        attributes, children = "", ""
        for member, one in value.items():
            said = properties.get(member, {})
            if one is None:
                continue
            if said.get("attribute"):
                attributes += (
                    _namespace(said) + f' {_xml_name(said, member)}="{_escaped(plain(one))}"'
                )
            elif said.get("text"):
                children += _escaped(plain(one))
            else:
                children += "".join(xml_text(one, said, member))
        yield from _element(schema, name, attributes, children)
    else:
        yield from _element(schema, name, "", "" if value is None else _escaped(plain(value)))


def _naming(schema: Mapping[str, Json]) -> dict[str, Json]:
    return {key: schema[key] for key in ("name", "prefix", "namespace") if key in schema}


def _element(
    schema: Mapping[str, Json], name: str, attributes: str, children: str
) -> Iterator[str]:
    tag = _xml_name(schema, name)
    start = f"<{tag}{_namespace(schema)}{attributes}"
    yield f"{start}>{children}</{tag}>" if children else f"{start}/>"


def _xml_name(schema: Mapping[str, Json], name: str) -> str:
    own = schema.get("name") or name
    if schema.get("prefix"):
        own = f"{schema['prefix']}:{own}"
    if XML_NAME.fullmatch(own) is None:
        raise _wrong("body", f"{own!r} cannot be the name of an XML element")
    return own


def _namespace(schema: Mapping[str, Json]) -> str:
    if not schema.get("namespace"):
        return ""
    prefix = f":{schema['prefix']}" if schema.get("prefix") else ""
    return f' xmlns{prefix}="{_escaped(schema["namespace"])}"'


def _escaped(text: str) -> str:
    if NOT_XML.search(text):
        raise _wrong("body", f"{text!r} has a character that XML cannot carry")
    for character, entity in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
        ("\r", "&#13;"),
    ):
        text = text.replace(character, entity)
    return text
