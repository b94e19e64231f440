"""The command line of a generated server. argparse is only loaded where there is something to parse."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

LEVELS = ("debug", "info", "warning", "error")


class Options:
    """What the command line says, with what holds where it says nothing."""

    transport = "stdio"
    host = "127.0.0.1"
    port = 8000
    mode = "auto"
    namespaces: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    read_only = False
    confirm = False
    base_url: str | None = None
    mock = False
    log_level = "warning"
    log_format = "text"


def parse(program: str, version: str, words: Sequence[str]) -> Options:
    return _parser(program, version).parse_args(words, namespace=Options())


def _parser(program: str, version: str) -> ArgumentParser:
    from argparse import ArgumentParser

    words = "`login` gets an access token where the API has a login, `logout` forgets it; see `login --help`."
    description = "An MCP server made by mcpgen."
    parser = ArgumentParser(prog=program, description=description, epilog=words)
    add = parser.add_argument
    add("--transport", choices=("stdio", "http"), help="stdio is the default; http serves /mcp")
    add("--host", help="the address to listen on (default 127.0.0.1)")
    add("--port", type=int, help="the port to listen on (default 8000)")
    modes = ("auto", "all", "namespace", "single", "search")
    add("--mode", choices=modes, help="how the tools are shown (default auto)")
    add("--namespaces", type=_names, metavar="A,B", help="only the tools of these namespaces")
    add("--tools", type=_names, metavar="A,B", help="only these tools")
    add("--read-only", action="store_true", default=None, help="only tools that change nothing")
    confirm = "ask the user before a tool destroys"
    add("--confirm", action="store_true", default=None, help=confirm)
    add("--base-url", metavar="URL", help="where the API is")
    add("--mock", action="store_true", default=None, help="answer from the document's examples")
    add("--log-level", choices=LEVELS, help="how much goes to stderr (default warning)")
    add("--log-format", choices=("text", "json"), help="how it is written (default text)")
    add("--version", action="version", version=version)
    for action in parser._actions:
        if action.dest != "help":
            action.default = getattr(Options, action.dest, action.default)
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
