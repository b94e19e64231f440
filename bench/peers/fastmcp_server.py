"""FastMCP's `from_openapi`, as its documentation shows; over HTTP with its fastest documented settings."""

import json
import sys

import httpx2
from fastmcp import FastMCP

spec = json.load(open(sys.argv[1], encoding="utf-8"))
client = httpx2.AsyncClient(base_url=spec["servers"][0]["url"])
server = FastMCP.from_openapi(openapi_spec=spec, client=client, name="bench")
if len(sys.argv) > 2:
    server.run(
        transport="http",
        host="127.0.0.1",
        port=int(sys.argv[2]),
        show_banner=False,
        log_level="WARNING",
        stateless_http=True,
        json_response=True,
    )
else:
    server.run(show_banner=False)
