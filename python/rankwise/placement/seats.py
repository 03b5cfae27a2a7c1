"""Where each rank is to be, as launchers are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Seat:
    """The place of one rank; numbers count from 0, and are -1 where the machine does not know.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: name of the node.
        package: logical number (hwloc's) of the package in the node.
        core: logical number of the core in the node.
        core_of_package: logical number of the core in its package.
        cpu: the kernel's number of the processor (hwloc: PU), the first one of the core.
    """

    rank: int
    host: str
    package: int = -1
    core: int = -1
    core_of_package: int = -1
    cpu: int = -1


def by_host(seats: Sequence[Seat]) -> dict[str, list[Seat]]:
    """Return the seats of each host, in the order of their ranks; hosts in the order of their first rank."""
    found: dict[str, list[Seat]] = {}
    for seat in sorted(seats, key=lambda one: one.rank):
        found.setdefault(seat.host, []).append(seat)
    return found
