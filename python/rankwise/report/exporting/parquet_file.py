"""Tables as Parquet files, with integers, doubles and strings as in the profile."""

from __future__ import annotations

import sqlite3
from itertools import islice
from pathlib import Path

import pyarrow
from pyarrow import parquet

from rankwise.analysis.export_tables import ExportTable

_BATCH_ROWS = 65536  # what is in memory at once
_TYPES = {"INTEGER": pyarrow.int64(), "REAL": pyarrow.float64(), "TEXT": pyarrow.string()}


def write_parquet(table: ExportTable, connection: sqlite3.Connection, path: Path) -> None:
    """Write the table. Raises OSError."""
    schema = pyarrow.schema([(name, _TYPES[kind]) for name, kind in table.columns.items()])
    rows = table.rows(connection)
    with parquet.ParquetWriter(path, schema) as writer:
        while batch := list(islice(rows, _BATCH_ROWS)):
            columns = [
                pyarrow.array(column, field.type)
                for column, field in zip(zip(*batch, strict=True), schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
