"""Arazzo 1.0 workflows to `ir.Api`: each becomes a tool of several requests, as `steps` of a manifest are.

A document of a stranger: a workflow that asks for more than steps after one another is skipped, and said to be. Runtime
expressions (Arazzo 1.0.1 §4.7) become JMESPath over the inputs and the answers of the steps before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from typing import Any

from mcpgen.diagnostics import Diagnostics, Stop
from mcpgen.ir import (
    Api,
    Built,
    Call,
    Field,
    Fixed,
    Given,
    Operation,
    Picked,
    Requests,
    Schema,
    Skipped,
    Tool,
    Value,
)
from mcpgen.refs import Resolver, Unresolved
from mcpgen.schemas import Schemas
from mcpgen.source import Document, Node

Json = Any
Attach = Callable[[Document], Api]

EXPRESSION = re.compile(
    r"\$(?:inputs\.(?P<input>[^#{}]+)|steps\.(?P<step>[^.#{}]+)\.outputs\.(?P<output>[^#{}]+)"
    r"|response\.body(?P<body>))(?:#(?P<pointer>/[^{}]*))?"
)
EMBEDDED = re.compile(r"\{(\$[^{}]+)\}")
SUCCESS = re.compile(
    r"\$statusCode\s*(==\s*2\d\d|>=\s*200|<\s*[34]00)(\s*&&\s*\$statusCode\s*(>=\s*200|<\s*[34]00))?"
)
OPERATION_PATH = re.compile(r"\{\$sourceDescriptions\.[^}]+\.url\}#/paths/([^/]+)/([a-z]+)")
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class _Unsupported(Exception):
    """What a workflow asks for that is not done."""


def is_arazzo(value: Json) -> bool:
    return isinstance(value, dict) and "arazzo" in value


def read(
    document: Document, diagnostics: Diagnostics, attach: Attach, hosts: Collection[str] = ()
) -> Api:
    """The workflows of a document on the one API that they are about. Raises Stop where that cannot be read."""
    root = document.root
    version = root.text("arazzo", diagnostics)
    if not version.startswith("1."):
        message = f"version '{version}' of Arazzo is not supported; 1.0 is"
        diagnostics.error("unsupported-version", message, root.location)
        raise Stop
    resolver = Resolver(document, diagnostics, hosts)
    api = attach(_source(root, resolver, diagnostics))
    schemas = Schemas(resolver, diagnostics, None, ref_siblings=True)
    info = root.mapping("info", diagnostics) or Node(document, {}, root, "info")
    tools: list[Tool] = []
    skipped: list[Skipped] = []
    for node in root.sequence("workflows", diagnostics):
        name = node.text("workflowId", diagnostics) or f"workflow{node.key}"
        try:
            tools.append(_Workflow(node, api, resolver, schemas, diagnostics).read(name))
        except (_Unsupported, Unresolved) as reason:
            message = f"the workflow '{name}' is skipped: {reason}"
            diagnostics.warning("skipped-workflow", message, node.location)
            skipped.append(Skipped("workflow", name, f"{reason}"))
    own, renamed = _apart(schemas.finish(), api.schemas)
    return replace(
        api,
        title=info.text("title", diagnostics) or api.title,
        version=info.text("version", diagnostics) or api.version,
        description=info.text("description", diagnostics) or info.text("summary", diagnostics),
        location=root.location,
        operations=(),
        skipped=tuple(skipped),
        schemas={**api.schemas, **own},
        others={**resolver.others, **api.others},
        tools=tuple(_with_names(one, renamed) for one in tools),
        is_manifest=True,
    )


def _source(root: Node, resolver: Resolver, diagnostics: Diagnostics) -> Document:
    """The one OpenAPI document that the workflows are about."""
    found = [
        one
        for one in root.sequence("sourceDescriptions", diagnostics)
        if one.text("type", diagnostics, "openapi") == "openapi"
    ]
    if len(found) != 1:
        message = f"workflows on one OpenAPI document are read, and this has {len(found)}"
        diagnostics.error("no-api", message, (root.child("sourceDescriptions") or root).location)
        raise Stop
    url = found[0].text("url", diagnostics)
    holder = Node(root.document, {"$ref": url}, found[0], "url")
    try:
        return resolver.target(holder, url).document
    except Unresolved:
        diagnostics.error("no-api", f"the document '{url}' is needed", found[0].location)
        raise Stop from None


def _apart(
    own: Mapping[str, Schema], others: Mapping[str, Schema]
) -> tuple[dict[str, Schema], dict[str, str]]:
    """Schemas under names that the API's do not have, and the new names."""
    renamed = {name: f"{name}_input" for name in own if name in others}
    return {renamed.get(name, name): _renamed(one, renamed) for name, one in own.items()}, renamed


def _renamed(schema: Json, renamed: Mapping[str, str]) -> Json:
    if isinstance(schema, list):
        return [_renamed(one, renamed) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _renamed(value, renamed) for key, value in schema.items()}
    ref = made.get("$ref")
    if isinstance(ref, str) and (name := ref.removeprefix("#/$defs/")) in renamed:
        made["$ref"] = f"#/$defs/{renamed[name]}"
    return made


