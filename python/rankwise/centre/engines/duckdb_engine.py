"""DuckDB: in this process, on one machine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rankwise import extras
from rankwise.centre.engines.engine import MONTH, Engine, Rows
from rankwise.centre.queries import VIEWS, Query, view
from rankwise.centre.schema import TABLES, Table
from rankwise.centre.store import Store
from rankwise.errors import RankwiseError

_PARAMETER = r"$\1"
_MOST_MESSAGE = 400  # characters of an error


class DuckDB(Engine):
    """DuckDB, locked: it reads the files of the store, and nothing else; it loads no extensions."""

    def __init__(self, store: Store, *, threads: int = 0, memory: str = "") -> None:
        """Register the tables and views.

        Args:
            store: the data set.
            threads: 0 = as many as there are processors.
            memory: limit, such as 6GB; '' = 80 % of the machine's. More goes to a temporary directory.

        Raises:
            RankwiseError: DuckDB is not installed, or a file is damaged.
        """
        extras.check("duckdb", extras.CENTRE)
        import duckdb

        misleading = [part for part in store.path.absolute().parts if part.startswith(f"{MONTH}=")]
        if misleading:
            raise RankwiseError(
                f"{store.path} can't be read by DuckDB, since a folder above it is called"
                f" {misleading[0]}: move it"
            )
        self._error = duckdb.Error
        self._of_query = (
            duckdb.ParserException,
            duckdb.BinderException,
            duckdb.CatalogException,
            duckdb.ConversionException,
            duckdb.PermissionException,
            duckdb.OutOfMemoryException,
        )
        self._select = duckdb.StatementType.SELECT
        self._explain = duckdb.StatementType.EXPLAIN
        self._statements = duckdb.extract_statements
        self._files = {
            table: [path.absolute() for path in files] for table, files in store.counted_files().items()
        }
        self._temporary = tempfile.mkdtemp(prefix="rankwise-centre-")
        self._connection = duckdb.connect(config={"python_enable_replacements": "false"})
        try:
            self._lock(threads, memory)
            for table in TABLES:
                self._run(f"CREATE VIEW {table.name} AS {self._select_all(table)}")
            for name in VIEWS:
                self._run(f"CREATE VIEW {name} AS {view(name).sql}")
        except BaseException:
            self.close()
            raise

    def ask(self, query: Query, parameters: Mapping[str, Any]) -> Rows:
        """Return the answer to one of Rankwise's queries."""
        return self._run(query.written(_PARAMETER), {name: parameters[name] for name in query.parameters})

    def keep(self, name: str, query: Query, parameters: Mapping[str, Any]) -> None:
        """Keep the answer to a query as a table, in place of an earlier one of this name."""
        sql = f"CREATE OR REPLACE TEMPORARY TABLE {name} AS {query.written(_PARAMETER)}"
        self._run(sql, {each: parameters[each] for each in query.parameters})

    def ask_sql(self, sql: str) -> Rows:
        """Return the answer to a user's query."""
        try:
            kinds = [statement.type for statement in self._statements(sql)]
        except self._error as error:
            raise RankwiseError(f"this is not the SQL of DuckDB: {_one_line(error)}") from error
        if len(kinds) != 1 or kinds[0] not in (self._select, self._explain):
            raise RankwiseError("give one SELECT: the store is only read here")
        return self._run(sql, of_user=True)

    def close(self) -> None:
        """Close the connection."""
        with suppress(self._error):
            self._connection.close()
        shutil.rmtree(self._temporary, ignore_errors=True)

    def _lock(self, threads: int, memory: str) -> None:
        paths = [str(path) for files in self._files.values() for path in files]
        settings = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "false",
            "temp_directory": _quoted(self._temporary),
            "allowed_directories": f"[{_quoted(self._temporary)}]",
            "allowed_paths": f"[{', '.join(map(_quoted, paths))}]",
            "enable_external_access": "false",
        }
        if threads:
            settings["threads"] = str(threads)
        if memory:
            settings["memory_limit"] = _quoted(memory)
        for name, value in settings.items():
            self._run(f"SET {name} = {value}")
        self._run("SET lock_configuration = true")

    def _select_all(self, table: Table) -> str:
        files = self._files[table]
        if not files:
            nothing = ", ".join(
                f'CAST(NULL AS {column.type.value}) AS "{column.name}"' for column in table.columns
            )
            return f"SELECT {nothing}, CAST(NULL AS VARCHAR) AS {MONTH} WHERE FALSE"
        return f"SELECT {', '.join(_column_names(table))}, {MONTH} FROM {_parquet(files)}"

    def _run(self, sql: str, parameters: Mapping[str, Any] | None = None, *, of_user: bool = False) -> Rows:
        try:
            cursor = self._connection.execute(sql, parameters or None)
            columns = [column[0] for column in cursor.description or ()]
            return Rows(columns, cursor.fetchall() if columns else [])
        except self._error as error:
            if not all(path.exists() for files in self._files.values() for path in files):
                raise RankwiseError("the store was compacted while it was read: ask again", 1) from error
            damaged = None if isinstance(error, self._of_query) else self._damaged()
            if damaged:
                raise RankwiseError(
                    f"{damaged} is damaged: copy it again from a backup, or remove it and ingest its"
                    " profiles again"
                ) from error
            what = "this query failed" if of_user else "the store could not be read"
            raise RankwiseError(f"{what}: {_one_line(error)}") from error

    def _damaged(self) -> Path | None:
        """Return a file that can't be read."""
        for table, files in self._files.items():
            for path in files:
                # (Not MAX and the like: the footer of a file may have them.)
                values = f"BIT_XOR(HASH({', '.join(_column_names(table))}))"
                try:
                    self._connection.execute(f"SELECT {values} FROM {_parquet([path])}").fetchall()
                except self._error:
                    return path
        return None


def _column_names(table: Table) -> list[str]:
    return [f'"{column.name}"' for column in table.columns]


def _parquet(files: list[Path]) -> str:
    names = ", ".join(_quoted(str(path)) for path in files)
    return f"read_parquet([{names}], hive_partitioning = true, hive_types = {{'{MONTH}': VARCHAR}})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:_MOST_MESSAGE]
