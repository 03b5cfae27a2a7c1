"""System and hardware counters of each rank and region between MPI_Init and MPI_Finalize.

A sum is unknown if some of its ranks lack the counter: None, never 0.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from rankwise.analysis.calls.regions import WHOLE_PROGRAM
from rankwise.analysis.calls.totals import RUN_SECONDS
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Sums of counters; None = not counted on at least one of the ranks.

    Attributes:
        voluntary_switches: context switches because the process waited.
        involuntary_switches: context switches because another process got its processor.
        minor_faults: page faults without disk access.
        major_faults: page faults with disk access.
        task_clock_seconds: processor time of all threads.
        migrations: from one processor to another.
        instructions: of the program, without the kernel, like the next two.
        cycles: of the processor.
        floating_point_operations: of all widths and precisions.
        scaled: whether some values are extrapolated, because the counters did not run all the time.
    """

    voluntary_switches: int | None = None
    involuntary_switches: int | None = None
    minor_faults: int | None = None
    major_faults: int | None = None
    task_clock_seconds: float | None = None
    migrations: int | None = None
    instructions: int | None = None
    cycles: int | None = None
    floating_point_operations: int | None = None
    scaled: bool = False


COUNTERS = tuple(field.name for field in fields(Counts) if field.name != "scaled")
_COLUMNS = [name.removesuffix("_seconds") for name in COUNTERS]


@dataclass(frozen=True)
class Counted:
    """Counts, and their rates.

    Attributes:
        seconds: wall time, summed over all ranks; None = unknown.
        counts: in this time.
        cpu_percent: processor time in percent of `seconds`: over 100 with several threads.
        involuntary_switches_per_second: per second of a rank's wall time.
        instructions_per_cycle: None = one of the two is unknown.
        gflop_per_second: 10^9 floating-point operations per second of a rank's wall time.
    """

    seconds: float | None
    counts: Counts
    cpu_percent: float | None
    involuntary_switches_per_second: float | None
    instructions_per_cycle: float | None
    gflop_per_second: float | None

    @classmethod
    def of(cls, seconds: float | None, counts: Counts) -> Counted:
        """Return the counts with their rates."""
        task = counts.task_clock_seconds
        return cls(
            seconds,
            counts,
            _ratio(None if task is None else 100.0 * task, seconds),
            _ratio(counts.involuntary_switches, seconds),
            _ratio(counts.instructions, counts.cycles),
            _ratio(counts.floating_point_operations, None if seconds is None else 1e9 * seconds),
        )


@dataclass(frozen=True)
class RankCounters:
    """The counters of one rank; the seconds are between MPI_Init and MPI_Finalize.

    For a rank that did not reach MPI_Finalize, the seconds are unknown: its counters were last read at some
    earlier time.

    Attributes:
        waited_seconds: that its threads were ready and had no processor, in all regions; None = unknown.
    """

    rank: int
    host: str
    counted: Counted
    waited_seconds: float | None


@dataclass(frozen=True)
class RegionCounters:
    """The counters of one region without its nested regions.

    Attributes:
        path: names from the outermost region to this one, separated by slashes.
        ranks: number of ranks that were counted there.
    """

    region: int
    path: str
    ranks: int
    counted: Counted


@dataclass(frozen=True)
class AbsentCounter:
    """A missing counter, the reason, and the affected ranks in compact form."""

    counter: str
    why: str
    ranks: str


@dataclass(frozen=True)
class CounterTotals:
    """The counters of all ranks.

    Attributes:
        counted: sums over all ranks.
        gflop_per_second: sum of the ranks' rates; None = not counted.
    """

    counted: Counted
    gflop_per_second: float | None


def rank_counters(connection: sqlite3.Connection) -> list[RankCounters]:
    """Return the counters of every counted rank, by ascending rank."""
    counts_of_rank: dict[int, list[Counts]] = {}
    for rank, _, counts in _rows(connection):
        counts_of_rank.setdefault(rank, []).append(counts)
    return [
        RankCounters(rank, host, Counted.of(seconds, _sum(counts_of_rank[rank])), waited)
        for rank, host, seconds, waited in connection.execute(
            f"SELECT ranks.rank, host, CASE WHEN state IN ('finalizing', 'finalized') THEN {RUN_SECONDS} END,"
            " run_queue_wait FROM ranks LEFT JOIN places ON places.rank = ranks.rank ORDER BY ranks.rank"
        )
        if rank in counts_of_rank
    ]


def region_counters(connection: sqlite3.Connection) -> list[RegionCounters]:
    """Return every region in which something was counted, in the order of the profile."""
    counts_of_region: dict[int, list[Counts]] = {}
    for _, region, counts in _rows(connection):
        counts_of_region.setdefault(region, []).append(counts)
    # For the whole program, counters run only between MPI_Init and MPI_Finalize.
    seconds = dict(
        connection.execute(
            "SELECT region_times.region, SUM(exclusive - CASE region_times.region"
            f" WHEN {WHOLE_PROGRAM} THEN init_finalize ELSE 0.0 END)"
            " FROM region_times JOIN ranks ON ranks.rank = region_times.rank"
            " JOIN system_counters ON system_counters.rank = region_times.rank"
            " AND system_counters.region = region_times.region GROUP BY region_times.region"
        ).fetchall()
    )
    return [
        RegionCounters(
            region,
            path,
            len(counts_of_region[region]),
            Counted.of(seconds.get(region), _sum(counts_of_region[region])),
        )
        for region, path in connection.execute("SELECT id, path FROM regions ORDER BY id")
        if region in counts_of_region
    ]


def absent_counters(connection: sqlite3.Connection) -> list[AbsentCounter]:
    """Return the missing counters."""
    rows = connection.execute("SELECT counter, reason, ranks FROM absent_counters ORDER BY rowid").fetchall()
    names = dict(zip(_COLUMNS, COUNTERS, strict=True))
    return [AbsentCounter(names.get(counter, counter), why, ranks) for counter, why, ranks in rows]


def counter_totals(connection: sqlite3.Connection) -> CounterTotals | None:
    """Return the counters of all ranks; None if nothing was counted."""
    rows = rank_counters(connection)
    if not rows:
        return None
    counted = total(row.counted for row in rows)
    rates = [row.counted.gflop_per_second for row in rows]
    known = [rate for rate in rates if rate is not None]
    gflops = sum(known) if len(known) == len(rates) else None
    return CounterTotals(counted, gflops)


def total(counted: Iterable[Counted]) -> Counted:
    """Return the sum of several rows."""
    rows = list(counted)
    seconds = [row.seconds for row in rows if row.seconds is not None]
    return Counted.of(sum(seconds) if len(seconds) == len(rows) else None, _sum([row.counts for row in rows]))


def _rows(connection: sqlite3.Connection) -> Iterable[tuple[int, int, Counts]]:
    for rank, region, *values, scaled in connection.execute(
        f"SELECT rank, region, {', '.join(_COLUMNS)}, scaled FROM system_counters ORDER BY rank, region"
    ):
        yield rank, region, Counts(**dict(zip(COUNTERS, values, strict=True)), scaled=bool(scaled))


def _sum(rows: Sequence[Counts]) -> Counts:
    sums: dict[str, Any] = {name: _sum_of([getattr(row, name) for row in rows]) for name in COUNTERS}
    return Counts(**sums, scaled=any(row.scaled for row in rows))


def _sum_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _ratio(value: float | None, divisor: float | None) -> float | None:
    return None if value is None or not divisor else value / divisor
