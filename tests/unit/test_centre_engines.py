"""The same queries on DuckDB and on Spark, with equal answers; and what all queries have."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest
from centre_made import GROUPS, MONTH, STRANGE_USER, empty_store, planted_month

from rankwise.centre import queries
from rankwise.centre.asked import ALL_ROWS, Asked
from rankwise.centre.described import described
from rankwise.centre.engines import ENGINES, opened
from rankwise.centre.queries import VIEWS, Query, detail, question, questions, view
from rankwise.centre.schema import RUNS, TABLES
from rankwise.centre.store import Store
from rankwise.errors import RankwiseError

PARAMETERS = {
    "rows": ALL_ROWS,
    "earlier": "2026-09",
    "later": MONTH,
    "least_runs": 5,
    "most_runs": 100,
    "most_configurations": 200,
    "blocked_percent": 10.0,
}
CHOICES = (
    Asked(),
    Asked(since="2026-10-01", until="2026-10-19", user=STRANGE_USER),
    Asked(account="climate", partition="standard"),
)
EVERYTHING = Asked(
    since="2026-01-02", user="u", program="p", cluster="c", account="a", partition="b"
).parameters()
DECIDING = {"whole_months", "any_job"}
"""Parameters that decide which conditions are asked."""
# For few rows, Spark is quickest without compiling queries.
SPARK_DEFAULTS = """\
spark.driver.memory 1g
spark.sql.adaptive.enabled false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.sql.codegen.wholeStage false
"""
# What only some of DuckDB, Spark and Trino have, or what means something else there.
NOT_COMMON = re.compile(
    r"::|`|\"|\bQUALIFY\b|\bILIKE\b|\bGROUP BY ALL\b|\bARG_MAX\b|\bMEDIAN\b|\bQUANTILE|\bPERCENTILE|\bLIST\b"
    r"|\bEPOCH\b|\bSTRFTIME\b|\bDATE_TRUNC\b|\bUNNEST\b|\bEXPLODE\b|\bROUND\b|\bFILTER\b|\bUSING\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("centre")
    planted_month(folder / "planted")
    # (Other sizes: of two equal runs, either may be the best.)
    earlier = [replace(group, hours=0.97 * group.hours) for group in GROUPS]
    planted_month(folder / "planted", month="2026-09", groups=earlier)
    empty_store(folder / "empty")
    return [Store(folder / "planted"), Store(folder / "empty")]


def queries_of(choices: Sequence[Asked]) -> list[tuple[str, Query, dict[str, Any]]]:
    asked = [
        (f"{name}, {choice}", question(name, choice.parameters()), {**choice.parameters(), **PARAMETERS})
        for choice in choices
        for name in questions()
    ]
    return [*asked, *((name, Query("", f"SELECT * FROM {name}"), {}) for name in VIEWS)]


def details_of(store: Store) -> list[tuple[str, Query, dict[str, Any]]]:
    """The queries of some runs, or of a run that is not there."""
    months = store.months(RUNS)
    runs = [run for month in months for run in store.read(RUNS, month, ["run"]).column("run").to_pylist()[:3]]
    names = sorted(path.stem for path in queries._FOLDER.glob("details/*.sql"))
    parameters = Asked().parameters()
    return [(name, detail(name, runs or [1], months or ["2026-10"]), parameters) for name in names]


def in_order(rows):
    """Sort rows by all values but rounded numbers."""
    return sorted(rows, key=lambda row: repr([value for value in row if not isinstance(value, float)]))


def equal(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


@pytest.mark.timeout(1500)  # Spark takes most of it to start, and to compile queries
def test_spark_and_duckdb_give_equal_answers(stores, tmp_path, monkeypatch):
    if find_spec("pyspark") is None:
        pytest.skip("PySpark is not installed: pip install 'rankwise[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed: apt install openjdk-17-jre-headless")
    (tmp_path / "spark-defaults.conf").write_text(SPARK_DEFAULTS)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    for store, choices in zip(stores, (CHOICES, CHOICES[:1]), strict=True):
        with opened("duckdb", store) as duckdb, opened("spark", store) as spark:
            for name, query, parameters in [*queries_of(choices), *details_of(store)]:
                one, other = (engine.ask(query, parameters) for engine in (duckdb, spark))
                assert [*map(str.lower, one.columns)] == [*map(str.lower, other.columns)], name
                for left, right in zip(in_order(one.rows), in_order(other.rows), strict=True):
                    assert all(map(equal, left, right)), f"{name}: {left} and {right}"
            with pytest.raises(RankwiseError, match="only read"):
                spark.ask_sql("DROP VIEW runs")


def test_a_query_says_what_a_row_is():
    for query in [*map(view, VIEWS), *(question(name, Asked().parameters()) for name in questions())]:
        assert re.fullmatch(r"[A-Z].*\.", query.row)
        assert len(query.row) < 120


def test_queries_are_in_the_sql_that_all_engines_have():
    for path in queries._FOLDER.rglob("*.sql"):
        text = path.read_text(encoding="utf-8")
        assert not NOT_COMMON.search(text.partition("\n")[2]), path
        assert text.endswith("\n")


def test_all_views_are_listed():
    assert {path.stem for path in queries._FOLDER.glob("views/*.sql")} == {*VIEWS}


def test_all_parts_are_used():
    for path in queries._FOLDER.glob("parts/*.sql"):
        assert any(f"{path.stem} AS (" in question(name, EVERYTHING).sql for name in questions()), path


def test_parameters_are_those_of_options_and_of_the_test():
    known = {*Asked().parameters(), *PARAMETERS}
    used = {name for each in questions() for name in question(each, EVERYTHING).parameters}
    assert used | DECIDING == known
    assert not DECIDING & used


def test_a_condition_is_asked_only_if_its_option_is_given():
    """Else engines would read columns for nothing."""
    names = ("user", "program", "cluster", "account", "partition")
    for given in ((), *((name,) for name in names)):
        parameters = Asked(**dict.fromkeys(given, "x")).parameters()
        used = {name for each in questions() for name in question(each, parameters).parameters}
        assert used & {*names} == {*given}
    for since, whole in (("2026-10", True), ("2026", True), ("2026-10-02", False), ("2026-10-01", True)):
        used = {
            name
            for each in questions()
            for name in question(each, Asked(since=since).parameters()).parameters
        }
        assert used.isdisjoint({"since", "until"}) is whole


def test_a_clock_time_in_a_text_is_no_parameter():
    assert Query("", "SELECT '12:30', a::text, :user").parameters == ["user"]


def test_everything_that_queries_can_read_is_described(stores):
    with opened("duckdb", stores[0]) as engine:
        for name in [*(table.name for table in TABLES), *VIEWS]:
            columns = engine.ask_sql(f"SELECT * FROM {name}").columns
            if name not in VIEWS:
                assert columns == [each.column for each in described() if each.table == name]
        assert {each.table for each in described()} == {*(table.name for table in TABLES), *VIEWS}


def test_an_engine_that_is_not_installed_is_named_with_its_cure(stores, monkeypatch):
    monkeypatch.setattr("rankwise.extras.find_spec", lambda _: None)
    for engine in ENGINES:
        with pytest.raises(RankwiseError, match=r"pip install 'rankwise\[(centre|spark)\]'"):
            opened(engine, stores[0])
