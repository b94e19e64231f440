"""What mcpgen ships into packages."""

from __future__ import annotations

from mcpgen import resources


def test_the_templates_are_found_in_a_checkout() -> None:
    assert (resources.templates() / "pyproject.toml.j2").is_file()


def test_the_runtime_is_sources_only_and_sorted() -> None:
    files = resources.runtime_files()
    assert list(files) == sorted(files) and "__init__.py" in files
    others = [path for path in files if not path.endswith((".py", "/py.typed"))]
    assert others == ["explorer.html"]
    assert files["main.py"] == (resources.HERE / "runtime" / "main.py").read_bytes()
