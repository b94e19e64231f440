"""What a manifest declares, as views: tools carried out in any way, prompts, resources, completion.

Takes `ir` tools, prompts and resources; gives what `plan` puts into namespaces. A method whose work is not in the
manifest is one that a person writes in custom/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcpgen import descriptions, handlers, names
from mcpgen.drafts import (
    SAFE,
    Draft,
    Types,
    behaviour,
    json_answers,
    local_name,
    parameter_view,
    request_view,
    returns,
)
from mcpgen.handlers import Argument, Statement
from mcpgen.ir import (
    Api,
    Built,
    Call,
    CommandLine,
    Completions,
    Field,
    Fixed,
    Given,
    Joined,
    Json,
    Operation,
    Picked,
    Prompt,
    Requests,
    Resource,
    Tool,
    Value,
)
from mcpgen.tool_schemas import Property, ToolSchemas
from mcpgen.views import (
    CommandView,
    Confirmation,
    MethodView,
    OfferPlan,
    ParameterView,
    RequestView,
    ToolPlan,
)

# Media types whose content is text, beside those of JSON.
TEXTUAL = re.compile(r"text/|application/(.*\+)?(sql|xml|yaml|toml|javascript|graphql)$")
COMMAND_RETURNS = {"text": "str", "lines": "list[str]", "json": "Any"}
LIST_OF_TEXTS = "list[str]"

# --- drafts


def make_drafts(
    api: Api, schemas: ToolSchemas, previous: Mapping[str, Json], package: str
) -> list[Draft]:
    """The tools of a manifest, with all their arguments."""
    recorded = {entry["name"]: entry.get("arguments", {}) for entry in previous.get("tools", ())}
    return [_draft(one, api, schemas, recorded.get(one.name, {}), package) for one in api.tools]


def _draft(
    tool: Tool, api: Api, schemas: ToolSchemas, pinned: Mapping[str, str], package: str
) -> Draft:
    arguments = [_argument(one, tool.work) for one in tool.fields]
    answers = [tool.output] if tool.output is not None else []
    operation = None
    group = _group(tool.namespace, api, package)
    if isinstance(tool.work, Requests) and len(tool.work.calls) == 1:
        operation = tool.work.calls[0].operation
        if tool.work.is_open:
            arguments += _open_arguments(tool.work, arguments, schemas, pinned)
            if not (answers or tool.work.answer):
                answers = json_answers(operation)
            if not tool.namespace and operation.tags:
                group = operation.tags[0]
    return Draft(tool.name, group, tool.location, tuple(arguments), tuple(answers), operation, tool)


def _argument(field: Field, work: Requests | CommandLine | None) -> Argument:
    shown = Property(field.name, field.schema, field.required, field.description)
    calls = work.calls if isinstance(work, Requests) else ()
    # A body that is not given is none, where None would be sent as null.
    is_body = any(call.values.get("body") == Given(field.name) for call in calls)
    return Argument(f":{field.name}", field.name, shown, nullable=is_body and not field.required)


def _open_arguments(
    work: Requests, known: Sequence[Argument], schemas: ToolSchemas, pinned: Mapping[str, str]
) -> list[Argument]:
    """The operation's own arguments that nothing is said of, and those that are only named otherwise."""
    call = work.calls[0]
    named = {one.name for one in known}
    found = []
    for argument in handlers.arguments(_one_body(call.operation, schemas), schemas, pinned):
        value = call.values.get(argument.key)
        if isinstance(value, Given) and value.name not in named:
            named.add(value.name)
            shown = replace(argument.property, name=value.name)
            found.append(replace(argument, name=value.name, property=shown))
        elif value is None and argument.key not in work.hidden and argument.name not in named:
            found.append(argument)
    return found


def _one_body(operation: Operation, schemas: ToolSchemas) -> Operation:
    """The operation with the usual one of its body's media types."""
    if operation.body is None or not (found := handlers.body_variants(operation.body, schemas)):
        return operation
    return replace(operation, body=replace(operation.body, contents=found[:1]))


