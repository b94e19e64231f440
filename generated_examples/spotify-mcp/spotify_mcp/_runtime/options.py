"""The command line of a generated server. argparse is only loaded where there is something to parse."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

# What the command does besides serving: the first word → a module of subcommands/, imported when it is wanted, and help.
# The module's `run(package, catalog, words)` takes all words, and gives the exit status.
COMMANDS = {
    "tools": ("tools", "list the tools, or print them for a model's API"),
    "call": ("call", "call one tool: NAME key=value ..."),
    "doctor": ("doctor", "check the credentials, the way to the API, the versions"),
    "install": ("install", "enter the server in a client's configuration"),
    "bundle": ("bundle", "make an MCP bundle (.mcpb) of this package"),
    "login": ("login", "get an access token by your consent, where the API has that"),
    "logout": ("login", "forget the token"),
}

LEVELS = ("debug", "info", "warning", "error")


class Options:
    """What the command line says, with what holds where it says nothing."""

    transport = "stdio"
    host = "127.0.0.1"
    port = 8000
    explorer = True
    mode = "auto"
    budget: int | None = None
    namespaces: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    read_only = False
    confirm = False
    base_url: str | None = None
    mock = False
    log_level = "warning"
    log_format = "text"


def parse(program: str, version: str, words: Sequence[str]) -> Options:
    parser = _parser(program, version)
    options, left = parser.parse_known_args(words, namespace=Options())
    if left:
        late = next((f"; '{one}' comes first" for one in left if one in COMMANDS), "")
        parser.error(f"unrecognized arguments: {' '.join(left)}{late}")
    return options


def _parser(program: str, version: str) -> ArgumentParser:
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    parser = ArgumentParser(
        prog=program,
        usage=f"%(prog)s [options]    serve\n       %(prog)s {{{','.join(COMMANDS)}}} ...",
        description="An MCP server made by mcpgen.",
        epilog="\n".join(
            ["commands:", *(f"  {name:9} {what}" for name, (_, what) in COMMANDS.items())]
        ),
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--transport", choices=("stdio", "http"), help="stdio is the default; http serves /mcp")
    add("--host", help="the address to listen on (default 127.0.0.1)")
    add("--port", type=int, help="the port to listen on (default 8000)")
    add(
        "--no-explorer",
        dest="explorer",
        action="store_false",
        help="no page at / to look at the tools",
    )
    add_selection(parser)
    confirm = "ask the user before a tool destroys"
    add("--confirm", action="store_true", default=None, help=confirm)
    add_upstream(parser)
    add("--log-level", choices=LEVELS, help="how much goes to stderr (default warning)")
    add("--log-format", choices=("text", "json"), help="how it is written (default text)")
    add("--version", action="version", version=version)
    set_defaults(parser)
    return parser


def add_selection(parser: ArgumentParser) -> None:
    """The options that say which tools are meant, and how they are shown."""
    add = parser.add_argument
    modes = ("auto", "all", "namespace", "single", "search")
    add("--mode", choices=modes, help="how the tools are shown (default %(default)s)")
    budget = "what listing them may cost a model in tokens, for --mode auto (default 25,000)"
    add("--budget", type=int, metavar="TOKENS", help=budget)
    add("--namespaces", type=_names, metavar="A,B", help="only the tools of these namespaces")
    add("--tools", type=_names, metavar="A,B", help="only these tools")
    add("--read-only", action="store_true", default=None, help="only tools that change nothing")


def add_upstream(parser: ArgumentParser) -> None:
    """The options that say where the API is."""
    add = parser.add_argument
    add("--base-url", metavar="URL", help="where the API is")
    add("--mock", action="store_true", default=None, help="answer from the document's examples")


def set_defaults(parser: ArgumentParser, options: type[Options] = Options) -> None:
    """Let what is not said be as `options` has it."""
    for action in parser._actions:
        if action.dest != "help":
            action.default = getattr(options, action.dest, action.default)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
