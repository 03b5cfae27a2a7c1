"""Whether the ranks of a node have processors of their own."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.ranks import Rank
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import rank_counters
from rankwise.records import dataclass

LEAST_BUSY = 0.25
"""Of the processors of a node, by its ranks: with less, hardly ever did one want a processor and get none."""


@dataclass(frozen=True)
class Use:
    """How much of some processors was used.

    Attributes:
        seconds: that ranks took, of processors; 0 = not known.
        capacity_seconds: that the processors had.
    """

    seconds: float
    capacity_seconds: float

    @property
    def busy(self) -> float:
        """Share that was used, 0 to 1."""
        return self.seconds / self.capacity_seconds if self.capacity_seconds else 0.0

    @property
    def told(self) -> str:
        """It as a sentence without its full stop."""
        if not self.seconds:
            return "how much the ranks used these processors is not known"
        return f"the ranks took {100 * self.busy:.0f} % of these processors"


def total(some: Sequence[Use]) -> Use:
    """Return how much several groups of processors were used together."""
    return Use(sum(one.seconds for one in some), sum(one.capacity_seconds for one in some))


def use(seen: Evidence, ranks: Sequence[Rank], processors: int) -> Use:
    """Return how much ranks used processors; between MPI_Init and MPI_Finalize if that was counted."""
    of_rank = {row.rank: row.counted.counts.task_clock_seconds for row in rank_counters(seen.connection)}
    counted = [of_rank.get(rank.rank) for rank in ranks]
    if None not in counted:
        seconds = sum(one for one in counted if one is not None)
        return Use(seconds, processors * max(rank.run_seconds for rank in ranks))
    seconds = sum(rank.user_seconds + rank.system_seconds for rank in ranks)
    return Use(seconds, processors * max(rank.wall_seconds for rank in ranks))


@dataclass(frozen=True)
class Crowded:
    """A node with more ranks than processors that they may use.

    Attributes:
        host: its name.
        ranks: on it.
        processors: that one of them at least may use.
        run_seconds: of its ranks, between MPI_Init and MPI_Finalize.
        use: of the processors.
    """

    host: str
    ranks: int
    processors: int
    run_seconds: float
    use: Use

    @property
    def in_use(self) -> bool:
        """Whether the ranks used the processors, as far as it is known."""
        return not self.use.seconds or self.use.busy >= LEAST_BUSY


def crowded(seen: Evidence) -> list[Crowded]:
    """Return the nodes with more ranks than processors, the most crowded first."""
    found = []
    nodes = {node.host: node for node in seen.places}
    for host in dict.fromkeys(rank.host for rank in seen.ranks):
        node = nodes[host]
        ranks = [rank for rank in seen.ranks if rank.host == host]
        processors = len(node.usable)
        if not all(place.cpus for place in node.ranks) or len(ranks) <= processors:
            continue
        run_seconds = sum(rank.run_seconds for rank in ranks)
        found.append(Crowded(host, len(ranks), processors, run_seconds, use(seen, ranks, processors)))
    return sorted(found, key=lambda one: -one.ranks / one.processors)