def _group(namespace: str, api: Api, package: str) -> str:
    """The tag of that name, however it is spelled."""
    wanted = names.module_name(namespace or package, "tools")
    tags = [tag.name for tag in api.tags] + [tag for one in api.operations for tag in one.tags]
    return next((one for one in tags if names.module_name(one, "") == wanted), wanted)


def groups(api: Api, package: str) -> list[str]:
    """The groups that have a prompt or resource."""
    found = [one.namespace for one in api.prompts] + [one.namespace for one in api.resources]
    return list(dict.fromkeys(_group(one, api, package) for one in found))


# --- tools


def tool_plan(
    draft: Draft, tool: Tool, method_name: str, module: str, schemas: ToolSchemas, types: Types
) -> ToolPlan:
    work = tool.work
    requests, local = _requests(draft, work, schemas) if isinstance(work, Requests) else ((), "")
    command = _command(draft, work) if isinstance(work, CommandLine) else None
    description = descriptions.clean(tool.description) or _operation_text(draft, tool)
    whole = tool.input_schema
    others = ""
    if whole is not None and (
        whole.get("additionalProperties") is not False
        or whole.get("properties", {}).keys() != {one.name for one in draft.arguments}
    ):
        others = local_name("others", (one.name for one in draft.arguments))
    parameters = tuple(
        parameter_view(one, types.of(draft.name, one.key)) for one in draft.arguments
    )
    shown = [one.property for one in draft.arguments]
    return ToolPlan(
        name=tool.name,
        location=tool.location,
        method=MethodView(
            method_name, parameters, _returns(draft, tool, types), _sentence(description), others
        ),
        operation=draft.operation,
        arguments=draft.arguments,
        summary=descriptions.clean(tool.title),
        description=description,
        input_schema=schemas.completed(whole) if whole is not None else schemas.input_schema(shown),
        output_schema=_output_schema(draft, tool, schemas),
        annotations=_annotations(tool),
        requests=requests,
        values=local,
        answer=work.answer if isinstance(work, Requests) else "",
        command=command,
        confirmation=(
            Confirmation(tool.confirm, tuple(one.name for one in draft.arguments))
            if tool.confirm
            else None
        ),
        is_marked=tool.is_marked,
        written_in="" if work else f"custom/{module}.py",
        operations=tuple(one.operation for one in work.calls) if isinstance(work, Requests) else (),
    )


def _operation_text(draft: Draft, tool: Tool) -> str:
    """What stands for a description that is not there."""
    operation = draft.operation
    if operation and (operation.summary or operation.description):
        return descriptions.describe(
            operation.summary, operation.description, deprecated=operation.deprecated
        )
    return descriptions.clean(tool.title) or f"{tool.name.replace('_', ' ').capitalize()}."


def _sentence(text: str) -> str:
    line = descriptions.first_line(text)
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."


def _output_schema(draft: Draft, tool: Tool, schemas: ToolSchemas) -> Mapping[str, Json] | None:
    if tool.output is not None:
        return schemas.declared_output(tool.output)
    return schemas.output_schema(draft.answers[0]) if draft.answers else None


def _returns(draft: Draft, tool: Tool, types: Types) -> str:
    if tool.output is not None:
        return types.of(draft.name, "") or "Any"
    if isinstance(tool.work, CommandLine):
        return COMMAND_RETURNS[tool.work.output]
    is_plain = isinstance(tool.work, Requests) and tool.work.is_open and not tool.work.answer
    if is_plain and draft.operation:
        return returns(draft.name, draft.operation, types)
    return "Any"


def _annotations(tool: Tool) -> dict[str, Json]:
    """What the author says, over what the methods of the requests say."""
    if not isinstance(tool.work, Requests):
        return dict(tool.annotations)
    methods = [call.operation.method for call in tool.work.calls]
    if len(methods) == 1:
        return {**behaviour(methods[0]), **tool.annotations}
    return {"readOnlyHint": all(one in SAFE for one in methods), **tool.annotations}


