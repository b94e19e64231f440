"""Spotify Web API with fixes and improvements from sonallux: an MCP server."""

__version__ = "2026.5.31"
