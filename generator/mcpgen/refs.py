"""Follow `$ref` from a Node to the Node it means: JSON pointers, anchors, other files, other URLs.

Knows what may be read: files near the root document, URLs of the host it came from. Nothing of OpenAPI.
"""

from __future__ import annotations

from collections.abc import Collection

import os
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from mcpgen.anchors import Anchors
from mcpgen.diagnostics import Diagnostics, Stop
from mcpgen.fetch import FetchError, fetch, is_private, is_url, same_host, without_credentials
from mcpgen.source import Document, Node, load_path, parse

MAX_HOPS = 100  # references that lead to references
MAX_DOCUMENTS = 2000  # DigitalOcean's document has 1,500 files
MAX_CLIMB = 3  # folders above the root document's that a reference may climb to
SUFFIXES = (".json", ".yaml", ".yml")


class Unresolved(Exception):
    """A reference leads nowhere. It has been reported; the reader leaves out what needs it."""

    def __init__(self, ref: str, reason: str) -> None:
        super().__init__(f"unresolved reference '{ref}': {reason}")
        self.ref = ref


class Resolver:
    """Follows references; reads each other document once."""

    def __init__(
        self, root: Document, diagnostics: Diagnostics, hosts: Collection[str] = ()
    ) -> None:
        """`hosts` are those that the user allows a reference to lead to, beside the document's own."""
        self.root = root
        self.hosts = frozenset(one.lower() for one in hosts)
        self.diagnostics = diagnostics
        self.documents: dict[str, Document | str] = (
            {}
        )  # by address; a string says why there is none
        self.anchors = Anchors()
        self.targets: dict[tuple[int, str], Node] = {}
        self.documents[_address(root)] = root

    def follow(self, node: Node) -> Node:
        """The node itself, or what its chain of references leads to. Raises Unresolved."""
        seen: set[int] = set()
        start = node
        while (ref := reference(node)) is not None:
            if id(node.value) in seen or len(seen) > MAX_HOPS:
                raise self.unresolved(start, "it leads in a circle")
            seen.add(id(node.value))
            node = self.target(node, ref)
        return node

    @property
    def others(self) -> dict[str, str]:
        """The documents that were asked for, but for the first: by address, the hash of each, or why there is none."""
        own = _address(self.root)
        return {
            address: one if isinstance(one, str) else one.sha256
            for address, one in self.documents.items()
            if address != own
        }

    def target(self, node: Node, ref: str) -> Node:
        """What the one reference at `node` means. Raises Unresolved."""
        try:
            return self._find(node, ref)
        except _Nowhere as nowhere:
            raise self.unresolved(node, str(nowhere), ref) from None
        except ValueError as error:  # urllib and pathlib refuse some addresses in their own words
            raise self.unresolved(node, f"it is no valid address ({error})", ref) from None

    def unresolved(self, node: Node, reason: str, ref: str | None = None) -> Unresolved:
        """Report a reference that leads nowhere, and give the exception to raise."""
        ref = ref if ref is not None else reference(node) or ""
        place = node.child("$ref") or node
        message = f"the reference '{ref}' cannot be resolved: {reason}"
        self.diagnostics.warning("unresolved-ref", message, place.location)
        return Unresolved(ref, reason)

    def _find(self, node: Node, ref: str) -> Node:
        address, _, fragment = ref.partition("#")
        fragment = unquote(fragment)
        key = (id(node.document), ref)
        scope = self.anchors.scope(node)  # the nearest enclosing `$id`, if the document has any
        if scope is None and key in self.targets:
            return self.targets[key]
        base = self._resource(node, scope, address)
        target = self.anchors.within(base, fragment)
        if target is None and not address and scope is not None:
            target = self.anchors.within(node.document.root, fragment)  # meant so, though wrong
        if target is None:
            raise _Nowhere(f"there is no such place in {base.document.file}")
        if scope is None:
            self.targets[key] = target
        return target

    def _resource(self, node: Node, scope: Node | None, address: str) -> Node:
        """The document, or the schema with an `$id`, that the part before `#` names."""
        if not address:
            return scope or node.document.root
        identified = self.anchors.identified(node, address)
        if identified is not None:
            return identified
        return self._open(node.document, address).root

    def _open(self, origin: Document, address: str) -> Document:
        where = _join(origin, address)
        if where not in self.documents:
            self.documents[where] = self._read(where)
        found = self.documents[where]
        if isinstance(found, str):
            raise _Nowhere(found)
        return found

    def _read(self, where: str) -> Document | str:
        if len(self.documents) >= MAX_DOCUMENTS:
            return f"the document refers to more than {MAX_DOCUMENTS} others"
        try:
            return self._fetch(where) if is_url(where) else self._read_file(where)
        except _Nowhere as nowhere:
            return str(nowhere)
        except Stop:
            return "the document cannot be read"

    def _fetch(self, url: str) -> Document:
        home, parts = self.root.url, urlsplit(url)
        if home is None or not same_host(home, url):
            if not {parts.hostname, parts.netloc.lower()} & self.hosts:
                there = f"another host than {urlsplit(home).hostname}" if home else "a URL"
                raise _Nowhere(
                    f"it leads to {there}; --allow-host {parts.hostname} would allow that"
                )
            # A stranger's document must not reach into the user's own network.
            from_inside = home is not None and is_private(urlsplit(home).hostname or "")
            if is_private(parts.hostname or "") and not from_inside:
                raise _Nowhere("it leads to a private address")
        try:
            answer = fetch(url, stay=True)
        except FetchError as error:
            raise _Nowhere(str(error)) from None
        file = without_credentials(url)
        document = parse(answer.data, file, self.diagnostics, url=answer.url)
        self.anchors.add(document)
        return document

    def _read_file(self, where: str) -> Document:
        home = self.root.path
        if home is None:
            raise _Nowhere("a document from a URL may not refer to files")
        path = Path(where)
        reason = forbidden(path, home)
        if reason:
            raise _Nowhere(reason)
        if not path.is_file():
            raise _Nowhere("there is no such file")
        return load_path(path, where, self.diagnostics)


