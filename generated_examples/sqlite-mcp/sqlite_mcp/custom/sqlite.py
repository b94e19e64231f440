"""Read a SQLite database, tables and rows, without changing it.

SQLITE_DATABASE names the file. It is opened read-only, no other file can be attached, and a statement that takes too
long is stopped.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .._runtime.errors import ToolError, invalid
from ..tools import sqlite as generated

if TYPE_CHECKING:
    from ..models import Column, Description, ForeignKey, Rows, Table

Value = TypeVar("Value")

VARIABLE = "SQLITE_DATABASE"
LONGEST = 20.0  # seconds of one statement
STEPS = 100_000  # of SQLite's machine between two looks at the clock
NAMES = "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name"
STATEMENTS = (
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND {} ORDER BY type = 'index', name"
)
# What a statement that only reads asks leave for.
READING = (
    *(
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    ),
)


class SqliteTools(generated.SqliteTools):
    async def list_tables(self) -> list[Table]:
        """List the tables and views of the database."""
        return await _run(_tables)

    async def describe_table(self, *, table: str) -> Description:
        """Tell the columns, keys and indexes of a table or view."""
        return await _run(lambda database: _description(database, table))

    async def query(
        self, *, sql: str, parameters: list[str | float | bool | None] = [], limit: int = 100
    ) -> Rows:
        """Run one SELECT (or WITH, VALUES, EXPLAIN) statement of SQLite and get its rows."""
        return await _run(lambda database: _rows(database, sql, parameters, limit))

    async def complete_explore_table(self, *, value: str, arguments: dict[str, str]) -> list[str]:
        """What may complete the table of explore, of which `value` was typed so far."""
        names = await _run(_names)
        return [name for name in names if name.lower().startswith(value.lower())]

    async def read_schema(self) -> str:
        """The statements that made all tables, views and indexes."""
        return await _run(lambda database: _statements(database, "true"))

    async def read_table(self, *, table: str) -> str:
        """The statement that made a table, and the statements of its indexes."""
        return await _run(lambda database: _statements(database, "tbl_name = ?", table))

    async def complete_table_table(self, *, value: str, arguments: dict[str, str]) -> list[str]:
        """What may complete the table of table, of which `value` was typed so far."""
        return await self.complete_explore_table(value=value, arguments=arguments)


# --- the database


async def _run(work: Callable[[sqlite3.Connection], Value]) -> Value:
    """Work on the database beside the event loop, which SQLite would stop."""

    def run() -> Value:
        with _opened() as database:
            return work(database)

    return await asyncio.to_thread(run)


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    path = os.environ.get(VARIABLE)
    if not path:
        raise ToolError("missing_credentials", f"Set {VARIABLE} to the database file")
    if not os.path.isfile(path):
        raise ToolError("upstream_unreachable", f"{VARIABLE} names no file")
    uri = f"{Path(path).absolute().as_uri()}?mode=ro"
    database = sqlite3.connect(uri, uri=True, timeout=5)
    ends = time.monotonic() + LONGEST
    database.set_progress_handler(lambda: time.monotonic() > ends, STEPS)
    try:
        yield database
    except sqlite3.OperationalError as error:
        if str(error) == "interrupted":
            message = f"The statement took longer than {LONGEST:g} seconds: ask for less"
            raise ToolError("upstream_timeout", message) from None
        raise invalid("sql", f"SQLite: {error}") from None
    except sqlite3.DatabaseError as error:  # also what the authorizer refuses
        raise invalid("sql", f"SQLite: {error}") from None
    finally:
        database.close()


def _only_reads(action: int, first: str | None, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# --- what is asked


def _names(database: sqlite3.Connection) -> list[str]:
    return [name for name, _ in database.execute(NAMES)]


def _tables(database: sqlite3.Connection) -> list[Table]:
    found: list[Table] = []
    for name, kind in database.execute(NAMES).fetchall():
        if kind == "view":
            found.append({"name": name, "kind": "view"})
        else:
            (rows,) = database.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()
            found.append({"name": name, "kind": "table", "rows": rows})
    return found


def _description(database: sqlite3.Connection, table: str) -> Description:
    made = database.execute(
        "SELECT sql FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')", [table]
    ).fetchone()
    if made is None:
        known = ", ".join(_names(database))
        raise invalid("table", f"There is no table {table!r}; there are: {known}")
    columns: list[Column] = [
        {
            "name": name,
            "type": kind,
            "nullable": not required,
            "primary_key": bool(key),
            "default": default,
        }
        for _, name, kind, required, default, key in database.execute(
            f"PRAGMA table_info({_quoted(table)})"
        )
    ]
    indexes = [row[1] for row in database.execute(f"PRAGMA index_list({_quoted(table)})")]
    return {
        "name": table,
        "sql": made[0] or "",
        "columns": columns,
        "foreign_keys": _foreign_keys(database, table),
        "indexes": indexes,
    }


def _foreign_keys(database: sqlite3.Connection, table: str) -> list[ForeignKey]:
    keys: dict[int, ForeignKey] = {}
    for number, _, other, column, target, *_ in database.execute(
        f"PRAGMA foreign_key_list({_quoted(table)})"
    ):
        key = keys.setdefault(number, {"columns": [], "table": other, "references": []})
        key["columns"].append(column)
        key["references"].append(target or "rowid")
    return list(keys.values())


def _rows(database: sqlite3.Connection, sql: str, parameters: list[Any], limit: int) -> Rows:
    database.set_authorizer(_only_reads)
    try:
        cursor = database.execute(sql, parameters)
    except sqlite3.ProgrammingError as error:  # two statements, or another number of parameters
        raise invalid("sql", f"SQLite: {error}") from None
    if cursor.description is None:
        raise invalid("sql", "The statement gives no rows: only SELECT and the like are run")
    found = cursor.fetchmany(limit)
    return {
        "columns": [column[0] for column in cursor.description],
        "rows": [[_shown(value) for value in row] for row in found],
        "is_complete": cursor.fetchone() is None,
    }


def _shown(value: Any) -> Any:
    return {"bytes": len(value)} if isinstance(value, bytes) else value


def _statements(database: sqlite3.Connection, condition: str, *values: str) -> str:
    """The statements of the schema that meet a condition of ours."""
    found = database.execute(STATEMENTS.format(condition), values).fetchall()
    if not found and values:
        raise invalid("table", f"There is no table {values[0]!r}")
    return "".join(f"{sql};\n" for (sql,) in found)
