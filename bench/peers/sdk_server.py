"""The official Python SDK's MCPServer with one tool for each operation, written by hand as its documentation shows."""

import json
import sys

import httpx2
from mcp.server.mcpserver import MCPServer

spec = json.load(open(sys.argv[1], encoding="utf-8"))
client = httpx2.AsyncClient(base_url=spec["servers"][0]["url"])
server = MCPServer("bench")


def add(method: str, path: str, operation: dict) -> None:
    async def call(id: int, verbose: bool | None = None, fields: str | None = None) -> dict:
        query = {"verbose": verbose, "fields": fields}
        asked = {name: value for name, value in query.items() if value is not None}
        response = await client.request(method.upper(), path.replace("{id}", str(id)), params=asked)
        return response.json()

    server.add_tool(call, name=operation["operationId"], description=operation["description"])


for path, methods in spec["paths"].items():
    for method, operation in methods.items():
        add(method, path, operation)
if len(sys.argv) > 2:
    server.run(
        transport="streamable-http", port=int(sys.argv[2]), stateless_http=True, json_response=True
    )
else:
    server.run()
