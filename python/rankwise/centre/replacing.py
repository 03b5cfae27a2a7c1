"""Folders of a month replaced in several tables: all or none, even if the process is killed in between.

A new folder is `TABLE/.building-BATCH-month=2026-11` while files are written to it, and `.new-BATCH-...` when
the folders of all tables are complete. Then each table exchanges its `month=2026-11` with it. So if one
folder is still being built, no table has been changed, and all new ones are removed. Else all can be put in
place. A table is done when its month has `BATCH.parquet`. A month that goes is `.removed-month=2026-11`
until its files are gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankwise._linux import exchange

PARTITION = "month="
"""The beginning of the names of folders of a month."""

_BUILDING = ".building-"
_NEW = ".new-"
_OLD = ".old-"
_REMOVED = ".removed-"


def folder_to_build(table: Path, batch: str, month: str) -> Path:
    """Make and return an empty folder for the new files of a month: others may access it as they may the old.

    Raises:
        OSError: it can't be made.
    """
    building = table / f"{_BUILDING}{batch}-{PARTITION}{month}"
    building.mkdir(mode=0o700)
    old = (table / f"{PARTITION}{month}").stat()
    if building.stat().st_gid != old.st_gid:
        os.chown(building, -1, old.st_gid)
    building.chmod(old.st_mode & 0o7777)
    return building


def replace_months(tables: Iterable[Path], batch: str, month: str) -> None:
    """Put the new folders of a month in place of the old ones.

    Args:
        tables: folders of the tables for which a folder was built, in which `BATCH.parquet` has been synced.
        batch: name of the new file, without its ending.
        month: that is replaced.

    Raises:
        OSError: it is not possible. `finish_replacements` then completes it, or removes the new folders.
    """
    suffix = f"{batch}-{PARTITION}{month}"
    tables = list(tables)
    for table in tables:
        building = table / f"{_BUILDING}{suffix}"
        _sync(building)
        _rename(building, table / f"{_NEW}{suffix}")
        _sync(table)
    for table in tables:
        _put_in_place(table, suffix)


def remove_month(table: Path, month: str) -> None:
    """Remove a month of a table, if it is there.

    Raises:
        OSError: it is not possible.
    """
    folder = table / f"{PARTITION}{month}"
    if folder.exists():
        removed = table / f"{_REMOVED}{PARTITION}{month}"
        _rename(folder, removed)
        _remove(removed)


def finish_replacements(tables: Iterable[Path]) -> None:
    """Complete replacements and removals that were interrupted, or remove their new folders.

    Raises:
        OSError: it is not possible.
    """
    tables = list(tables)
    unready = {suffix for table in tables for suffix in _suffixes(table, _BUILDING)}
    for prefix in (_NEW, _BUILDING):  # in this order: without unready folders, all would seem complete
        for table in tables:
            for suffix in unready:
                _remove(table / f"{prefix}{suffix}")
    for table in tables:
        for suffix in {*_suffixes(table, _NEW), *_suffixes(table, _OLD)}:
            _put_in_place(table, suffix)
        for suffix in _suffixes(table, _REMOVED):
            _remove(table / f"{_REMOVED}{suffix}")


def months_of(table: Path) -> tuple[list[str], list[str]]:
    """Return the months of a table, and the months that are not there at the moment.

    Where the file system can exchange folders, none is missing. Else a month is missing between two renames.
    """
    names = [entry.name for entry in table.iterdir()] if table.exists() else []
    months = {name.removeprefix(PARTITION) for name in names if name.startswith(PARTITION)}
    replaced = {name.partition(PARTITION)[2] for name in names if name.startswith(_OLD)}
    return sorted(months), sorted(replaced - months)


def new_files_of(table: Path, month: str) -> set[str]:
    """Return the names of files that will replace the files of a month; other tables may have them."""
    batches = (suffix.partition("-") for suffix in _suffixes(table, _NEW))
    return {f"{batch}.parquet" for batch, _, partition in batches if partition == f"{PARTITION}{month}"}


def _put_in_place(table: Path, suffix: str) -> None:
    """Put the new folder of a table in place, unless it is there, and remove the old one."""
    batch, _, partition = suffix.partition("-")
    current, new, old = table / partition, table / f"{_NEW}{suffix}", table / f"{_OLD}{suffix}"
    if not (current / f"{batch}.parquet").exists():
        if current.exists():
            _exchange_or_move(new, current, old)
        else:
            _rename(new, current)
        _sync(table)
    _remove(new)
    _remove(old)


def _exchange_or_move(new: Path, current: Path, old: Path) -> None:
    """Put a folder in place of another, which then has the name of either `new` or `old`."""
    if not _exchange(new, current):
        _rename(current, old)
        _rename(new, current)


def _exchange(one: Path, other: Path) -> bool:
    return exchange(one, other)


def _rename(path: Path, to: Path) -> None:
    path.rename(to)


def _unlink(path: Path) -> None:
    path.unlink()


def _rmdir(folder: Path) -> None:
    folder.rmdir()


def _remove(folder: Path) -> None:
    """Remove a folder of files, if it is there."""
    if folder.exists():
        for path in list(folder.iterdir()):
            _unlink(path)
        _rmdir(folder)


def _sync(folder: Path) -> None:
    """Have the names in a folder on disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _suffixes(table: Path, prefix: str) -> Iterator[str]:
    if table.exists():
        for name in [entry.name for entry in table.iterdir()]:
            if name.startswith(prefix):
                yield name.removeprefix(prefix)
