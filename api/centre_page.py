"""Writes docs/reference/centre-store.md: the data set of a centre, from its schema and its queries."""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.centre.asked import Asked
from rankwise.centre.queries import VIEWS, question, questions, view
from rankwise.centre.schema import TABLES, Shows, Table

INTRODUCTION = """\
# The data set of a centre

[`rankwise centre ingest`](command-line.md#rankwise-centre) writes Parquet files, and DuckDB, Spark and
Trino read them. This page is generated from the schema (`make generate`), and `make lint` fails when it is
stale.

    STORE/rankwise-centre.json                     the version of the data set
    STORE/TABLE/month=2026-11/BATCH.parquet        rows of a month

`month` is a column of each table: of the start of the run or job, UTC. Files whose names begin with `.` or
`_` are not part of the data set. Files are only added. Details are written before their runs: until `runs`
has the file of a batch, its rows in other tables do not count. `rankwise` leaves them out. With other
programs, join tables with `runs`, or use [the views](#views). All times
are UTC, without a zone. Node hours are nodes x hours. NULL means unknown, or left out by `--private`.

"""

SHOWN = """\
## Data about users

All columns that are not listed here show numbers, dates, names of hosts, libraries and clusters.

| option of `centre ingest` | columns | stored |
|---|---|---|
"""

VIEWS_HEAD = """\
## Views

They are in `python/rankwise/centre/queries/views`, in SQL that DuckDB, Spark and Trino share.

| view | a row |
|---|---|
"""

QUESTIONS_HEAD = """\
## Questions

The verbs ask these queries, in `python/rankwise/centre/queries/questions`. Their parameters are written
`:since`. They read `chosen`, the runs that the options leave: `queries/parts` has its query, and `wasted`,
which several questions share.

| query | a row |
|---|---|
"""

MATCHED = """\
## A run and its job

A run belongs to a job of the accounting if both have the same job id and the same user, the run started
between the start and the end of the job, and both have the same cluster, if both have one. So a profile
with another user's job id gets no job. A job may have several runs, or none.

Each component of a heterogeneous job has its row and its id. The runs have the id of the first
one, which is the `leader` of all, so that they belong to all of them: `run_in_job` has a row for each,
`run_job` has the first one.
"""


def centre_md() -> str:
    """Return the page."""
    tables = "".join(line for table in TABLES for line in _table(table))
    return (
        INTRODUCTION
        + tables
        + SHOWN
        + "".join(_shown())
        + "\n"
        + VIEWS_HEAD
        + "".join(_queries("views"))
        + "\n"
        + QUESTIONS_HEAD
        + "".join(_queries("questions"))
        + "\n"
        + MATCHED
    )


def _table(table: Table) -> Iterator[str]:
    yield f"## `{table.name}`\n\nA row: {table.meaning}.\n\n| column | type | meaning |\n|---|---|---|\n"
    for column in table.columns:
        yield f"| `{column.name}` | {column.type.value} | {column.meaning.replace('|', chr(92) + '|')} |\n"
    yield "\n"


def _shown() -> Iterator[str]:
    of_users, of_work = (
        ", ".join(
            f"`{table.name}.{column.name}`"
            for table in TABLES
            for column in table.columns
            if column.shows is shows
        )
        for shows in (Shows.USER, Shows.WORK)
    )
    yield f"| `--pseudonyms` | {of_users} | a pseudonym in place of the name |\n"
    yield f"| `--private` | {of_work} | NULL |\n"


def _queries(folder: str) -> Iterator[str]:
    named = {name: view(name) for name in VIEWS} if folder == "views" else {}
    named = named or {name: question(name, Asked().parameters()) for name in questions()}
    for name, query in named.items():
        yield f"| `{name}` | {query.row.removesuffix('.')} |\n"
