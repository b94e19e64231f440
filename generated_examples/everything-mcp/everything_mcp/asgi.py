"""The server as an ASGI application: to mount into another one, or to run with several workers.

uvicorn everything_mcp.asgi:app --workers 4
"""

from ._runtime.streamable_http import application

app = application("everything_mcp")
