"""The exported tables: the tables of the profile, with readable columns added."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from rankwise.analysis.calls.bins import OTHER
from rankwise.analysis.columns import decoded_if_known
from rankwise.profile.store.database import TABLES_BESIDE, column_types
from rankwise.records import dataclass

# Adds names for references to other tables. Left joins keep rows with a damaged reference.
_READABLE = {
    "calls": (
        ", communicators.name AS communicator_name, procedures.name AS procedure_name,"
        " procedures.class AS procedure_class, regions.name AS region_name,"
        f" CASE size_bin WHEN {OTHER} THEN NULL WHEN 0 THEN 0 ELSE 1 << (size_bin - 1) END AS size_low,"
        f" CASE size_bin WHEN {OTHER} THEN NULL WHEN 0 THEN 0 ELSE (1 << size_bin) - 1 END AS size_high,"
        " regions.path AS region_path",
        " LEFT JOIN communicators ON communicators.id = calls.communicator"
        " LEFT JOIN procedures ON procedures.id = calls.procedure"
        " LEFT JOIN regions ON regions.id = calls.region",
        {
            "communicator_name": "TEXT",
            "procedure_name": "TEXT",
            "procedure_class": "TEXT",
            "region_name": "TEXT",
            "size_low": "INTEGER",
            "size_high": "INTEGER",
            "region_path": "TEXT",
        },
    ),
    "messages": (
        ", communicators.name AS communicator_name, procedures.name AS procedure_name",
        " LEFT JOIN communicators ON communicators.id = messages.communicator"
        " LEFT JOIN procedures ON procedures.id = messages.procedure",
        {"communicator_name": "TEXT", "procedure_name": "TEXT"},
    ),
    "patterns": (
        ", communicators.name AS communicator_name, procedures.name AS procedure_name",
        " LEFT JOIN communicators ON communicators.id = patterns.communicator"
        " LEFT JOIN procedures ON procedures.id = patterns.procedure",
        {"communicator_name": "TEXT", "procedure_name": "TEXT"},
    ),
    "files": (
        ", communicators.name AS communicator_name, own.name AS own_name",
        " LEFT JOIN communicators ON communicators.id = files.communicator"
        " LEFT JOIN communicators AS own ON own.id = files.named",
        {"communicator_name": "TEXT", "own_name": "TEXT"},
    ),
    "file_accesses": (
        ", files.name AS file_name, procedures.name AS procedure_name",
        " LEFT JOIN files ON files.id = file_accesses.file"
        " LEFT JOIN procedures ON procedures.id = file_accesses.procedure",
        {"file_name": "TEXT", "procedure_name": "TEXT"},
    ),
}

_JSON_COLUMNS = {
    ("run", "command"),
    ("run", "not_covered"),
    ("run", "only"),
    ("communicators", "dims"),
    ("communicators", "periods"),
}


@dataclass(frozen=True)
class ExportTable:
    """A table.

    Attributes:
        name: of the table.
        columns: column name → INTEGER, REAL or TEXT.
        query: for the rows, with the columns in this order.
    """

    name: str
    columns: dict[str, str]
    query: str

    def rows(self, connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
        """Return the rows one at a time, as a profile can be larger than the memory."""
        return connection.execute(self.query)

    def objects(self, connection: sqlite3.Connection) -> Iterator[dict[str, Any]]:
        """Return each row as a dictionary, with lists instead of JSON text."""
        lists = [(self.name, column) in _JSON_COLUMNS for column in self.columns]
        for row in self.rows(connection):
            values = (
                decoded_if_known(value) if is_list else value
                for value, is_list in zip(row, lists, strict=True)
            )
            yield dict(zip(self.columns, values, strict=True))


def export_tables(connection: sqlite3.Connection) -> list[ExportTable]:
    """Return every table of the profile."""
    names = [
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master"
            " WHERE (type = 'table' OR name = 'calls') AND name NOT LIKE 'sqlite_%'"
        )
        if name not in TABLES_BESIDE
    ]
    return [_export_table(connection, name) for name in names]


def _export_table(connection: sqlite3.Connection, name: str) -> ExportTable:
    more, joins, more_columns = _READABLE.get(name, ("", "", {}))
    columns = column_types(name) or dict(
        connection.execute("SELECT name, type FROM pragma_table_info(?)", (name,)).fetchall()
    )
    quoted = '"' + name.replace('"', '""') + '"'
    return ExportTable(name, columns | more_columns, f"SELECT {quoted}.*{more} FROM {quoted}{joins}")
