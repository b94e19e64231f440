"""`install`: enter the server in the configuration of a client, beside what is there.

A secret is named rather than written wherever the client can look it up or ask for it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from argparse import ArgumentParser

from ..tools import import_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..catalog import Catalog
    from ..messages import Json


class Refused(Exception):
    """The file is left as it is; the message says why."""


class Client:
    """`place`: its file of the user by platform (`linux` for any other); `project`: its file in a project's folder.

    `key` holds the servers. `refer` gives what stands for a variable of the environment, None where nothing can.
    """

    def __init__(
        self,
        place: dict[str, str],
        project: str | None,
        key: str,
        refer: Callable[[str], str] | None,
    ) -> None:
        self.place = place
        self.project = project
        self.key = key
        self.refer = refer

    def path(self, in_project: bool) -> str:
        if in_project:
            if self.project is None:
                raise Refused("this client has no configuration of a project")
            return os.path.abspath(self.project)
        place = self.place.get(sys.platform, self.place["linux"])
        return os.path.expanduser(os.path.expandvars(place))


MAC = "~/Library/Application Support"
CLIENTS = {
    "claude-desktop": Client(
        {
            "darwin": f"{MAC}/Claude/claude_desktop_config.json",
            "win32": r"%APPDATA%\Claude\claude_desktop_config.json",
            "linux": "~/.config/Claude/claude_desktop_config.json",
        },
        None,
        "mcpServers",
        None,
    ),
    "claude-code": Client(
        {"linux": "~/.claude.json"}, ".mcp.json", "mcpServers", lambda name: f"${{{name}:-}}"
    ),
    "cursor": Client(
        {"linux": "~/.cursor/mcp.json"},
        ".cursor/mcp.json",
        "mcpServers",
        lambda name: f"${{env:{name}}}",
    ),
    "vscode": Client(
        {
            "darwin": f"{MAC}/Code/User/mcp.json",
            "win32": r"%APPDATA%\Code\User\mcp.json",
            "linux": "~/.config/Code/User/mcp.json",
        },
        ".vscode/mcp.json",
        "servers",
        lambda name: f"${{input:{name}}}",  # it asks once, and keeps the answer as a secret
    ),
}


def run(package: str, catalog: Catalog, words: list[str]) -> int:
    program = package.replace("_", "-")
    at = words.index("--") if "--" in words else len(words)
    parser = ArgumentParser(
        prog=f"{program} install",
        description="Enter this server in a client's configuration.",
        epilog="What follows -- is given to the server when the client starts it: install cursor -- --read-only",
    )
    add = parser.add_argument
    add("client", choices=CLIENTS)
    add("--project", action="store_true", help="in the configuration of the folder that you are in")
    add("--print", action="store_true", help="print what would be entered; write nothing")
    valued = "a variable to set; without a value it is taken from this environment"
    add("--env", action="append", default=[], metavar="NAME[=VALUE]", help=valued)
    options = parser.parse_args(words[1:at])
    client = CLIENTS[options.client]
    try:
        given = _given(options.env)
        names = _variables(package)
        entry, unset = _entry(package, client, names, given, words[at + 1 :])
        addition: Json = {client.key: {catalog.server["name"]: entry}}
        inputs = _inputs([name for name in names if name not in given])
        if client.key == "servers" and inputs:
            addition = {"inputs": inputs, **addition}
        if options.print:
            print(json.dumps(addition, indent=2, ensure_ascii=False))
            return 0
        path = client.path(options.project)
        print(_enter(path, addition))
    except Refused as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        return 1
    if unset:
        print(f"Fill in there what the API asks for: {', '.join(unset)}")
    print("Restart the client, or reload its servers.")
    return 0


def _given(texts: list[str]) -> dict[str, str]:
    given = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals and name not in os.environ:
            raise Refused(f"--env {name}: it is not set in this environment; write {name}=VALUE")
        given[name] = value if equals else os.environ[name]
    return given


def _variables(package: str) -> list[str]:
    """What the API's credentials are read from, and its address where the package does not know it."""
    module = import_optional(f"{package}.api")
    if module is None:
        return []
    names = [name for one in module.API.credentials.values() for name in one.variables()]
    if not any(server.startswith("http") for server in module.API.servers):
        names.append(f"{module.API.prefix}_BASE_URL")
    return list(dict.fromkeys(names))


