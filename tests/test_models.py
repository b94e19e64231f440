import ast
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mcpgen import models
from mcpgen.ir import Schema
from mcpgen.models import Models, Wanted, make_models, models_text

Definitions = Mapping[str, Schema]

PET: Schema = {
    "type": "object",
    "description": "A pet.",
    "required": ["name"],
    "properties": {
        "id": {"type": "integer", "format": "int64"},
        "name": {"type": "string", "description": "What it is called."},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/Tag"}},
    },
}
TAG: Schema = {"type": "object", "properties": {"name": {"type": ["string", "null"]}}}


def annotation(schema: Schema, definitions: Definitions | None = None) -> str:
    return make_models([Wanted("Thing", schema)], definitions or {}).annotations[0]


def classes(text: str) -> dict[str, list[str]]:
    """The keys of each TypedDict, by class; an alias has none."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            parts = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            found[node.name] = [ast.unparse(part.target) for part in parts]
        elif isinstance(node, ast.AnnAssign):
            found[ast.unparse(node.target)] = []
        elif isinstance(node, ast.Assign):
            assert isinstance(node.value, ast.Call) and isinstance(node.value.args[1], ast.Dict)
            keys = node.value.args[1].keys
            found[ast.unparse(node.targets[0])] = [ast.literal_eval(key) for key in keys if key]
    return found


def check_types(folder: Path, made: Models) -> None:
    """Import the module with warnings as errors, and let mypy see it with each annotation in use."""
    (folder / "models.py").write_text(made.text, encoding="utf-8")
    used = sorted({name for names in made.names for name in names})
    lines = ["from __future__ import annotations", "from typing import Any, Literal"]
    lines += [f"from models import {', '.join(used)}"] if used else []
    lines += [f"def f{n}(x: {one}) -> None: ..." for n, one in enumerate(made.annotations)]
    (folder / "handlers.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for command in (["-W", "error", "handlers.py"], ["-m", "mypy", "--strict", "handlers.py"]):
        run = subprocess.run(
            [sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=120
        )
        assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, "Any"),
        ({}, "Any"),
        ({"type": "string"}, "str"),
        ({"type": "string", "format": "binary"}, "str"),
        ({"type": "string", "format": "date-time"}, "str"),
        ({"type": "integer"}, "int"),
        ({"type": "number"}, "float"),
        ({"type": "boolean"}, "bool"),
        ({"type": "null"}, "None"),
        ({"type": ["string", "null"]}, "str | None"),
        ({"type": ["null", "integer", "string"]}, "int | str | None"),
        ({"enum": ["a", "b"]}, "Literal['a', 'b']"),
        ({"enum": ["a", 1, True, None]}, "Literal['a', 1, True] | None"),
        ({"const": "a"}, "Literal['a']"),
        ({"type": "boolean", "enum": [True, False]}, "bool"),
        ({"type": "integer", "enum": ["1", "2"]}, "int"),
        ({"enum": [1.5, {"a": 1}]}, "float | dict[str, Any]"),
        ({"enum": ["\ud800"]}, "str"),
        ({"type": "array"}, "list[Any]"),
        ({"items": {"type": "integer"}}, "list[int]"),
        ({"prefixItems": [{"type": "integer"}, {"type": "string"}]}, "list[int | str]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({"type": "object", "additionalProperties": False}, "dict[str, Any]"),
        ({"additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"patternProperties": {"^x": {"type": "integer"}}}, "dict[str, int]"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "int | str"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]}, "float | None"),
        ({"oneOf": [{"enum": ["a"]}, {"enum": ["b"]}]}, "Literal['a', 'b']"),
        ({"anyOf": [{"enum": ["a"]}, {"type": "string"}]}, "str"),
        ({"anyOf": [{"type": "integer"}, {}]}, "Any"),
        ({"type": "string", "anyOf": [{"pattern": "a"}, {"pattern": "b"}]}, "str"),
        ({"allOf": [{"type": "string"}, {"minLength": 1}]}, "str"),
        ({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}, "str"),
        ({"$ref": "#/$defs/Missing"}, "Any"),
    ],
)
def test_a_schema_without_properties_is_a_type_expression(schema: Schema, expected: str) -> None:
    made = make_models([Wanted("Thing", schema)], {})
    assert (made.annotations, made.names, made.text) == ((expected,), ((),), "")


def test_an_object_becomes_a_class_that_says_what_it_knows() -> None:
    made = make_models([Wanted("Thing", {"$ref": "#/$defs/Pet"})], {"Pet": PET, "Tag": TAG})
    assert made.annotations == ("Pet",)
    assert made.names == (("Pet",),)
    assert made.text == '''\
# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Tag(TypedDict):
    name: NotRequired[str | None]


class Pet(TypedDict):
    """A pet."""
    id: NotRequired[int]
    name: str
    """What it is called."""
    tags: NotRequired[list[Tag]]
'''


def test_only_what_is_wanted_is_written() -> None:
    made = make_models([Wanted("Thing", {"$ref": "#/$defs/Tag"})], {"Pet": PET, "Tag": TAG})
    assert list(classes(made.text)) == ["Tag"]


def test_an_inline_object_is_named_by_who_wants_it_and_by_its_place() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {
            "owner": {"type": "object", "properties": {"name": {"type": "string"}}},
            "toys": {"type": "array", "items": {"properties": {"size": {"type": "integer"}}}},
        },
    }
    made = make_models([Wanted("CreatePetBody", schema)], {})
    assert made.annotations == ("CreatePetBody",)
    assert classes(made.text) == {
        "CreatePetBodyOwner": ["name"],
        "CreatePetBodyToysItem": ["size"],
        "CreatePetBody": ["owner", "toys"],
    }


def test_all_of_is_one_class_with_the_properties_of_all() -> None:
    definitions: Definitions = {
        "Base": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}},
        "Cat": {"allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"lives": {"enum": [7, 9]}}}]},
    }
    made = make_models([Wanted("Thing", {"$ref": "#/$defs/Cat"})], definitions)
    assert "    id: int\n    lives: NotRequired[Literal[7, 9]]\n" in made.text
    assert classes(made.text) == {"Cat": ["id", "lives"]}


def test_all_of_around_one_reference_is_that_reference() -> None:
    schema: Schema = {"allOf": [{"$ref": "#/$defs/Tag"}, {"description": "Mine."}]}
    assert annotation(schema, {"Tag": TAG}) == "Tag"


def test_variants_beside_properties_are_classes_with_the_common_properties() -> None:
    schema: Schema = {
        "properties": {"id": {"type": "integer"}},
        "oneOf": [
            {"title": "by name", "properties": {"name": {"type": "string"}}},
            {"properties": {"code": {"type": "string"}}},
        ],
    }
    made = make_models([Wanted("Search", schema)], {})
    assert made.annotations == ("SearchByName | SearchOption2",)
    assert classes(made.text) == {"SearchByName": ["id", "name"], "SearchOption2": ["id", "code"]}


def test_variants_that_only_require_leave_one_class() -> None:
    schema: Schema = {
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    assert annotation(schema) == "Thing"


def test_a_single_variant_is_named_as_if_it_stood_alone() -> None:
    inner: Schema = {"properties": {"id": {"type": "integer"}}}
    schema: Schema = {"properties": {"owner": {"anyOf": [inner, {"type": "null"}]}}}
    made = make_models([Wanted("Thing", schema)], {})
    assert classes(made.text) == {"ThingOwner": ["id"], "Thing": ["owner"]}
    assert "    owner: NotRequired[ThingOwner | None]\n" in made.text


@pytest.mark.parametrize(
    "node",
    [
        {"type": ["object", "null"], "properties": {"next": {"$ref": "#/$defs/Node"}}},
        {"anyOf": [{"properties": {"next": {"$ref": "#/$defs/Node"}}}, {"type": "null"}]},
    ],
)
def test_a_definition_that_may_be_null_keeps_its_class(node: Schema) -> None:
    made = make_models([Wanted("Thing", {"$ref": "#/$defs/Node"})], {"Node": node})
    assert made.annotations == ("Node | None",)
    assert classes(made.text) == {"Node": ["next"]}


def test_a_child_that_is_a_variant_of_its_parent_ends() -> None:
    definitions: Definitions = {
        "Pet": {"properties": {"kind": {"type": "string"}}, "oneOf": [{"$ref": "#/$defs/Cat"}]},
        "Cat": {"allOf": [{"$ref": "#/$defs/Pet"}, {"properties": {"lives": {"type": "integer"}}}]},
    }
    assert annotation({"$ref": "#/$defs/Pet"}, definitions) == "PetOption1"
    assert annotation({"$ref": "#/$defs/Cat"}, definitions) == "Cat"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ({"type": "string", "format": "uuid"}, "str"),
        ({"enum": ["a", "b"]}, "Literal['a', 'b']"),
        ({"type": "array", "items": {"$ref": "#/$defs/Tag"}}, "list[Tag]"),
        ({"enum": [f"a_rather_long_value_{n}" for n in range(9)]}, "Target"),
        ({"oneOf": [{"$ref": "#/$defs/Tag"}, {"type": "string"}]}, "Target"),
    ],
)
def test_a_definition_that_is_no_object_is_repeated_if_short_else_an_alias(
    target: Schema, expected: str
) -> None:
    assert annotation({"$ref": "#/$defs/Target"}, {"Tag": TAG, "Target": target}) == expected


def test_a_long_type_of_an_argument_gets_a_name() -> None:
    made = make_models([Wanted("GetPetsKind", {"enum": [f"kind_{n:04}" for n in range(40)]})], {})
    assert made.annotations == ("GetPetsKind",)
    assert list(classes(made.text)) == ["GetPetsKind"]


def test_definitions_that_only_refer_to_each_other_are_anything() -> None:
    definitions: Definitions = {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}
    made = make_models([Wanted("Thing", {"$ref": "#/$defs/A"})], definitions)
    assert (made.annotations, made.names) == (("A",), (("A",),))
    assert made.text.endswith("\n\nA: TypeAlias = Any\n")


def test_a_definition_refined_within_itself_ends() -> None:
    def refined(name: str) -> Schema:
        return {"allOf": [{"$ref": "#/$defs/Node"}, {"properties": {name: {"type": "string"}}}]}

    node: Schema = {"properties": {"left": refined("a"), "right": refined("b")}}
    made = make_models([Wanted("Thing", refined("c"))], {"Node": node})
    assert "Node" in made.made and len(made.made) <= 4


def test_parts_that_multiply_at_each_level_are_given_up() -> None:
    definitions: Definitions = {
        f"D{n}": {
            "properties": {
                name: {"allOf": [{"$ref": f"#/$defs/D{n + 1}"}, {"properties": {name: {}}}]}
                for name in ("a", "b")
            }
        }
        for n in range(30)
    }
    assert len(make_models([Wanted("Thing", {"$ref": "#/$defs/D0"})], definitions).made) < 1000


def test_recursive_types_are_understood_by_python_and_mypy(tmp_path: Path) -> None:
    definitions: Definitions = {
        "Node": {"properties": {"next": {"$ref": "#/$defs/Node"}, "x-y": {"$ref": "#/$defs/Z"}}},
        "Tree": {"anyOf": [{"type": "string"}, {"items": {"$ref": "#/$defs/Tree"}}]},
        "Self": {"$ref": "#/$defs/Self"},
        "A": {"anyOf": [{"$ref": "#/$defs/B"}, {"$ref": "#/$defs/Node"}]},
        "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/Z"}]},
        "Z": {"properties": {"a-b": {"$ref": "#/$defs/Node"}}},
    }
    wanted = [Wanted("Thing", {"$ref": f"#/$defs/{name}"}) for name in definitions]
    made = make_models(wanted, definitions)
    assert made.annotations == ("Node", "Tree", "Any", "A", "B", "Z")
    check_types(tmp_path, made)


HOSTILE_KEYS = """List Any None str int dict list TypedDict Literal NotRequired Union TypeAlias Request Response Tools
PetTools class pet Pet PET Model Model1 Enum True object print typing annotations foo-2 Foo2 Foo_2 1st a.b.c
___ 名前 Blob""".split()
HOSTILE_NAMES = [
    "",
    " ",
    "class",
    "None",
    "self",
    "a b",
    "__x",
    "_id",
    'x"y',
    "x'y",
    "x\\y",
    "x\ny",
    "été",
    "名前",
]
HOSTILE_NAMES += [
    "str",
    "list",
    "int",
    "Any",
    "TypedDict",
    "NotRequired",
    "Pet",
    "keys",
    "items",
    "pop",
    "total",
]
HOSTILE_NAMES += [
    "1",
    "$ref",
    "type",
    "{{ x }}",
    "%s",
    '"""',
    "'''",
    "\\N{bad}",
    "\x00",
    "\u2028",
    "a" * 90,
]
HOSTILE_TEXTS = [
    '""" + __import__("os").system("id") + """',
    "'''\nimport os\n'''",
    "ends with a backslash \\",
    'ends with a quote "',
    "\\N{bad} \\x \\u12 \\8",
    "line\r\nfeed\x00\x0c\u2028\ud800",
    "{{ 7 * 7 }} {% raw %}",
    '\\"""',
    '"',
    "\\",
    "# type: ignore",
]


