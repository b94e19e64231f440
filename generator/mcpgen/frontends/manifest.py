"""mcpgen's own manifests to `ir.Api`: tools, resources and prompts, beside an API or without one.

docs/manifest.md is the reference. Every mistake is an error with its place: nothing is left out silently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import Any

from mcpgen.diagnostics import Diagnostics, Location, Stop
from mcpgen.frontends.manifest_fields import (
    ANNOTATIONS,
    ANY,
    API,
    MANIFEST,
    PROMPT,
    PROMPT_ARGUMENT,
    RESOURCE,
    TEXT,
    TOOL,
    Strict,
    members,
    nearest,
    text,
    wrong_type,
)
from mcpgen.frontends.manifest_schemas import ManifestSchemas
from mcpgen.frontends.manifest_values import Texts
from mcpgen.frontends.manifest_work import Work
from mcpgen.frontends.security_schemes import read_schemes
from mcpgen.ir import (
    Api,
    CommandLine,
    Completions,
    Field,
    Fixed,
    Given,
    Joined,
    Operation,
    Prompt,
    Requests,
    Resource,
    Schema,
    Server,
    Tool,
)
from mcpgen.refs import Resolver, Unresolved
from mcpgen.schema_keywords import TYPES
from mcpgen.source import Document, Node

Json = Any

VERSION = 1
MARKS = ("tools", "resources", "prompts")  # what a manifest without its version is known by
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
SCHEMA_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
VARIABLE = re.compile(r"\{([+#]?)([^{}]*)\}")
WAYS = ("http", "operation", "command", "steps")
USED = ("pick", "join", "present")  # functions of the runtime that handlers of a manifest call
FEATURES = ("logging", "elicitation", "sampling", "subscriptions")

Attach = Callable[[Document], Api]


def is_manifest(value: Json) -> bool:
    """Whether a document is a manifest: it says `mcpgen`, or has tools and is no OpenAPI document."""
    if not isinstance(value, dict) or "openapi" in value or "swagger" in value:
        return False
    return "mcpgen" in value or any(isinstance(value.get(key), dict) for key in MARKS)


def read(
    document: Document, diagnostics: Diagnostics, attach: Attach, hosts: Collection[str] = ()
) -> Api:
    """The API that a manifest describes; `attach` reads an OpenAPI document. Raises Stop where nothing can be made."""
    before = len(diagnostics.found)
    api = _Reader(document, diagnostics, attach, hosts).read()
    if any(one.severity == "error" for one in diagnostics.found[before:]):
        raise Stop
    return api


class _Reader:
    def __init__(
        self,
        document: Document,
        diagnostics: Diagnostics,
        attach: Attach,
        hosts: Collection[str],
    ) -> None:
        self.document = document
        self.diagnostics = diagnostics
        self.attach = attach
        self.hosts = hosts

    def read(self) -> Api:
        root, diagnostics = self.document.root, self.diagnostics
        found = members(root, MANIFEST, diagnostics)
        self._version(root)
        api = self._api(found.get("api"))
        own = found.get("schemas")
        self._schema_names(own, api)
        names = [*(own.value if own else ()), *api.schemas]
        schemas = ManifestSchemas(names, diagnostics)
        shared = {**api.schemas, **schemas.shared(own)}
        operations = {
            **{f"{one.method} {one.path}": one for one in api.operations},
            **{one.id: one for one in api.operations if one.id},
        }
        credentials = {one.name: one for one in api.security_schemes}
        work = Work(operations, credentials, diagnostics)
        tools = tuple(
            one
            for name, node in (found["tools"].items() if "tools" in found else ())
            if (one := self._tool(name, node, schemas, shared, work))
        )
        used = {
            id(call.operation)
            for one in tools
            if isinstance(one.work, Requests) and one.work.is_open
            for call in one.work.calls
        }
        prompts = self._prompts(found.get("prompts"), schemas)
        resources = self._resources(found.get("resources"))
        sends = any(isinstance(one.work, Requests) for one in tools)
        return replace(
            api,
            title=text(found, "title") or text(found, "name") or api.title,
            version=(root.text("version", Diagnostics()) if "version" in found else "")
            or api.version
            or "0.1.0",
            location=root.location,
            description=text(found, "description") or api.description,
            operations=tuple(one for one in api.operations if id(one) not in used),
            schemas=shared,
            name=text(found, "name"),
            instructions=text(found, "instructions"),
            identity={"websiteUrl": text(found, "website")} if "website" in found else {},
            features=self._features(found.get("features"), tools, prompts, resources),
            tools=tools,
            prompts=prompts,
            resources=resources,
            is_manifest=True,
            is_called="api" in found or sends,
        )

    def _version(self, root: Node) -> None:
        if "mcpgen" not in root.value:
            message = "the manifest does not say in which version it is written"
            hint = f"begin it with 'mcpgen: {VERSION}'"
            self.diagnostics.error("missing-key", message, root.location, hint=hint)
        elif root.value["mcpgen"] != VERSION or isinstance(root.value["mcpgen"], bool):
            node = Node(root.document, root.value["mcpgen"], root, "mcpgen")
            message = f"'mcpgen' must be {VERSION}, the version of the manifest's format"
            self.diagnostics.error("unsupported-version", message, node.location)

    def _features(
        self,
        node: Node | None,
        tools: tuple[Tool, ...],
        prompts: tuple[Prompt, ...],
        resources: tuple[Resource, ...],
    ) -> tuple[str, ...]:
        """Those that are named, and those that the rest of the manifest needs."""
        for one in node.elements() if node else ():
            if one.value not in FEATURES:
                hint = nearest(one.value, FEATURES)
                message = f"there is no feature '{one.value}'"
                self.diagnostics.error("wrong-value", message, one.location, hint=hint)
        completed = any(one.completions for one in prompts) or any(
            one.completions for one in resources
        )
        needed = ["completions"] if completed else []
        needed += ["elicitation"] if any(one.confirm for one in tools) else []
        return tuple(dict.fromkeys([*needed, *(node.value if node else ())]))

    # --- the API

    def _api(self, node: Node | None) -> Api:
        empty = Api("", "", self.document.root.location)
        found = members(node, API, self.diagnostics) if node else {}
        api = self._attached(found["document"]) if "document" in found else empty
        if "document" not in found:
            for key in ("include", "exclude"):
                if key in found:
                    message = f"'{key}' chooses from a 'document', and there is none"
                    self.diagnostics.error("missing-key", message, found[key].location)
        if "url" in found:
            url = text(found, "url")
            if not re.fullmatch(r"https?://[^\s{}@/?#]+[^\s{}@?#]*", url):
                message = f"'{url}' is no base URL such as https://api.example.com/v1"
                self.diagnostics.error("bad-url", message, found["url"].location)
            api = replace(api, servers=(Server(url),))
        if "credentials" in found:
            strict = Strict(target=self.diagnostics)
            schemes = read_schemes(found["credentials"], Resolver(self.document, strict), strict)
            names = {one.name for one in schemes}
            kept = tuple(one for one in api.security_schemes if one.name not in names)
            api = replace(api, security_schemes=(*kept, *schemes))
        include, exclude = (
            tuple(found[key].value) if key in found else () for key in ("include", "exclude")
        )
        places: dict[tuple[str, ...], Location] = {
            (key, one.value): one.location
            for key in ("include", "exclude")
            if key in found
            for one in found[key].elements()
        }
        return replace(api, include=include, exclude=exclude, places=places)

    def _attached(self, node: Node) -> Api:
        """The document, found by the rules of a `$ref`: near the manifest, or at a host that the user allows."""
        resolver = Resolver(self.document, Strict(target=self.diagnostics), self.hosts)
        holder = Node(self.document, {"$ref": node.value}, node.parent, node.key)
        try:
            found = resolver.target(holder, node.value)
        except Unresolved:
            raise Stop from None
        api = self.attach(found.document)
        return replace(api, others={**resolver.others, **api.others})

    def _schema_names(self, own: Node | None, api: Api) -> None:
        for name, node in own.items() if own else ():
            if name in api.schemas:
                message = f"the attached document has a schema '{name}' as well"
                self.diagnostics.error("duplicate-schema", message, node.location)
            elif not SCHEMA_NAME.fullmatch(name) or name in (*TYPES, "any"):
                message = f"'{name}' cannot be the name of a schema: letters, digits, '_', '.', '-'; no type"
                self.diagnostics.error("bad-name", message, node.location)

    # --- tools

    def _tool(
        self,
        name: str,
        node: Node,
        schemas: ManifestSchemas,
        shared: Mapping[str, Schema],
        work: Work,
    ) -> Tool | None:
        diagnostics = self.diagnostics
        if not TOOL_NAME.fullmatch(name):
            message = (
                f"'{name}' cannot be the name of a tool: up to 64 letters, digits, '_' and '-'"
            )
            diagnostics.error("bad-name", message, node.location)
        found = members(node, TOOL, diagnostics)
        if not isinstance(node.value, dict):
            return None
        fields = schemas.fields(found.get("input"))
        schemas.defaults(fields, shared)
        self._argument_names(fields)
        whole = schemas.whole(found["input_schema"]) if "input_schema" in found else None
        if whole is not None:
            if "input" in found:
                message = "a tool has 'input' or 'input_schema', not both"
                diagnostics.error("two-ways", message, found["input_schema"].location)
            fields = _fields_of(whole, found["input_schema"])
        output = schemas.read(found["output"]) if "output" in found else None
        hints = (
            members(found["annotations"], ANNOTATIONS, diagnostics)
            if "annotations" in found
            else {}
        )
        return Tool(
            name=name,
            location=node.location,
            namespace=text(found, "namespace"),
            title=text(found, "title"),
            description=text(found, "description"),
            fields=fields,
            input_schema=whole,
            output=output,
            annotations={key: one.value for key, one in hints.items()},
            confirm=text(found, "confirm"),
            work=self._work(node, found, fields, output, work),
        )

    def _argument_names(self, fields: tuple[Field, ...]) -> None:
        for one in fields:
            if one.name in USED:
                message = (
                    f"'{one.name}' cannot be the name of an argument: handlers call a function so"
                )
                self.diagnostics.error("bad-name", message, one.location)
            if not _is_name(one.name):
                message = f"'{one.name}' cannot be the name of an argument: handlers are Python"
                self.diagnostics.error("bad-name", message, one.location)

    def _work(
        self,
        node: Node,
        found: Mapping[str, Node],
        fields: tuple[Field, ...],
        output: Schema | None,
        work: Work,
    ) -> Requests | CommandLine | None:
        ways = [way for way in WAYS if way in found]
        if len(ways) > 1:
            message = f"a tool is carried out in one way, not by {' and '.join(ways)}"
            self.diagnostics.error("two-ways", message, found[ways[1]].location)
            return None
        belongs = {"with": ("operation",), "hide": ("operation",), "answer": ("operation", "steps")}
        for key, ways_ in belongs.items():
            if key in found and not set(ways) & set(ways_):
                message = f"'{key}' goes with '{ways_[0]}'"
                self.diagnostics.error("unknown-key", message, found[key].location)
        if "http" in found:
            return work.http(found["http"], fields, output)
        if "operation" in found:
            return work.operation(node, found, fields)
        if "steps" in found:
            return work.steps(found["steps"], found, fields)
        if "command" in found:
            return work.command(found["command"], fields)
        return None

    # --- prompts and resources

    def _prompts(self, owner: Node | None, schemas: ManifestSchemas) -> tuple[Prompt, ...]:
        return tuple(
            self._prompt(name, node, schemas) for name, node in (owner.items() if owner else ())
        )

    def _prompt(self, name: str, node: Node, schemas: ManifestSchemas) -> Prompt:
        diagnostics = self.diagnostics
        if not TOOL_NAME.fullmatch(name):
            message = (
                f"'{name}' cannot be the name of a prompt: up to 64 letters, digits, '_' and '-'"
            )
            diagnostics.error("bad-name", message, node.location)
        found = members(node, PROMPT, diagnostics)
        fields: list[Field] = []
        completions: dict[str, tuple[str, ...] | bool] = {}
        for key, child in found["arguments"].items() if "arguments" in found else ():
            field, completed = self._prompt_argument(key, child, schemas)
            fields.append(field)
            if completed:
                completions[field.name] = completed
        self._argument_names(tuple(fields))
        parts: tuple[Fixed | Given, ...] = ()
        if "text" in found:
            texts = Texts([one.name for one in fields], diagnostics)
            value = texts.text(found["text"])
            if isinstance(value, Joined):
                parts = value.parts
            elif isinstance(value, (Fixed, Given)):
                parts = (value,)
        return Prompt(
            name=name,
            location=node.location,
            namespace=text(found, "namespace"),
            title=text(found, "title"),
            description=text(found, "description"),
            fields=tuple(fields),
            completions=completions,
            text=parts,
        )

    def _prompt_argument(
        self, key: str, node: Node, schemas: ManifestSchemas
    ) -> tuple[Field, tuple[str, ...] | bool]:
        """All are texts: `string`, or the words to choose from; or a mapping with `complete`."""
        name = key.removesuffix("?")
        required = name == key
        if isinstance(node.value, dict):
            found = members(node, PROMPT_ARGUMENT, self.diagnostics)
            completed = self._completed(found["complete"]) if "complete" in found else False
            return (
                Field(
                    name, {"type": "string"}, required, node.location, text(found, "description")
                ),
                completed,
            )
        if not isinstance(node.value, str):
            wrong_type(node, TEXT, self.diagnostics)
            return Field(name, {"type": "string"}, required, node.location), False
        line = schemas.line(node)
        schema = line.schema if line else {"type": "string"}
        if line and (schema.get("type") != "string" or line.has_default):
            message = (
                f"the argument '{name}' of a prompt must be string, or words to choose from: a | b"
            )
            self.diagnostics.error("bad-type", message, node.location)
        field = Field(
            name, {"type": "string"}, required, node.location, line.description if line else ""
        )
        return field, tuple(schema.get("enum", ()))

    def _completed(self, node: Node) -> tuple[str, ...] | bool:
        """`true` for a method, or the values."""
        value = node.value
        if value is True:
            return True
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return tuple(value)
        message = f"'{node.key}' must be true, or a list of texts"
        self.diagnostics.error("wrong-type", message, node.location)
        return False

    def _resources(self, owner: Node | None) -> tuple[Resource, ...]:
        found = [self._resource(name, node) for name, node in (owner.items() if owner else ())]
        uris: dict[str, str] = {}
        for one in found:
            if one.uri in uris:
                message = f"the resource '{uris[one.uri]}' has the URI {one.uri} as well"
                self.diagnostics.error("duplicate-uri", message, one.location)
            uris[one.uri] = one.name
        return tuple(found)

    def _resource(self, name: str, node: Node) -> Resource:
        diagnostics = self.diagnostics
        found = members(node, RESOURCE, diagnostics, ["uri"])
        uri = text(found, "uri")
        variables = tuple(one for _, one in VARIABLE.findall(uri))
        if uri and not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:\S", uri):
            message = f"'{uri}' is no URI such as notes://all"
            diagnostics.error("bad-url", message, found["uri"].location)
        for one in variables:
            if not _is_name(one) or variables.count(one) > 1:
                message = f"'{{{one}}}' cannot be a variable: a name, once, with '+' or '#' before it at most"
                diagnostics.error("bad-url", message, found["uri"].location)
                variables = ()
        completions: dict[str, tuple[str, ...] | bool] = {}
        for key, child in found["complete"].items() if "complete" in found else ():
            if key not in variables:
                hint = nearest(key, variables, "variables:")
                diagnostics.error(
                    "unknown-argument",
                    f"the URI has no variable '{key}'",
                    child.location,
                    hint=hint,
                )
            elif completed := self._completed(child):
                completions[key] = completed
        shown: dict[str, Json] = {
            key: found[key].value for key in ("title", "description", "mimeType") if key in found
        }
        if "text" in found and variables:
            message = "'text' is the same for every variable: leave it out and write the handler"
            diagnostics.error("two-ways", message, found["text"].location)
        fixed = found["text"].value if "text" in found else None
        return Resource(
            name, uri, node.location, text(found, "namespace"), shown, variables, completions, fixed
        )


def _fields_of(schema: Mapping[str, Json], node: Node) -> tuple[Field, ...]:
    """The arguments that a whole schema lists."""
    required = schema.get("required", [])
    own = schema.get("$defs", {})
    return tuple(
        Field(name, _inlined(one, own, 4), name in required, node.location)
        for name, one in schema.get("properties", {}).items()
        if _is_name(name) and name not in USED
    )


def _is_name(name: str) -> bool:
    """Whether a handler can have a parameter of that name; others come with the rest."""
    return name.isidentifier() and name.isascii() and not iskeyword(name) and name != "self"


def _inlined(schema: Json, own: Mapping[str, Json], depth: int) -> Schema:
    """A schema with the definitions of its own in the place of their names, for the types of a handler."""
    if not isinstance(schema, dict):
        return schema if isinstance(schema, bool) else True
    ref = schema.get("$ref")
    if isinstance(ref, str):
        name = ref.removeprefix("#/$defs/")
        if name in own:
            return _inlined(own[name], own, depth - 1) if depth else True
        return {"$ref": ref} if "/" in ref else True
    made: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            made[key] = {name: _inlined(one, own, depth) for name, one in value.items()}
        elif key in ("items", "additionalProperties"):
            made[key] = _inlined(value, own, depth)
        elif key in ("anyOf", "oneOf", "allOf") and isinstance(value, list):
            made[key] = [_inlined(one, own, depth) for one in value]
        elif key not in ("$defs", "$anchor", "$id", "$schema"):
            made[key] = value
    return made
