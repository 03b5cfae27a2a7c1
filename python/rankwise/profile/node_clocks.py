"""Puts the times of all processes of a node on one clock: their ticks are of one counter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.clock import NANOSECONDS, Clock, Stamp, frequency
from rankwise.profile.counters import Counters


@dataclass(frozen=True)
class NodeClock:
    """From ticks of a node's counter to seconds.

    Attributes:
        group: nodes of the same group have times that can be compared.
        ticks: an instant, by the node's counter.
        seconds: the same instant.
        seconds_per_tick: how it goes.
    """

    group: int
    ticks: int
    seconds: float
    seconds_per_tick: float

    def of(self, ticks: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Convert instants from ticks to seconds."""
        # Subtracted as integers first: a float has no room for an epoch and a microsecond.
        passed: NDArray[np.int64] = (ticks - np.uint64(self.ticks)).view(np.int64)
        return self.seconds + passed.astype(np.float64) * self.seconds_per_tick


def node_clocks(
    world: Mapping[int, Counters], clocks: Mapping[int, Clock], started_ns: int
) -> dict[int, NodeClock]:
    """Return the clock of each rank's node.

    Args:
        world: counters by rank, in the order of the ranks.
        clocks: of the processes, by rank.
        started_ns: what becomes 0 seconds: nanoseconds since 1970.
    """
    ranks: dict[str, list[int]] = {}
    for rank, counters in world.items():
        ranks.setdefault(counters.header.host, []).append(rank)
    found: dict[int, NodeClock] = {}
    for group, together in enumerate(ranks.values()):
        stamps: list[Stamp] = [stamp for rank in together for stamp in world[rank].header.stamps.values()]
        own = clocks[together[0]]
        rate = frequency(stamps) or own.ticks_per_second
        seconds = (own.anchor.realtime_ns - started_ns) / NANOSECONDS
        found |= dict.fromkeys(together, NodeClock(group, own.anchor.ticks, seconds, 1 / rate))
    return {rank: found[rank] for rank in world}