def test_no_name_and_no_text_of_a_document_breaks_the_module(tmp_path: Path) -> None:
    members = {
        name: {
            "$ref": f"#/$defs/{HOSTILE_KEYS[n % len(HOSTILE_KEYS)]}",
            "description": HOSTILE_TEXTS[n % len(HOSTILE_TEXTS)],
        }
        for n, name in enumerate(HOSTILE_NAMES)
    }
    identifiers = {name: one for name, one in members.items() if name.isidentifier()}
    definitions: Definitions = {
        key: {
            "description": HOSTILE_TEXTS[n % len(HOSTILE_TEXTS)],
            "properties": (members if n % 2 else identifiers)
            | {"kind": {"enum": HOSTILE_NAMES + HOSTILE_TEXTS}, "any": {}},
        }
        for n, key in enumerate(HOSTILE_KEYS)
    }
    wanted = [Wanted("Tools", {"$ref": f"#/$defs/{key}"}) for key in HOSTILE_KEYS]
    made = make_models(wanted, definitions)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile(made.text, "models.py", "exec")
    found = classes(made.text)
    assert len(set(made.annotations)) == len(HOSTILE_KEYS)
    assert not set(made.annotations) & {
        "List",
        "Any",
        "None",
        "Request",
        "Tools",
        "PetTools",
        "Blob",
    }
    assert not {"str", "TypedDict", "Literal"} & found.keys()
    for n, name in enumerate(made.annotations):
        assert set(found[name]) == {*(HOSTILE_NAMES if n % 2 else identifiers), "kind", "any"}
    check_types(tmp_path, made)


