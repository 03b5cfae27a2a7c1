"""Rows of profiles that are made up, many of them at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from empty_profile import columns

from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.store.database import SUMS, calculate_sums

IDS = {procedure.name: procedure.id for procedure in PROCEDURES}


def insert(profile: sqlite3.Connection, table: str, rows: Iterable[Sequence[object]]) -> None:
    """Insert rows, which may lack the last columns."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return
    names = ", ".join(column.name for column in columns(table)[: len(first)])
    marks = ", ".join("?" * len(first))
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"
    profile.execute(statement, first)
    profile.executemany(statement, rows)


def insert_named(profile: sqlite3.Connection, table: str, rows: Iterable[dict[str, object]]) -> None:
    """Insert rows by the names of their columns, the same ones in all; what must be there is 0 or ''."""
    filled = {
        column.name: "" if column.kind == "TEXT" else 0 for column in columns(table) if not column.may_be_null
    }
    rows = [{**filled, **row} for row in rows]
    names = list(rows[0])
    marks = ", ".join(f":{name}" for name in names)
    profile.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)


Row = tuple[str, int, int, int, int, int, int, float, int | None]
"""Procedure, communicator, region, size bin, calls, bytes sent and received, seconds, site."""


def insert_calls(profile: sqlite3.Connection, by_rank: Iterable[tuple[int, list[Row]]]) -> None:
    """Insert rows of calls, and the seconds of the ranks in MPI."""
    places: list[tuple[int, int, int, int | None]] = []
    counts: list[tuple[int, ...]] = []
    times: list[tuple[float, int]] = []
    for rank, rows in by_rank:
        of_rank: dict[tuple[int, int | None], int] = {}
        seconds = 0.0
        for name, communicator, region, size_bin, calls, sent, received, took, site in rows:
            key = communicator, None if site is None else 1 + site
            if key not in of_rank:
                of_rank[key] = len(places)
                places.append((len(places), rank, *key))
            number = ((of_rank[key] * 4096 + region) * 2048 + IDS[name]) * 128 + size_bin
            ns = round(took * 1e9)
            counts.append((number, calls, sent, received, ns, ns // (2 * calls), 2 * ns // calls, 0))
            seconds += took * (name not in ("MPI_Init", "MPI_Finalize"))
        times.append((seconds, rank))
    insert(profile, "call_places", places)
    insert(profile, "call_counts", sorted(counts))
    profile.executemany("UPDATE ranks SET mpi = ? WHERE rank = ?", times)


def keep_sums(profile: sqlite3.Connection) -> None:
    """Fill the tables of sums."""
    calculate_sums(profile)
    for table in sorted(SUMS.keys() - {"call_places"}):
        names = ", ".join(column.name for column in columns(table))
        profile.execute(f"INSERT INTO main.{table} SELECT {names} FROM temp.{table}")
