"""Calls per communicator and procedure, spread over the communicator's processes."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.over_ranks import calls_over_ranks, members_read
from rankwise.analysis.calls.totals import JOIN_COMMUNICATORS, JOIN_PROCEDURES, Totals, totals_by
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class CommunicatorCalls:
    """A procedure on a communicator.

    Attributes:
        processes: number of processes that called it.
        seconds_mean: mean over all members whose counters were read, including members that never called it.
        seconds_min: of the process with the least time.
        seconds_max: of the process with the most time.
        rank_min: lowest world rank with `seconds_min`.
        rank_max: lowest world rank with `seconds_max`.
        imbalance: `seconds_max` divided by `seconds_mean`; None if no rank spent time in it.
    """

    communicator: str
    procedure: str
    processes: int
    seconds_mean: float
    seconds_min: float
    seconds_max: float
    rank_min: int
    rank_max: int
    imbalance: float | None
    totals: Totals


def communicator_calls(connection: sqlite3.Connection) -> list[CommunicatorCalls]:
    """Return every procedure on every communicator, most time in MPI first."""
    extremes = {
        (communicator, procedure): facts
        for communicator, procedure, *facts in connection.execute(
            "SELECT communicator, procedure, ranks, least_seconds, most_seconds FROM communicator_sums"
        )
    }
    spreads, read = calls_over_ranks(connection), members_read(connection)
    rows = []
    for (name, communicator, procedure_name, procedure), totals in totals_by(
        connection,
        "communicators.name, communicator, procedures.name, procedures.id",
        f"{JOIN_COMMUNICATORS} {JOIN_PROCEDURES}",
        sums="communicator_sums",
        group="calls.communicator, calls.procedure",
    ):
        processes, least, most = extremes[communicator, procedure]
        members = max(len(read(name)), processes)
        spread = spreads[name, procedure_name]
        rows.append(
            CommunicatorCalls(
                communicator=name,
                procedure=procedure_name,
                processes=processes,
                seconds_mean=totals.seconds / members,
                seconds_min=least if processes == members else 0.0,
                seconds_max=most,
                rank_min=spread.minimum_rank,
                rank_max=spread.maximum_rank,
                imbalance=spread.imbalance,
                totals=totals,
            )
        )
    return rows
