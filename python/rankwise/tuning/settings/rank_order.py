"""An order of MPI_COMM_WORLD, and the nodes that it suits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class RankOrder:
    """An order of MPI_COMM_WORLD: the processes stay where the launcher starts them, with other ranks.

    Attributes:
        new_rank: by the rank that the launcher assigns.
        node: of these processes, where the order was found: processes with the same number shared a node.
    """

    new_rank: tuple[int, ...]
    node: tuple[int, ...]

    @classmethod
    def on(cls, hosts: Sequence[str], new_rank: Iterable[int]) -> RankOrder:
        """Return an order.

        Args:
            hosts: by the rank that the launcher assigns.
            new_rank: also by this rank.
        """
        return cls(tuple(new_rank), _numbers(hosts))

    @property
    def launched(self) -> list[int]:
        """The rank that the launcher assigns, by the new rank."""
        ranks = [0] * len(self.new_rank)
        for launched, rank in enumerate(self.new_rank):
            ranks[rank] = launched
        return ranks

    def elsewhere(self, hosts: Sequence[str]) -> str:
        """Say which processes share a node in a run, and did not before, or the other way round.

        Args:
            hosts: of a run in this order, by the new rank.

        Returns:
            a clause; '' if the processes share nodes as before.
        """
        now = _numbers([hosts[rank] for rank in self.new_rank])
        before = _numbers(self.node)
        for rank, (here, there) in enumerate(zip(now, before, strict=True)):
            if here != there:
                # All earlier ranks have equal numbers, so this one's first neighbour differs.
                mate = min(now.index(here), before.index(there))
                how = "share a node, and did not" if now[mate] == here else "do not share a node, and did"
                return f"the launcher's ranks {mate} and {rank} {how} when the order was found"
        return ""


def _numbers(nodes: Sequence[object]) -> tuple[int, ...]:
    """Return the number of each node, in the order in which they first occur."""
    known: dict[object, int] = {}
    return tuple(known.setdefault(node, len(known)) for node in nodes)
