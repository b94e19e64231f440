"""How a tool of a manifest is carried out: `http`, `operation`, `steps`, `command`.

Takes the Node of a tool, gives `ir` work. An `http` request is an operation like those of a document, so that
everything behind the IR treats them alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from mcpgen.diagnostics import Diagnostics
from mcpgen.frontends.manifest_fields import (
    COMMAND,
    HTTP,
    STEP,
    TEXT,
    members,
    nearest,
    text,
    wrong_type,
)
from mcpgen.frontends.manifest_values import NAME, Texts, is_expression
from mcpgen.ir import (
    Body,
    Call,
    CommandLine,
    Field,
    Fixed,
    Given,
    Joined,
    MediaType,
    Operation,
    Parameter,
    Place,
    Requests,
    Response,
    Schema,
    Server,
    Value,
)
from mcpgen.source import Node, describe

Json = Any

METHOD = re.compile(r"[A-Z]+")
REQUEST_LINE = re.compile(r"(?:([A-Za-z]+)\s+)?(\S+)")
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OUTPUTS = ("text", "lines", "json")


@dataclass(frozen=True, slots=True)
class Work:
    """Reads the work of all tools. `operations` are those of the attached document, by id and by `GET /path`."""

    operations: Mapping[str, Operation]
    credentials: Mapping[str, Json]
    diagnostics: Diagnostics

    # --- http

    def http(self, node: Node, fields: tuple[Field, ...], output: Schema | None) -> Requests | None:
        if isinstance(node.value, str):
            return self._http({"url": node}, node, fields, output)
        found = members(node, HTTP, self.diagnostics, ["url"])
        return self._http(found, node, fields, output) if "url" in found else None

    def _http(
        self,
        found: Mapping[str, Node],
        node: Node,
        fields: tuple[Field, ...],
        output: Schema | None,
    ) -> Requests | None:
        url = found["url"]
        line = REQUEST_LINE.fullmatch(url.value.strip())
        try:
            server, path, query = split_url(line[2] if line else " ")
        except BadUrl as bad:
            message = f"the URL {url.value!r} cannot be taken: {bad}"
            self.diagnostics.error("bad-url", message, url.location)
            return None
        method = text(found, "method") or (line[1] if line else "") or "GET"
        if not METHOD.fullmatch(method):
            message = f"'{method}' is no method; methods are written in capitals"
            self.diagnostics.error("bad-method", message, (found.get("method") or url).location)
            return None
        texts = Texts([one.name for one in fields], self.diagnostics)
        by_name = {one.name: one for one in fields}
        values: dict[str, Value] = {}
        parameters: list[Parameter] = []
        for name in PLACEHOLDER.findall(path):
            at = Node(url.document, f"{{{name}}}", url.parent, url.key)
            values[f"path:{name}"] = texts.text(at)
            parameters.append(_parameter(name, Place.PATH, by_name.get(name), url))
        for name, fixed in query:
            at = Node(url.document, fixed, url.parent, url.key)
            values[f"query:{name}"] = texts.text(at)
            parameters.append(_parameter(name, Place.QUERY, None, url))
        for key, place in (("query", Place.QUERY), ("headers", Place.HEADER)):
            for name, child in found[key].items() if key in found else ():
                values[f"{place}:{name}"] = texts.value(child)
                parameters.append(_parameter(name, place, None, child))
        body = self._body(found, values, texts)
        operation = Operation(
            id=None,
            method=method,
            path=path,
            location=node.location,
            parameters=tuple(parameters),
            body=body,
            responses=_responses(output, node),
            security=self._security(found, server),
            servers=(Server(server),) if server else (),
        )
        self._unused(fields, values.values(), node)
        return Requests((Call(operation, values, node.location),))

    def _body(
        self, found: Mapping[str, Node], values: dict[str, Value], texts: Texts
    ) -> Body | None:
        kinds = [key for key in ("body", "form") if key in found]
        if len(kinds) > 1:
            message = "a request has a 'body' or a 'form', not both"
            self.diagnostics.error("two-ways", message, found["form"].location)
        if not kinds:
            return None
        node = found[kinds[0]]
        values["body"] = texts.value(node)
        media_type = {"body": "application/json", "form": "application/x-www-form-urlencoded"}
        content = MediaType(media_type[kinds[0]], {}, node.location)
        return Body(True, (content,), node.location)

    def _security(
        self, found: Mapping[str, Node], server: str
    ) -> tuple[tuple[str, ...], ...] | None:
        """Another host sees no credential but those that are named for it."""
        if "credentials" not in found:
            return () if server or not self.operations else None
        for one in found["credentials"].elements():
            if one.value not in self.credentials:
                hint = nearest(one.value, self.credentials, "credentials:")
                message = f"'api' has no credential '{one.value}'"
                self.diagnostics.error("unknown-credential", message, one.location, hint=hint)
        return (tuple(found["credentials"].value),)

    def _unused(self, fields: tuple[Field, ...], values: Any, node: Node) -> None:
        if self.diagnostics.has_errors:
            return  # a placeholder that is spelled wrong leaves its argument unused
        used = {name for one in values for name in names_in(one)}
        for one in fields:
            if one.name not in used:
                message = f"the argument '{one.name}' is not used in '{node.key}'"
                hint = f"'{{{one.name}}}' stands for its value"
                self.diagnostics.error("unused-argument", message, one.location, hint=hint)

    # --- operations

    def operation(
        self, node: Node, found: Mapping[str, Node], fields: tuple[Field, ...]
    ) -> Requests | None:
        operation = self._find(found["operation"])
        if operation is None:
            return None
        texts = Texts([one.name for one in fields], self.diagnostics, new=_fits)
        values = dict(self._with(found.get("with"), operation, texts))
        hidden = self._hidden(found.get("hide"), operation)
        self._unused(fields, values.values(), found.get("with") or node)
        call = Call(operation, values, node.location)
        return Requests((call,), self._answer(found), hidden, is_open=True)

    def steps(
        self, node: Node, found: Mapping[str, Node], fields: tuple[Field, ...]
    ) -> Requests | None:
        calls: list[Call] = []
        known = [one.name for one in fields]
        steps: list[str] = []
        used: list[Value] = []
        for element in node.elements():
            members_ = members(element, STEP, self.diagnostics, ["operation"])
            step = text(members_, "id") or f"step{len(steps) + 1}"
            if not NAME.fullmatch(step):
                message = f"the id '{step}' must be a word of letters, digits and '_'"
                self.diagnostics.error("bad-name", message, members_["id"].location)
            elif step in known or step in steps:
                message = f"the id '{step}' is the name of an argument or earlier step"
                self.diagnostics.error("bad-name", message, members_["id"].location)
            operation = self._find(members_["operation"]) if "operation" in members_ else None
            if operation is not None:
                texts = Texts(known, self.diagnostics, steps)
                values = dict(self._with(members_.get("with"), operation, texts))
                used += values.values()
                self._required(operation, values, element)
                calls.append(Call(operation, values, element.location, step))
            steps.append(step)
        if len(calls) != len(steps):
            return None
        answer = self._answer(found)
        self._unused_in_steps(fields, used, answer, node)
        return Requests(tuple(calls), answer)

    def _unused_in_steps(
        self, fields: tuple[Field, ...], used: list[Value], answer: str, node: Node
    ) -> None:
        words = set(re.findall(r"\w+", answer))
        self._unused(tuple(one for one in fields if one.name not in words), used, node)

    def _find(self, node: Node) -> Operation | None:
        name = node.value
        if not isinstance(name, str):
            wrong_type(node, TEXT, self.diagnostics)
            return None
        method, _, path = name.partition(" ")
        found = self.operations.get(name) or self.operations.get(f"{method.upper()} {path.strip()}")
        if found is None:
            hint = nearest(name, self.operations)
            if not self.operations:
                hint = "'document' of 'api' attaches an OpenAPI document"
            message = f"there is no operation '{name}'"
            self.diagnostics.error("unknown-operation", message, node.location, hint=hint)
        return found

    def _with(
        self, node: Node | None, operation: Operation, texts: Texts
    ) -> Iterator[tuple[str, Value]]:
        for name, child in node.items() if node else ():
            key = self._key(name, operation, child)
            if key:
                yield key, texts.value(child)

    def _key(self, name: str, operation: Operation, node: Node) -> str | None:
        """`place:wire name` of what a name means; the place is written where two have the name."""
        keys = {f"{one.place}:{one.name}": one.name for one in operation.parameters}
        if operation.body:
            keys["body"] = "body"
        fitting = [key for key, wire in keys.items() if name in (key, wire)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            message = f"'{name}' is ambiguous: {' or '.join(fitting)}"
        else:
            message = f"the operation has no parameter '{name}'"
        hint = nearest(name, keys.values(), "there are") if not fitting else None
        self.diagnostics.error("unknown-argument", message, node.location, hint=hint)
        return None

    def _hidden(self, node: Node | None, operation: Operation) -> frozenset[str]:
        keys = [self._key(one.value, operation, one) for one in (node.elements() if node else ())]
        required = {f"{one.place}:{one.name}" for one in operation.parameters if one.required} | (
            {"body"} if operation.body and operation.body.required else set()
        )
        for key, one in zip(keys, node.elements() if node else (), strict=True):
            if key in required:
                message = f"'{one.value}' is required: it cannot be hidden, only fixed by 'with'"
                self.diagnostics.error("missing-value", message, one.location)
        return frozenset(key for key in keys if key)

    def _required(self, operation: Operation, values: Mapping[str, Value], node: Node) -> None:
        wanted = [
            one.name
            for one in operation.parameters
            if one.required and f"{one.place}:{one.name}" not in values
        ]
        if operation.body and operation.body.required and "body" not in values:
            wanted.append("body")
        for name in wanted:
            message = f"{operation.method} {operation.path} needs '{name}': give it in 'with'"
            self.diagnostics.error("missing-value", message, node.location)

    def _answer(self, found: Mapping[str, Node]) -> str:
        answer = text(found, "answer").strip()
        if answer and not is_expression(answer, found["answer"], self.diagnostics):
            return ""
        return answer

    # --- command

    def command(self, node: Node, fields: tuple[Field, ...]) -> CommandLine | None:
        found = members(node, COMMAND, self.diagnostics, ["run"])
        if "run" not in found:
            return None
        words: list[Value | tuple[Value, ...]] = []
        texts = Texts([one.name for one in fields], self.diagnostics)
        for element in found["run"].elements():
            if isinstance(element.value, list):
                words.append(self._group(element, texts))
            else:
                words.append(self._word(element, texts))
        program = words.pop(0)
        if not isinstance(program, Fixed) or not program.value:
            message = "the program is fixed: no argument can choose it"
            self.diagnostics.error("bad-command", message, found["run"].location)
            return None
        output = text(found, "output") or "text"
        if output not in OUTPUTS:
            hint = nearest(output, OUTPUTS)
            message = f"'output' must be one of {', '.join(OUTPUTS)}, not '{output}'"
            self.diagnostics.error("wrong-value", message, found["output"].location, hint=hint)
        stdin = self._stdin(found.get("stdin"), texts)
        flat = [one for word in words for one in (word if isinstance(word, tuple) else (word,))]
        self._unused(fields, [*flat, *([Given(stdin)] if stdin else [])], found["run"])
        timeout = found["timeout"].value if "timeout" in found else None
        return CommandLine(
            program=program.value,
            words=tuple(words),
            folder=text(found, "folder"),
            environment=tuple(found["environment"].value) if "environment" in found else (),
            timeout=timeout,
            max_bytes=found["max_bytes"].value if "max_bytes" in found else None,
            output=output,
            stdin=stdin,
            paths=tuple(one.name for one in fields if _is_path(one.schema)),
        )

    def _word(self, node: Node, texts: Texts) -> Value:
        text_ = node.as_text()
        if text_ is None:
            message = f"a word of a command must be a text, not {describe(node.value)}"
            self.diagnostics.error("bad-command", message, node.location)
            return Fixed("")
        word = texts.text(Node(node.document, text_, node.parent, node.key))
        if isinstance(word, Joined) and sum(isinstance(one, Given) for one in word.parts) > 1:
            message = f"a word of a command holds one argument, not several: {text_!r}"
            self.diagnostics.error("bad-command", message, node.location)
            return Fixed("")
        return word

    def _group(self, node: Node, texts: Texts) -> tuple[Value, ...]:
        words = tuple(self._word(one, texts) for one in node.elements())
        if sum(not isinstance(one, Fixed) for one in words) != 1:
            message = "a group holds exactly one argument, and falls away with it"
            self.diagnostics.error("bad-command", message, node.location)
        return words

    def _stdin(self, node: Node | None, texts: Texts) -> str:
        if node is None:
            return ""
        value = texts.text(node)
        if isinstance(value, Given):
            return value.name
        message = "'stdin' must be an argument: '{name}'"
        self.diagnostics.error("bad-command", message, node.location)
        return ""


class BadUrl(ValueError):
    """Why a URL of a manifest cannot be asked."""


def split_url(url: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Server, path and query. The place of a request is fixed: no argument leads it elsewhere. Raises BadUrl."""
    try:
        parts = urlsplit(url)
        hostname = parts.hostname
    except ValueError as error:
        raise BadUrl(str(error)) from None
    if " " in url:
        raise BadUrl("it has a space")
    if "{" in parts.scheme + parts.netloc:
        raise BadUrl("an argument cannot choose the host")
    if not parts.scheme and not url.startswith("/"):
        raise BadUrl("it begins with 'https://', or with '/' below 'url' of 'api'")
    if parts.scheme and (parts.scheme not in ("http", "https") or not hostname):
        raise BadUrl("only http and https are asked")
    if "@" in parts.netloc or (not parts.scheme and parts.netloc):
        raise BadUrl("credentials belong into the environment: see 'credentials'")
    if parts.fragment:
        raise BadUrl("a fragment is not sent")
    server = f"{parts.scheme}://{parts.netloc}" if parts.scheme else ""
    return server, parts.path or "/", parse_qsl(parts.query, keep_blank_values=True)


def _fits(name: str) -> bool:
    return VARIABLE.fullmatch(name) is not None


def _is_path(schema: Schema) -> bool:
    return isinstance(schema, dict) and schema.get("format") == "path"


def _parameter(name: str, place: Place, field: Field | None, node: Node) -> Parameter:
    style = "form" if place is Place.QUERY else "simple"
    schema = field.schema if field else {}
    return Parameter(
        name,
        place,
        place is Place.PATH,
        schema,
        node.location,
        style=style,
        explode=style == "form",
    )


def _responses(output: Schema | None, node: Node) -> tuple[Response, ...]:
    """What the mock answers."""
    if output is None:
        return ()
    return (
        Response("200", (MediaType("application/json", output, node.location),), node.location),
    )


def names_in(value: Value) -> Iterator[str]:
    """The arguments that a value is made of."""
    if isinstance(value, Given):
        yield value.name
    elif isinstance(value, Joined):
        for part in value.parts:
            yield from names_in(part)
    elif hasattr(value, "members"):
        inside = value.members.values() if isinstance(value.members, Mapping) else value.members
        for one in inside:
            yield from names_in(one)
    elif hasattr(value, "expression"):
        yield from re.findall(r"[A-Za-z_]\w*", value.expression)