def test_names_do_not_hang_on_what_is_wanted() -> None:
    definitions: Definitions = {"pet": PET, "Pet": TAG, "Tag": TAG}
    alone = make_models([Wanted("Thing", {"$ref": "#/$defs/Pet"})], definitions)
    both = make_models(
        [Wanted("Thing", {"$ref": f"#/$defs/{key}"}) for key in ("pet", "Pet")], definitions
    )
    assert both.annotations[1] == alone.annotations[0]
    assert both.annotations[0] == "Pet"


def test_two_runs_give_the_same_text() -> None:
    wanted = [Wanted("Thing", {"$ref": "#/$defs/Pet"})]
    assert make_models(wanted, {"Pet": PET, "Tag": TAG}) == make_models(
        wanted, {"Pet": PET, "Tag": TAG}
    )


def test_a_key_that_cannot_be_written_is_left_out() -> None:
    schema: Schema = {"properties": {"\ud800": {"type": "string"}, "fine": {"type": "string"}}}
    assert classes(make_models([Wanted("Thing", schema)], {}).text) == {"Thing": ["fine"]}


def test_a_class_that_comes_out_wrong_becomes_a_dictionary() -> None:
    # Python reads the ligature as two letters, so the key of the class would not be the wire's.
    schema: Schema = {"properties": {"\ufb01": {"type": "string"}}}
    text = make_models([Wanted("Thing", schema)], {}).text
    assert text.endswith("Thing: TypeAlias = dict[str, Any]\n")


