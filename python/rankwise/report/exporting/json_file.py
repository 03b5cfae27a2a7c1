"""Tables as JSON files: a list of objects, one a line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from rankwise.analysis.columns import decoded_if_known
from rankwise.analysis.export_tables import JSON_COLUMNS, ExportTable


def write_json(table: ExportTable, connection: sqlite3.Connection, path: Path) -> None:
    """Write the table, with lists where the profile keeps JSON text. Raises OSError."""
    with path.open("w", encoding="ascii") as file:
        separator = "[\n"
        for row in table.rows(connection):
            file.write(separator + json.dumps(_object(table, row)))
            separator = ",\n"
        file.write("[]\n" if separator == "[\n" else "\n]\n")


def _object(table: ExportTable, row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        column: decoded_if_known(value) if (table.name, column) in JSON_COLUMNS else value
        for column, value in zip(table.columns, row, strict=True)
    }