def _requests(
    draft: Draft, work: Requests, schemas: ToolSchemas
) -> tuple[tuple[RequestView, ...], str]:
    """The requests, and the local variable that holds the answers where there are several steps."""
    has_steps = any(call.step for call in work.calls)
    taken = [one.name for one in draft.arguments]
    local = local_name("values", taken) if has_steps else ""
    views = []
    for call in work.calls:
        operation = _one_body(call.operation, schemas)
        values = _valued(call, draft, local)
        statements = tuple(handlers.valued_statements(operation, values, schemas))
        views.append(request_view(operation, draft.arguments, statements, call.step))
    return tuple(views), local


def _valued(call: Call, draft: Draft, local: str) -> dict[str, str | Value]:
    """What is sent for each key: what the manifest says, else the argument of that key."""
    own: dict[str, str | Value] = {
        one.key: one.name for one in draft.arguments if not one.key.startswith(":")
    }
    return own | {key: _placed(value, local) for key, value in call.values.items()}


def _placed(value: Value, local: str) -> Value:
    """A value whose expressions know the variable that they look into."""
    if isinstance(value, Picked):
        return replace(value, among=local)
    if isinstance(value, Built):
        if isinstance(value.members, Mapping):
            return Built({key: _placed(one, local) for key, one in value.members.items()})
        return Built(tuple(_placed(one, local) for one in value.members))
    return value


# --- commands


def _command(draft: Draft, work: CommandLine) -> CommandView:
    options: list[tuple[str, Json]] = []
    if work.folder:
        options.append(("folder", work.folder))
    if work.environment:
        options.append(("environment", work.environment))
    if work.timeout is not None:
        options.append(("timeout", work.timeout))
    if work.max_bytes is not None:
        options.append(("max_bytes", work.max_bytes))
    local = local_name("command", (one.name for one in draft.arguments))
    return CommandView(
        work.program, tuple(options), tuple(_words(work)), work.output, work.stdin, local
    )


def _words(work: CommandLine) -> list[Statement]:
    made: list[Statement] = []
    plain: list[str] = []
    for word in work.words:
        if isinstance(word, Fixed):
            plain.append(word.value)
            continue
        if plain:
            made.append(_plain_words(plain))
            plain = []
        made.append(_word(word if isinstance(word, tuple) else (word,), work))
    return [*made, _plain_words(plain)] if plain else made


def _plain_words(words: Sequence[str]) -> Statement:
    return Statement("add", None, "", tuple(("", one) for one in words))


def _word(words: tuple[Value, ...], work: CommandLine) -> Statement:
    """A word with an argument, and the fixed words that stand and fall with it."""
    options: list[tuple[str, Json]] = []
    at = next(index for index, one in enumerate(words) if not isinstance(one, Fixed))
    word = words[at]
    parts = word.parts if isinstance(word, Joined) else (word,)
    given = next(one for one in parts if isinstance(one, Given))
    where = parts.index(given)
    before = "".join(one.value for one in parts[:where] if isinstance(one, Fixed))
    after = "".join(one.value for one in parts[where + 1 :] if isinstance(one, Fixed))
    if before:
        options.append(("before", before))
    if after:
        options.append(("after", after))
    for name, fixed in (("leading", words[:at]), ("trailing", words[at + 1 :])):
        if fixed:
            options.append((name, tuple(one.value for one in fixed if isinstance(one, Fixed))))
    if given.name in work.paths:
        options.append(("is_path", True))
    return Statement("argument", given.name, given, tuple(options))


# --- prompts, resources, completion


