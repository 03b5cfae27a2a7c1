"""Where the time went: MPI, MPI_Init and MPI_Finalize, and the rest; also the ranks' spread.

Time in MPI and all shares refer to the time between MPI_Init and MPI_Finalize; these two are separate.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from rankwise.analysis.calls.spread import Spread, spread
from rankwise.analysis.calls.totals import THREAD_SECONDS
from rankwise.analysis.percent import percent
from rankwise.records import dataclass


@dataclass(frozen=True)
class RankTime:
    """Time in MPI of one rank, without MPI_Init and MPI_Finalize."""

    rank: int
    host: str
    seconds: float


@dataclass(frozen=True)
class Times:
    """Time of the run.

    Attributes:
        wall_seconds: of the longest rank.
        init_finalize_seconds: in MPI_Init and MPI_Finalize, mean per rank.
        mpi_percent_of_run: all ranks' time in MPI in percent of their time between MPI_Init and MPI_Finalize,
            times their threads that call MPI.
        rest_percent_of_run: the rest up to 100 %: computing, I/O and everything else.
        most_in_mpi: the rank with the most time in MPI, None without ranks.
        least_in_mpi: the rank with the least time in MPI, None without ranks.
        ends_known: whether the end of ranks that did not finish MPI_Finalize is known.
    """

    wall_seconds: float
    init_finalize_seconds: float
    mpi_percent_of_run: float
    rest_percent_of_run: float
    most_in_mpi: RankTime | None
    least_in_mpi: RankTime | None
    ends_known: bool


@dataclass(frozen=True)
class Balance:
    """Spread over ranks: wall, processor and MPI time, MPI's share as in `Times`, and bytes.

    MPI's time and share exclude MPI_Init and MPI_Finalize, which have a separate spread.
    """

    wall_seconds: Spread
    user_seconds: Spread
    system_seconds: Spread
    mpi_seconds: Spread
    init_finalize_seconds: Spread
    mpi_percent_of_run: Spread
    bytes_sent: Spread


def times(connection: sqlite3.Connection) -> Times:
    """Return where the time went."""
    longest, ended = connection.execute("SELECT wall, ended FROM run").fetchone()
    mpi, init_finalize, run = connection.execute(
        f"SELECT TOTAL(mpi), COALESCE(AVG(init_finalize), 0.0), TOTAL({THREAD_SECONDS}) FROM ranks"
    ).fetchone()
    most, least = (
        connection.execute(
            f"SELECT rank, host, mpi FROM ranks ORDER BY mpi {order}, rank {order} LIMIT 1"
        ).fetchone()
        for order in ("DESC", "ASC")
    )
    share = percent(mpi, run)
    remainder = max(round(100.0 - share, 6), 0.0) if run else 0.0  # rounded, so that no rest is 0, not 1e-14
    highest, lowest = (RankTime(*row) if row else None for row in (most, least))
    return Times(longest, init_finalize, share, remainder, highest, lowest, ended is not None)


def balance(connection: sqlite3.Connection) -> Balance | None:
    """Return the spread of the ranks' times and bytes; None if no rank's counters were read."""
    ranks = connection.execute(
        f'SELECT rank, wall, "user", "system", mpi, init_finalize, {THREAD_SECONDS} FROM ranks'
    ).fetchall()
    if not ranks:
        return None
    sent = {rank: 0 for rank, *_ in ranks}
    sent.update(connection.execute("SELECT rank, bytes_sent FROM rank_sums").fetchall())
    mpi = {rank: mpi for rank, _, _, _, mpi, *_ in ranks}
    wall = {rank: wall for rank, wall, *_ in ranks}
    run = {rank: seconds for rank, *_, seconds in ranks}
    share = spread({rank: percent(mpi[rank], run[rank]) for rank in mpi})
    whole = percent(sum(mpi.values()), sum(run.values()))
    return Balance(
        wall_seconds=spread(wall),
        user_seconds=spread({rank: user for rank, _, user, *_ in ranks}),
        system_seconds=spread({rank: system for rank, _, _, system, *_ in ranks}),
        mpi_seconds=spread(mpi),
        init_finalize_seconds=spread({rank: seconds for rank, *_, seconds, _ in ranks}),
        # The run's average, not the mean of the ranks' percentages, so that all views agree.
        mpi_percent_of_run=replace(share, total=None, average=whole),
        bytes_sent=spread(sent),
    )
