"""What may go with the time of a run besides its calls: hosts, ranks, regions, processors, the network."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.regions import WHOLE_PROGRAM, regions
from rankwise.analysis.calls.totals import RUN_SECONDS
from rankwise.analysis.nodes.network import ERRORS
from rankwise.analysis.opened import opened_profile
from rankwise.comparison.figures import Figures
from rankwise.records import dataclass

_OUTSIDE = f"MAX({RUN_SECONDS} - mpi / MAX(threads, 1), 0.0)"
_GHZ = 1e9

ENDS_OF_MPI = frozenset(("MPI_Init", "MPI_Init_thread", "MPI_Finalize"))
"""Calls whose time is in no other sum."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A run.

    Attributes:
        figures: that are compared.
        ranks_of_host: ascending.
        outside_of_rank: seconds outside MPI, between MPI_Init and MPI_Finalize.
        outside_of_host: the same, mean of the ranks of a host.
        regions: seconds in each region by path, mean per rank, without its nested regions.
        without_processor: seconds that threads were ready but had no processor, summed, mean per rank;
            None = the kernel does not report it.
        processors: counts and rates of the processors by name, as far as they were recorded.
        network: sums of the counters of all network ports by name, as far as they were recorded.
    """

    figures: Figures
    ranks_of_host: dict[str, list[int]]
    outside_of_rank: dict[int, float]
    outside_of_host: dict[str, float]
    regions: dict[str, float]
    without_processor: float | None
    processors: dict[str, float]
    network: dict[str, float]

    @property
    def wall(self) -> float:
        """Run time of the longest rank, seconds."""
        return self.figures.whole["wall"]


def recorded(figures: Figures) -> Recorded:
    """Read the rest of a profile whose figures are known.

    Raises:
        RankwiseError: it turns out to be damaged.
    """
    with opened_profile(figures.path) as connection:
        ranks_of_host: dict[str, list[int]] = {}
        outside: dict[int, float] = {}
        for rank, host, seconds in connection.execute(
            f"SELECT rank, host, {_OUTSIDE} FROM ranks ORDER BY rank"
        ):
            ranks_of_host.setdefault(host, []).append(rank)
            outside[rank] = float(seconds)
        return Recorded(
            figures=figures,
            ranks_of_host=ranks_of_host,
            outside_of_rank=outside,
            outside_of_host={
                host: sum(outside[rank] for rank in ranks) / len(ranks)
                for host, ranks in ranks_of_host.items()
            },
            regions={
                region.path: region.exclusive_wall_seconds / max(len(outside), 1)
                for region in regions(connection)
                if region.exclusive_wall_seconds is not None and region.region != WHOLE_PROGRAM
            },
            without_processor=_without_processor(connection, max(len(outside), 1)),
            processors=_processors(figures),
            network=_network(connection),
        )


def _without_processor(connection: sqlite3.Connection, ranks: int) -> float | None:
    waited, known = connection.execute(
        "SELECT SUM(run_queue_wait), COUNT(run_queue_wait) FROM places"
    ).fetchone()
    return waited / ranks if known == ranks else None


def _processors(figures: Figures) -> dict[str, float]:
    known: dict[str, float | None] = {}
    totals = figures.diagnosis.account.counters
    if totals:
        counts, task = totals.counted.counts, totals.counted.counts.task_clock_seconds
        known = {
            "voluntary context switches": counts.voluntary_switches,
            "involuntary context switches": counts.involuntary_switches,
            "page faults from disk": counts.major_faults,
            "moves between processors": counts.migrations,
            "instructions": counts.instructions,
            "instructions per cycle": totals.counted.instructions_per_cycle,
            "frequency, GHz": counts.cycles / task / _GHZ if counts.cycles and task else None,
        }
    return {name: float(value) for name, value in known.items() if value is not None}


def _network(connection: sqlite3.Connection) -> dict[str, float]:
    errors = " + ".join(f"COALESCE(SUM({name}), 0)" for name in ERRORS)
    ports, sent, ticks, again, marks, faults = connection.execute(
        "SELECT COUNT(*), SUM(CASE kind WHEN 'tcp' THEN NULL ELSE sent_bytes END), SUM(wait_ticks),"
        f" SUM(retransmissions), SUM(congestion_marks), {errors} FROM network_ports"
    ).fetchone()
    known = {
        "bytes sent by ports": sent,
        "waits of ports": ticks,
        "repeated packets": again,
        "congestion marks": marks,
        "errors of ports": faults if ports else None,
    }
    return {name: float(value) for name, value in known.items() if value is not None}
