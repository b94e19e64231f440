"""Judge mcpgen on a folder of real documents: each is generated, started and listed by the official client.

    python scripts/corpus.py ../shared/corpus [--only TEXT] [--jobs 2]

A document passes when mcpgen ends with status 0 within its time, the package compiles and starts, tools and named
skips together are the operations of the document (`index.tsv` says how many), every schema is valid JSON Schema
2020-12 with root `type: object` and local references only, and names are unique and fit every client. A line for each
document, the diagnostics by code, and a last line with totals; status 1 if a document failed.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import csv
import gzip
import json
import re
import shutil
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
from mcp import Client, StdioServerParameters

GENERATE_SECONDS = 120
START_SECONDS = 120
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
CODE = re.compile(r"(?:error|warning)\[([a-z0-9-]+)\]")


class Failed(Exception):
    """Why a document fails."""


@dataclass(frozen=True)
class Document:
    name: str
    operations: int


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--only", default="", help="documents with this in their name")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.corpus.is_dir():
        print(f"skipped: there is no {options.corpus}")
        return 0
    found = [one for one in documents(options.corpus) if options.only in one.name]
    return asyncio.run(judge_all(options.corpus, found, options.jobs))


def documents(corpus: Path) -> Iterator[Document]:
    with (corpus / "index.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            yield Document(row["file"], int(row["operations"]))


async def judge_all(corpus: Path, found: list[Document], jobs: int) -> int:
    slots = asyncio.Semaphore(jobs)
    codes: collections.Counter[str] = collections.Counter()

    async def one(document: Document) -> bool:
        async with slots:
            start = time.monotonic()
            with tempfile.TemporaryDirectory() as scratch:
                try:
                    told, good = await judge(corpus, document, Path(scratch), codes), True
                except Failed as reason:
                    told, good = str(reason), False
            print(
                f"{'pass' if good else 'FAIL'}  {time.monotonic() - start:5.1f} s  {document.name}: {told}",
                flush=True,
            )
            return good

    results = await asyncio.gather(*map(one, found))
    print("\ndiagnostics: " + ", ".join(f"{code} {count}" for code, count in codes.most_common()))
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


async def judge(
    corpus: Path, document: Document, scratch: Path, codes: collections.Counter[str]
) -> str:
    spec = place(corpus, document.name, scratch)
    out = scratch / "server"
    status, stdout, stderr = await run(
        [sys.executable, "-m", "mcpgen", str(spec), "-o", str(out), "--json"],
        scratch,
        GENERATE_SECONDS,
    )
    if "Traceback" in stderr or "internal error" in stderr:
        raise Failed(f"mcpgen broke: {stderr[-300:]}")
    if status != 0:
        raise Failed(f"mcpgen ended with {status}: {stderr[-300:]}")
    codes.update(CODE.findall(stderr))
    record = json.loads(stdout)
    package = record["package"]
    compiled = [sys.executable, "-W", "error", "-m", "compileall", "-q", package, "tests"]
    if (await run(compiled, out, START_SECONDS))[0] != 0:
        raise Failed("the package does not compile")
    tools = await listed(package, out)
    check(tools, record, document)
    return f"{len(tools)} tools, {len(record['skipped'])} skipped"


def place(corpus: Path, name: str, scratch: Path) -> Path:
    """The document as a plain file, with the files that belong to it."""
    if "!" in name:
        archive, inner = name.split("!", 1)
        with tarfile.open(corpus / archive) as tar:
            tar.extractall(scratch / "spec", filter="data")
        return scratch / "spec" / inner
    source = corpus / name
    if name.endswith(".gz"):
        target = scratch / source.stem
        target.write_bytes(gzip.decompress(source.read_bytes()))
        return target
    if name.startswith("multi/"):
        top, inner = name.split("/")[1], name.split("/", 2)[2]
        shutil.copytree(corpus / "multi" / top, scratch / "spec")
        return scratch / "spec" / inner
    return Path(shutil.copy(source, scratch))


async def run(command: list[str], folder: Path, seconds: float) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        stdout, stderr = await asyncio.wait_for(process.communicate(), seconds)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise Failed(f"{command[2]} took more than {seconds} s") from None
    return process.returncode or 0, stdout.decode(), stderr.decode()


async def listed(package: str, folder: Path) -> list[Any]:
    """What the official client sees; it parses every entry."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", package, "--mode", "all"], cwd=folder
    )
    tools: list[Any] = []
    try:
        async with asyncio.timeout(START_SECONDS), Client(server) as client:
            cursor: str | None = None
            while True:
                page = await client.list_tools(cursor=cursor)
                tools += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    return tools
    except Exception as error:  # noqa: BLE001 - whatever the client says is the reason
        raise Failed(f"the server does not serve: {type(error).__name__}: {error}") from None


def check(tools: list[Any], record: dict[str, Any], document: Document) -> None:
    names = [tool.name for tool in tools]
    if len(set(names)) != len(names):
        raise Failed("two tools have one name")
    if bad := [name for name in names if not NAME.fullmatch(name)]:
        raise Failed(f"names that clients refuse: {bad[:3]}")
    if len(tools) + len(record["skipped"]) != document.operations:
        raise Failed(
            f"{len(tools)} tools and {len(record['skipped'])} skipped are not {document.operations} operations"
        )
    for tool in tools:
        for schema in (tool.input_schema, tool.output_schema):
            if schema is not None:
                check_schema(tool.name, schema)


def check_schema(name: str, schema: dict[str, Any]) -> None:
    if schema.get("type") != "object":
        raise Failed(f"{name}: a schema's root is no object")
    if foreign := [ref for ref in references(schema) if not ref.startswith("#")]:
        raise Failed(f"{name}: $ref {foreign[0]!r} is not local")
    try:
        jsonschema_rs.Draft202012Validator(schema)
        jsonschema_rs.meta.validate(
            {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        )
    except (ValueError, jsonschema_rs.ValidationError) as error:
        raise Failed(f"{name}: {str(error)[:200]}") from None


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


if __name__ == "__main__":
    sys.exit(main())
