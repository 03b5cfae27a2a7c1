"""Calls per communicator and procedure, spread over the communicator's processes."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from rankwise.analysis.counted import JOIN_COMMUNICATORS, JOIN_PROCEDURES, Counted, counted_by


@dataclass(frozen=True)
class CommunicatorCalls:
    """One procedure on one communicator.

    Attributes:
        processes: how many processes called it.
        seconds_mean: mean over the members whose counters were read, also those that never called.
        seconds_min: of the process with the least time.
        seconds_max: of the process with the most.
    """

    communicator: str
    procedure: str
    processes: int
    seconds_mean: float
    seconds_min: float
    seconds_max: float
    counted: Counted


def communicator_calls(connection: sqlite3.Connection) -> list[CommunicatorCalls]:
    """Return every procedure on every communicator, most time in MPI first."""
    (ranks,) = connection.execute("SELECT COUNT(*) FROM ranks").fetchone()
    spreads = {
        (communicator, procedure): facts
        for communicator, procedure, *facts in connection.execute(
            "SELECT communicator, procedure, ranks, least_seconds, most_seconds FROM communicator_sums"
        )
    }
    found = []
    for (name, size, seen, communicator, procedure_name, procedure), counted in counted_by(
        connection,
        "communicators.name, communicators.size, members_seen, communicator, procedures.name, procedures.id",
        f"{JOIN_COMMUNICATORS} {JOIN_PROCEDURES}",
        sums="communicator_sums",
    ):
        processes, least, most = spreads[communicator, procedure]
        members = max(seen if size else ranks, processes)
        least = least if processes == members else 0.0
        found.append(
            CommunicatorCalls(
                name, procedure_name, processes, counted.seconds / members, least, most, counted
            )
        )
    return found
