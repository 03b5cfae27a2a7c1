"""A machine: a tree of objects, a level for each depth, and the data of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.topology.machine.network import Network
from rankwise.topology.machine.objects import Object
from rankwise.topology.machine.slots import Slots, numbered, slots_below

ROOT = "machine"
NODE = "node"
SHAPE = "shape"
"""Kind of the source of a hypothetical machine: its nodes have made-up names."""


@dataclass(frozen=True)
class Cost:
    """The cost of a message, as in LogGP (Alexandrov et al. 1995); None where it was not measured.

    Attributes:
        latency_us: half a round trip of the smallest size, median over pairs of their minimum, us.
        overhead_us: time in MPI_Send of the smallest size, us.
        us_per_byte: slope of half the round trip over the size, us.
        bandwidth_mb_s: of a window of the largest size, median, MB/s (10^6 bytes).
    """

    latency_us: float | None = None
    overhead_us: float | None = None
    us_per_byte: float | None = None
    bandwidth_mb_s: float | None = None


COSTS = tuple(cost.name for cost in fields(Cost))


@dataclass(frozen=True)
class Level:
    """A kind of objects.

    Attributes:
        name: `machine`, `switch`, `node`, `package`, `numa`, `l3`, `core`, `pu`, or the vendor's name.
        cost: of a message between two slots whose smallest common object is of this level.
        link_mb_s: bandwidth of the link from such an object to the one around it, MB/s (10^6 bytes).
    """

    name: str
    cost: Cost = field(default_factory=Cost)
    link_mb_s: float | None = None


@dataclass(frozen=True)
class Source:
    """Where something is known from.

    Attributes:
        kind: `hwloc`, `slurm` or `latency`; `profile` or `shape` of a machine that is in no file.
        what: the data from this source, in words.
        file: path as given; '' if it was no file.
        date: ISO 8601, when it was read or measured; '' if unknown.
    """

    kind: str
    what: str = ""
    file: str = ""
    date: str = ""


@dataclass(frozen=True, kw_only=True)
class Outlier:
    """Something slower than the rest of its level, as a measurement showed it, with hosts for its ranks."""

    kind: str
    where: str
    hosts: tuple[str, ...]
    what: str
    size: int
    value: float
    expected: float
    level: str
    verdict: str = ""


@dataclass(frozen=True)
class Machine:
    """A whole machine.

    Attributes:
        levels: from the outermost, `machine`, to the innermost; one of them is `node`.
        root: the only object of level 0.
        sources: of all this, in the order of their use.
        outliers: the worst first.
        network: between the nodes, if it is not a tree; None: the tree describes it.
    """

    levels: tuple[Level, ...]
    root: Object
    sources: tuple[Source, ...] = ()
    outliers: tuple[Outlier, ...] = ()
    network: Network | None = None

    def level_names(self) -> tuple[str, ...]:
        """Return the levels' names, the outermost first."""
        return tuple(level.name for level in self.levels)

    def depth(self, level: str) -> int:
        """Return the place of a level; RankwiseError if no level has this name."""
        names = self.level_names()
        if level not in names:
            raise RankwiseError(f"the machine has no level {level!r}: it has {', '.join(names)}")
        return names.index(level)

    @cached_property
    def nodes(self) -> tuple[Object, ...]:
        """All objects of level `node`, from left to right in the tree."""
        return tuple(_at(self.root, self.depth(NODE)))

    @cached_property
    def slots(self) -> Slots:
        """All leaves, from left to right in the tree."""
        return slots_below(self.root, len(self.levels), self.depth(NODE))

    def hosts(self) -> tuple[str, ...]:
        """Return the nodes' names, from left to right in the tree."""
        return tuple(node.name for node in self.nodes)

    def costs(self, which: str) -> NDArray[np.float64]:
        """Return one of COSTS for each level: shape (depth,), NaN where it is unknown."""
        values = [getattr(level.cost, which) for level in self.levels]
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    def partition(self, level: str, hosts: Sequence[str]) -> NDArray[np.int64]:
        """Say which of `hosts` are in the same object of a level that is not inside of nodes.

        Args:
            level: `node` or one around it.
            hosts: N names, such as the host of each rank; a name may come again.

        Returns:
            shape (N,): number of the object, from 0 in the order of their first host.

        Raises:
            RankwiseError: no such level, a level inside of nodes, or a host that the machine has not.
        """
        depth = self.depth(level)
        if depth > self.depth(NODE):
            raise RankwiseError(f"level {level!r} is inside nodes: hosts do not identify its objects")
        first = np.searchsorted(self.slots.host, np.arange(len(self.nodes)))
        group = dict(zip(self.hosts(), self.slots.numbers[first, depth].tolist(), strict=True))
        missing = next((host for host in hosts if host not in group), None)
        if missing is not None:
            raise RankwiseError(f"the machine has no node {missing!r}")
        return numbered([group[host] for host in hosts])


def _at(top: Object, level: int) -> list[Object]:
    if top.level >= level:
        return [top] if top.level == level else []
    return [deeper for child in top.children for deeper in _at(child, level)]
