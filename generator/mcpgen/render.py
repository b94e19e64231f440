"""Print a plan: `PackagePlan` → the files of the package.

Templates print and decide nothing; what they print has passed the gate of `code.py`. Python that people edit is
formatted by black, beside the rest. Data files are JSON laid out in lines, so that a merge sees one tool as one line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mcpgen import code, resources
from mcpgen.examples import Direction, NoExample, example_value
from mcpgen.formatting import formatted_source, workers
from mcpgen.files import Files, GeneratedFile, Owner
from mcpgen.ir import Json
from mcpgen.mock_answers import mock_answers
from mcpgen.models import models_text
from mcpgen.publishing import bundle_manifest, server_json
from mcpgen.views import NamespacePlan, PackagePlan

# template → path in the package; `{package}` is the import package.
TEMPLATES = {
    "README.md.j2": "README.md",
    "pyproject.toml.j2": "pyproject.toml",
    "mcpgen.yaml.j2": "mcpgen.yaml",
    "gitignore.j2": ".gitignore",
    "Dockerfile.j2": "Dockerfile",
    "deploy/kubernetes.yaml.j2": "deploy/kubernetes.yaml",
    "github/ci.yml.j2": ".github/workflows/ci.yml",
    "package/__init__.py.j2": "{package}/__init__.py",
    "package/__main__.py.j2": "{package}/__main__.py",
    "package/api.py.j2": "{package}/api.py",
    "package/asgi.py.j2": "{package}/asgi.py",
    "package/tools/__init__.py.j2": "{package}/tools/__init__.py",
    "package/custom/__init__.py.j2": "{package}/custom/__init__.py",
    "tests/test_server.py.j2": "tests/test_server.py",
}

SCHEMA = ".mcpgen/manifest.schema.json"  # for the editor in which the manifest is written
FOR_AN_API = ("{package}/api.py",)  # a server that calls none has none

MADE_ONCE = ("mcpgen.yaml",)  # the person's from then on, like all of custom/


def render(plan: PackagePlan, earlier: Files) -> Files:
    """All files of the package, by path; the same plan gives the same bytes.

    `earlier` are those of the last run that have a `made_from`: what would be made from the same is taken from there.
    """
    sources = dict(_sources(plan))
    custom = {path: sources.pop(path) for path in list(sources) if "/custom/" in path}
    marks = {path: _mark("formatting", text) for path, text in sources.items()}
    models = f"{plan.package}/models.py"
    marks[models] = _mark("models", json.dumps(plan.models.made))
    known = {
        path: earlier[path].text
        for path, mark in marks.items()
        if path in earlier and earlier[path].made_from == mark
    }
    left = {path: text for path, text in sources.items() if path not in known}
    with workers(sum(text.count("\n") for text in left.values())) as pool:
        made = None if models in known else pool.submit(models_text, plan.models.made)
        formatted = pool.map(formatted_source, left.values())
        files = dict(_data(plan))
        known.update(zip(left, formatted, strict=True))
        if made:
            known[models] = made.result()
    for path, text in known.items():
        if text or path != models:
            files[path] = GeneratedFile(text, made_from=marks[path])
    for path, text in custom.items():
        files[path] = GeneratedFile(formatted_source(text), Owner.PERSON)
    return dict(sorted(files.items()))


def starter_manifest(name: str) -> str:
    """The manifest that a new tool server begins with."""
    return _environment().get_template("init/tools.yaml.j2").render(name=name)


def starter_files(plan: PackagePlan) -> Files:
    """What of a new tool server is a person's: the handlers of its manifest, and a test of them."""
    (namespace,) = plan.namespaces
    texts = {
        f"{plan.package}/custom/{namespace.module}.py": "init/custom.py.j2",
        "tests/test_custom.py": "init/test_custom.py.j2",
    }
    environment = _environment()
    return {
        path: GeneratedFile(
            environment.get_template(template).render(
                name=namespace.module, class_name=namespace.class_name, package=plan.package
            ),
            Owner.PERSON,
        )
        for path, template in texts.items()
    }


def _mark(module: str, text: str) -> str:
    """Of what a module of ours makes something from, with the module itself."""
    return sha256(resources.module_source(module) + text.encode()).hexdigest()


