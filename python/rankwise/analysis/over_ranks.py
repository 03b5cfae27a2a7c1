"""How evenly the ranks share the time in each procedure, communicator and family of communicators."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from rankwise.analysis.spread import Spread, spread
from rankwise.analysis.totals import BETWEEN, JOIN_COMMUNICATORS, JOIN_PROCEDURES
from rankwise.profile.members import parse


def procedures_over_ranks(connection: sqlite3.Connection) -> dict[str, Spread]:
    """Return the seconds in each procedure, over all ranks; of those that never called it 0."""
    everyone = _ranks(connection)
    found = _over_ranks(connection, "procedures.name", JOIN_PROCEDURES, lambda _: everyone)
    return {name: each for (name,), each in found.items()}


def communicators_over_ranks(connection: sqlite3.Connection) -> dict[str, Spread]:
    """Return the seconds in calls on each communicator, by its name, over its members that were read."""
    return _on_communicators(connection, "communicators.name")


def families_over_ranks(connection: sqlite3.Connection) -> dict[str, Spread]:
    """Return the seconds in calls on each family of communicators, over the members of all of them."""
    return _on_communicators(connection, "communicators.family")


def calls_over_ranks(connection: sqlite3.Connection) -> dict[tuple[str, str], Spread]:
    """Return the seconds in each procedure on each communicator, by their names, over the members."""
    members = members_read(connection)
    return _over_ranks(
        connection,
        "communicators.name, procedures.name",
        f"{JOIN_COMMUNICATORS} {JOIN_PROCEDURES}",
        lambda key: members(key[0]),
    )


def top_calls(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the procedure that each rank spent the most time in."""
    top: dict[int, tuple[float, str]] = {}
    for rank, name, seconds in connection.execute(
        f"SELECT rank, procedures.name, SUM(seconds) FROM calls {JOIN_PROCEDURES} WHERE {BETWEEN}"
        " GROUP BY rank, procedures.name ORDER BY procedures.name"
    ):
        if seconds > top.get(rank, (-1.0, ""))[0]:
            top[rank] = seconds, name
    return {rank: name for rank, (_, name) in top.items()}


def _on_communicators(connection: sqlite3.Connection, key: str) -> dict[str, Spread]:
    members = members_read(connection, key)
    found = _over_ranks(connection, key, JOIN_COMMUNICATORS, lambda names: members(names[0]))
    return {name: each for (name,), each in found.items()}


def _over_ranks(
    connection: sqlite3.Connection, keys: str, joins: str, everyone: Callable[[Any], Collection[int]]
) -> dict[Any, Spread]:
    """Return the spread of the seconds of calls between MPI_Init and MPI_Finalize.

    Args:
        connection: the profile.
        keys: SQL columns that the calls are grouped by.
        joins: SQL, of tables that have them.
        everyone: values of the keys → ranks that count with 0 s if they made no such call.
    """
    seconds: dict[Any, dict[int, float]] = {}
    for rank, time, *key in connection.execute(
        f"SELECT rank, SUM(seconds), {keys} FROM calls {joins} WHERE {BETWEEN} GROUP BY {keys}, rank"
    ):
        seconds.setdefault(tuple(key), {})[rank] = time
    return {key: spread(dict.fromkeys(everyone(key), 0.0) | each) for key, each in seconds.items()}


def _ranks(connection: sqlite3.Connection) -> frozenset[int]:
    return frozenset(rank for (rank,) in connection.execute("SELECT rank FROM ranks"))


def members_read(
    connection: sqlite3.Connection, key: str = "communicators.name"
) -> Callable[[str], frozenset[int]]:
    """Return what tells the ranks of a communicator, or of a family, that were read; of no real one all."""
    seen = _ranks(connection)

    @cache
    def listed(text: str) -> frozenset[int]:  # many communicators have the same members
        return seen.intersection(parse(text))

    @cache
    def members(name: str) -> frozenset[int]:
        rows = connection.execute(
            f"SELECT size, members, remote_members FROM communicators WHERE {key} = ?", (name,)
        ).fetchall()
        if not any(size for size, *_ in rows):
            return seen
        return frozenset().union(*(listed(text) for _, *texts in rows for text in texts))

    return members
