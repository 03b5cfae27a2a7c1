"""What the ranks of a run had of their processors."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rankwise.analysis.nodes.binding import NodePlace, RankPlace, node_places
from rankwise.analysis.nodes.system_counters import counter_totals
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Processors:
    """What the ranks of a run had of their processors.

    Attributes:
        used_seconds: processor time, mean per rank; None = not counted.
        without: share of the time between MPI_Init and MPI_Finalize in which ranks were ready to run but had
            no processor, from 0 to 1.
        is_exact: the kernel reports it; else `without` is the most that it can be.
        crowded: ranks and their threads share too few processors.
    """

    used_seconds: float | None
    without: float
    is_exact: bool
    crowded: bool


def processors_of(connection: sqlite3.Connection) -> Processors:
    """Return what the ranks of an open profile had of their processors."""
    runs: dict[int, float]
    runs = dict(connection.execute("SELECT rank, MAX(run, 0.0) FROM ranks").fetchall())
    waited, most, total, crowded, is_exact = 0.0, 0.0, sum(runs.values()), False, True
    for node in node_places(connection):
        lacking = _lacking(node)
        crowded = crowded or any(lacking.values())
        for rank in node.ranks:
            most += lacking[rank.rank] * runs[rank.rank]
            if rank.waited_seconds is None:
                is_exact = False
            else:
                waited += min(rank.waited_seconds / rank.threads, runs[rank.rank])
    return Processors(
        used_seconds=_used_seconds(connection, len(runs)),
        without=(waited if is_exact else most) / total if total else 0.0,
        is_exact=is_exact,
        crowded=crowded,
    )


def _lacking(node: NodePlace) -> dict[int, float]:
    """Return the largest share of the time that each rank of a node may lack a processor, by rank.

    Its ranks may be too many for the node, or for the processors that they are bound to.
    """
    groups: dict[tuple[int, ...], list[RankPlace]] = {}
    for rank in node.ranks:
        groups.setdefault(rank.cpus, []).append(rank)
    of_node = _lack(len(node.usable), node.ranks)
    return {
        rank.rank: max(of_node, _lack(len(cpus), ranks)) for cpus, ranks in groups.items() for rank in ranks
    }


def _lack(processors: int, ranks: Sequence[RankPlace]) -> float:
    wanted = sum(rank.threads for rank in ranks)
    return 1 - processors / wanted if 0 < processors < wanted else 0.0


def _used_seconds(connection: sqlite3.Connection, ranks: int) -> float | None:
    totals = counter_totals(connection)
    used = totals.counted.counts.task_clock_seconds if totals else None
    if used is None:
        (used,) = connection.execute("SELECT TOTAL(user + system) FROM ranks").fetchone()
    return used / ranks if used and ranks else None
