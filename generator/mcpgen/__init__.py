"""Turn an API description into a complete Python MCP server package."""

__version__ = "0.1.0"
