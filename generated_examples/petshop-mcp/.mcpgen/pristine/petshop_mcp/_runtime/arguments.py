"""Check a call's arguments against the very inputSchema that was listed.

Takes the schema and the arguments, gives the arguments to call with, or raises a ToolError that names each
argument, the rule and the value. Two slips that models often make are mended: a string that holds exactly the
JSON of the array or object that is wanted, and null for an optional argument that does not take it.
"""

from __future__ import annotations

import jsonschema_rs

from .errors import ToolError
from .messages import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .messages import Json

MOST_ERRORS = 10  # a model needs the first few; a large body can break a thousand rules
LONGEST_VALUE = 200


class Checker:
    """The compiled schema of one tool."""

    def __init__(self, schema: dict[str, Json]) -> None:
        self._schema = schema
        self._validator = compile_schema(schema)

    def check(self, arguments: dict[str, Json]) -> dict[str, Json]:
        if self._validator.is_valid(arguments):
            return arguments
        mended = self._mend(arguments)
        errors = list(self._validator.iter_errors(mended))
        if not errors:
            return mended
        raise _refusal(errors, list(self._schema.get("properties", ())))

    def _mend(self, arguments: dict[str, Json]) -> dict[str, Json]:
        mended = arguments
        required = self._schema.get("required", ())
        for error in self._validator.iter_errors(arguments):
            path = list(error.instance_path)
            if len(path) == 1 and error.instance is None and path[0] not in required:
                mended = {key: value for key, value in mended.items() if key != path[0]}
            elif path and isinstance(error.instance, str):
                value = _json_text(error.instance)
                if value is not None:
                    mended = _replace(mended, path, value)
        return mended


def compile_schema(schema: dict[str, Json]) -> jsonschema_rs.Validator:
    try:
        return jsonschema_rs.Draft202012Validator(schema, offline=True)
    except (
        ValueError
    ):  # a pattern that this engine cannot run must not cost the tool: names are still checked
        from logging import getLogger

        getLogger(__name__).warning("an inputSchema cannot be compiled", exc_info=True)
        names = {
            "type": "object",
            "properties": dict.fromkeys(schema.get("properties", {}), True),
            "required": schema.get("required", []),
            "additionalProperties": schema.get("additionalProperties", True) is not False,
        }
        return jsonschema_rs.Draft202012Validator(names)


def _json_text(text: str) -> Json:
    """The array or object that a string spells, else None."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return decode(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None


def _replace(value: Json, path: list[str | int], new: Json) -> Json:
    """A copy with the value at the path replaced, sharing the rest."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = _replace(value[path[0]], path[1:], new)
    return copy


def _refusal(errors: list[jsonschema_rs.ValidationError], known: Sequence[str]) -> ToolError:
    problems = [problem for error in errors[:MOST_ERRORS] for problem in _problems(error, known)]
    said = [
        f"{one['argument']}: {one['message']}" if one["argument"] else str(one["message"])
        for one in problems
    ]
    if len(errors) > MOST_ERRORS:
        said.append(f"and {len(errors) - MOST_ERRORS} more")
    return ToolError(
        "invalid_arguments",
        "; ".join(said),
        argument=str(problems[0]["argument"]) or None,
        detail=problems,
    )


def _problems(error: jsonschema_rs.ValidationError, known: Sequence[str]) -> list[dict[str, Json]]:
    """What is wrong, with the argument that it is about: the missing or unknown one rather than the object around it."""
    path, rule = list(error.instance_path), _rule(error)
    kind = error.kind.as_dict()
    instance: Json = error.instance
    if rule == "required":
        name = _spell([*path, kind["property"]])
        return [{"argument": name, "rule": rule, "message": "it is required and missing"}]
    if "unexpected" in kind:
        return [
            {
                "argument": _spell([*path, name]),
                "rule": rule,
                "message": "there is no such argument" + ("" if path else _nearest(name, known)),
                "value": _shorten(instance.get(name)),
            }
            for name in kind["unexpected"][:MOST_ERRORS]
        ]
    problem = {"argument": _spell(path), "rule": rule, "message": error.message}
    if path:
        problem["value"] = _shorten(instance)
    return [problem]


def _nearest(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    found = get_close_matches(name, known, 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _spell(path: list[str | int]) -> str:
    """`body.tags[0]`, as a person would write it."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _rule(error: jsonschema_rs.ValidationError) -> str:
    return str(error.schema_path[-1]) if error.schema_path else "schema"


def _shorten(value: Json) -> Json:
    text = encode(value).decode()
    return value if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"
