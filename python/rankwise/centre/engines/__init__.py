"""What answers SQL over the files of a store: an engine each module."""

from __future__ import annotations

from rankwise.centre.engines.engine import Engine
from rankwise.centre.store import Store

ENGINES = ("duckdb", "spark")
"""Names of the engines."""


def opened(name: str, store: Store) -> Engine:
    """Return an engine over the files of a store, which it does not change.

    Raises:
        RankwiseError: the engine is not installed, or a file is damaged.
        KeyError: there is no engine of this name.
    """
    if name == "duckdb":
        from rankwise.centre.engines.duckdb_engine import DuckDB

        return DuckDB(store)
    if name == "spark":
        from rankwise.centre.engines.spark_engine import Spark

        return Spark(store)
    raise KeyError(name)
