"""Tables as CSV files (RFC 4180 with plain line ends): a line of column names, then the rows."""

from __future__ import annotations

import csv
import sqlite3
from pathlib import Path

from rankwise.analysis.export_tables import ExportTable


def write_csv(table: ExportTable, connection: sqlite3.Connection, path: Path) -> None:
    """Write the table; missing values are empty fields. Raises OSError."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.rows(connection))
