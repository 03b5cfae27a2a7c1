"""Past months get one file a table, and old months go."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.centre.replacing import finish_replacements, folder_to_build, remove_month, replace_months
from rankwise.centre.schema import ACCOUNTING, OF_RUNS, RUNS, TABLES, Table
from rankwise.centre.store import Store, arrow_schema, portions
from rankwise.errors import RankwiseError
from rankwise.records import dataclass

if TYPE_CHECKING:
    import pyarrow

_TOGETHER = (OF_RUNS, (ACCOUNTING,))
"""Tables whose files of a month go together: details count only if `runs` has a file of the same name."""

_ROWS = 1 << 17  # of a group at least: readers skip whole groups


@dataclass
class Compacted:
    """The result.

    Attributes:
        merged: months whose files were merged.
        removed: months that were removed.
        files_before: number of files.
        files_after: number of files.
    """

    merged: list[str]
    removed: list[str]
    files_before: int
    files_after: int


def compact(store: Store, now: datetime, keep: int | None = None) -> Compacted:
    """Merge the files of each month before this one, and remove old months.

    Other writers wait while a month is merged, not in between.

    Args:
        store: the data set.
        now: UTC.
        keep: months before this one that stay; None = all. Runs of earlier months are not added again.

    Raises:
        RankwiseError: the store can't be written, a file is damaged, or no month would stay.
    """
    before = _count(store)
    removed = [] if keep is None else _remove_before(store, month_before(now, keep))
    this_month = month_before(now, 0)
    merged: set[str] = set()
    for together in _TOGETHER:
        merged |= {
            month
            for month in store.months(together[-1])
            if month < this_month and _merge(store, together, month)
        }
    return Compacted(sorted(merged), removed, before, _count(store))


def month_before(now: datetime, months: int) -> str:
    """Return the month so many months before an instant: 2026-11."""
    month = max(now.year * 12 + now.month - 1 - months, 0)
    return f"{month // 12:04d}-{month % 12 + 1:02d}"


def _remove_before(store: Store, first: str) -> list[str]:
    months = {month for table in TABLES for month in store.months(table)}
    old = sorted(month for month in months if month < first)
    if old and months == set(old):
        raise RankwiseError(
            f"{store.path} has no month from {first} on: this would remove everything; check the clock,"
            " or remove the folder yourself"
        )
    with store.locked():
        store.keep_from(first)
        # `runs` first: details without their runs do not count.
        for table in (RUNS, *(table for table in TABLES if table is not RUNS)):
            for month in old:
                remove_month(store.path / table.name, month)
    return old


def _merge(store: Store, together: Sequence[Table], month: str) -> bool:
    """Merge the files of a month in some tables; False if there is nothing to merge."""
    with store.locked():
        if len(store.files(together[-1], month)) < 2:
            return False
        batch = secrets.token_hex(8)
        tables = [table for table in together if store.files(table, month)]
        folders = [store.path / table.name for table in tables]
        try:
            for table, folder in zip(tables, folders, strict=True):
                path = folder_to_build(folder, batch, month) / f"{batch}.parquet"
                _write(path, arrow_schema(table), store.files(table, month))
            replace_months(folders, batch, month)
        except (OSError, RankwiseError):
            finish_replacements(folders)
            raise
        return True


def _write(path: Path, schema: pyarrow.Schema, sources: Sequence[Path]) -> None:
    from pyarrow import parquet

    with path.open("wb") as file:
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for group in _groups(sources, schema):
                writer.write_table(group)
        file.flush()
        os.fsync(file.fileno())


def _groups(sources: Sequence[Path], schema: pyarrow.Schema) -> Iterator[pyarrow.Table]:
    """Read files in portions of at least `_ROWS` rows, but for the last."""
    import pyarrow

    waiting: list[pyarrow.Table] = []
    rows = 0
    for source in sources:
        for portion in portions(source, schema):
            waiting.append(portion)
            rows += len(portion)
            if rows >= _ROWS:
                yield pyarrow.concat_tables(waiting)
                waiting, rows = [], 0
    yield pyarrow.concat_tables([schema.empty_table(), *waiting])


def _count(store: Store) -> int:
    return sum(len(store.files(table, month)) for table in TABLES for month in store.months(table))
