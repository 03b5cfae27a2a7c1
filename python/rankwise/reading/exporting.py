"""The tables of an open profile as files, one for each."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from pathlib import Path

from rankwise.analysis.export_tables import ExportTable, export_tables
from rankwise.errors import RankwiseError
from rankwise.extras import check
from rankwise.render.export.table_files import WRITERS
from rankwise.whole_files import appearing


def write_tables(
    connection: sqlite3.Connection, directory: Path, to: str, left_out: Collection[str], *, force: bool
) -> list[str]:
    """Write every table except those that are left out; return the names of these.

    Args:
        connection: the profile.
        directory: made if it does not exist.
        to: csv, json or parquet.
        left_out: names of tables.
        force: replace files that exist.

    Raises:
        RankwiseError: a file is there, or can't be written, or there is no such format.
    """
    if to not in WRITERS:
        raise RankwiseError(f"tables are not written as {to!r}: there are {', '.join(WRITERS)}")
    if to == "parquet":
        check("pyarrow")
    write = WRITERS[to]
    targets = [
        (table, directory / f"{table.name}.{to}")
        for table in export_tables(connection)
        if table.name not in left_out
    ]
    try:
        _check(targets, force)
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot write to {directory}: {error.strerror}; choose another directory with -o"
        raise RankwiseError(message) from error
    for table, target in targets:
        with appearing(target) as (unfinished,):
            write(table, connection, unfinished)
    return sorted(left_out)


def _check(targets: list[tuple[ExportTable, Path]], force: bool) -> None:
    existing = [target for _, target in targets if target.exists()]
    if existing and not force:
        raise RankwiseError(f"{existing[0]} exists; --force replaces it")
