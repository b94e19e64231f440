"""OpenAPI documents of any size, alike in kind to real ones: `document(operations, url)`."""

from __future__ import annotations

from typing import Any

KINDS = ("get", "get", "post", "put", "delete")


def document(operations: int, url: str) -> dict[str, Any]:
    """As many operations, twenty to a tag, that share a few schemas."""
    thing = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "id": {"type": "integer", "format": "int64", "description": "Given by the server."},
            "name": {"type": "string", "maxLength": 80, "description": "What it is called."},
            "status": {"type": "string", "enum": ["new", "used", "sold"]},
            "labels": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
            "owner": {"$ref": "#/components/schemas/Owner"},
        },
    }
    owner = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "email": {"type": "string", "format": "email"},
            "address": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
    paths: dict[str, Any] = {}
    for number in range(operations):
        group, method = number // 20, KINDS[number % len(KINDS)]
        path = f"/group{group}/things{number}/{{id}}"
        operation: dict[str, Any] = {
            "operationId": f"{method}Thing{number}",
            "summary": f"{method.capitalize()} thing number {number}",
            "description": f"Works on thing {number} of group {group}, as its owner has asked for.",
            "tags": [f"group{group}"],
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                {"name": "verbose", "in": "query", "schema": {"type": "boolean"}},
                {"name": "fields", "in": "query", "schema": {"type": "string", "maxLength": 100}},
            ],
            "responses": {
                "200": {
                    "description": "The thing",
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}
                    },
                }
            },
        }
        if method in ("post", "put"):
            content = {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
            operation["requestBody"] = {"required": True, "content": content}
        paths[path] = {method: operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Bench", "version": "1.0.0", "description": "Things, in groups."},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": {"Thing": thing, "Owner": owner}},
    }
