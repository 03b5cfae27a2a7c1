"""Communicators and windows: repeated creation of the same, and its cost."""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from rankwise.analysis.calls.totals import JOIN_PROCEDURES
from rankwise.records import dataclass


@dataclass(frozen=True)
class Same:
    """What a procedure made on the same processes, from the same parent, called by the same object file.

    Attributes:
        procedure: that made them.
        type: communicator or window.
        created_in: name of the file that called it; None = not known.
        made: how many.
        left: of these, not freed.
    """

    procedure: str
    type: str
    created_in: str | None
    made: int
    left: int


def made_alike(connection: sqlite3.Connection) -> list[Same]:
    """Return the communicators and windows that the program made, grouped by what makes them the same."""
    return [
        Same(*row)
        for row in connection.execute(
            "SELECT procedure, type, created_in, COUNT(*), SUM(freed IS NULL) FROM communicators"
            " WHERE procedure <> '' AND size > 0 AND type <> 'file'"
            " GROUP BY procedure, type, members, parent, created_in ORDER BY MIN(id)"
        )
    ]


@dataclass(frozen=True)
class Again:
    """How often a procedure made, at one place and on the same processes, what it had made before.

    Attributes:
        procedure: that made them.
        type: communicator or window.
        made: all that it made.
        again: of these, all but the first at each place on the same processes; without those that were not
            freed.
        freed: of `made`.
    """

    procedure: str
    type: str
    made: int
    again: int
    freed: int


def made_again(connection: sqlite3.Connection) -> list[Again]:
    """Return the procedures that made the same more than once, and it was freed."""
    sums: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for procedure, kind, made, freed in connection.execute(
        "SELECT procedure, type, COUNT(*), COUNT(freed) FROM communicators"
        " WHERE procedure <> '' AND size > 0 AND type <> 'file'"
        " GROUP BY procedure, type, members, created_in, site ORDER BY MIN(id)"
    ):
        counts = sums[procedure, kind]
        counts[0] += made
        counts[1] += min(freed, made - 1)
        counts[2] += freed
    return [Again(*key, *counts) for key, counts in sums.items() if counts[1]]


@dataclass(frozen=True)
class Cost:
    """What a procedure took that all members of a communicator call together.

    Attributes:
        calls: over the ranks.
        seconds: in them.
        bound_seconds: of that, at most, without waiting for late members. All members leave such a call at
            about the same time, so that those who came last took as long as it needs: on each communicator
            the number of members times the time of the one with the least.
    """

    calls: int
    seconds: float
    bound_seconds: float


NOTHING = Cost(0, 0.0, 0.0)


def costs(connection: sqlite3.Connection) -> dict[str, Cost]:
    """Return what such procedures took, by their names.

    Where the members called one differently often, nothing is taken off.
    """
    return {
        name: Cost(calls, seconds, bound)
        for name, calls, seconds, bound in connection.execute(
            "SELECT procedures.name, SUM(calls), SUM(seconds), SUM(CASE WHEN least_calls = most_calls"
            f" THEN MIN(seconds, ranks * least_seconds) ELSE seconds END) FROM communicator_sums AS calls"
            f" {JOIN_PROCEDURES} WHERE class IN ('communicator', 'window', 'one-sided synchronisation')"
            " GROUP BY procedures.name"
        )
    }
