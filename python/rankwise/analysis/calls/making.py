"""Repeated creation of equivalent communicators and windows, and its cost."""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from rankwise.analysis.calls.totals import JOIN_PROCEDURES
from rankwise.records import dataclass


@dataclass(frozen=True)
class Same:
    """Equivalent communicators or windows: the same procedure, processes, parent and calling object file.

    Attributes:
        procedure: that created them.
        type: communicator or window.
        created_in: name of the object file that called it; None = unknown.
        made: their number.
        left: number of these that were not freed.
    """

    procedure: str
    type: str
    created_in: str | None
    made: int
    left: int


def made_alike(connection: sqlite3.Connection) -> list[Same]:
    """Return the communicators and windows that the program created, grouped by equivalence."""
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
    """How often a procedure repeated a creation at the same place and on the same processes.

    Attributes:
        procedure: that created them.
        type: communicator or window.
        made: number of all that it created.
        again: number of repeats whose object was freed: all except the first at each place on the same
            processes.
        freed: number that were freed.
    """

    procedure: str
    type: str
    made: int
    again: int
    freed: int


def made_again(connection: sqlite3.Connection) -> list[Again]:
    """Return the procedures that repeated a creation after freeing the object."""
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
    """Cost of a procedure that all members of a communicator call together.

    Attributes:
        calls: summed over all ranks.
        seconds: in these calls, summed over all ranks.
        bound_seconds: upper bound of `seconds` without waiting for late members. All members leave such a
            call at about the same time, so the last member to arrive waits for no other. The bound is, for
            each communicator, the number of members times the smallest time of a member.
    """

    calls: int
    seconds: float
    bound_seconds: float


NOTHING = Cost(0, 0.0, 0.0)


def costs(connection: sqlite3.Connection) -> dict[str, Cost]:
    """Return the cost of procedures that create or free communicators and windows, or synchronise windows.

    If the members' numbers of calls differ, waiting is not subtracted.
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
