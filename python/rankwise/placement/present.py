"""Which slot of the machine each rank was in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.traffic import Whereabouts
from rankwise.native import Arguments
from rankwise.placement.hosts import find, known_hosts
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
    hosts, given = known_hosts(where), Arguments()
    slot, bound = np.empty(len(hosts), dtype=np.int32), given.new("int32_t *")
    find(given, "slots", machine, hosts, where.cpus, given.pointer(slot, np.int32, "int32_t *"), bound)
    return Present(slot.astype(np.int64), bound[0])
