"""The rows of a store, by a reader that is not ours."""

from __future__ import annotations

from typing import Any

from pyarrow import dataset

from rankwise.centre.store import Store


def rows_of(store: Store, table: str) -> list[dict[str, Any]]:
    """The rows of a table, as dictionaries, in the order in which they were added to each file."""
    folder = store.path / table
    if not folder.exists():
        return []
    rows: list[dict[str, Any]] = dataset.dataset(folder, partitioning="hive").to_table().to_pylist()
    return rows
