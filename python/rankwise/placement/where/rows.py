"""The places of ranks, and what distributions cost, as rows."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.placement.where.distributions import Offered
from rankwise.placement.where.places import Places, near, packages
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class RankRow:
    """Where one rank is.

    Attributes:
        host: its node.
        packages: numbers of those whose processors it may use; none if they are unknown, also below.
        numa: of the NUMA domains.
        cores: number of cores that it may use.
        processors: the kernel's numbers.
        is_bound: whether these are a part of the processors that ranks of the node may use, or one core.
        threads: OMP_NUM_THREADS; None = not set.
        memory: NUMA domains that it may take memory from; None = unknown.
    """

    rank: int
    host: str
    packages: tuple[int, ...]
    numa: tuple[int, ...]
    cores: int
    processors: tuple[int, ...]
    is_bound: bool
    threads: int | None
    memory: tuple[int, ...] | None


@dataclass(frozen=True, kw_only=True)
class OfferedRow:
    """What a launch costs the messages of a run.

    Attributes:
        options: of the launcher; none: the launch as given.
        nodes: number that it uses; None if it could not be started, also below.
        cost: in the unit of the comparison.
        percent_of_best_saving: None if there is nothing to save.
        problem: why it could not be started, or should not be used; ''.
    """

    options: tuple[str, ...]
    nodes: int | None
    cost: float | None
    bytes_off_node: int | None
    percent_of_best_saving: float | None
    problem: str


def rank_rows(places: Places) -> list[RankRow]:
    """Return a row for each rank, ascending."""
    rows = [
        RankRow(
            rank=rank.rank,
            host=node.host,
            packages=tuple(sorted(packages(node, rank))),
            numa=tuple(sorted(near(node, rank))),
            cores=len(node.cores(rank.cpus)),
            processors=rank.cpus,
            is_bound=node.is_bound(rank),
            threads=rank.omp_threads,
            memory=places.memory.get(rank.rank),
        )
        for node in places.nodes
        for rank in node.ranks
    ]
    return sorted(rows, key=lambda row: row.rank)


def offered_rows(launches: Sequence[Offered]) -> list[OfferedRow]:
    """Return a row for each launch."""
    return [
        OfferedRow(
            options=each.words,
            nodes=len(each.places.nodes) if each.places else None,
            cost=each.cost.cost if each.cost else None,
            bytes_off_node=each.cost.bytes_off_node if each.cost else None,
            percent_of_best_saving=None if each.share is None else 100 * each.share,
            problem=each.problem,
        )
        for each in launches
    ]
