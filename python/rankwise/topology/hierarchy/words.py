"""Names of ranks, groups and what is slow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy.effects import Unit
from rankwise.topology.hierarchy.levels import Level
from rankwise.topology.hierarchy.slow_nodes import SLOW_NODE


class Words:
    """Names of ranks and groups."""

    def __init__(self, measurement: Measurement, levels: Sequence[Level]) -> None:
        self.levels = levels
        self.hosts = measurement.host_names()
        self.of_host: dict[tuple[int, ...], str] = {}
        if len(measurement.hosts) > 1 and all(self.hosts):
            for place, host in enumerate(measurement.hosts):
                ranks = tuple(number for number, rank in enumerate(measurement.ranks) if rank.host == place)
                self.of_host[ranks] = host.name

    def rank(self, rank: int) -> str:
        """Return the name of a rank, with its host where that is known."""
        return f"rank {rank} on {self.hosts[rank]}" if self.hosts[rank] else f"rank {rank}"

    def end(self, ranks: tuple[int, ...]) -> str:
        """Return the name of a group: its host's, else its level's label."""
        if ranks in self.of_host:
            return self.of_host[ranks]
        if len(ranks) == 1:
            return self.rank(ranks[0])
        for level in self.levels:
            group = int(level.groups[ranks[0]])
            if tuple(np.flatnonzero(level.groups == group).tolist()) == ranks:
                return level.labels[group]
        return "ranks " + ", ".join(map(str, ranks))

    def unit(self, unit: Unit) -> tuple[str, str]:
        """Return the kind of a misfit, and where it is."""
        if unit.inside:
            return SLOW_NODE, self.end(unit.ends[0])
        where = " - ".join(self.end(end) for end in unit.ends)
        if all(end in self.of_host for end in unit.ends):
            return (SLOW_NODE if len(unit.ends) == 1 else "slow link"), where
        if len(unit.ends) == 1:
            return ("slow rank" if len(unit.ends[0]) == 1 else "slow group"), where
        if all(len(end) == 1 for end in unit.ends):
            return "slow pair", f"ranks {unit.ends[0][0]} - {unit.ends[1][0]}"
        return "slow link", where
