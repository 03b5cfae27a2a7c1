"""Programs that measure MPI_M_reorder themselves, in one job."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace

from launching import run
from libraries import Mpi
from nodes import Cluster

from common.errors import BenchError
from rankwise.trials.interval import Interval, ratio_interval
from reorder.programs import GROUPS, TREES, Program

_BINOMIAL = {
    "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
    "OMPI_MCA_coll_tuned_bcast_algorithm": "6",
    "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize": "0",
}


@dataclass(frozen=True)
class Tree:
    """A collective, before and after the ranks were reordered for it."""

    operation: str
    bytes: int
    before: list[float]
    after: list[float]

    @property
    def ratio(self) -> Interval:
        """How much faster it has become."""
        return ratio_interval(self.before, self.after)


@dataclass(frozen=True)
class Gain:
    """What reordering after the first iteration is worth.

    Attributes:
        cost: of reordering, s.
        gain: 100 (t1 - (t2 + t3)) / t1, median: t1 is the time of all iterations as they are, t2 with the
            ranks reordered after the first one, t3 of watching and reordering (Inria RR-9292).
        gain_if_profitable: the same where MPI_M_reorder_if_profitable decides, t2 and t3 together.
        reordered: the share of the repetitions in which it decided to reorder.
    """

    bytes: int
    iterations: int
    cost: float
    gain: float
    gain_if_profitable: float
    reordered: float


def trees(mpi: Mpi, cluster: Cluster, pairs: int) -> list[Tree]:
    """Measure broadcasts and reductions; in the bad order no neighbours are on a node.

    Of 64 KiB and more Open MPI 4.1 broadcasts with 8 ranks linearly: the root sends to everybody, and no
    order helps. So its binomial tree is measured, too.
    """
    default_trees = _trees(mpi, cluster, pairs)
    binomial_trees = _trees(replace(mpi, environment=mpi.environment | _BINOMIAL), cluster, pairs)
    return default_trees + [
        replace(tree, operation="Bcast, bin.") for tree in binomial_trees if tree.operation == "Bcast"
    ]


def _trees(mpi: Mpi, cluster: Cluster, pairs: int) -> list[Tree]:
    rows = list(_lines(mpi, cluster, TREES, pairs))
    return [
        Tree(operation, size, *([float(line[side]) for line in of_it] for side in (2, 3)))
        for (operation, size), of_it in _by_key(rows).items()
    ]


def gains(mpi: Mpi, cluster: Cluster, repetitions: int) -> list[Gain]:
    """Measure allgathers in groups of two ranks, which are on different nodes in the bad order."""
    rows = list(_lines(mpi, cluster, GROUPS, repetitions))
    gains_by_size = []
    for (size, iterations), of_it in _by_key([line[1:] for line in rows]).items():
        times = [[float(word) for word in line[2:]] for line in of_it]
        gain = statistics.median(100 * (t1 - (t2 + t3)) / t1 for t1, t2, t3, _, _ in times)
        chosen = statistics.median(100 * (t1 - choice) / t1 for t1, _, _, choice, _ in times)
        cost = statistics.median(t3 for _, _, t3, _, _ in times)
        share = statistics.mean(reordered for *_, reordered in times)
        gains_by_size.append(Gain(int(size), iterations, cost, gain, chosen, share))
    return gains_by_size


def _by_key(lines: list[list[str]]) -> dict[tuple[str, int], list[list[str]]]:
    """Gather the lines whose first word and second number are equal."""
    rows_by_key: dict[tuple[str, int], list[list[str]]] = {}
    for line in lines:
        rows_by_key.setdefault((line[0], int(line[1])), []).append(line)
    return rows_by_key


def _lines(mpi: Mpi, cluster: Cluster, program: Program, times: int) -> Iterator[list[str]]:
    done = run(mpi, cluster, cluster.directory, program.launch(mpi, cluster, str(times)))
    if done.returncode != 0:
        raise BenchError(f"{program.name}: exit status {done.returncode}: {done.stderr.strip()}")
    for line in done.stdout.splitlines():
        yield line.split()
