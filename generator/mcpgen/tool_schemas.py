"""The schemas of a tool: `inputSchema` and `outputSchema`, each complete in itself.

Takes IR schemas and the argument names that `plan` chose; gives JSON Schema 2020-12 with root `type: object`,
no combinator at the root, only the `$defs` in use, no `x-` keys, `readOnly` left out of input and `writeOnly`
out of output. Definitions are worked out once per direction, however many tools share them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcpgen import descriptions
from mcpgen.ir import Json, Schema
from mcpgen.subschemas import MANY, NAMED, ONE, REF, inline_single_uses, ref_name, references

# What says nothing to a caller, or is said elsewhere.
DROPPED = frozenset(
    "xml externalDocs discriminator example readOnly writeOnly $comment $schema $id $anchor $dynamicAnchor".split()
)
OUTPUT_BUDGET = 500  # characters
LONGEST_EXAMPLE = 80  # characters of JSON; a longer one costs more than it tells

# A file as an argument. Uploads by path come only where an operator allowed a folder.
FILE: dict[str, Json] = {
    "type": "object",
    "description": "A file: its bytes as base64, or its path in the folder that this server may send files from;"
    " with the name and media type to send it under.",
    "properties": {
        "base64": {"type": "string", "contentEncoding": "base64"},
        "path": {"type": "string"},
        "filename": {"type": "string"},
        "content_type": {"type": "string"},
    },
    "examples": [{"base64": "aGVsbG8=", "filename": "hello.txt"}],
    "additionalProperties": False,
}


FILE_NAMES = ("File", "FileUpload", *(f"FileUpload{number}" for number in range(2, 100)))


@dataclass(frozen=True, slots=True)
class Property:
    """One property of an `inputSchema`."""

    name: str
    schema: Schema
    required: bool
    description: str = ""
    deprecated: bool = False
    example: Json = None


def is_binary(schema: Schema) -> bool:
    """Raw bytes: 3.0's `format: binary`, 3.1's `contentMediaType` without an encoding."""
    if not isinstance(schema, dict):
        return False
    if schema.get("format") == "binary":
        return True
    return (
        "contentMediaType" in schema
        and "contentEncoding" not in schema
        and schema.get("type") in (None, "string")
    )


def is_array(schema: Mapping[str, Json]) -> bool:
    kind = schema.get("type")
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


class ToolSchemas:
    """Makes the schemas of all tools of one API."""

    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self.file_name = next(name for name in FILE_NAMES if name not in definitions)
        self._definitions = {**definitions, self.file_name: FILE}
        self._inputs: dict[str, Schema] = {}
        self._needs: dict[str, frozenset[str]] = {}

    @property
    def definitions(self) -> Mapping[str, Schema]:
        """Those of the API, and the one for files."""
        return self._definitions

    @property
    def file(self) -> dict[str, Json]:
        return {"$ref": REF + self.file_name}

    def input_schema(self, properties: Sequence[Property]) -> dict[str, Json]:
        shown: dict[str, Json] = {}
        for one in properties:
            schema = self._for_input(one.schema)
            extra: dict[str, Json] = {}
            if text := descriptions.cap(
                descriptions.clean(one.description), descriptions.MAX_ARGUMENT
            ):
                extra["description"] = text
            if one.deprecated:
                extra["deprecated"] = True
            if one.example is not None and len(repr(one.example)) <= LONGEST_EXAMPLE:
                extra["examples"] = [one.example]
            shown[one.name] = {**(schema if isinstance(schema, dict) else closed(schema)), **extra}
        result: dict[str, Json] = {"type": "object", "properties": shown}
        if required := [one.name for one in properties if one.required]:
            result["required"] = required
        result["additionalProperties"] = False
        if used := self._closure(shown):
            result["$defs"] = {name: self._inputs[name] for name in used}
        return inline_single_uses(result)

    def output_schema(self, schema: Schema) -> dict[str, Json]:
        """What the answer's members are called and mean, without a single constraint.

        Real answers break the schemas of their documents (a null, a number as text), and clients drop what breaks
        the `outputSchema` that was listed. So only words that any value satisfies are kept: properties, items and
        descriptions. An answer that is no object stands under `result`. As deep as fits a
        budget: few clients show it to a model, all of them carry it.
        """
        best = self._output(schema, depth=0)
        for depth in (1, 2, 3):
            deeper = self._output(schema, depth=depth)
            if len(repr(deeper)) > OUTPUT_BUDGET:
                break
            best = deeper
        return best

    def declared_output(self, schema: Schema) -> dict[str, Json]:
        """What an author promises, in full; the server's own code keeps the promise. No object stands under `result`."""
        plain = self.resolve(schema)
        if self.is_object(schema) and isinstance(plain, dict):
            return self.completed({**plain, "type": "object"})
        wrapped = {"type": "object", "properties": {"result": closed(schema)}}
        return self.completed({**wrapped, "required": ["result"]})

    def completed(self, schema: Mapping[str, Json]) -> dict[str, Json]:
        """A schema with the definitions that it lacks."""
        own = schema.get("$defs", {})
        used: dict[str, Schema] = {}
        queue = list(references(schema))
        while queue:
            name = queue.pop(0)
            if name not in used and name not in own and name in self._definitions:
                used[name] = self._definitions[name]
                queue.extend(references(used[name]))
        return {**schema, "$defs": {**own, **used}} if used else dict(schema)

    def _output(self, schema: Schema, *, depth: int) -> dict[str, Json]:
        shape = self._shape(schema, depth=depth)
        if not self.is_object(schema):
            return {"type": "object", "properties": {"result": shape}}
        shape.pop("description", None)  # the tool has one of its own
        return {"type": "object", **{key: value for key, value in shape.items() if key != "items"}}

    def is_object(self, schema: Schema) -> bool:
        """Whether an answer of this schema is always an object, as far as the schema says."""
        return self._is_object(schema, ())

    def resolve(self, schema: Schema) -> Schema:
        """Follow a `$ref`; keywords beside it stay, as 2020-12 wants."""
        seen: list[str] = []
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            name = ref_name(schema["$ref"])
            if name in seen or name not in self._definitions:
                return {}
            seen.append(name)
            target = self._definitions[name]
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**target, **beside} if isinstance(target, dict) else target
        return schema

    def members(self, schema: Schema) -> dict[str, Schema]:
        """The properties of an object schema, those from allOf, oneOf and anyOf included."""
        return dict(self._members(schema, depth=8))

    def with_files(self, schema: Schema) -> tuple[Schema, tuple[str, ...]]:
        """A form's schema with each property of raw bytes (or list of them) as a file; and their names."""
        found: list[str] = []
        shown: dict[str, Json] = {}
        for name, member in self.members(schema).items():
            plain = self.resolve(member)
            said = (
                {"description": plain["description"]}
                if isinstance(plain, dict) and plain.get("description")
                else {}
            )
            file = self._file_for(plain)
            if file is None:
                shown[name] = member
            else:
                found.append(name)
                shown[name] = {**file, **said}
        if not found:
            return schema, ()
        plain = self.resolve(schema)
        required = (
            [name for name in plain.get("required", []) if name in shown]
            if isinstance(plain, dict)
            else []
        )
        form: dict[str, Json] = {"type": "object", "properties": shown}
        if required:
            form["required"] = required
        if isinstance(plain, dict) and "additionalProperties" in plain:
            form["additionalProperties"] = plain["additionalProperties"]
        return form, tuple(found)

    def _file_for(self, schema: Schema) -> dict[str, Json] | None:
        """What stands for raw bytes or a list of them, null included where it may be; None for anything else."""
        plain = self.resolve(schema)
        if not isinstance(plain, dict):
            return None
        if is_binary(plain):
            return self.file
        if is_binary(self.resolve(plain.get("items", {}))):
            return {"type": "array", "items": self.file}
        for word in ("anyOf", "oneOf"):
            choices = plain.get(word, ())
            files = [self._file_for(one) for one in choices]
            if any(files) and all(
                file or self.resolve(one) == {"type": "null"}
                for file, one in zip(files, choices, strict=True)
            ):
                kept = [file or {"type": "null"} for file in files]
                return kept[0] if len(kept) == 1 else {word: kept}
        return None

    # --- input

    def _for_input(self, schema: Schema) -> Schema:
        if not isinstance(schema, dict):
            return schema
        made: dict[str, Json] = {}
        for key, value in schema.items():
            if key in DROPPED or key.startswith("x-"):
                continue
            if key == "properties" and isinstance(value, dict):
                made[key] = {
                    name: closed(self._for_input(member))
                    for name, member in value.items()
                    if not self._has_flag(member, "readOnly")
                }
            elif key == "required" and isinstance(value, list):
                members = schema.get("properties") or {}
                kept = [
                    one for one in value if not self._has_flag(members.get(one, True), "readOnly")
                ]
                if kept:
                    made[key] = kept
            elif key in ONE:
                made[key] = self._for_input(value)
            elif key in MANY and isinstance(value, list):
                # A value that fits two variants of a oneOf is refused, and documents rarely keep variants apart:
                # no argument would be right. What tells them apart, a discriminator's const, still does.
                word = "anyOf" if key == "oneOf" and "anyOf" not in schema else key
                made[word] = [self._for_input(one) for one in value]
            elif key in NAMED and isinstance(value, dict):
                made[key] = {name: self._for_input(one) for name, one in value.items()}
            elif key == "description" and isinstance(value, str):
                if text := descriptions.cap(descriptions.clean(value), descriptions.MAX_ARGUMENT):
                    made[key] = text
            elif key == "examples":
                short = (
                    [one for one in value if len(repr(one)) <= LONGEST_EXAMPLE][:1]
                    if isinstance(value, list)
                    else []
                )
                if short:
                    made[key] = short
            else:
                made[key] = value
        if is_array(made) and not made.keys() & {"items", "prefixItems"}:
            made["items"] = {}  # VS Code refuses a tool with an array that does not say of what
        return made

    def _has_flag(self, schema: Schema, flag: str) -> bool:
        plain = self.resolve(schema)
        if not isinstance(plain, dict):
            return False
        return plain.get(flag) is True or any(
            isinstance(part, dict) and part.get(flag) is True for part in plain.get("allOf", ())
        )

    def _closure(self, shown: Json) -> list[str]:
        """The definitions that are needed, in the order in which they are met."""
        used: dict[str, None] = {}
        queue = list(dict.fromkeys(references({"properties": shown})))
        while queue:
            name = queue.pop(0)
            if name in used or name not in self._definitions:
                continue
            used[name] = None
            if name not in self._inputs:
                self._inputs[name] = self._for_input(self._definitions[name])
                self._needs[name] = frozenset(references(self._inputs[name]))
            queue.extend(sorted(self._needs[name]))
        return list(used)

    # --- output

    def _is_object(self, schema: Schema, seen: tuple[str, ...]) -> bool:
        if not isinstance(schema, dict):
            return False
        if isinstance(ref := schema.get("$ref"), str):
            name = ref_name(ref)
            return name not in seen and self._is_object(
                self._definitions.get(name, {}), (*seen, name)
            )
        kind = schema.get("type")
        if kind is not None:
            return bool(kind == "object" or kind == ["object"])
        if schema.get("allOf"):
            return any(self._is_object(one, seen) for one in schema["allOf"])
        for word in ("oneOf", "anyOf"):
            if schema.get(word):
                return all(self._is_object(one, seen) for one in schema[word])
        return "properties" in schema

    def _shape(self, schema: Schema, *, depth: int) -> dict[str, Json]:
        plain = self.resolve(schema)
        if not isinstance(plain, dict) or depth < 0:
            return {}
        shape: dict[str, Json] = {}
        text = plain.get("description")
        if isinstance(text, str) and (line := descriptions.first_line(text)):
            shape["description"] = line
        if depth:
            shown = {
                name: self._shape(member, depth=depth - 1)
                for name, member in self._members(plain, depth=4)
                if not self._has_flag(member, "writeOnly")
            }
            if shown:
                shape["properties"] = shown
            items = plain.get("items")
            if isinstance(items, dict) and (inner := self._shape(items, depth=depth - 1)):
                shape["items"] = inner
        return shape

    def _members(self, schema: Schema, *, depth: int) -> Iterator[tuple[str, Schema]]:
        plain = self.resolve(schema)
        if not isinstance(plain, dict) or depth < 0:
            return
        for word in ("allOf", "oneOf", "anyOf"):
            for part in plain.get(word, ()):
                yield from self._members(part, depth=depth - 1)
        yield from (plain.get("properties") or {}).items()


def closed(schema: Schema) -> dict[str, Any]:
    """A property schema as an object: `true` and `false` are not understood before 2026-07-28."""
    return schema if isinstance(schema, dict) else ({} if schema else {"not": {}})
