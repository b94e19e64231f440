"""Where `login` keeps tokens: the system's keyring where the package `keyring` is installed and works, else a file of the user's alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NEEDED = {"issuer": str, "access_token": str, "refresh_token": str | None, "renew_at": float}


def load(program: str, scheme: str) -> Mapping[str, Any] | None:
    """What `save` has kept; None for anything else."""
    found: Any = None
    if keyring := _keyring():
        try:
            found = json.loads(keyring.get_password(program, scheme) or "null")
        except Exception:  # a locked or broken keyring: as if it had nothing
            pass
    if found is None:
        found = _read_file(program).get(scheme)
    is_whole = isinstance(found, dict) and all(
        isinstance(found.get(name), kind) for name, kind in NEEDED.items()
    )
    return found if is_whole else None


def save(program: str, scheme: str, tokens: Mapping[str, Any] | None) -> str:
    """Keep tokens, or forget them with None; gives where they are. They are never in both places."""
    place = _keep_in_keyring(program, scheme, tokens)
    kept = _read_file(program)
    if tokens is None or place:
        if kept.pop(scheme, None) is not None:
            _write_file(program, kept)
        return place
    kept[scheme] = dict(tokens)
    return _write_file(program, kept)


def _keep_in_keyring(program: str, scheme: str, tokens: Mapping[str, Any] | None) -> str:
    """Says that it is there, or "" and nothing is."""
    keyring = _keyring()
    if keyring and tokens is not None:
        try:
            keyring.set_password(program, scheme, json.dumps(tokens))
            return "the system's keyring"
        except Exception:  # none works here, or it has a limit that a token exceeds, as on Windows
            pass
    if keyring:
        try:
            keyring.delete_password(program, scheme)
        except Exception:  # there was none
            pass
    return ""


def _write_file(program: str, kept: Mapping[str, Any]) -> str:
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
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


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
