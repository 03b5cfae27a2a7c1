"""The data set on disk: Parquet files in folders.

`STORE/TABLE/month=2026-11/BATCH.parquet`. A batch of runs has one file a month in each table. `runs` is
written last, so a batch that is cut short does not count, and the next writer removes its files. One writer
at a time commits. Readers need no lock. Files never change; only `compact` replaces or removes some.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise import extras
from rankwise.centre.replacing import PARTITION, finish_replacements, months_of, new_files_of
from rankwise.centre.schema import ACCOUNTING, RUNS, TABLES, VERSION, Table, Type
from rankwise.centre.values import Row
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    import pyarrow

_MARK = "rankwise-centre.json"
_FIRST_MONTH = "first_month"
_LOCK = ".lock"
_UNFINISHED = ".unfinished-"
_PORTION = 1 << 17  # rows
_READ_AGAIN = 5  # times, if files are replaced meanwhile


class Store:
    """A data set.

    Attributes:
        path: its folder.
    """

    def __init__(self, path: Path) -> None:
        """Open the data set in a folder.

        Raises:
            RankwiseError: the folder has none, or one of a newer version.
        """
        self.path = path
        self._mark = path / _MARK
        version, _ = self._marked()
        if version != VERSION:
            raise RankwiseError(
                f"{path} is a store of version {version}, and this Rankwise reads version {VERSION}:"
                " use the Rankwise that wrote it, or ingest the profiles into another store"
            )

    def _marked(self) -> tuple[Any, str]:
        """Return the version, and the first month that is kept; '' = all.

        Raises:
            RankwiseError: there is no store, or its mark can't be read.
        """
        path, mark = self.path, self._mark
        try:
            content = json.loads(mark.read_text(encoding="utf-8"))
            return content["version"], str(content.get(_FIRST_MONTH, ""))
        except FileNotFoundError:
            raise RankwiseError(
                f"{path} is no store of `rankwise centre`: give a folder that"
                " `rankwise centre ingest PROFILES --into STORE` has filled"
            ) from None
        except OSError as error:
            raise RankwiseError(f"{mark} cannot be read: {error.strerror}") from error
        except (ValueError, TypeError, LookupError, AttributeError):
            raise RankwiseError(f'{mark} is damaged: it should be {{"version": {VERSION}}}') from None

    @classmethod
    def made(cls, path: Path) -> Store:
        """Open a data set; if the folder is absent or empty, make one that only its owner can read.

        Raises:
            RankwiseError: the folder has something else, or can't be written.
        """
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            # (Another process may be making it.)
            if all(entry.name.startswith(_UNFINISHED) for entry in path.iterdir()):
                _write_whole(path / _MARK, _mark_text())
            elif not (path / _MARK).exists():
                raise RankwiseError(f"{path} has something else: give an empty or a new folder with --into")
        except (NotADirectoryError, FileExistsError):
            raise RankwiseError(f"{path} is no folder: give another one with --into") from None
        except OSError as error:
            raise RankwiseError(
                f"{path} can't be made a store: {error.strerror}: give another folder with --into", 1
            ) from error
        return cls(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers away, and remove what an earlier one left unfinished.

        Raises:
            RankwiseError: the store can't be written.
        """
        extras.check("pyarrow", extras.CENTRE)
        try:
            lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise self._not_written(error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._remove_leftovers()
            yield
        except OSError as error:
            raise self._not_written(error) from error
        finally:
            os.close(lock)

    @property
    def first_month(self) -> str:
        """The first month whose runs are kept; '' = all are."""
        return self._marked()[1]

    def keep_from(self, month: str) -> None:
        """Note the first month whose runs are kept: earlier ones do not come back; `locked` must be held."""
        _write_whole(self._mark, _mark_text(month))

    def months(self, table: Table) -> list[str]:
        """Return the months of a table, in order.

        Raises:
            RankwiseError: one is not there, as it is being replaced.
        """
        months, missing = months_of(self.path / table.name)
        if missing:
            raise RankwiseError(
                f"{missing[0]} of {self.path} is being replaced: try again in a minute; if `rankwise centre"
                " compact` was interrupted, run it again",
                1,
            )
        return months

    def files(self, table: Table, month: str) -> list[Path]:
        """Return the files of a table and a month, in order."""
        with suppress(FileNotFoundError):
            return sorted(
                path
                for path in (self.path / table.name / f"{PARTITION}{month}").iterdir()
                if path.suffix == ".parquet" and not path.name.startswith((".", "_"))
            )
        return []

    def counted_files(self) -> dict[Table, list[Path]]:
        """Return the files of all tables that count: of details, those whose batch has a file in `runs`.

        Raises:
            RankwiseError: the store changes again and again meanwhile.
        """
        for _ in range(_READ_AGAIN):
            committed = self._committed()
            files = {
                table: [
                    path
                    for month in self.months(table)
                    for path in self.files(table, month)
                    if table is ACCOUNTING or path.name in committed.get(month, ())
                ]
                for table in TABLES
            }
            if self._committed() == committed:
                return files
        raise RankwiseError(f"{self.path} changes all the time: try again", 1)

    def _committed(self) -> dict[str, set[str]]:
        """Return the names of the batches of each month that count."""
        folder = self.path / RUNS.name
        return {
            month: {path.name for path in self.files(RUNS, month)} | new_files_of(folder, month)
            for month in self.months(RUNS)
        }

    def read(self, table: Table, month: str, columns: Sequence[str]) -> pyarrow.Table:
        """Return columns of a month.

        Raises:
            RankwiseError: a file is damaged, or files vanish again and again.
        """
        import pyarrow

        schema = arrow_schema(table)
        wanted = pyarrow.schema([schema.field(name) for name in columns])
        for _ in range(_READ_AGAIN):
            with suppress(FileNotFoundError):  # they were replaced, by others with the same rows
                parts = [part for path in self.files(table, month) for part in portions(path, wanted)]
                return pyarrow.concat_tables([wanted.empty_table(), *parts])
        raise RankwiseError(f"files of {self.path} vanish while they are read: try again", 1)

    def append(self, batch: Mapping[str, Mapping[Table, Sequence[Row]]]) -> None:
        """Add rows, all or none; `locked` must be held.

        Args:
            batch: rows by month and table.

        Raises:
            OSError: they can't be written. Nothing is added then.
        """
        name = f"{secrets.token_hex(8)}.parquet"
        written: list[tuple[Path, Path]] = []
        done: list[Path] = []
        try:
            for table in TABLES:  # `runs` comes after its details
                for month, tables in batch.items():
                    if rows := tables.get(table):
                        written.append(self._write(table, month, name, rows))
            for temporary, path in written:
                temporary.replace(path)
                done.append(path)
        except OSError:
            for path in [*done, *(temporary for temporary, _ in written)]:
                with suppress(OSError):
                    path.unlink()
            raise

    def _write(self, table: Table, month: str, name: str, rows: Sequence[Row]) -> tuple[Path, Path]:
        """Write a file under a temporary name, and return both names."""
        import pyarrow

        schema = arrow_schema(table)
        columns = [
            pyarrow.array(column, field.type)
            for column, field in zip(zip(*rows, strict=True), schema, strict=True)
        ]
        return self.write_table(table, month, name, pyarrow.Table.from_arrays(columns, schema=schema))

    def write_table(self, table: Table, month: str, name: str, rows: pyarrow.Table) -> tuple[Path, Path]:
        """Write a file under a temporary name, and return both names.

        Raises:
            OSError: it can't be written. Nothing is left of it then.
        """
        from pyarrow import parquet

        folder = self.path / table.name / f"{PARTITION}{month}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = folder / f"{_UNFINISHED}{name}"
        try:
            with temporary.open("wb") as file:
                parquet.write_table(rows, file, compression="zstd")
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise
        return temporary, folder / name

    def _remove_leftovers(self) -> None:
        """Finish replacements; remove unfinished files, and details whose batch has no file in `runs`."""
        finish_replacements(self.path / table.name for table in TABLES)
        for table in TABLES:
            for month in self.months(table):
                folder = self.path / table.name / f"{PARTITION}{month}"
                for path in folder.glob(f"{_UNFINISHED}*"):
                    path.unlink(missing_ok=True)
                if table in (RUNS, ACCOUNTING):
                    continue
                committed = {path.name for path in self.files(RUNS, month)}
                for path in self.files(table, month):
                    if path.name not in committed:
                        path.unlink(missing_ok=True)

    def _not_written(self, error: OSError) -> RankwiseError:
        return RankwiseError(
            f"{self.path} can't be written: {error.strerror or error}; what it had is unchanged", 1
        )


def portions(path: Path, wanted: pyarrow.Schema) -> Iterator[pyarrow.Table]:
    """Read columns of a file, portion by portion.

    Raises:
        RankwiseError: it is damaged.
        OSError: it can't be read.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        # (Not by a path: pyarrow would take the partition's name from it.)
        with path.open("rb") as file:
            for portion in parquet.ParquetFile(file).iter_batches(_PORTION, columns=wanted.names):
                yield pyarrow.Table.from_batches([portion]).cast(wanted)
    except (pyarrow.ArrowException, ValueError, KeyError) as error:
        raise RankwiseError(
            f"{path} is damaged: copy it again from a backup, or remove it and ingest its profiles again"
        ) from error


def arrow_schema(table: Table) -> pyarrow.Schema:
    """Return the schema of a table's files."""
    import pyarrow

    types: dict[Type, Any] = {
        Type.INTEGER: pyarrow.int64(),
        Type.REAL: pyarrow.float64(),
        Type.TEXT: pyarrow.string(),
        Type.YES_NO: pyarrow.bool_(),
        Type.INSTANT: pyarrow.timestamp("us"),
    }
    return pyarrow.schema([(column.name, types[column.type]) for column in table.columns])


def _mark_text(first_month: str = "") -> str:
    content = {"version": VERSION} | ({_FIRST_MONTH: first_month} if first_month else {})
    return json.dumps(content) + "\n"


def _write_whole(path: Path, text: str) -> None:
    temporary = path.with_name(f"{_UNFINISHED}{path.name}-{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
