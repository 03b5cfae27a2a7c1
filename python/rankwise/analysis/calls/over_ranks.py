"""The spread over ranks of the time in each procedure, communicator and family of communicators."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import cache
from typing import Any

from rankwise.analysis.calls.spread import Spread
from rankwise.analysis.calls.totals import JOIN_COMMUNICATORS, JOIN_PROCEDURES
from rankwise.profile.join.members import parse


def procedures_over_ranks(connection: sqlite3.Connection) -> dict[str, Spread]:
    """Return the seconds in each procedure over all ranks; 0 for ranks that never called it."""
    everyone = _ranks(connection)
    spreads = _over_ranks(
        connection, "procedure_spreads", "procedures.name", JOIN_PROCEDURES, lambda _: everyone
    )
    return {name: each for (name,), each in spreads.items()}


def communicators_over_ranks(connection: sqlite3.Connection) -> dict[str, Spread]:
    """Return the seconds in calls on each communicator, by name, over its members with counters."""
    members = members_read(connection)
    spreads = _over_ranks(
        connection,
        "communicator_spreads",
        "communicators.name",
        JOIN_COMMUNICATORS,
        lambda key: members(key[0]),
    )
    return {name: each for (name,), each in spreads.items()}


def families_over_ranks(connection: sqlite3.Connection) -> dict[str, Spread]:
    """Return the seconds in calls on each family of communicators, over the members of all of these."""
    members = members_read(connection, "communicators.family")
    spreads = _over_ranks(connection, "family_spreads", "family", "", lambda key: members(key[0]))
    return {name: each for (name,), each in spreads.items()}


def calls_over_ranks(connection: sqlite3.Connection) -> dict[tuple[str, str], Spread]:
    """Return the seconds in each procedure on each communicator, by their names, over the members."""
    members = members_read(connection)
    return _over_ranks(
        connection,
        "call_spreads",
        "communicators.name, procedures.name",
        f"{JOIN_COMMUNICATORS} {JOIN_PROCEDURES}",
        lambda key: members(key[0]),
    )


def top_calls(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the procedure that each rank spent the most time in."""
    return dict(
        connection.execute(
            "SELECT rank, name FROM rank_sums JOIN procedures ON procedures.id = top WHERE top <> 0"
        ).fetchall()
    )


def _over_ranks(
    connection: sqlite3.Connection,
    table: str,
    names: str,
    joins: str,
    everyone: Callable[[Any], frozenset[int]],
) -> dict[Any, Spread]:
    """Return the spread of the seconds of calls between MPI_Init and MPI_Finalize.

    Args:
        connection: the profile.
        table: of spreads.
        names: SQL columns that name its rows.
        joins: SQL that joins the tables of these columns; `table` has the alias `calls`.
        everyone: names → ranks that count with 0 s if they made no such call.
    """
    spreads = {}
    for seconds, ranks, least, least_rank, most, most_rank, callers, *names_of_row in connection.execute(
        "SELECT seconds, ranks, least_seconds, least_rank, most_seconds, most_rank, callers,"
        f" {names} FROM {table} AS calls {joins}"
    ):
        key = tuple(names_of_row)
        expected = everyone(key)
        if ranks < len(expected):
            called = frozenset(parse(callers))
            ranks = len(expected | called)
            idle = min(expected - called)
            least, least_rank = min((least, least_rank), (0.0, idle))
            most, most_rank = max((most, -most_rank), (0.0, -idle))
            most_rank = -most_rank
        spreads[key] = Spread(seconds, seconds / ranks, least, least_rank, most, most_rank)
    return spreads


def _ranks(connection: sqlite3.Connection) -> frozenset[int]:
    return frozenset(rank for (rank,) in connection.execute("SELECT rank FROM ranks"))


def members_read(
    connection: sqlite3.Connection, key: str = "communicators.name"
) -> Callable[[str], frozenset[int]]:
    """Return a function from the name of a communicator or family to its members with counters.

    For placeholders such as (none) it returns all ranks.
    """
    ranks_read = _ranks(connection)

    @cache
    def listed(text: str) -> frozenset[int]:  # many communicators have the same members
        return ranks_read.intersection(parse(text))

    @cache
    def members(name: str) -> frozenset[int]:
        rows = connection.execute(
            f"SELECT size, members, remote_members FROM communicators WHERE {key} = ?", (name,)
        ).fetchall()
        if not any(size for size, *_ in rows):
            return ranks_read
        return frozenset().union(*(listed(text) for _, *texts in rows for text in texts))

    return members
