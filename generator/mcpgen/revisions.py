"""Read files as they were at a revision of git: `REV:path`, as git writes it.

Takes names and bytes, gives bytes; runs git, which is given nothing that could be an option, no pager, no prompt and
no network. Knows nothing of documents or packages.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mcpgen.fetch import MAX_BYTES, is_url

TIMEOUT = 60  # seconds for one command
QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}


class RevisionError(Exception):
    """Why nothing can be read, as a sentence."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit, and a path in it from the root of the repository; `label` is as the user wrote it."""

    commit: str
    path: str
    label: str
    top: str  # the folder of the working tree


def is_revision(spec: str) -> bool:
    """Whether this names something in git: not a URL, not a file that is there, not a Windows drive."""
    found = re.match(r"[^:]{2,}:.", spec)
    return found is not None and not is_url(spec) and not os.path.exists(spec)


def open_revision(spec: str) -> Revision:
    """Find `REV:path`. Raises RevisionError."""
    name, _, path = spec.partition(":")
    if name.startswith("-"):
        raise RevisionError(f"'{name}' is no revision")
    try:
        found = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except RevisionError as error:
        raise RevisionError(str(error) or f"there is no revision '{name}'") from None
    commit = found.decode("ascii", "replace").strip()
    if not re.fullmatch(r"[0-9a-f]{40,64}", commit):
        raise RevisionError(f"there is no revision '{name}'")
    top = os.fsdecode(_git("rev-parse", "--show-toplevel")).strip()
    if path.startswith(("./", "../")) or path == ".":  # as git has it: from the current folder
        path = posixpath.join(os.fsdecode(_git("rev-parse", "--show-prefix")).strip(), path)
    path = posixpath.normpath(path).rstrip("/")
    if path.startswith(("..", "/")):
        raise RevisionError(f"'{path}' leads out of the repository")
    return Revision(commit, "" if path == "." else path, spec, top)


def is_folder(revision: Revision) -> bool:
    """Raises RevisionError where there is nothing at the path."""
    try:
        kind = _git("cat-file", "-t", _object(revision, ""))
    except RevisionError:
        hint = "paths count from the root of the repository; ./path counts from here"
        raise RevisionError(f"there is no such file in the revision ({hint})") from None
    return kind.strip() == b"tree"


def read_file(revision: Revision, below: str = "") -> bytes:
    """The file at the path, or `below` it. Raises RevisionError."""
    name = _object(revision, below)
    try:
        size = int(_git("cat-file", "-s", name))
        if size > MAX_BYTES:
            raise RevisionError(f"it is larger than {MAX_BYTES // 2**20} MiB")
        return _git("cat-file", "blob", name)
    except ValueError:
        raise RevisionError("git gives no size") from None


def read_files(revision: Revision, suffixes: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """All plain files of the commit whose names end so, with their paths from the root. Links are left out."""
    endings = tuple(suffixes)
    found: list[tuple[str, bytes]] = []
    total = 0
    tree = _git("ls-tree", "-r", "-z", "-l", "--full-tree", revision.commit)
    for entry in tree.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        path = os.fsdecode(name)
        if head.startswith(b"100") and path.lower().endswith(endings):
            _, _, blob, size = head.split()
            total += int(size) if size.isdigit() else 0
            found.append((path, blob))
    if total > MAX_BYTES:
        raise RevisionError(f"its documents are larger than {MAX_BYTES // 2**20} MiB together")
    # One git for all of them: a description can have 1,500 files.
    answer = _git("cat-file", "--batch", text=b"".join(blob + b"\n" for _, blob in found))
    start = 0
    for path, _ in found:
        end = answer.index(b"\n", start)
        length = int(answer[start:end].split()[-1])
        yield path, answer[end + 1 : end + 1 + length]
        start = end + 1 + length + 1  # and the newline after the content


def _object(revision: Revision, below: str) -> str:
    # The commit is hexadecimal, so that the whole can never be taken for an option.
    return f"{revision.commit}:{posixpath.join(revision.path, below) if below else revision.path}"


def _git(*arguments: str, text: bytes = b"") -> bytes:
    try:
        done = subprocess.run(
            ["git", "--no-pager", *arguments],
            env={**os.environ, **QUIET},
            input=text,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except FileNotFoundError:
        raise RevisionError("git is not installed") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise RevisionError(f"git does not answer ({error})") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RevisionError(lines[0].removeprefix("fatal: ") if lines else "")
    return done.stdout