class _Nowhere(Exception):
    """Why a reference leads nowhere."""


def reference(node: Node) -> str | None:
    value = node.value
    ref = value.get("$ref") if isinstance(value, dict) else None
    return ref if isinstance(ref, str) else None


def forbidden(path: Path, home: Path) -> str | None:
    """Why the file may not be read for a document at `home`: only what looks like a part of the same API may.

    Checked for the name and, should it be a link, for what it leads to.
    """
    try:
        pairs = (
            (Path(os.path.abspath(path)), Path(os.path.abspath(home)).parent),
            (path.resolve(), home.resolve().parent),
        )
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a null character
        return f"the path makes no sense ({error})"
    for target, folder in pairs:
        common = Path(os.path.commonpath([target, folder]))
        below = target.relative_to(common).parts
        climbed = len(folder.parts) - len(common.parts)
        if climbed > MAX_CLIMB or (climbed and len(common.parts) == 1):
            return f"it leads too far away from the folder of {home.name}"
        if any(part.startswith(".") for part in below):
            return "hidden files are not read"
        if target.suffix.lower() not in SUFFIXES and climbed:
            return "outside the document's folder only .json, .yaml and .yml files are read"
    return None


def _address(document: Document) -> str:
    return document.url or os.path.normpath(document.file)


def _join(origin: Document, address: str) -> str:
    """The URL, or the path as the user would write it, that `address` means in a document."""
    if is_url(address):
        return urlsplit(address)._replace(fragment="").geturl()
    if origin.url is not None:
        return urljoin(origin.url, address)
    scheme = urlsplit(address).scheme
    if scheme and len(scheme) > 1:  # one letter would be a Windows drive
        raise _Nowhere(f"'{scheme}:' is not read")
    folder = os.path.dirname(origin.file) if origin.file != "<stdin>" else ""
    return os.path.normpath(os.path.join(folder, unquote(address)))
