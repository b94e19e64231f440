"""Write docs/reference.md from the code: `python scripts/reference.py > docs/reference.md`.

Nothing in it is written by hand, so that it cannot drift; tests/test_docs.py compares.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from mcpgen import cli
from mcpgen.runtime import content, context, errors, options, tools

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "generator" / "mcpgen"
EXAMPLE = ROOT / "generated_examples" / "petstore-mcp"
WIDTH = 100


def main() -> None:
    sys.stdout.write("\n".join(page()) + "\n")


def page() -> Iterator[str]:
    yield "# Reference\n"
    yield "Made from the code by `scripts/reference.py`.\n"
    yield "## `mcpgen`\n"
    group = click.Context(
        cli.cli, info_name="mcpgen", max_content_width=WIDTH, terminal_width=WIDTH
    )
    for name in cli.cli.commands:
        command = cli.cli.commands[name]
        yield f"### `mcpgen {name if name != 'generate' else 'SPEC'}`\n"
        shown = click.Context(
            command, group, name, max_content_width=WIDTH, terminal_width=WIDTH
        ).get_help()
        yield from block("text", shown)
    yield "## `mcpgen.yaml`\n"
    template = (ROOT / "templates" / "mcpgen.yaml.j2").read_text("utf-8")
    yield from block("yaml", template[template.index("# More settings.") :])
    yield "## The record\n"
    yield (
        "What `mcpgen --json` prints and `.mcpgen/record.json` holds, for programs: of the example, with one of its tools."
        " `arguments` are by place and wire name what the tool calls them.\n"
    )
    record = json.loads((EXAMPLE / ".mcpgen" / "record.json").read_text("utf-8"))
    record["tools"] = [one for one in record["tools"] if one["arguments"]][:1]
    yield from block("json", json.dumps(record, indent=2))
    yield "## The command of a generated package\n"
    yield "As of the example `petstore-mcp`; `python -m petstore_mcp` is the same.\n"
    yield from block("text", told("--help"))
    for name in options.COMMANDS:
        yield f"### `petstore-mcp {name}`\n"
        yield from block("text", told(name, "--help"))
    yield "## Errors of a tool\n"
    yield 'A failed call answers `{"error": {…}}`, written so that a model can mend it. ' + first(
        errors.ToolError.__doc__
    )
    yield "\n| kind | |\n|---|---|"
    source = (SOURCES / "runtime" / "errors.py").read_text("utf-8")
    for kind, meaning in re.findall(r'^ {8}"(\w+)",  # (.*)$', source, re.MULTILINE):
        yield f"| `{kind}` | {meaning} |"
    yield "\n## What a handler uses\n"
    yield "`self.api.send(request)` sends a request, `self.context` is the call.\n"
    yield "| | |\n|---|---|"
    for owner, prefix in ((context.Context, "self.context."), (context.Elicited, "answer.")):
        for name, member in vars(owner).items():
            if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                yield f"| `{prefix}{name}{signature(member)}` | {cell(member.__doc__)} |"
    for one in (tools.tool, content.Content, content.Blob, errors.ToolError):
        yield f"| `{one.__name__}{signature(one)}` | {cell(one.__doc__)} |"
    yield "\n## Diagnostics\n"
    yield "What mcpgen says of a document, manifest or setting; `…` stands for what it is about.\n"
    yield "| code | | for instance |\n|---|---|---|"
    for code, (severity, message) in sorted(diagnostics().items()):
        yield f"| `{code}` | {severity} | {message} |"


def block(language: str, text: str) -> Iterator[str]:
    yield f"```{language}"
    yield text.rstrip()
    yield "```\n"


def told(*words: str) -> str:
    """What the example prints."""
    done = subprocess.run(
        [sys.executable, "-m", "petstore_mcp", *words],
        cwd=EXAMPLE,
        env={"COLUMNS": str(WIDTH), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def first(text: str | None) -> str:
    """A docstring as one paragraph, without its first sentence where more follows."""
    _, _, rest = inspect.cleandoc(text or "").partition("\n\n")
    return " ".join(rest.split())


def cell(text: str | None) -> str:
    """A docstring's first paragraph, as a cell of a table."""
    return " ".join(inspect.cleandoc(text or "").split("\n\n")[0].split()).replace("|", "\\|")


def signature(member: object) -> str:
    if isinstance(member, property) or not callable(member):
        return ""
    names = [
        f"{'*' if one.kind is one.VAR_POSITIONAL else '**' if one.kind is one.VAR_KEYWORD else ''}{one.name}"
        + ("" if one.default is one.empty else "=…")
        for one in inspect.signature(member).parameters.values()
        if one.name != "self"
    ]
    return f"({', '.join(names)})"


def diagnostics() -> dict[str, tuple[str, str]]:
    """Code → severity and the first message of that code."""
    found: dict[str, tuple[str, str]] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        if "runtime" in path.parts:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        for function in ast.walk(tree):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for call in ast.walk(function):
                    if (one := said(call)) and isinstance(call, ast.Call):
                        found.setdefault(one[0], (one[1], message(call.args[1], function)))
    return found


def said(call: ast.AST) -> tuple[str, str] | None:
    match call:
        case ast.Call(
            func=ast.Attribute(attr="error" | "warning" as severity),
            args=[ast.Constant(value=str() as code), _, *_],
        ) if re.fullmatch(r"[a-z][a-z0-9-]*", code):
            return code, severity
    return None


def message(node: ast.expr, function: ast.AST) -> str:
    """A message with `…` for what is put into it; a name is looked up in its function."""
    if isinstance(node, ast.Name):
        values = [
            one.value
            for one in ast.walk(function)
            if isinstance(one, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == node.id for target in one.targets)
        ]
        return message(values[0], function) if values else "…"
    if isinstance(node, ast.Constant):
        return cell(str(node.value))
    if isinstance(node, ast.JoinedStr):
        parts = [str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values]
        return cell("".join(parts))
    return "…"


if __name__ == "__main__":
    main()
