"""Machines that are thought up: what is planted in them is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.dense import from_matrices
from rankwise.latency.measurement import Measurement
from rankwise.topology.machine.slots import numbered

SIZES = (64, 1 << 20)


@dataclass
class Machine:
    """A tree of ranks, and what messages cost in it.

    Attributes:
        partitions: nested groups of the ranks, from the innermost, without the one of all ranks.
        latencies: us at 64 bytes, for each level from the innermost to the outermost.
        rates: MB/s, for each level.
        node: which partition is the nodes, counted from the innermost; they are named `node0`, ...
        delays: us more for all messages that leave a group: {(partition, group): us}.
        caps: MB/s at most for all messages that leave a group.
        inside: times the cost inside of a group.
        links: times the cost between two groups of a partition: {(partition, group, group): factor}.
        single: times the cost of a pair of ranks.
    """

    partitions: list[NDArray[np.int64]]
    latencies: Sequence[float]
    rates: Sequence[float]
    node: int = 0
    delays: dict[tuple[int, int], float] = field(default_factory=dict)
    caps: dict[tuple[int, int], float] = field(default_factory=dict)
    inside: dict[tuple[int, int], float] = field(default_factory=dict)
    links: dict[tuple[int, int, int], float] = field(default_factory=dict)
    single: dict[tuple[int, int], float] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return len(self.partitions[0]) if self.partitions else self._alone

    _alone: int = 0

    def classes(self) -> NDArray[np.int64]:
        classes = np.full((self.count, self.count), len(self.partitions))
        for place in range(len(self.partitions) - 1, -1, -1):
            groups = self.partitions[place]
            classes[groups[:, None] == groups[None, :]] = place
        return classes

    def clean(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return latency in us and rate in MB/s of each pair, without noise."""
        classes = self.classes()
        latency = np.array(self.latencies, dtype=float)[classes]
        rate = np.array(self.rates, dtype=float)[classes]
        for (place, group), delay in self.delays.items():
            latency[self._leaves(place, group)] += delay
        for (place, group), cap in self.caps.items():
            leaves = self._leaves(place, group)
            rate[leaves] = np.minimum(rate[leaves], cap)
        for (place, group), factor in self.inside.items():
            members = self.partitions[place] == group
            latency[np.ix_(members, members)] *= factor
            rate[np.ix_(members, members)] /= factor
        for (place, first, other), factor in self.links.items():
            groups = self.partitions[place]
            block = np.outer(groups == first, groups == other)
            latency[block | block.T] *= factor
            rate[block | block.T] /= factor
        for (first, other), factor in self.single.items():
            for pair in ((first, other), (other, first)):
                latency[pair] *= factor
                rate[pair] /= factor
        return latency, rate

    def _leaves(self, place: int, group: int) -> NDArray[np.bool_]:
        inside = np.arange(self.count) == group if place < 0 else self.partitions[place] == group
        return np.logical_xor(inside[:, None], inside[None, :])

    def measure(
        self,
        noise: float | Sequence[float],
        seed: int = 0,
        *,
        outliers: float = 0,
        missing: float = 0,
        only_latency: bool = False,
    ) -> Measurement:
        """Measure with noise.

        Args:
            noise: standard deviation of the logarithm; one for each level, or one for all.
            seed: of noise.
            outliers: share of pairs whose every value is 3 to 30 times worse.
            missing: share of pairs that were not measured.
            only_latency: of the smallest size, and nothing else.
        """
        random = np.random.default_rng(seed)
        count = self.count
        classes = self.classes()
        sigma = np.broadcast_to(np.asarray(noise, dtype=float), (len(self.latencies),))[classes]
        latency, rate = self.clean()
        bad = np.triu(random.random((count, count)) < outliers, 1)
        worse = np.where(bad | bad.T, np.exp(random.uniform(np.log(3), np.log(30), (count, count))), 1.0)
        lost = np.triu(random.random((count, count)) < missing, 1)
        lost |= lost.T

        def noisy(values: NDArray[np.float64]) -> NDArray[np.float64]:
            measured = values * np.exp(sigma * random.standard_normal((count, count)))
            measured[lost] = np.nan
            return measured

        hosts = (
            [f"node{group}" for group in self.partitions[self.node]] if self.partitions else ["node0"] * count
        )
        if only_latency:
            return from_matrices(hosts, {SIZES[0]: noisy(latency * worse)})
        return from_matrices(
            hosts,
            {
                SIZES[0]: noisy(latency * worse),
                SIZES[1]: noisy((latency + SIZES[1] / rate) * worse),
            },
            {SIZES[1]: noisy(rate / worse)},
        )


def tree(
    shape: Sequence[int],
    latencies: Sequence[float],
    rates: Sequence[float],
    *,
    order: str = "block",
    node: int = 0,
    seed: int = 0,
) -> Machine:
    """Make a machine whose groups are of one size.

    Args:
        shape: ranks in an innermost group, such groups in the next, ...
        latencies: us, for each level.
        rates: MB/s, for each level.
        order: of the ranks: `block`, `round robin` (over the largest groups) or `shuffled`.
        node: which partition is the nodes.
        seed: of the shuffled order.
    """
    count = int(np.prod(shape))
    place = np.arange(count)
    if order == "round robin":
        place = np.arange(count).reshape(shape[-1], -1).T.ravel()
    elif order == "shuffled":
        place = np.random.default_rng(seed).permutation(count)
    sizes = np.cumprod(shape)[:-1]
    return Machine(
        [numbered((place // size).tolist()) for size in sizes], latencies, rates, node, _alone=count
    )


def uneven(sizes: Sequence[Sequence[int]], latencies: Sequence[float], rates: Sequence[float]) -> Machine:
    """Make a machine of switches whose nodes have these numbers of ranks."""
    nodes = [size for switch in sizes for size in switch]
    switches = [sum(switch) for switch in sizes]
    return Machine(
        [np.repeat(np.arange(len(part)), part) for part in (nodes, switches)],
        latencies,
        rates,
        _alone=sum(nodes),
    )
