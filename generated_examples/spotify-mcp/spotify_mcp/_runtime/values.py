"""What handlers of a manifest make of values: expressions over answers, texts of several parts, objects without gaps."""

from __future__ import annotations

from .errors import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from .messages import Json

    Value = TypeVar("Value")


def pick(expression: str, value: Json) -> Value:  # type: ignore[type-var]  # the handler says what comes
    """What a JMESPath expression finds; None where there is nothing."""
    import jmespath

    try:
        return jmespath.search(expression, value)  # type: ignore[no-any-return]  # see above
    except jmespath.exceptions.JMESPathError as error:
        message = f"The answer is not what {expression!r} expects: {error}"
        raise ToolError("upstream_invalid", message) from None


def join(*parts: Json) -> str | None:
    """The parts as one text; None where one of them was not given."""
    if any(one is None for one in parts):
        return None
    return "".join(one if isinstance(one, str) else _text(one) for one in parts)


def _text(value: Json) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def present(members: Mapping[str, Json]) -> dict[str, Json]:
    """The members that were given."""
    return {name: value for name, value in members.items() if value is not None}
