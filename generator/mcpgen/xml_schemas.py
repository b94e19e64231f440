"""What the runtime must know to write a body as XML.

Takes a body's schema, gives a small dict of its XML Objects (OpenAPI 3.2 §4.26): names, namespaces, attributes and
wrapped lists, and nothing of types. Properties without any of these are left out: their own names will do.
"""

from __future__ import annotations

from mcpgen.ir import Json, Schema
from mcpgen.subschemas import ref_name
from mcpgen.tool_schemas import ToolSchemas

DEEPEST = 12  # levels of elements; what lies deeper is named by its properties
OFTEN = 3  # how often a schema may hold itself: each time repeats it in the handler's text


def xml_schema(schema: Schema, schemas: ToolSchemas) -> dict[str, Json]:
    """The whole body. Its element is called what its XML Object or its component says, else `root`."""
    found = _described(schema, schemas, ())
    if "name" not in found and (component := _component(schema)):
        found = {"name": component, **found}
    return found


def _component(schema: Schema) -> str:
    ref = schema.get("$ref") if isinstance(schema, dict) else None
    return ref_name(ref) if isinstance(ref, str) else ""


def _described(schema: Schema, schemas: ToolSchemas, above: tuple[str, ...]) -> dict[str, Json]:
    name = _component(schema)
    plain = schemas.resolve(schema)
    if not isinstance(plain, dict) or len(above) > DEEPEST or above.count(name or "-") >= OFTEN:
        return {}
    inner = (*above, name)
    said = _xml_object(plain)
    items = plain.get("items")
    if isinstance(items, dict) and (described := _described(items, schemas, inner)):
        said["items"] = described
    properties = {
        member: described
        for member, one in schemas.members(plain).items()
        if (described := _described(one, schemas, inner))
    }
    if properties:
        said["properties"] = properties
    return said


def _xml_object(schema: dict[str, Json]) -> dict[str, Json]:
    """The XML Object in the runtime's words; `nodeType` is 3.2's, the rest older."""
    found: dict[str, Json] = {}
    for part in (*schema.get("allOf", ()), schema):
        xml = part.get("xml") if isinstance(part, dict) else None
        if not isinstance(xml, dict):
            continue
        found |= {
            key: xml[key]
            for key in ("name", "prefix", "namespace")
            if isinstance(xml.get(key), str) and xml[key]
        }
        node = xml.get("nodeType")
        if xml.get("attribute") is True or node == "attribute":
            found["attribute"] = True
        if node in ("text", "cdata"):
            found["text"] = True
        if "items" in schema and (xml.get("wrapped") is True or node == "element"):
            found["wrapped"] = True
    return found
