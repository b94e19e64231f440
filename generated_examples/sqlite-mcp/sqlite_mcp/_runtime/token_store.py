"""Where `login` keeps tokens: the system's keyring where the package `keyring` is installed and works, else a file of the user's alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def load(program: str, scheme: str) -> Mapping[str, Any] | None:
    """What `save` has kept."""
    text = None
    if keyring := _keyring():
        try:
            text = keyring.get_password(program, scheme)
        except Exception:  # a locked or broken keyring: as if it had nothing
            pass
    if text is None:
        found: Mapping[str, Any] | None = _read_file(program).get(scheme)
        return found
    kept: Mapping[str, Any] = json.loads(text)
    return kept


def save(program: str, scheme: str, tokens: Mapping[str, Any] | None) -> str:
    """Keep tokens, or forget them with None; gives where they are."""
    if keyring := _keyring():
        try:
            if tokens is not None:
                keyring.set_password(program, scheme, json.dumps(tokens))
                return "the system's keyring"
            if keyring.get_password(program, scheme) is not None:
                keyring.delete_password(program, scheme)
        except Exception:
            pass
    kept = _read_file(program)
    if tokens is None:
        kept.pop(scheme, None)
    else:
        kept[scheme] = dict(tokens)
    path = _path(program)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    beside = f"{path}.{os.getpid()}"
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(kept, file)
    os.replace(beside, path)
    return path


def _read_file(program: str) -> dict[str, Any]:
    try:
        with open(_path(program), encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
            return found
    except (OSError, ValueError):
        return {}


def _path(program: str) -> str:
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or home
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(base, program, "tokens.json")


def _keyring() -> Any:
    try:
        import keyring
    except ModuleNotFoundError:
        return None
    return keyring
