"""Which slot of the machine each rank was in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.traffic import Whereabouts
from rankwise.placement.absent import NoPresentError
from rankwise.placement.hosts import known_hosts, nodes_of
from rankwise.topology.machine.model import Machine


@dataclass(frozen=True)
class Present:
    """The placement of the run.

    Attributes:
        slot: shape (ranks,): place of each rank in Machine.slots.
        bound: ranks whose place in the node is known, because they were bound to some of its processors. The
            others are taken to be in the order of their ranks.
    """

    slot: NDArray[np.int64]
    bound: int


def present_placement(where: Whereabouts, machine: Machine) -> Present:
    """Find the slots that the ranks were in.

    Raises:
        NoPresentError: a host that is not known or that the machine has not, or more ranks there than slots.
    """
    nodes = np.array(nodes_of(known_hosts(where), machine))
    slot = np.full(len(nodes), -1, dtype=np.int64)
    bound = 0
    for node in np.unique(nodes):
        ranks = np.flatnonzero(nodes == node).tolist()
        places = np.flatnonzero(machine.slots.host == node).tolist()
        if len(ranks) > len(places):
            raise NoPresentError(
                f"{len(ranks)} ranks were on {machine.hosts()[node]!r}, where the machine has"
                f" {len(places)} slot{'s' * (len(places) != 1)}",
                "give one with all its slots, or leave it out",
            )
        bound += _seat(ranks, places, where, machine, slot)
    return Present(slot, bound)


def _seat(
    ranks: list[int], places: list[int], where: Whereabouts, machine: Machine, slot: NDArray[np.int64]
) -> int:
    """Give each of a node's ranks one of its slots; return how many were bound."""
    cpus = {place: int(machine.slots.os[place, -1]) for place in places}
    free = dict.fromkeys(places)
    mine = {rank: [place for place in places if cpus[place] in set(where.cpus[rank])] for rank in ranks}
    bound = [rank for rank in ranks if 0 < len(mine[rank]) < len(places)]
    # Those with the least choice first.
    for rank in sorted(bound, key=lambda one: len(mine[one])):
        slot[rank] = next((place for place in mine[rank] if place in free), -1)
        free.pop(int(slot[rank]), None)
    for rank in ranks:
        if slot[rank] < 0:
            slot[rank] = next(iter(free))
            free.pop(int(slot[rank]))
    return len(bound)
