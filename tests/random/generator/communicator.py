"""A communicator as the generator knows it: who is in it, and who is whose neighbour."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topology:
    """A virtual topology. Neighbours are ranks in the communicator, -1 beyond the edge of a grid.

    Attributes:
        kind: as in the profile.
        sources: for each rank, in the order of the arguments of neighbourhood collectives.
        destinations: likewise.
        ordered: whether the standard fixes the order of the neighbours.
    """

    kind: str
    sources: tuple[tuple[int, ...], ...]
    destinations: tuple[tuple[int, ...], ...]
    ordered: bool = True
    dims: tuple[int, ...] = ()
    periods: tuple[int, ...] = ()


@dataclass(frozen=True)
class Comm:
    """A communicator; its number is its place in the interpreter's table.

    Attributes:
        group: world ranks by rank; of an intercommunicator one side.
        remote: the other side; () = an intracommunicator.
        depth: how many constructors lie between it and the world.
    """

    number: int
    group: tuple[int, ...]
    remote: tuple[int, ...] = ()
    topology: Topology | None = None
    depth: int = 0

    @property
    def inter(self) -> bool:
        return bool(self.remote)

    @property
    def members(self) -> tuple[int, ...]:
        """World ranks of all processes that have it."""
        return self.group + self.remote

    def local(self, world_rank: int) -> tuple[int, ...]:
        """The group that a member belongs to."""
        return self.remote if world_rank in self.remote else self.group

    def peers(self, world_rank: int) -> tuple[int, ...]:
        """The processes that its messages go to."""
        return (self.group if world_rank in self.remote else self.remote) if self.inter else self.group

    def rank(self, world_rank: int) -> int:
        """Its rank in its group."""
        return self.local(world_rank).index(world_rank)
