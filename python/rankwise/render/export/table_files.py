"""Tables of a profile as files of other formats."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from rankwise.analysis.export_tables import ExportTable

_BATCH_ROWS = 65536  # of Parquet, in memory at once


def _write_csv(table: ExportTable, connection: sqlite3.Connection, path: Path) -> None:
    """Write a line of column names, then the rows, as in RFC 4180; missing values are empty fields."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.rows(connection))


def _write_json(table: ExportTable, connection: sqlite3.Connection, path: Path) -> None:
    """Write a list of objects, one a line, with lists where the profile keeps JSON text."""
    with path.open("w", encoding="ascii") as file:
        separator = "[\n"
        for row in table.objects(connection):
            file.write(separator + json.dumps(row))
            separator = ",\n"
        file.write("[]\n" if separator == "[\n" else "\n]\n")


def _write_parquet(table: ExportTable, connection: sqlite3.Connection, path: Path) -> None:
    """Write integers, doubles and strings as in the profile."""
    import pyarrow  # later: it is optional, and takes time to load
    from pyarrow import parquet

    types = {"INTEGER": pyarrow.int64(), "REAL": pyarrow.float64(), "TEXT": pyarrow.string()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in table.columns.items()])
    rows = table.rows(connection)
    with parquet.ParquetWriter(path, schema) as writer:
        while batch := list(islice(rows, _BATCH_ROWS)):
            columns = [
                pyarrow.array(column, field.type)
                for column, field in zip(zip(*batch, strict=True), schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))


WRITERS: dict[str, Callable[[ExportTable, sqlite3.Connection, Path], None]] = {
    "csv": _write_csv,
    "json": _write_json,
    "parquet": _write_parquet,
}
"""By format, which is also the suffix of the file. Each raises OSError if it can't be written."""
