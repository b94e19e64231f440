"""What a package brings along to be lived with: its files, judged by the schemas and tools that others judge them by."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator

from conftest import Run
from examples import EXAMPLES, Example
from mcpgen.runtime.options import parse

SCHEMAS = Path(__file__).parent / "data" / "schemas"
HADOLINT = Path(sys.executable).with_name("hadolint")

each_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)


def read_json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def problems(validator: type[Validator], schema: Any, value: Any) -> list[str]:
    checked = validator(schema, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in checked.iter_errors(value)]


def secrets(example: Example) -> set[str]:
    """The variables of the record that hold secrets."""
    credentials = read_json(example.directory / ".mcpgen" / "record.json")["credentials"]
    return {
        variable
        for parts in credentials.values()
        for part, variable in parts.items()
        if part in ("key", "token", "password", "client_secret", "refresh_token")
    }


@each_example
def test_the_code_is_clean(example: Example) -> None:
    for command in (["ruff", "check", "--no-cache", "."], ["black", "--check", "--quiet", "."]):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=example.directory,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


# --- the registry


def registry_problems(found: Any) -> list[str]:
    return problems(
        Draft7Validator, read_json(SCHEMAS / "mcp-server-2025-12-11.schema.json"), found
    )


@each_example
def test_server_json_is_what_the_registry_takes(example: Example) -> None:
    found = read_json(example.directory / "server.json")
    assert registry_problems(found) == []
    (package,) = found["packages"]
    told = {one["name"] for one in package["environmentVariables"] if one["isSecret"]}
    assert told == secrets(example)
    # By this the registry knows that the package on PyPI is its publisher's.
    readme = (example.directory / "README.md").read_text("utf-8")
    assert readme.endswith(f"<!-- mcp-name: {found['name']} -->\n")


def test_a_document_with_long_and_odd_texts_is_published_as_well(
    mcpgen: Run, tmp_path: Path
) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": '“Zoo”: a "quoted" {{ title }} ${{ secrets }} ' + "long " * 60,
            "description": "A\tzoo\u2028 #{x} \\ " + "word " * 100,
            "version": "2024-05-01",
        },
        "paths": {"/x": {"get": {"responses": {"200": {"description": "ok"}}}}},
    }
    (tmp_path / "zoo.json").write_text(json.dumps(document), "utf-8")
    made = mcpgen("zoo.json", "-o", "out", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    out = tmp_path / "out"
    assert registry_problems(read_json(out / "server.json")) == []
    assert kubernetes_problems(out) == []
    assert workflow_problems(out) == []
    assert manifest_problems(read_json(out / "deploy" / "mcpb.json")) == []


# --- the bundle


def manifest_problems(found: Any) -> list[str]:
    return problems(Draft7Validator, read_json(SCHEMAS / "mcpb-manifest-v0.4.schema.json"), found)


def bundled(example: Example, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-m", example.package, "bundle", "-o", out],
        cwd=example.directory,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@each_example
def test_a_bundle_is_what_clients_take(example: Example, tmp_path: Path) -> None:
    done = bundled(example, tmp_path / "one.mcpb")
    assert (done.returncode, done.stderr) == (0, "")
    with ZipFile(tmp_path / "one.mcpb") as archive:
        archive.extractall(tmp_path / "out")
        names = set(archive.namelist())
    manifest = read_json(tmp_path / "out" / "manifest.json")
    assert manifest_problems(manifest) == []
    assert {manifest["server"]["entry_point"], "pyproject.toml", "README.md"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".", "tests"))]

    catalog = read_json(example.directory / example.package / "catalog.json")
    assert [one["name"] for one in manifest["tools"]] == [one["name"] for one in catalog["tools"]]
    asked = manifest["user_config"]
    sensitive = {name for name, one in asked.items() if one.get("sensitive")}
    assert sensitive == {name.lower() for name in secrets(example)}
    env = manifest["server"]["mcp_config"]["env"]
    assert {name.lower(): value for name, value in env.items()} == {
        name: f"${{user_config.{name}}}" for name in asked
    }

    bundled(example, tmp_path / "two.mcpb")
    assert (tmp_path / "one.mcpb").read_bytes() == (tmp_path / "two.mcpb").read_bytes()
    started = subprocess.run(
        [sys.executable, "-m", example.package, "--version"],
        cwd=tmp_path / "out",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    version = catalog["server"]["version"]
    assert started.stdout == f"{example.package.replace('_', '-')} {version}\n"


def test_an_installed_package_says_that_it_cannot_be_bundled(tmp_path: Path) -> None:
    example = EXAMPLES[0]
    shutil.copytree(example.directory / example.package, tmp_path / example.package)
    done = subprocess.run(
        [sys.executable, "-m", example.package, "bundle"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert "bundle from the package's own folder" in done.stderr
    assert not list(tmp_path.glob("*.mcpb"))


# --- containers


def documents(folder: Path) -> list[Any]:
    text = (folder / "deploy" / "kubernetes.yaml").read_text("utf-8")
    return list(yaml.safe_load_all(text))


def kubernetes_problems(folder: Path) -> list[str]:
    definitions = read_json(SCHEMAS / "kubernetes-1.37.json")["$defs"]
    return [
        problem
        for one in documents(folder)
        for problem in problems(
            Draft202012Validator,
            {"$ref": f"#/$defs/{one['kind']}", "$defs": definitions},
            one,
        )
    ]


@each_example
def test_the_manifests_are_what_kubernetes_takes(example: Example) -> None:
    assert kubernetes_problems(example.directory) == []
    deployment, service, autoscaler = documents(example.directory)
    template = deployment["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert labels == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    target = autoscaler["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", deployment["metadata"]["name"])
    (container,) = template["spec"]["containers"]
    (port,) = container["ports"]
    (served,) = service["spec"]["ports"]
    for probe in (container["readinessProbe"], container["livenessProbe"]):
        assert probe["httpGet"] == {"path": "/healthz", "port": port["name"]}
    assert (port["containerPort"], served["targetPort"]) == (8000, port["name"])
    assert template["spec"]["securityContext"]["runAsNonRoot"] is True


def test_a_manifest_with_a_slip_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "deploy"
    folder.mkdir()
    text = (EXAMPLES[0].directory / "deploy" / "kubernetes.yaml").read_text("utf-8")
    (folder / "kubernetes.yaml").write_text(
        text.replace("readinessProbe", "readynessProbe"), "utf-8"
    )
    assert len(kubernetes_problems(tmp_path)) == 1


@each_example
def test_the_image_is_small_and_serves_without_root(example: Example) -> None:
    path = example.directory / "Dockerfile"
    text = path.read_text("utf-8").replace("\\\n", " ")
    steps = [line.split(None, 1) for line in text.splitlines() if line and line[0] != "#"]
    last = [what for word, what in steps if word == "FROM"][-1]
    assert last == "python:3.13-slim"
    (user,) = [what for word, what in steps if word == "USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    (check,) = [what for word, what in steps if word == "HEALTHCHECK"]
    assert "http://127.0.0.1:8000/healthz" in check
    entry, command = [json.loads(what) for word, what in steps if word in ("ENTRYPOINT", "CMD")]
    options = parse(entry[0], "1", command)
    assert (options.transport, options.host, options.port) == ("http", "0.0.0.0", 8000)
    for word, what in steps:
        if word == "COPY" and "--from" not in what:
            *sources, _ = what.split()
            assert all((example.directory / source).exists() for source in sources)


@pytest.mark.skipif(not HADOLINT.exists(), reason="there is no hadolint for this platform")
@each_example
def test_hadolint_finds_nothing_in_the_dockerfile(example: Example) -> None:
    command = [str(HADOLINT), "--no-color", str(example.directory / "Dockerfile")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, "")


# --- CI


def workflow(folder: Path) -> Any:
    text = (folder / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    found = yaml.safe_load(text)
    found["on"] = found.pop(True)  # YAML 1.1, which PyYAML reads, takes the word for a boolean
    return found


def workflow_problems(folder: Path) -> list[str]:
    schema = read_json(SCHEMAS / "github-workflows.json")
    return problems(Draft7Validator, schema, workflow(folder))


@each_example
def test_the_workflow_is_what_github_takes(example: Example) -> None:
    assert workflow_problems(example.directory) == []
    jobs = workflow(example.directory)["jobs"]
    done = [step.get("run") for job in jobs.values() for step in job["steps"]]
    assert {"pytest", "mypy", "ruff check .", "black --check .", "mcpgen --check"} <= set(done)
    # What the first job runs is what its install step brings.
    project = (example.directory / "pyproject.toml").read_text("utf-8")
    assert all(f'"{tool}>=' in project for tool in ("pytest", "mypy", "ruff", "black"))
