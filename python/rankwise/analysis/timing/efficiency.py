"""Efficiency as POP defines it: of the run, and of each region that the program names.

Useful time is a rank's time outside of MPI, between MPI_Init and MPI_Finalize. A rank's time in MPI is the
sum of its threads, so it is divided by the number of threads that call MPI.

    parallel efficiency      = mean useful / run time      = load balance x communication efficiency
    load balance             = mean useful / most useful
    communication efficiency = most useful / run time      = serialisation x transfer
    serialisation            = most useful / run time on an ideal network
    transfer                 = run time on an ideal network / run time

An ideal network moves everything in no time. POP gets the run time on it by replaying a trace (Dimemas). Here
it is the run time without the ranks' mean transfer: the time in MPI in which no required rank was late, or in
which ranks were late because of transfer (`rankwise.analysis.waiting.ideal`).

Source: POP Standard Metrics for Parallel Performance Analysis, https://pop-coe.eu/node/69.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

from rankwise.analysis.calls.regions import OTHER, WHOLE_PROGRAM
from rankwise.analysis.calls.totals import BETWEEN, RUN_SECONDS
from rankwise.analysis.percent import percent
from rankwise.analysis.timing.time_in_mpi import TimeInMpi
from rankwise.analysis.waiting.ideal import Delayed
from rankwise.analysis.waiting.unknown import unknown_collectives
from rankwise.records import dataclass

MOST_UNCERTAIN = 0.1
"""Largest error of the transfer efficiency: with a larger error, it is not reported."""
_ALWAYS = 0.03
"""Smallest error assumed: the largest deviation in test programs that calculate the efficiency themselves."""
LEAST_KNOWN = 0.5
"""Smallest known share of the time in MPI: with less, the transfer efficiency is not reported."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """The factors of communication efficiency: estimates from 0 to 1.

    Attributes:
        serialisation: below 1 because ranks wait for others, although the work is well balanced.
        serialisation_low: lower bound.
        serialisation_high: upper bound.
        transfer: below 1 because the network and the MPI library take time.
        transfer_low: lower bound.
        transfer_high: upper bound.
        ideal_seconds: run time on an ideal network.
        waiting_seconds: time in MPI known to be waiting for others, summed over all ranks.
        transfer_seconds: time in MPI known not to be waiting, summed over all ranks.
        unknown_seconds: the rest of the time in MPI; it is assumed to split like the known time.
    """

    serialisation: float
    serialisation_low: float
    serialisation_high: float
    transfer: float
    transfer_low: float
    transfer_high: float
    ideal_seconds: float
    waiting_seconds: float
    transfer_seconds: float
    unknown_seconds: float


@dataclass(frozen=True, kw_only=True)
class Efficiency:
    """Efficiency of the run, or of a region; from 0 to 1.

    Attributes:
        region: path of the region, which includes its nested regions; '' = the run.
        ranks: number of ranks that were in it.
        seconds: of the rank with the longest time in it; of the run, between MPI_Init and MPI_Finalize.
        useful_mean_seconds: outside of MPI, mean per rank.
        useful_most_seconds: outside of MPI, of the rank with the most useful time.
        useful_most_rank: the rank with the most useful time.
        parallel: parallel efficiency.
        load_balance: load balance.
        communication: communication efficiency.
        split: factors of `communication`; None = unknown.
        why_no_split: why they are unknown; '' if they are known.
    """

    region: str
    ranks: int
    seconds: float
    useful_mean_seconds: float
    useful_most_seconds: float
    useful_most_rank: int
    parallel: float
    load_balance: float
    communication: float
    split: Split | None
    why_no_split: str


def efficiency(connection: sqlite3.Connection, time: TimeInMpi, delayed: Delayed) -> Efficiency | None:
    """Return the efficiency of the run; None if no rank had time between MPI_Init and MPI_Finalize.

    Args:
        connection: the profile.
        time: the parts of its time in MPI.
        delayed: the waiting in it that an ideal network would avoid.
    """
    runs, in_mpi = _times_of_ranks(connection)
    whole = _efficiency("", runs, in_mpi)
    if whole is None:
        return None
    split, why = _split(whole, sum(in_mpi.values()) / len(in_mpi), time, delayed)
    if why and unknown_collectives(connection).reason == "clocks not compared":
        why += "; the clocks of the nodes were not compared (see --clock-sync)"
    return replace(whole, split=split, why_no_split=why)


def unsplit_efficiency(connection: sqlite3.Connection) -> Efficiency | None:
    """Return the same at once, without the factors of communication efficiency."""
    return _efficiency("", *_times_of_ranks(connection), "not computed")


def _times_of_ranks(connection: sqlite3.Connection) -> tuple[dict[int, float], dict[int, float]]:
    """Return the time of each rank between MPI_Init and MPI_Finalize, and its time in MPI of that."""
    ranks = connection.execute(f"SELECT rank, {RUN_SECONDS}, mpi, MAX(threads, 1) FROM ranks").fetchall()
    runs = {rank: run for rank, run, _, _ in ranks}
    return runs, {rank: min(mpi / threads, run) for rank, run, mpi, threads in ranks}


def region_efficiencies(connection: sqlite3.Connection) -> list[Efficiency]:
    """Return the efficiency of each region, in the order in which they were first entered."""
    regions = connection.execute(
        f"SELECT id, path, parent FROM regions WHERE id NOT IN ({WHOLE_PROGRAM}, {OTHER}) ORDER BY id"
    ).fetchall()
    if not regions:
        return []
    threads: dict[int, int] = dict(connection.execute("SELECT rank, MAX(threads, 1) FROM ranks").fetchall())
    walls: dict[int, dict[int, float]] = {}
    for region, rank, seconds in connection.execute(
        "SELECT region, rank, seconds FROM region_times WHERE entries > 0"
    ):
        if rank in threads:
            walls.setdefault(region, {})[rank] = seconds
    in_mpi: dict[int, dict[int, float]] = {}
    for region, rank, seconds in connection.execute(
        f"SELECT region, rank, SUM(seconds) FROM calls WHERE {BETWEEN} GROUP BY region, rank"
    ):
        in_mpi.setdefault(region, {})[rank] = seconds
    for region, _, parent in reversed(regions):  # nested regions have larger numbers
        if parent:
            parent_seconds = in_mpi.setdefault(parent, {})
            for rank, seconds in in_mpi.get(region, {}).items():
                parent_seconds[rank] = parent_seconds.get(rank, 0.0) + seconds
    rows = []
    for region, path, _ in regions:
        runs = walls.get(region, {})
        region_seconds = in_mpi.get(region, {})
        mpi = {rank: min(region_seconds.get(rank, 0.0) / threads[rank], run) for rank, run in runs.items()}
        row = _efficiency(path, runs, mpi, "waiting and transfer are distinguished only for the whole run")
        if row:
            rows.append(row)
    return rows


def _efficiency(
    region: str, runs: Mapping[int, float], in_mpi: Mapping[int, float], why: str = ""
) -> Efficiency | None:
    longest = max(runs.values(), default=0.0)
    if longest <= 0:
        return None
    useful = {rank: run - in_mpi[rank] for rank, run in runs.items()}
    mean, most = sum(useful.values()) / len(useful), max(useful.values())
    rank = min(rank for rank, seconds in useful.items() if seconds == most)
    # (Ranks without any useful time are balanced.)
    balance = mean / most if most > 0 else 1.0
    return Efficiency(
        region=region,
        ranks=len(runs),
        seconds=longest,
        useful_mean_seconds=mean,
        useful_most_seconds=most,
        useful_most_rank=rank,
        parallel=mean / longest,
        load_balance=balance,
        communication=most / longest,
        split=None,
        why_no_split=why,
    )


def _split(whole: Efficiency, mean_in_mpi: float, time: TimeInMpi, late: Delayed) -> tuple[Split | None, str]:
    """Return the factors of communication efficiency, or why they are unknown."""
    in_mpi, moved, error = time.seconds, time.moving_seconds, time.error_seconds
    if not in_mpi or not mean_in_mpi:
        return Split(
            serialisation=1.0,
            serialisation_low=1.0,
            serialisation_high=1.0,
            transfer=1.0,
            transfer_low=1.0,
            transfer_high=1.0,
            ideal_seconds=whole.seconds,
            waiting_seconds=0.0,
            transfer_seconds=0.0,
            unknown_seconds=0.0,
        ), ""
    known = time.waiting_seconds + moved
    unknown = in_mpi - known
    # `time` sums over ranks and threads; `scale` converts to the mean of a rank.
    scale = mean_in_mpi / in_mpi
    share = (moved + late.seconds) / known if known else 0.0  # of the known time, and assumed for the rest
    ideal, least, most = (
        # (Even if ranks wait for each other's transfer in turn, the loss is at most the sum of all transfer.)
        min(max(whole.seconds - min(seconds * scale, all_transfer), whole.useful_most_seconds), whole.seconds)
        for seconds, all_transfer in (
            (moved + late.seconds + share * unknown, moved + share * unknown),
            (moved + late.high + unknown + error, moved + unknown + error),
            (moved + late.low - error, moved),
        )
    )
    least, most = (
        min(max(bound, whole.useful_most_seconds), whole.seconds)
        for bound in (least - _ALWAYS * whole.seconds, most + _ALWAYS * whole.seconds)
    )
    transfer, low, high = (bound / whole.seconds for bound in (ideal, least, most))
    if high - low > 2 * MOST_UNCERTAIN or known < LEAST_KNOWN * in_mpi:
        return None, _why(time, late, unknown)
    most_useful = whole.useful_most_seconds
    serial, serial_low, serial_high = (_ratio(most_useful, bound) for bound in (ideal, most, least))
    return (
        Split(
            serialisation=serial,
            serialisation_low=serial_low,
            serialisation_high=serial_high,
            transfer=transfer,
            transfer_low=low,
            transfer_high=high,
            ideal_seconds=ideal,
            waiting_seconds=time.waiting_seconds,
            transfer_seconds=moved,
            unknown_seconds=unknown,
        ),
        "",
    )


def _why(time: TimeInMpi, late: Delayed, unknown: float) -> str:
    """Return the main cause of the factors' uncertainty."""
    by_transfer = late.high - late.low
    unclear = max(unknown, time.error_seconds, by_transfer)
    share = f"{percent(unclear, time.seconds):.0f} % of the time in MPI"
    if unclear == unknown:
        return f"{share} is unclassified"
    if unclear == time.error_seconds:
        return f"the error of the waiting time is {share}"
    return f"in {share} ranks waited, but it is unknown whether for transfer or for computing of others"


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 1.0
