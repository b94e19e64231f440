"""Show the main job in one go: a document becomes a server, the server lists its tools and answers a call.

    python scripts/demo.py specs/petstore.yaml

Everything runs here: the server answers from the document's own examples (`--mock`), over a real HTTP request.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def main(spec: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "petstore-mcp")
        print(f"$ mcpgen {spec} -o petstore-mcp")
        made = subprocess.run(
            [sys.executable, "-m", "mcpgen", spec, "-o", str(out), "--json"],
            stdout=subprocess.PIPE,
            check=True,
        )
        record = json.loads(made.stdout)
        print(
            f"  {len(record['tools'])} tools, {sum(1 for path in out.rglob('*') if path.is_file())} files\n"
        )
        show(record, out)


def show(record: dict[str, Any], out: Path) -> None:
    command = [sys.executable, *record["command"][1:], "--mock", "--log-level", "debug"]
    print(f"$ {' '.join(['python', *command[1:4]])}\n")
    log = (out / "server.log").open("w+", encoding="utf-8")
    server = subprocess.Popen(
        command, cwd=out, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
    )
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "demo", "version": "1"},
    }
    ask(server, "initialize", hello)
    tools = ask(server, "tools/list", {})["tools"]
    requests = {one["name"]: f"{one['method']} {one['path']}" for one in record["tools"]}
    width = max(len(tool["name"]) for tool in tools)
    for tool in tools:
        print(f"  {tool['name']:{width}}  {requests[tool['name']]:32}  {tool.get('title', '')}")
    tool = next(one for one in record["tools"] if one["method"] == "GET" and "{" in one["path"])
    arguments = json.loads((out / "tests" / "arguments.json").read_text(encoding="utf-8"))[
        tool["name"]
    ]
    print(f"\ntools/call {tool['name']} {json.dumps(arguments)}")
    answer = ask(server, "tools/call", {"name": tool["name"], "arguments": arguments})
    assert server.stdin
    server.stdin.close()
    server.wait(10)
    log.seek(0)
    for line in log:
        if " answered " in line:
            print(f"  {line.split(': ', 1)[1].strip()}")
    print(json.dumps(answer.get("structuredContent", answer), indent=2, ensure_ascii=False))


def ask(server: subprocess.Popen[bytes], method: str, params: dict[str, Any]) -> Any:
    assert server.stdin and server.stdout
    message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    while line := server.stdout.readline():
        answer = json.loads(line)
        if answer.get("id") == method:
            return answer["result"]
    raise SystemExit(f"the server ended at {method}")


if __name__ == "__main__":
    main(sys.argv[1])
