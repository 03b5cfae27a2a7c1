"""The planted month itself: its files have the columns of the schema, and its node hours are as it says."""

from __future__ import annotations

import pytest
from centre_made import GROUPS, MONTH, planted_month
from pyarrow import parquet

from rankwise.centre.schema import RUNS, TABLES
from rankwise.centre.store import Store, arrow_schema


def test_the_files_have_the_columns_of_the_schema(tmp_path):
    planted_month(tmp_path)
    store = Store(tmp_path)
    for table in TABLES:
        for file in store.files(table, MONTH):
            assert parquet.ParquetFile(file).schema_arrow.equals(arrow_schema(table))


def test_node_hours_are_those_of_the_groups(tmp_path):
    expected = planted_month(tmp_path)
    hours = Store(tmp_path).read(RUNS, MONTH, ["node_hours", "waste_node_hours"])
    assert sum(hours["node_hours"].to_pylist()) == pytest.approx(sum(group.node_hours for group in GROUPS))
    wasted = [value or 0.0 for value in hours["waste_node_hours"].to_pylist()]
    assert sum(wasted) == pytest.approx(expected.waste_node_hours)
