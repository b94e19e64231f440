"""`doctor`: what a call needs and whether it is there. Nothing secret is shown; one request without credentials goes out."""

from __future__ import annotations

import asyncio
import sys
from argparse import ArgumentParser
from importlib.metadata import PackageNotFoundError, version

from ..api import Api, without_userinfo
from ..errors import ToolError
from ..request import Request
from ..tools import import_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..catalog import Catalog

    Finding = tuple[
        str, str
    ]  # "ok", "--" for what may be so, or "!!" for what is wrong; and a sentence

UNREACHED = ("upstream_unreachable", "upstream_timeout", "missing_credentials", "refused")
FOR_AN_API = ("aiohttp", "jmespath")


def run(package: str, catalog: Catalog, words: list[str]) -> int:
    program = package.replace("_", "-")
    description = "Check what a call needs: the credentials, the way to the API, the versions."
    parser = ArgumentParser(prog=f"{program} doctor", description=description)
    parser.add_argument("--base-url", metavar="URL", help="where the API is")
    options = parser.parse_args(words[1:])
    module = import_optional(f"{package}.api")
    needed = ("jsonschema-rs", *(FOR_AN_API if module else ()))
    findings = [
        ("ok", f"{program} {catalog.server['version']}"),
        ("ok", f"Python {sys.version.split()[0]} at {sys.executable}"),
        *(_library(name, "!!", "is not installed") for name in needed),
        _library(
            "uvicorn", "--", f"is not installed; over HTTP it is: pip install '{program}[http]'"
        ),
    ]
    if module:
        api: Api = module.API
        if options.base_url:
            api.base_url = options.base_url
        findings += _credentials(api)
        findings.append(asyncio.run(_reach(api)))
    for mark, sentence in findings:
        print(f"{mark}  {sentence}")
    return int(any(mark == "!!" for mark, _ in findings))


def _library(name: str, mark: str, otherwise: str) -> Finding:
    try:
        return "ok", f"{name} {version(name)}"
    except PackageNotFoundError:
        return mark, f"{name} {otherwise}"


def _credentials(api: Api) -> Iterator[Finding]:
    """Each credential; a missing one is wrong where most operations cannot do without."""
    unmet: dict[str, str] = {}
    for name, one in api.credentials.items():
        try:
            unmet[name] = " and ".join(one.missing())
        except ToolError as error:
            unmet[name] = error.message
    ready = not api.security or any(
        all(not unmet.get(name, name) for name in choice) for choice in api.security
    )
    wanted = {name for choice in api.security for name in choice}
    for name, missing in unmet.items():
        if not missing:
            yield "ok", f"the credential {name} is set"
        elif name in wanted and not ready:
            yield "!!", f"the credential {name} is missing: {missing}"
        else:
            yield "--", f"the credential {name} is not set ({missing}); some tools may need it"


async def _reach(api: Api) -> Finding:
    """Any answer will do: whether it likes the request is not asked."""
    api.client.retries = 0
    try:
        url = api.base_url
        try:
            await api.send(Request("GET", "", security=()))
        except ToolError as error:
            if error.kind in UNREACHED:
                return "!!", error.message
        return "ok", f"the API answers at {without_userinfo(url)}"
    except ToolError as error:
        return "!!", error.message
    finally:
        await api.close()