def test_a_shape_that_the_generator_refuses_costs_itself_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generate = models._generate

    def refuse(made: Mapping[str, Any]) -> str:
        if any("bad" in shape.get("properties", {}) for shape in made.values()):
            raise RuntimeError("no")
        return generate(made)

    monkeypatch.setattr(models, "_generate", refuse)
    good = {
        "type": "object",
        "properties": {"a": {"$ref": "#/components/schemas/Bad"}},
        "required": [],
    }
    bad = {"type": "object", "properties": {"bad": {"type": "string"}}, "required": []}
    text = models_text({"Good": good, "Bad": bad, "Other": good})
    assert classes(text) == {"Bad": [], "Good": ["a"], "Other": ["a"]}
    assert "Bad: TypeAlias = dict[str, Any]" in text


@pytest.mark.parametrize(
    "text", ["", "import os\nos.system('id')\n", "class Pet(TypedDict):\n    x: f()\n"]
)
def test_statements_that_were_not_asked_for_are_not_taken_over(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "_generate", lambda made: text)
    shape = {"type": "object", "properties": {"x": {}}, "required": []}
    made = models_text({"Pet": shape})
    assert made.endswith("import Any, TypeAlias\n\n\nPet: TypeAlias = dict[str, Any]\n")


def names_of(wanted: Sequence[Schema], definitions: Definitions) -> tuple[tuple[str, ...], ...]:
    return make_models([Wanted("Thing", one) for one in wanted], definitions).names


def test_each_wanted_type_says_which_names_it_needs() -> None:
    tag, pet = {"$ref": "#/$defs/Tag"}, {"$ref": "#/$defs/Pet"}
    wanted: list[Schema] = [{"type": "string"}, {"anyOf": [pet, {"items": tag}, pet]}]
    assert names_of(wanted, {"Pet": PET, "Tag": TAG}) == ((), ("Pet", "Tag"))
