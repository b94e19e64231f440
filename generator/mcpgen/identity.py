"""Which operation of a document is which of an earlier run, and which module its tool lives in.

Takes operations and the record that the earlier run left; gives names that last. A person's override and edits stand
in a module under a method's name, so that neither may move because a document calls things otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from mcpgen import names
from mcpgen.ir import Json, Operation

Record = Mapping[str, Json]  # section 3 of the contract: the record that an earlier run left
Entry = Mapping[str, Json]  # what it says of one tool
Request = tuple[str, str]  # method and path

MODULE = re.compile(
    r"[a-z_][a-z0-9_]*"
)  # as `names.module_name` gives; a record may come from anywhere
PLACEHOLDER = re.compile(r"\{[^{}]*\}")
NO_SUBJECT = re.compile(
    r"api|rest|v\d+.*", re.IGNORECASE
)  # segments that say nothing of what a path is about


def request(operation: Operation) -> Request:
    return operation.method, operation.path


def known_tools(operations: Sequence[Operation], previous: Record) -> dict[Request, Entry]:
    """What the earlier run recorded of each operation, by method and path.

    An operation is the one that had its method and path; of those that are left on both sides, the one with its id;
    then the one whose path differs in the names of its placeholders, then in its version, where only one does.
    """
    recorded = {(entry["method"], entry["path"]): entry for entry in previous.get("tools", ())}
    known = {one: recorded[one] for one in map(request, operations) if one in recorded}
    gone = {one: entry for one, entry in recorded.items() if one not in known}
    new = {request(one): one for one in operations if request(one) not in known}

    def follow(was: Callable[[Entry], Hashable], now: Callable[[Operation], Hashable]) -> None:
        earlier = _unique((was(entry), one) for one, entry in gone.items())
        for identity, one in _unique((now(new[one]), one) for one in new).items():
            if identity in earlier:
                known[one] = gone.pop(earlier[identity])
                del new[one]

    follow(lambda entry: entry["operation_id"], lambda one: one.id)
    for reduced in (_shape, _unversioned):
        follow(
            lambda entry: reduced(entry["method"], entry["path"]),
            lambda one: reduced(one.method, one.path),
        )
    return known


def _unique(pairs: Iterable[tuple[Hashable, Request]]) -> dict[Hashable, Request]:
    """By identity, where only one has it. None is no identity."""
    found = [(identity, one) for identity, one in pairs if identity is not None]
    count = Counter(identity for identity, _ in found)
    return {identity: one for identity, one in found if count[identity] == 1}


def _shape(method: str, path: str) -> Request:
    return method, PLACEHOLDER.sub("{}", path)


def _unversioned(method: str, path: str) -> Request:
    kept = [one for one in path.split("/") if not NO_SUBJECT.fullmatch(one)]
    return _shape(method, "/".join(kept))


# --- modules


def group(operation: Operation) -> str:
    """The first tag; without one, the first word of the path that is no version."""
    if operation.tags:
        return operation.tags[0]
    for segment in operation.path.split("/"):
        if names.snake(segment) and "{" not in segment and not NO_SUBJECT.fullmatch(segment):
            return segment
    return "api"


def assign_modules(
    operations: Sequence[Operation], tags: Iterable[str], known: Mapping[Request, Entry]
) -> dict[str, tuple[str, list[Operation]]]:
    """The modules in their order: name → the group that it is about, and its operations.

    A known tool stays in its module. A new one goes to the module of its group, which is one of that name where it has
    tools of the group, or one whose tools are mostly of the group: a tag that is called otherwise keeps its module.
    """
    groups = {group(one) for one in operations}
    order = list(dict.fromkeys([*(one for one in tags if one in groups), *map(group, operations)]))
    kept = {
        request(one): module
        for one in operations
        if MODULE.fullmatch(module := known.get(request(one), {}).get("namespace", ""))
    }
    members: dict[str, Counter[str]] = {}  # module → how many of its known tools are of each group
    for one in operations:
        if module := kept.get(request(one)):
            members.setdefault(module, Counter())[group(one)] += 1
    taken = names.Namespace(members)
    homes: dict[str, str] = {}

    def home(name: str) -> str:
        if name not in homes:
            homes[name] = _home(name, members) or taken.take(_module_name(name))
        return homes[name]

    found: dict[str, list[Operation]] = {}
    for one in sorted(operations, key=lambda one: order.index(group(one))):
        found.setdefault(kept.get(request(one)) or home(group(one)), []).append(one)
    place = {id(one): index for index, one in enumerate(operations)}
    return {
        module: (_about(module, inside), sorted(inside, key=lambda one: place[id(one)]))
        for module, inside in found.items()
    }


def _module_name(name: str) -> str:
    return names.module_name(name, f"tag_{names.digest(name)}")


def _home(name: str, members: Mapping[str, Counter[str]]) -> str | None:
    """The module of an earlier run where the new tools of a group belong."""
    plain = _module_name(name)
    if name in members.get(plain, ()):
        return plain
    owned = [one for one, count in members.items() if 2 * count[name] > count.total()]
    return max(owned, key=lambda one: members[one][name], default=None)


def _about(module: str, operations: Sequence[Operation]) -> str:
    """The group whose name the module has; else the one that most of its tools are of."""
    groups = Counter(map(group, operations))
    named = [one for one in groups if _module_name(one) == module]
    return named[0] if named else groups.most_common(1)[0][0]
