"""`call`: one tool by hand, with the checks, credentials and errors of a client's call."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from argparse import ArgumentParser

from .. import api as upstream
from .. import http_client
from ..arguments import compile_schema
from ..messages import decode
from ..options import Options, add_selection, add_upstream, set_defaults
from ..server import Server
from ..session import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY, Exchange, Session
from ..tools import import_optional
from ..versions import STATELESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..catalog import Catalog
    from ..messages import Json
    from ..request import Request


class Calling(Options):
    mode = "all"
    tool = ""
    arguments: tuple[str, ...] = ()
    json = ""
    verbose = False


def run(package: str, catalog: Catalog, words: list[str]) -> int:
    parser = ArgumentParser(prog=f"{package.replace('_', '-')} call", description="Call a tool.")
    parser.add_argument("tool")
    pair = "a string as it is, anything else as JSON"
    parser.add_argument("arguments", nargs="*", metavar="key=value", help=pair)
    parser.add_argument("--json", metavar="OBJECT", help="all arguments at once; - reads stdin")
    shown = "tell on stderr what is asked of the API"
    parser.add_argument("-v", "--verbose", action="store_true", default=None, help=shown)
    add_selection(parser)
    add_upstream(parser)
    set_defaults(parser, Calling)
    options = parser.parse_intermixed_args(words[1:], namespace=Calling())
    server = Server(package, catalog, options)
    server.confirmed = frozenset()  # who types this is the user that would be asked
    known = server.exposure.schemas or {
        name: decode(entry)["inputSchema"]
        for name, entry in server.tools.items()
        if name == options.tool
    }
    if options.tool not in known:
        parser.error(f"there is no tool {options.tool!r}{_near(options.tool, server)}")
    try:
        given = _arguments(options, known[options.tool])
    except ValueError as error:
        parser.error(str(error))
    if options.verbose:
        _tell(package)
    answer = asyncio.run(_call(server, options.tool, given))
    failed = "error" in answer or bool(answer["result"].get("isError"))
    blocks = (
        [{"type": "text", "text": answer["error"]["message"]}]
        if "error" in answer
        else answer["result"]["content"]
    )
    for block in blocks:
        print(_shown(block), file=sys.stderr if failed else sys.stdout)
    return int(failed)


def _near(name: str, server: Server) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [*server.exposure.schemas, *server.tools], 3)
    return f"; did you mean {' or '.join(near)}?" if near else ": see `tools`"


def _arguments(options: Calling, schema: Json) -> dict[str, Json]:
    """The arguments as the command line has them. Raises ValueError."""
    given: Json = {}
    if options.json:
        text = sys.stdin.read() if options.json == "-" else options.json
        try:
            given = json.loads(text)
        except ValueError as error:
            raise ValueError(f"--json is no JSON: {error}") from None
        if not isinstance(given, dict):
            raise ValueError("--json must be an object")
    for pair in options.arguments:
        key, equals, text = pair.partition("=")
        if not equals:
            raise ValueError(f"{pair!r} is not of the form key=value")
        given[key] = _value(text, schema.get("properties", {}).get(key, {}), schema)
    return dict(given)


def _value(text: str, schema: Json, root: Json) -> Json:
    """The text itself where the schema takes it, else what it says as JSON."""
    whole = {**schema, "$defs": root.get("$defs", {})} if isinstance(schema, dict) else {}
    if compile_schema(whole).is_valid(text):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


async def _call(server: Server, name: str, arguments: dict[str, Json]) -> Json:
    """The answer's message."""
    meta = {
        VERSION_KEY: STATELESS[-1],
        CAPABILITIES_KEY: {},
        CLIENT_KEY: {"name": "call", "version": str(server.catalog.server["version"])},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    outcome = Session(server, lambda message: None).take(message)
    try:
        answer = await outcome.run() if isinstance(outcome, Exchange) else outcome
    finally:
        await server.close()
    return decode(answer.data)  # type: ignore[union-attr]  # a request that nobody cancels is answered


def _tell(package: str) -> None:
    """Write each request, without what credentials add, and how it was answered."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("< %(message)s"))
    http_client.log.addHandler(handler)
    http_client.log.setLevel(logging.DEBUG)
    http_client.log.propagate = False
    module = import_optional(f"{package}.api")
    api: Any = module.API if module else None
    send = getattr(api, "send", None)
    if send is None:
        return

    async def told(request: Request) -> Json:
        url = upstream.without_userinfo(request.url(api._server(request)))
        lines = [f"{request.method} {url}"]
        lines += [f"{name}: {text}" for name, text in request.headers.items()]
        if request.body:
            lines += ["", *request.body.decode("utf-8", "replace").splitlines()]
        print("\n".join(f"> {line}".rstrip() for line in lines), file=sys.stderr)
        return await send(request)

    setattr(api, "send", told)


def _shown(block: Json) -> str:
    """A content block for a person: JSON indented, bytes by their number."""
    block = {**block, **block.get("resource", {})}
    if "text" in block:
        try:
            return json.dumps(json.loads(block["text"]), indent=2, ensure_ascii=False)
        except ValueError:
            return str(block["text"])
    encoded = block.get("data") or block.get("blob")
    if encoded:
        return f"[{block.get('mimeType')}, {len(encoded) * 3 // 4 - encoded[-2:].count('=')} bytes]"
    return str(block.get("uri", block))
