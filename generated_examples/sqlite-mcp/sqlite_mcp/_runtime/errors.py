"""The one error that a tool may end in, in the one shape a client sees.

Whatever goes wrong on the way to the API and back becomes a `ToolError`; anything else is a fault of the server's own.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would cost a third of the start
if TYPE_CHECKING:
    from typing import Any, Literal

    Json = Any  # a JSON value
    Kind = Literal[
        "invalid_arguments",  # the arguments do not fit: mend them and call again
        "missing_credentials",  # the server has none: whoever runs it has to set what the message names
        "upstream_status",  # the API answered with an error
        "upstream_timeout",  # the API did not answer in time
        "upstream_unreachable",  # no connection to the API, or it is left alone for a while
        "upstream_invalid",  # the answer of the API is broken
        "too_large",  # an answer or file is larger than the limit
        "refused",  # this server does not do it: a setting, a limit, the user
        "internal",  # a fault of the server's own, which its log tells
    ]


class ToolError(Exception):
    """A failed call, written so that a model can mend it.

    `argument` is the tool's argument at fault, `status` the API's HTTP status, `detail` what the API said,
    `retry_after` in seconds, `request` the method and the URL without anything secret.
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        argument: str | None = None,
        detail: Json = None,
        request: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        self.argument = argument
        self.detail = detail
        self.request = request

    def as_json(self) -> dict[str, Json]:
        """`{"error": {…}}`; a member that has nothing to say is left out."""
        members = {
            "kind": self.kind,
            "message": self.message,
            "status": self.status,
            "retryable": self.retryable,
            "retry_after": self.retry_after,
            "argument": self.argument,
            "detail": self.detail,
            "request": self.request,
        }
        return {"error": {name: value for name, value in members.items() if value is not None}}


def invalid(argument: str | None, message: str) -> ToolError:
    return ToolError("invalid_arguments", message, argument=argument)
