"""Nodes whose clocks were not compared are put on that of rank 0's node by the collectives of the program."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from test_arrivals import NUMBER, SUB, WORLD, Joined

from rankwise.profile.collect.clock import Stamp
from rankwise.profile.collect.layout import ARRIVAL, ARRIVAL_TABLE
from rankwise.profile.join.clocks_by_collectives import clocks_by_collectives
from rankwise.profile.join.node_clocks import COLLECTIVES, OWN, NodeClock

SECOND = 10**9
SHORT = 20e-6  # seconds that a collective takes when all are there


class Node(NamedTuple):
    """What a node's clock shows, in seconds, at an instant of the true time."""

    ahead: float
    drift: float = 0.0

    def shows(self, instants: Any) -> Any:
        return instants * (1 + self.drift) + self.ahead


NODES = (Node(0.0), Node(3600.0), Node(-7.5))  # of ranks 0, 1, 2


class Run:
    """Collectives of three ranks, each on a node, and what their processes keep of them."""

    def __init__(self, nodes: tuple[Node, ...] = NODES, seconds: float = 10.0) -> None:
        self.nodes, self.seconds = nodes, seconds
        self.random = np.random.default_rng(7)
        self.kept: list[list[tuple[int, str, np.ndarray[Any, Any], np.ndarray[Any, Any], int]]] = [[], [], []]

    def call(
        self,
        procedure: str,
        ranks: tuple[int, ...] = (0, 1, 2),
        *,
        calls: int = 100,
        late: tuple[float, ...] = (0.0, 0.0, 0.0),
        size: int = 8,
        synchronises: bool = True,
    ) -> Run:
        """Have all of a communicator call it, some later than others by so many seconds at most."""
        begin = np.sort(self.random.uniform(1, self.seconds - 1, calls))
        came = {rank: begin + late[rank] * self.random.uniform(0.5, 1, calls) for rank in ranks}
        last = np.max(list(came.values()), axis=0) if synchronises else None
        for rank in ranks:
            left = came[rank] if last is None else last
            left = left + SHORT * self.random.uniform(0.6, 1.4, calls)
            communicator = WORLD if len(ranks) == 3 else SUB
            self.kept[rank].append((communicator, procedure, came[rank], left, size))
        return self

    def clocks(self) -> dict[int, NodeClock]:
        """Return what is found of the nodes' clocks."""
        world, clocks = {}, {}
        for rank, node in enumerate(self.nodes):
            tables = np.zeros(len(self.kept[rank]), ARRIVAL_TABLE)
            parts = []
            for place, (communicator, procedure, came, left, size) in enumerate(self.kept[rank]):
                tables[place] = (communicator, NUMBER[procedure], 0, 0, 0)
                rows = np.zeros(len(came), ARRIVAL)
                rows["table"], rows["instance"] = place, np.arange(1, len(came) + 1)
                rows["bytes"], rows["root"] = size, -1
                rows["arrived"] = self._ticks(node, came)
                rows["left"] = self._ticks(node, left)
                parts.append(rows)
            stamps = {
                name: Stamp(int(self._ticks(node, np.array([at]))[0]), SECOND, SECOND)
                for name, at in (("loaded", 0.5), ("stopped", self.seconds))
            }
            header = SimpleNamespace(stamps=stamps)
            arrivals = np.concatenate(parts) if parts else np.zeros(0, ARRIVAL)
            world[rank] = SimpleNamespace(arrival_tables=tables, arrivals=arrivals, header=header)
            # Its wall clock tells it as many seconds as its counter has counted.
            clocks[rank] = NodeClock(
                group=rank,
                ticks=10**13,
                seconds=0.0,
                seconds_per_tick=1 / SECOND,
                source="" if rank else OWN,
            )
        regions = SimpleNamespace(ids={rank: np.array([0]) for rank in world})
        return dict(clocks_by_collectives(world, Joined(), regions, clocks))  # type: ignore[arg-type]

    @staticmethod
    def _ticks(node: Node, instants: Any) -> Any:
        return (np.rint(node.shows(instants) * SECOND) + 10**13).astype(np.uint64)

    def error(self, clock: NodeClock, rank: int) -> float:
        """Return how far the clock of a rank is off at most, in truth."""
        instants = np.linspace(0.5, self.seconds, 50)
        return float(np.abs(clock.of(self._ticks(self.nodes[rank], instants)) - instants).max())


@pytest.mark.parametrize(
    "late",
    [(0.0, 0.0, 0.0), (5e-3, 0.0, 0.0), (0.0, 5e-3, 0.0), (1e-3, 2e-3, 3e-3)],
    ids=["nobody", "the-root", "one", "all-differently"],
)
def test_they_are_known_as_exactly_as_the_collectives_are_short(late: tuple[float, ...]) -> None:
    run = Run().call("MPI_Alltoall", late=late)
    clocks = run.clocks()
    for rank in (1, 2):
        assert (clocks[rank].source, clocks[rank].group) == (COLLECTIVES, clocks[0].group)
        assert run.error(clocks[rank], rank) < clocks[rank].largest_error < 10 * SHORT
        assert clocks[rank].ahead == pytest.approx(NODES[rank].ahead, abs=10 * SHORT)
    assert clocks[0].source == OWN


def test_a_drift_is_followed_where_the_run_is_long_enough() -> None:
    nodes = (Node(0.0), Node(5.0, 5e-5), Node(1.0, -2e-5))
    run = Run(nodes, 200.0).call("MPI_Allreduce", calls=120)
    clocks = run.clocks()
    for rank in (1, 2):
        assert run.error(clocks[rank], rank) < clocks[rank].largest_error < 1e-3


def test_from_one_node_to_the_next() -> None:
    """Ranks 1 and 2 share a communicator, which tells nothing of rank 0."""
    run = Run((Node(0.0), Node(3600.0), Node(3600.0))).call("MPI_Barrier", (1, 2))
    assert [clock.source for clock in run.clocks().values()] == [OWN, "", ""]
    run.call("MPI_Allgather")
    clocks = run.clocks()
    assert run.error(clocks[2], 2) < clocks[2].largest_error < 10 * SHORT


@pytest.mark.parametrize(
    "run",
    [
        Run(),
        Run().call("MPI_Barrier", calls=3),
        # In these nobody need wait for everybody.
        Run().call("MPI_Bcast"),
        Run().call("MPI_Alltoallv"),
        Run().call("MPI_Allreduce", size=0),
        # Some left before others came: it is not known what they waited for.
        Run().call("MPI_Barrier", late=(0.0, 0.1, 0.2), synchronises=False),
    ],
    ids=["none", "few", "rooted", "pairs", "empty", "contradictory"],
)
def test_what_tells_nothing(run: Run) -> None:
    assert [clock.source for clock in run.clocks().values()] == [OWN, "", ""]