def _with_names(tool: Tool, renamed: Mapping[str, str]) -> Tool:
    fields = tuple(replace(one, schema=_renamed(one.schema, renamed)) for one in tool.fields)
    return replace(tool, fields=fields)


@dataclass(slots=True)
class _Workflow:
    """One workflow on its way to a tool. `answers` holds, by step and output, where that is in the answers."""

    node: Node
    api: Api
    resolver: Resolver
    schemas: Schemas
    diagnostics: Diagnostics
    inputs: dict[str, str] = field(default_factory=dict)  # name in the document → argument
    answers: dict[str, dict[str, str]] = field(default_factory=dict)

    def read(self, name: str) -> Tool:
        node, diagnostics = self.node, self.diagnostics
        for key in ("dependsOn", "successActions", "failureActions"):
            if node.child(key):
                raise _Unsupported(f"it has '{key}'")
        fields = tuple(self._fields())
        common = list(self._parameters(node))
        calls = tuple(self._step(one, common) for one in node.sequence("steps", diagnostics))
        if not calls:
            raise _Unsupported("it has no steps")
        outputs = node.mapping("outputs", diagnostics)
        answer = ""
        if outputs and outputs.value:
            pairs = (f"{_quoted(key)}: {self._path(one, None)}" for key, one in outputs.items())
            answer = "{" + ", ".join(pairs) + "}"
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
        return Tool(
            name=re.sub(r"[^A-Za-z0-9_-]+", "_", words).lower()[:64],
            location=node.location,
            title=node.text("summary", diagnostics),
            description=node.text("description", diagnostics) or node.text("summary", diagnostics),
            fields=fields,
            work=Requests(calls, answer),
        )

    def _fields(self) -> Iterator[Field]:
        at = self.node.child("inputs")
        node = self.resolver.follow(at) if at else None
        properties = node.mapping("properties", self.diagnostics) if node else None
        required = node.child("required") if node else None
        wanted = required.value if required and isinstance(required.value, list) else []
        for name, child in properties.items() if properties else ():
            argument = re.sub(r"\W", "_", name, flags=re.ASCII)
            if not PLAIN.fullmatch(argument) or iskeyword(argument) or argument == "self":
                argument = f"input_{argument}"
            if argument in self.inputs.values():
                raise _Unsupported(f"two inputs are called {argument}")
            self.inputs[name] = argument
            yield Field(argument, self.schemas.read(child), name in wanted, child.location)

    # --- steps

    def _step(self, node: Node, common: list[tuple[str, str, Node]]) -> Call:
        identifier = node.text("stepId", self.diagnostics) or f"step{node.key}"
        operation = self._operation(node)
        self._check_actions(node)
        values: dict[str, Value] = {}
        keys = {f"{one.place}:{one.name}" for one in operation.parameters}
        for place, name, value in common:
            if f"{place}:{name}" in keys:
                values[f"{place}:{name}"] = self._value(value.value)
        for place, name, value in self._parameters(node):
            if f"{place}:{name}" not in keys:
                raise _Unsupported(
                    f"the operation of step '{identifier}' has no parameter '{name}'"
                )
            values[f"{place}:{name}"] = self._value(value.value)
        if body := node.mapping("requestBody", self.diagnostics):
            if operation.body is None:
                raise _Unsupported(f"the operation of step '{identifier}' has no body")
            values["body"] = self._value(self._payload(body))
        self._check_required(identifier, operation, values)
        key = identifier
        while key in self.inputs.values():
            key += "_step"
        outputs = node.mapping("outputs", self.diagnostics)
        self.answers[identifier] = {
            name: self._path(one, key) for name, one in (outputs.items() if outputs else ())
        }
        return Call(operation, values, node.location, key)

    def _operation(self, node: Node) -> Operation:
        if node.child("workflowId"):
            raise _Unsupported("a step is another workflow")
        name = node.text("operationId", self.diagnostics)
        name = re.sub(r"^\$sourceDescriptions\.[^.]+\.", "", name)
        path = OPERATION_PATH.fullmatch(node.text("operationPath", self.diagnostics))
        for one in self.api.operations:
            if name and one.id == name:
                return one
            if path and (one.method, one.path) == (path[2].upper(), _unescaped(path[1])):
                return one
        raise _Unsupported(
            f"there is no operation '{name or node.text('operationPath', self.diagnostics)}'"
        )

    def _check_actions(self, node: Node) -> None:
        for key in ("onSuccess", "onFailure"):
            for action in node.sequence(key, self.diagnostics):
                if action.text("type", self.diagnostics) not in ("end", "retry"):
                    raise _Unsupported(f"a step jumps to another by '{key}'")
        for criterion in node.sequence("successCriteria", self.diagnostics):
            condition = criterion.text("condition", self.diagnostics).strip()
            if not SUCCESS.fullmatch(condition) or criterion.child("type"):
                raise _Unsupported(f"a step succeeds by more than its status: {condition}")

    def _parameters(self, owner: Node) -> Iterator[tuple[str, str, Node]]:
        for at in owner.sequence("parameters", self.diagnostics):
            node = at
            if reference := at.text("reference", self.diagnostics):
                components = at.document.root.child("components")
                known = components.child("parameters") if components else None
                name = reference.removeprefix("$components.parameters.")
                found = known.child(name) if known else None
                if found is None:
                    raise _Unsupported(f"there is no {reference}")
                node = found
            value = at.child("value") or node.child("value")
            if value is None:
                raise _Unsupported("a parameter has no value")
            place = node.text("in", self.diagnostics)
            yield place, node.text("name", self.diagnostics), value

    def _payload(self, body: Node) -> Json:
        child = body.child("payload")
        payload = deepcopy(child.value) if child else None
        if isinstance(payload, str) and not payload.startswith("$"):
            try:
                payload = json.loads(payload)
            except ValueError:
                raise _Unsupported("a body is a text with expressions in it") from None
        for one in body.sequence("replacements", self.diagnostics):
            value = one.child("value")
            _put(payload, one.text("target", self.diagnostics), value.value if value else None)
        return payload

    def _check_required(self, step: str, operation: Operation, values: Mapping[str, Value]) -> None:
        for one in operation.parameters:
            if one.required and f"{one.place}:{one.name}" not in values:
                raise _Unsupported(
                    f"step '{step}' does not give '{one.name}', which its operation needs"
                )
        if operation.body and operation.body.required and "body" not in values:
            raise _Unsupported(f"step '{step}' has no body, which its operation needs")

    # --- expressions

    def _value(self, value: Json) -> Value:
        if isinstance(value, list):
            return Built(tuple(map(self._value, value)))
        if isinstance(value, dict):
            return Built({key: self._value(one) for key, one in value.items()})
        if not isinstance(value, str):
            return Fixed(value)
        if value.startswith("$"):
            path = self._expression(value, None)
            return Given(path) if path in self.inputs.values() else Picked(path)
        if not EMBEDDED.search(value):
            return Fixed(value)
        pieces = EMBEDDED.split(value)
        parts = [
            f"to_string({self._expression(one, None)})" if index % 2 else f"`{_raw(one)}`"
            for index, one in enumerate(pieces)
            if one
        ]
        return Picked(f"join('', [{', '.join(parts)}])")

    def _path(self, node: Node, step: str | None) -> str:
        """The JMESPath of an output's expression; `step` is the one whose answer is at hand."""
        if not isinstance(node.value, str) or not node.value.startswith("$"):
            raise _Unsupported(f"the output '{node.key}' is no runtime expression")
        return self._expression(node.value, step)

    def _expression(self, text: str, step: str | None) -> str:
        found = EXPRESSION.fullmatch(text)
        if found is None:
            raise _Unsupported(f"the expression {text}")
        pointer = _pointed(found["pointer"] or "")
        if found["input"] is not None:
            if found["input"] not in self.inputs:
                raise _Unsupported(f"there is no input '{found['input']}'")
            return _word(self.inputs[found["input"]]) + pointer
        if found["step"] is not None:
            known = self.answers.get(found["step"], {})
            if found["output"] not in known:
                raise _Unsupported(f"no step before has the output {text}")
            return known[found["output"]] + pointer
        if step is None:
            raise _Unsupported(f"there is no answer yet for {text}")
        return _word(step) + pointer