def _sources(plan: PackagePlan) -> Iterator[tuple[str, str]]:
    """The Python that people read and edit, not yet formatted."""
    environment = _environment()
    for template, path in TEMPLATES.items():
        if path.endswith(".py") and (plan.is_called or path not in FOR_AN_API):
            yield path.format(package=plan.package), environment.get_template(template).render(
                plan=plan
            )
    module = environment.get_template("package/tools/namespace.py.j2")
    for namespace in plan.namespaces:
        yield (
            f"{plan.package}/tools/{namespace.module}.py",
            module.render(plan=plan, namespace=namespace),
        )
    custom = environment.get_template("package/custom/namespace.py.j2")
    for namespace in plan.custom_modules:
        yield (
            f"{plan.package}/custom/{namespace.module}.py",
            custom.render(plan=plan, namespace=namespace),
        )


def _data(plan: PackagePlan) -> Iterator[tuple[str, GeneratedFile]]:
    """Everything else."""
    environment = _environment()
    package = plan.package
    for template, path in TEMPLATES.items():
        if not path.endswith(".py"):
            owner = Owner.PERSON if path in MADE_ONCE else Owner.MCPGEN
            yield path, GeneratedFile(environment.get_template(template).render(plan=plan), owner)
    yield f"{package}/py.typed", _ours("")
    yield f"{package}/catalog.json", _ours(catalog(plan))
    if plan.is_called:
        yield f"{package}/mock.json", _ours(_lines("operations", mock_answers(plan)))
    if plan.is_manifest:
        yield SCHEMA, _ours(resources.manifest_schema())
    yield "tests/arguments.json", _ours(_arguments(plan))
    yield "server.json", _ours(_indented(server_json(plan)))
    yield "deploy/mcpb.json", _ours(_indented(bundle_manifest(plan)))
    yield ".mcpgen/record.json", _ours(
        json.dumps(plan.record(), ensure_ascii=False, indent=1) + "\n"
    )
    for path, source in resources.runtime_files().items():
        yield f"{package}/_runtime/{path}", _ours(source.decode())


def _ours(text: str) -> GeneratedFile:
    return GeneratedFile(text, Owner.MCPGEN)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(resources.templates()),
        finalize=code.only_code,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the gate escapes, for each format in its own way
    )
    environment.filters.update(code.FILTERS)
    return environment


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _indented(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _lines(key: str, entries: Iterable[Json]) -> str:
    """`{"key":[` and one entry a line."""
    return f"{{{json.dumps(key)}:[\n" + ",\n".join(map(_compact, entries)) + "\n]}\n"


def catalog(plan: PackagePlan) -> str:
    """See docs/architecture.md, catalog.json."""
    server: dict[str, Json] = {
        "name": plan.option_name,
        "title": plan.title,
        "version": plan.version,
    }
    if plan.instructions:
        server["instructions"] = plan.instructions
    if plan.confirmed:
        server["confirm"] = plan.confirmed
    server |= plan.identity
    if plan.features:
        server["features"] = list(plan.features)
    namespaces = {one.name: _namespace(one) for one in plan.namespaces}
    sections: dict[str, list[Json]] = {"tools": [tool.listed for tool in plan.tools]}
    if plan.prompts:
        sections["prompts"] = [one.listed for one in plan.prompts]
    if plan.shown_resources:  # who has templates can be asked for a list as well
        for section in ("resources", "resourceTemplates"):
            found = [one.listed for one in plan.shown_resources if one.section == section]
            sections[section] = found
    whole = [f'{{"server":{_compact(server)}', f'"namespaces":{_compact(namespaces)}']
    for section, listed in sections.items():
        written = "".join(f"{_compact(one)},\n" for one in listed).removesuffix(",\n")
        whole.append(f'"{section}":[\n{written}' + ("\n]" if listed else "]"))
    return ",\n".join(whole) + "}\n"


def _namespace(namespace: NamespacePlan) -> Json:
    served: dict[str, Json] = {
        "module": namespace.module,
        "class": namespace.class_name,
        "description": namespace.description,
        "tools": {tool.name: tool.method_name for tool in namespace.tools},
    }
    if lists := {tool.name: tool.listing for tool in namespace.tools if tool.listing}:
        served["lists"] = lists
    for offer in namespace.offers:
        if offer.section:
            served.setdefault(offer.section, {})[offer.key] = offer.method.method_name
    if namespace.completions:
        served["completions"] = namespace.completions
    return served


def _arguments(plan: PackagePlan) -> str:
    """Valid arguments for each tool that only asks the API; null for one whose schema gives none that we could find."""
    lines = []
    for tool in plan.tools:
        schema = tool.operation_schema
        try:
            # Who knows what it does; what the user has to agree to; answers that must fit the next request.
            if not tool.operations or tool.confirmation or tool.values:
                raise NoExample
            value = example_value(schema, schema.get("$defs", {}), direction=Direction.INPUT)
        except NoExample:
            value = None
        lines.append(f"{json.dumps(tool.name)}: {_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
