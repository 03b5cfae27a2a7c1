"""Spark, through PySpark: on this machine, or wherever the user's Spark runs its work."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankwise import extras
from rankwise.centre.engines.engine import MONTH, Engine, Rows
from rankwise.centre.queries import VIEWS, Query, view
from rankwise.centre.schema import Table, Type
from rankwise.centre.store import Store
from rankwise.errors import RankwiseError

_TYPES = {
    Type.INTEGER: "BIGINT",
    Type.REAL: "DOUBLE",
    Type.TEXT: "STRING",
    Type.YES_NO: "BOOLEAN",
    Type.INSTANT: "TIMESTAMP_NTZ",
}
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
_OF_OUR_SESSION = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_MOST_MESSAGE = 400  # characters of an error


class Spark(Engine):
    """The Spark session of this process, or a new one by Spark's own configuration."""

    def __init__(self, store: Store) -> None:
        """Register the tables and views.

        Raises:
            RankwiseError: PySpark or Java is not installed.
        """
        extras.check("pyspark")
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        self._error = PySparkException
        self._own = SparkSession.getActiveSession() is None
        self._interrupt = signal.getsignal(signal.SIGINT)
        builder = SparkSession.builder.appName("rankwise centre")
        if self._own:
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            for name, value in _OF_OUR_SESSION.items():
                builder = builder.config(name, value)
        try:
            self._session = builder.getOrCreate()
        except (PySparkException, RuntimeError, OSError) as error:
            raise RankwiseError(f"Spark does not start: {_one_line(error)}: it needs Java 17") from error
        for name, value in _SETTINGS.items():
            self._session.conf.set(name, value)
        if self._session.conf.get("spark.master").startswith("local"):  # 200 parts are too many for it
            parts = 2 * len(os.sched_getaffinity(0))
            self._session.conf.set("spark.sql.shuffle.partitions", str(parts))
        for table, files in store.counted_files().items():
            self._register(store, table, files)
        for name in VIEWS:
            self._session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {view(name).sql}")

    def ask(self, query: Query, parameters: Mapping[str, Any]) -> Rows:
        """Return the answer to one of Rankwise's queries."""
        return self._run(query.sql, {name: parameters[name] for name in query.parameters})

    def keep(self, name: str, query: Query, parameters: Mapping[str, Any]) -> None:
        """Keep the answer to a query as a table, in place of an earlier one of this name."""
        try:
            frame = self._session.sql(query.sql, args={each: parameters[each] for each in query.parameters})
            frame.cache().createOrReplaceTempView(name)
        except self._error as error:
            raise RankwiseError(f"Spark could not answer: {_one_line(error)}") from error

    def ask_sql(self, sql: str) -> Rows:
        """Return the answer to a user's query."""
        if sql.split(maxsplit=1)[:1] and sql.split(maxsplit=1)[0].upper() not in ("SELECT", "WITH"):
            raise RankwiseError("give one SELECT: the store is only read here")
        return self._run(sql, {})

    def close(self) -> None:
        """End the session if it is ours."""
        if self._own:
            self._session.stop()
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, self._interrupt)  # which Spark has replaced

    def _register(self, store: Store, table: Table, files: Sequence[Path]) -> None:
        columns = ", ".join(f"`{column.name}` {_TYPES[column.type]}" for column in table.columns)
        schema = f"{columns}, {MONTH} STRING"
        if files:
            reader = self._session.read.schema(schema).option(
                "basePath", str((store.path / table.name).absolute())
            )
            frame = reader.parquet(*(str(path.absolute()) for path in files))
        else:
            frame = self._session.createDataFrame([], schema)
        frame.createOrReplaceTempView(table.name)

    def _run(self, sql: str, parameters: Mapping[str, Any]) -> Rows:
        try:
            frame = self._session.sql(sql, args=dict(parameters)) if parameters else self._session.sql(sql)
            return Rows([*frame.columns], [tuple(row) for row in frame.collect()])
        except self._error as error:
            raise RankwiseError(f"Spark could not answer: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:_MOST_MESSAGE]
