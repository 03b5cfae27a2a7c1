"""Profiles and accounting become rows of the data set, each run and each job exactly once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from rankwise.centre.hiding import AS_IT_IS, Hiding
from rankwise.centre.run_rows import RunRows, run_rows, source_of
from rankwise.centre.schema import ACCOUNTING, OF_RUNS, RUNS, Table
from rankwise.centre.store import Store
from rankwise.centre.values import Row
from rankwise.errors import RankwiseError
from rankwise.records import dataclass
from rankwise.runs.files import SUFFIX
from rankwise.runs.unreadable import Unreadable

_A_BATCH = 4000  # profiles whose rows are in memory at once, and become one file a table and month
_FEW = 50  # profiles that one process reads quickest
_MONTHS_BEFORE = 2
"""A profile is known by its file if its run started in the month of the file, or in one of so many before."""

_RUN = RUNS.columns.index(next(column for column in RUNS.columns if column.name == "run"))
_STARTED = {table: [column.name for column in table.columns].index("started") for table in (RUNS, ACCOUNTING)}


@dataclass
class Ingested:
    """What became of the files.

    Attributes:
        runs: that were added.
        known: files whose runs were there.
        damaged: files that are no profiles that can be read, and why.
        unreadable: directories that can't be read, and why.
        jobs: of the accounting that were added.
        old: files of runs of months that the data set does not keep.
    """

    runs: int
    known: int
    damaged: list[Unreadable]
    unreadable: list[Unreadable]
    jobs: int
    old: int


def ingest(store: Store, named: Sequence[Path], *, cluster: str = "", hiding: Hiding = AS_IT_IS) -> Ingested:
    """Add the runs of profiles that the data set does not have.

    Args:
        store: the data set.
        named: profiles, and directories that are searched for *.rankwise.
        cluster: name of the cluster on which they ran; '' = not given.
        hiding: the values that are left out.

    Raises:
        RankwiseError: a path does not exist, or the store can't be read or written. Earlier batches stay.
    """
    done = Ingested(0, 0, [], [], 0, 0)
    known_sources = _Known(store, "source")
    known_runs = _Known(store, "run")
    files = _new_files(_files(named, done), known_sources, store.first_month, done)
    while batch := list(islice(files, _A_BATCH)):
        read: list[RunRows] = []
        for rows in _read(batch, cluster):
            if isinstance(rows, Unreadable):
                done.damaged.append(rows)
            else:
                read.append(hiding.hidden(rows))
        with store.locked():
            known_runs.forget()  # another writer may have been here
            first_month = store.first_month
            by_month: dict[str, dict[Table, list[Row]]] = {}
            for rows in read:
                (run,) = rows[RUNS]
                month = _month(RUNS, run)
                if month < first_month:
                    done.old += 1
                    continue
                if not known_runs.add(month, run[_RUN]):
                    done.known += 1
                    continue
                tables = by_month.setdefault(month, {table: [] for table in OF_RUNS})
                for table in OF_RUNS:
                    tables[table] += rows[table]
                done.runs += 1
            store.append(by_month)
    return done


def add_accounting(store: Store, rows: Iterable[Row], hiding: Hiding = AS_IT_IS) -> int:
    """Add the jobs of an accounting that the data set does not have, and return their number.

    Jobs of months that the data set does not keep are left out.

    Args:
        store: the data set.
        rows: of `ACCOUNTING`.
        hiding: the values that are left out.

    Raises:
        RankwiseError: the store can't be read or written.
    """
    names = [column.name for column in ACCOUNTING.columns]
    # A job that was requeued has the same number, and starts again.
    key = [names.index(name) for name in ("cluster", "job", "started")]
    hidden = [hiding.row(ACCOUNTING, row) for row in rows]
    added = 0
    with store.locked():
        first_month = store.first_month
        by_month: dict[str, dict[Table, list[Row]]] = {}
        known: dict[str, set[tuple[Any, ...]]] = {}
        for row in hidden:
            month = _month(ACCOUNTING, row)
            if month < first_month:
                continue
            if month not in known:
                there = store.read(ACCOUNTING, month, ["cluster", "job", "started"])
                known[month] = set(zip(*(column.to_pylist() for column in there.columns), strict=True))
            identity = tuple(row[at] for at in key)
            if identity in known[month]:
                continue
            known[month].add(identity)
            by_month.setdefault(month, {ACCOUNTING: []})[ACCOUNTING].append(row)
            added += 1
        store.append(by_month)
    return added


def _month(table: Table, row: Row) -> str:
    return f"{row[_STARTED[table]]:%Y-%m}"


class _Known:
    """The values of a column of `runs`, read month by month when they are needed."""

    def __init__(self, store: Store, column: str) -> None:
        self.store = store
        self.column = column
        self.forget()

    def forget(self) -> None:
        """Drop all values, so that they are read again."""
        self.values: dict[str, set[int]] = {}

    def of(self, month: str) -> set[int]:
        """Return the values of a month."""
        if month not in self.values:
            (column,) = self.store.read(RUNS, month, [self.column]).columns
            self.values[month] = set(column.to_pylist())
        return self.values[month]

    def add(self, month: str, value: int) -> bool:
        """Add a value; False if it was there."""
        there = self.of(month)
        if value in there:
            return False
        there.add(value)
        return True


class _File(NamedTuple):
    """A profile as it was found."""

    path: Path
    source: int
    months: list[str]  # in which its run may have started


def _files(named: Sequence[Path], done: Ingested) -> Iterator[_File]:
    """Find the profiles, each once; directories sorted by path.

    Raises:
        RankwiseError: a path does not exist.
    """
    for path in named:
        if not path.exists():
            raise RankwiseError(f"{path} is not found: give profiles, or directories that have some")
    seen: set[tuple[int, int]] = set()
    for path in named:
        for file in sorted(_below(path, done)) if path.is_dir() else [path]:
            try:
                status = file.stat()
            except OSError as error:
                done.damaged.append(Unreadable(file, f"{file} cannot be read: {error.strerror}"))
                continue
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                absolute = file.absolute()
                yield _File(absolute, source_of(absolute, status), _months_until(status.st_mtime))


def _below(directory: Path, done: Ingested) -> Iterator[Path]:
    def note(error: OSError) -> None:
        folder = Path(error.filename)
        done.unreadable.append(Unreadable(folder, f"{folder} cannot be read: {error.strerror}"))

    for folder, _, names in os.walk(directory, onerror=note):
        for name in names:
            if name.endswith(SUFFIX) and not name.startswith("."):
                yield Path(folder) / name


def _months_until(seconds: float) -> list[str]:
    """Return the month of an instant, and those before it."""
    import time

    at = time.gmtime(max(seconds, 0.0))
    months = (at.tm_year * 12 + at.tm_mon - 1 - back for back in range(_MONTHS_BEFORE + 1))
    return [f"{month // 12:04d}-{month % 12 + 1:02d}" for month in months]


def _new_files(files: Iterable[_File], known: _Known, first_month: str, done: Ingested) -> Iterator[Path]:
    """Leave out unchanged files of the data set, and files that are too old for it: these are not opened."""
    for file in files:
        if file.months[0] < first_month:
            done.old += 1
        elif any(file.source in known.of(month) for month in file.months):
            done.known += 1
        else:
            yield file.path


def _read(paths: Sequence[Path], cluster: str) -> Iterable[RunRows | Unreadable]:
    workers = min(len(os.sched_getaffinity(0)), len(paths) // _FEW)
    if workers < 2:
        return [_rows_of(path, cluster) for path in paths]
    with ProcessPoolExecutor(workers, get_context("fork")) as pool:
        return list(pool.map(_rows_of, paths, [cluster] * len(paths), chunksize=_FEW // 2))


def _rows_of(path: Path, cluster: str) -> RunRows | Unreadable:
    try:
        return run_rows(path, cluster)
    except RankwiseError as error:
        return Unreadable(path, str(error))
    except OSError as error:
        return Unreadable(path, f"{path} cannot be read: {error.strerror}")


def counts(done: Ingested) -> Mapping[str, int]:
    """Return the numbers, by name."""
    return {
        "runs": done.runs,
        "known": done.known,
        "damaged": len(done.damaged),
        "unreadable": len(done.unreadable),
        "jobs": done.jobs,
        "old": done.old,
    }
