"""The measured hierarchy: levels, their costs, and outliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.topology.machine.model import Cost


@dataclass(frozen=True)
class Level:
    """One level of the hierarchy.

    Attributes:
        name: `core`, `l3`, `numa`, `package`, `node`, `switch`, `machine`; `level 2` if unknown.
            Two ranks are at this level if the smallest group that holds both is one of this level's.
        groups: shape (N,): number of the group that each rank is in, from 0 in the order of their first rank.
        labels: a name for each group: a host's where it is a node, else such as `switch 0`.
        pairs: of ranks at this level.
        cost: of a message between ranks at this level.
        spread: robust standard deviation (1.4826 MAD) of the pairs' latency over its median.
        stability: 0 to 1: share of resampled measurements in which the level is found with the same groups.
    """

    name: str
    groups: NDArray[np.int64]
    labels: tuple[str, ...]
    pairs: int
    cost: Cost
    spread: float
    stability: float


@dataclass(frozen=True, kw_only=True)
class Outlier:
    """Something that is slower than the rest of its level.

    Attributes:
        kind: `slow node` (also inside), `slow link of a node` (inside, it is as fast as others), `slow node
            or its link` (unknown which), `slow group` (that is not a node), `slow rank`, `slow link`
            (between two groups), `slow pair`.
        where: in words: `node3`, `rank 5 on node2`, `node0 - node3`, `ranks 3 - 17`.
        ranks: concerned: all of the node, the rank, or both ends.
        what: `latency` or `bandwidth`.
        size: message size in bytes.
        value: us, or MB/s.
        expected: the level's own.
        level: name of the level.
        verdict: `slow alone` (a fault), `slow under load` (contention), '' if not measured again.
    """

    kind: str
    where: str
    ranks: tuple[int, ...]
    what: str
    size: int
    value: float
    expected: float
    level: str
    verdict: str = ""


@dataclass(frozen=True)
class Hierarchy:
    """The machine as a measurement shows it.

    Attributes:
        levels: from the innermost (smallest groups) to the outermost, in which all ranks are one group.
        outliers: the worst first.
        order: ranks, so that each group of each level is together.
    """

    levels: tuple[Level, ...]
    outliers: tuple[Outlier, ...]
    order: tuple[int, ...]

    def level_of(self) -> NDArray[np.int64]:
        """Return the place in `levels` of each pair: shape (N, N), the diagonal is -1."""
        count = len(self.order)
        levels = np.full((count, count), len(self.levels) - 1)
        for place in range(len(self.levels) - 1, -1, -1):
            groups = self.levels[place].groups
            levels[groups[:, None] == groups[None, :]] = place
        np.fill_diagonal(levels, -1)
        return levels