def _word(name: str) -> str:
    return name if PLAIN.fullmatch(name) else _quoted(name)


def _quoted(name: str) -> str:
    return json.dumps(name)


def _raw(text: str) -> str:
    """A text as a JMESPath literal's inside."""
    return json.dumps(text).replace("`", "\\`")


def _unescaped(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")


def _pointed(pointer: str) -> str:
    """A JSON pointer (RFC 6901) as the rest of a JMESPath expression."""
    tokens = [_unescaped(one) for one in pointer.split("/")[1:]]
    return "".join(f"[{one}]" if one.isdigit() else f".{_word(one)}" for one in tokens)


def _put(value: Json, pointer: str, new: Json) -> None:
    tokens = [_unescaped(one) for one in pointer.split("/")[1:]]
    for token in tokens[:-1]:
        value = _inside(value, token)
    if isinstance(value, dict) and tokens:
        value[tokens[-1]] = new
    elif (
        isinstance(value, list) and tokens and tokens[-1].isdigit() and int(tokens[-1]) < len(value)
    ):
        value[int(tokens[-1])] = new
    else:
        raise _Unsupported(f"a replacement leads nowhere: {pointer}")


def _inside(value: Json, token: str) -> Json:
    try:
        return value[int(token)] if isinstance(value, list) else value[token]
    except (KeyError, IndexError, ValueError, TypeError):
        raise _Unsupported(f"a replacement leads nowhere: {token}") from None
