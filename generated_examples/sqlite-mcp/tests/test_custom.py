"""The server on a database of its own: what it tells, and what it does not do."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import Mock

import pytest

from sqlite_mcp._runtime.errors import ToolError
from sqlite_mcp.custom import sqlite
from sqlite_mcp.custom.sqlite import SqliteTools

Value = TypeVar("Value")

SCHEMA = '''
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'nobody', photo BLOB);
CREATE TABLE "a ""book""" (id INTEGER, author INTEGER REFERENCES author (id), title TEXT);
CREATE INDEX by_title ON "a ""book""" (title);
CREATE VIEW titles AS SELECT title FROM "a ""book""";
INSERT INTO author VALUES (1, 'Ada', x'0102'), (2, 'Bob', NULL);
'''


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "books #1?.db"
    with sqlite3.connect(path) as made:
        made.executescript(SCHEMA)
    made.close()
    monkeypatch.setenv("SQLITE_DATABASE", str(path))
    return path


def tools() -> SqliteTools:
    return SqliteTools(Mock(), Mock())


def run(coroutine: Coroutine[Any, Any, Value]) -> Value:
    return asyncio.run(coroutine)


def refusal(coroutine: Coroutine[Any, Any, object]) -> str:
    with pytest.raises(ToolError) as caught:
        asyncio.run(coroutine)
    return caught.value.message


def test_tables_and_views_are_listed(database: Path) -> None:
    assert run(tools().list_tables()) == [
        {"name": 'a "book"', "kind": "table", "rows": 0},
        {"name": "author", "kind": "table", "rows": 2},
        {"name": "titles", "kind": "view"},
    ]


def test_a_table_is_described(database: Path) -> None:
    author = run(tools().describe_table(table="author"))
    assert author["columns"][1] == {
        "name": "name",
        "type": "TEXT",
        "nullable": False,
        "primary_key": False,
        "default": "'nobody'",
    }
    book = run(tools().describe_table(table='a "book"'))
    assert book["indexes"] == ["by_title"]
    assert book["foreign_keys"] == [
        {"columns": ["author"], "table": "author", "references": ["id"]}
    ]
    assert refusal(tools().describe_table(table="autor")) == (
        "There is no table 'autor'; there are: a \"book\", author, titles"
    )


def test_rows_come_as_they_are_and_are_cut(database: Path) -> None:
    query = "SELECT name, photo FROM author WHERE id > ? ORDER BY id"
    assert run(tools().query(sql=query, parameters=[0], limit=1)) == {
        "columns": ["name", "photo"],
        "rows": [["Ada", {"bytes": 2}]],
        "is_complete": False,
    }
    assert run(tools().query(sql=query, parameters=[1]))["is_complete"] is True
    assert run(tools().query(sql="WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n"
                                 " WHERE x < 3) SELECT sum(x) FROM n"))["rows"] == [[6]]  # fmt: skip


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM author",
        "INSERT INTO author VALUES (3, 'Eve', NULL)",
        "CREATE TABLE other (id)",
        "ATTACH DATABASE '/tmp/other.db' AS other",
        "PRAGMA writable_schema = 1",
        "VACUUM INTO '/tmp/copy.db'",
        "SELECT 1; DELETE FROM author",
        "SELECT load_extension('evil')",
        "nonsense",
    ],
)
def test_nothing_but_reading_is_done(sql: str, database: Path) -> None:
    before = database.read_bytes()
    assert refusal(tools().query(sql=sql)).startswith(("SQLite: ", "The statement gives no rows"))
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == [database.name]


def test_a_statement_that_takes_too_long_is_stopped(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "LONGEST", 0.05)
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    )
    assert "took longer" in refusal(tools().query(sql=endless))


def test_schemas_are_resources_and_completed(database: Path) -> None:
    assert run(tools().read_schema()).count(";\n") == 4
    assert run(tools().read_table(table='a "book"')).splitlines()[1] == (
        'CREATE INDEX by_title ON "a ""book""" (title);'
    )
    assert run(tools().complete_table_table(value="A", arguments={})) == ['a "book"', "author"]


def test_it_says_which_variable_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQLITE_DATABASE", raising=False)
    assert refusal(tools().list_tables()) == "Set SQLITE_DATABASE to the database file"