def _entry(
    package: str, client: Client, names: list[str], given: dict[str, str], arguments: list[str]
) -> tuple[dict[str, Json], list[str]]:
    """What the client is to know of the server, and the variables that are left to fill in."""
    refer = client.refer or (lambda name: "")
    env = {**{name: refer(name) for name in names}, **given}
    unset = [] if client.refer else [name for name in names if name not in given]
    command, first = _command(package, env)
    kind = {"type": "stdio"} if client.key == "servers" else {}
    return {**kind, "command": command, "args": [*first, *arguments], "env": env}, unset


def _command(package: str, env: dict[str, str]) -> tuple[str, list[str]]:
    """How a program that shares neither our PATH nor our folder starts this server."""
    suffix = ".exe" if sys.platform == "win32" else ""
    script = os.path.join(os.path.dirname(sys.executable), f"{package.replace('_', '-')}{suffix}")
    if os.path.exists(script):
        return script, []
    folder = os.path.dirname(os.path.dirname(sys.modules[package].__file__ or ""))
    if "site-packages" not in folder:
        env["PYTHONPATH"] = folder
    return sys.executable, ["-m", package]


def _inputs(names: list[str]) -> list[Json]:
    return [
        {
            "type": "promptString",
            "id": name,
            "description": name,
            "password": not name.endswith("_URL"),
        }
        for name in names
    ]


def _enter(path: str, addition: Json) -> str:
    """Write the addition into the file, and say what was done. Raises Refused where the file is not plain JSON."""
    path = os.path.realpath(path)
    text = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    made = json.dumps(
        _joined(_parsed(path, text, addition), addition), indent=_indent(text), ensure_ascii=False
    )
    if made == text.rstrip("\n"):
        return f"{path} has it already."
    os.makedirs(os.path.dirname(path), exist_ok=True)
    backup = _write(path, made + "\n", text)
    return f"Entered in {path}." + (f" What was there is in {backup}." if backup else "")


def _parsed(path: str, text: str, addition: Json) -> dict[str, Json]:
    by_hand = f"Add this by hand:\n{json.dumps(addition, indent=2, ensure_ascii=False)}"
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError as error:
        why = (
            f"{path} is not plain JSON ({error}), perhaps for its comments, and was left as it is."
        )
        raise Refused(f"{why} {by_hand}") from None
    servers = found.get(list(addition)[-1], {}) if isinstance(found, dict) else None
    inputs = found.get("inputs", []) if isinstance(found, dict) else None
    if not isinstance(servers, dict) or not isinstance(inputs, list):
        raise Refused(f"{path} is not laid out as expected, and was left as it is. {by_hand}")
    return dict(found)


def _joined(found: dict[str, Json], addition: Json) -> dict[str, Json]:
    """Both in one. Of this server's own entry, what a person filled in or added stays."""
    *_, key = addition
    joined = dict(found)
    known = {one.get("id") for one in found.get("inputs", ()) if isinstance(one, dict)}
    fresh = [one for one in addition.get("inputs", ()) if one["id"] not in known]
    if fresh:
        joined["inputs"] = [*found.get("inputs", ()), *fresh]
    ((name, entry),) = addition[key].items()
    old = found.get(key, {}).get(name)
    old = old if isinstance(old, dict) else {}
    kept: Json = old.get("env")
    kept = kept if isinstance(kept, dict) else {}
    filled = {variable: value for variable, value in kept.items() if value}
    env = {
        **entry["env"],
        **{v: t for v, t in filled.items() if not _is_given(entry["env"].get(v))},
    }
    joined[key] = {**found.get(key, {}), name: {**old, **entry, "env": env}}
    return joined


def _is_given(value: str | None) -> bool:
    """Whether the value was said on the command line, rather than a reference or a place to fill in."""
    return bool(value) and not re.match(r"\$\{", value or "")


def _indent(text: str) -> str | int:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else 2


def _write(path: str, text: str, before: str) -> str | None:
    """Replace the file in one step, with a copy of what it was; gives the copy's path."""
    import shutil

    backup = None
    if before:
        backup = next(one for one in _backups(path) if not os.path.exists(one))
        shutil.copy2(path, backup)
    fresh = f"{path}.{os.getpid()}.new"
    with open(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
    if before:
        shutil.copymode(path, fresh)
    os.replace(fresh, path)
    return backup


def _backups(path: str) -> Iterator[str]:
    from itertools import count

    return (f"{path}.backup{number or ''}" for number in count())
