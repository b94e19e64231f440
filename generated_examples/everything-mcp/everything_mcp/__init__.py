"""The everything server: each thing that MCP knows, once."""
