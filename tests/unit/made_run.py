"""Profiles of programs that are played through call by call, with the times that they take on a network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence

from made_profile import Made

from rankwise.analysis.timing.efficiency import Efficiency, Split


class MadeRun:
    """A program: ranks compute, wait for each other, and transfer.

    Attributes:
        clocks: of the ranks.
    """

    def __init__(self, ranks: int, kept: Container[int] | None = None) -> None:
        """Begin.

        Args:
            ranks: how many.
            kept: steps whose calls are in the sample; None = all.
        """
        self.ranks, self.clocks = ranks, [0.0] * ranks
        self._kept = kept
        self._left: list[float | None] = [None] * ranks
        self._in_mpi = [0.0] * ranks
        self._calls: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
        self._instances: list[tuple[str, int, list[float], list[float], list[float | None], list[float]]] = []
        self._waits: list[tuple[int, str, int, float, float, float]] = []

    def compute(self, seconds: Sequence[float]) -> None:
        """Each rank computes."""
        self.clocks = [clock + own for clock, own in zip(self.clocks, seconds, strict=True)]

    def collective(self, step: int, transfer: Sequence[float], procedure: str = "MPI_Alltoall") -> None:
        """All wait for all, and then each takes its time."""
        arrivals, last = list(self.clocks), max(self.clocks)
        departures = [last + own for own in transfer]
        since = [
            None if left is None else arrival - left
            for arrival, left in zip(arrivals, self._left, strict=True)
        ]
        if self._kept is None or step in self._kept:
            self._instances.append((procedure, step + 1, arrivals, departures, since, self._in_mpi))
        for rank in range(self.ranks):
            self._calls[rank, procedure].append(departures[rank] - arrivals[rank])
        self.clocks, self._left, self._in_mpi = list(departures), list(departures), [0.0] * self.ranks

    def receive(self, step: int, rank: int, other: int, posted: float, transfer: float) -> None:
        """A rank waits for a message that another one has sent, and then for its transfer."""
        self._call(step, rank, "MPI_Recv", other, posted, transfer)

    def ring(self, step: int, transfer: Sequence[float]) -> None:
        """Each rank sends to the next one, and receives from the one before it."""
        posted = list(self.clocks)
        for rank in range(self.ranks):
            other = (rank - 1) % self.ranks
            self._call(step, rank, "MPI_Sendrecv", other, posted[other], transfer[rank])

    def _call(self, step: int, rank: int, procedure: str, other: int, posted: float, transfer: float) -> None:
        began = self.clocks[rank]
        ended = max(began, posted) + transfer
        self.clocks[rank] = ended
        self._in_mpi[rank] += ended - began
        self._calls[rank, procedure].append(ended - began)
        if self._kept is None or step in self._kept:
            self._waits.append((rank, procedure, other, began, ended, posted))

    @property
    def efficiency(self) -> Efficiency:
        """What is told of it."""
        made = Made(self.ranks, runs=self.clocks)
        for (rank, procedure), seconds in self._calls.items():
            made.call(rank, procedure, sum(seconds), calls=len(seconds), size_bin=4)
        for procedure, number, arrivals, departures, since, in_mpi in self._instances:
            first = any(moment is None for moment in since)
            made.instance(
                procedure,
                number,
                arrivals,
                departures,
                since=[] if first else since,
                since_in_mpi=in_mpi,
            )
        for wait in self._waits:
            made.wait(*wait)
        efficiency = made.seen.efficiency
        assert efficiency is not None
        return efficiency

    @property
    def split(self) -> Split:
        """Likewise, of its communication."""
        efficiency = self.efficiency
        assert efficiency.split is not None, efficiency.why_no_split
        return efficiency.split