def offers(
    api: Api, group: str, package: str, module: str, methods: names.Namespace
) -> tuple[tuple[OfferPlan, ...], dict[str, dict[str, Json]]]:
    """Those of a group, and what completes their arguments."""
    made: list[OfferPlan] = []
    completions: dict[str, dict[str, Json]] = {}
    for prompt in api.prompts:
        if _group(prompt.namespace, api, package) == group:
            made.append(_prompt(prompt, module, methods))
            _complete(
                prompt.name, prompt.name, prompt.completions, module, methods, made, completions
            )
    for resource in api.resources:
        if _group(resource.namespace, api, package) == group:
            made.append(_resource(resource, module, methods))
            _complete(
                resource.uri,
                resource.name,
                resource.completions,
                module,
                methods,
                made,
                completions,
            )
    return tuple(made), completions


def _method_name(words: str, methods: names.Namespace) -> str:
    name = names.identifier(names.shorten(names.snake(words), words), "method")
    return methods.take(name, f"{name}_")


def _prompt(prompt: Prompt, module: str, methods: names.Namespace) -> OfferPlan:
    listed: dict[str, Json] = {"name": prompt.name}
    if prompt.title:
        listed["title"] = descriptions.clean(prompt.title)
    if prompt.description:
        listed["description"] = descriptions.clean(prompt.description)
    if prompt.fields:
        listed["arguments"] = [_prompt_argument(one) for one in prompt.fields]
    parameters = tuple(
        (
            ParameterView(one.name, "str", None)
            if one.required
            else ParameterView(one.name, "str | None", "None")
        )
        for one in prompt.fields
    )
    doc = _sentence(prompt.description or prompt.title or f"The prompt {prompt.name}")
    name = _method_name(f"prompt {prompt.name}", methods)
    method = MethodView(name, parameters, "str" if prompt.text else "str | list[Any]", doc)
    return OfferPlan(
        "prompts",
        prompt.name,
        listed,
        method,
        text=prompt.text,
        optional=frozenset(one.name for one in prompt.fields if not one.required),
        written_in="" if prompt.text else f"custom/{module}.py",
    )


def _prompt_argument(field: Field) -> dict[str, Json]:
    shown: dict[str, Json] = {"name": field.name}
    if field.description:
        shown["description"] = descriptions.clean(field.description)
    if field.required:
        shown["required"] = True
    return shown


def _resource(resource: Resource, module: str, methods: names.Namespace) -> OfferPlan:
    is_template = bool(resource.variables)
    listed = {"uriTemplate" if is_template else "uri": resource.uri, "name": resource.name}
    listed |= {key: descriptions.clean(value) for key, value in resource.members.items()}
    parameters = tuple(ParameterView(one, "str", None) for one in resource.variables)
    text = str(resource.members.get("description") or resource.members.get("title") or "")
    doc = _sentence(text or f"The resource {resource.name}")
    media_type = str(resource.members.get("mimeType", "text/plain"))
    kind = "Any" if "json" in media_type else "str" if TEXTUAL.match(media_type) else "bytes"
    method = MethodView(_method_name(f"read {resource.name}", methods), parameters, kind, doc)
    fixed = resource.text is not None
    return OfferPlan(
        "resourceTemplates" if is_template else "resources",
        resource.uri,
        listed,
        replace(method, returns="str") if fixed else method,
        text=(Fixed(resource.text),) if fixed else (),
        written_in="" if fixed else f"custom/{module}.py",
    )


def _complete(
    key: str,
    name: str,
    said: Completions,
    module: str,
    methods: names.Namespace,
    made: list[OfferPlan],
    completions: dict[str, dict[str, Json]],
) -> None:
    for argument, values in said.items():
        if not isinstance(values, bool):
            completions.setdefault(key, {})[argument] = list(values)
            continue
        parameters = (
            ParameterView("value", "str", None),
            ParameterView("arguments", "dict[str, str]", None),
        )
        doc = f"What may complete the {argument} of {name}, of which `value` was typed so far."
        method_name = _method_name(f"complete {name} {argument}", methods)
        completions.setdefault(key, {})[argument] = method_name
        method = MethodView(method_name, parameters, LIST_OF_TEXTS, doc)
        made.append(
            OfferPlan("", key, {}, method, written_in=f"custom/{module}.py", is_completion=True)
        )
