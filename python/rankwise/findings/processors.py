"""Whether the ranks of a node have processors of their own."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.analysis.evidence import Evidence
from rankwise.cpulist import cpu_list


@dataclass(frozen=True)
class Crowded:
    """A node with more ranks than processors that they may use.

    Attributes:
        host: its name.
        ranks: on it.
        processors: that one of them at least may use.
        run_seconds: of its ranks, between MPI_Init and MPI_Finalize.
        processor_seconds: that its ranks took, of processors.
        wall_seconds: of the longest rank.
    """

    host: str
    ranks: int
    processors: int
    run_seconds: float
    processor_seconds: float
    wall_seconds: float


def crowded(seen: Evidence) -> list[Crowded]:
    """Return the nodes with more ranks than processors, the most crowded first."""
    found = []
    for host in dict.fromkeys(rank.host for rank in seen.ranks):
        ranks = [rank for rank in seen.ranks if rank.host == host]
        known = [set(cpu_list(rank.cpus_allowed)) for rank in ranks]
        processors = set().union(*known)
        if all(known) and len(ranks) > len(processors):
            found.append(
                Crowded(
                    *(host, len(ranks), len(processors), sum(rank.run_seconds for rank in ranks)),
                    sum(rank.user_seconds + rank.system_seconds for rank in ranks),
                    max(rank.wall_seconds for rank in ranks),
                )
            )
    return sorted(found, key=lambda one: -one.ranks / one.processors)
