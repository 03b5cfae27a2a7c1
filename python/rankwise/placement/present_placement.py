"""Where the ranks of a run were in a machine: its nodes may have other names, with or without the domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.messages.traffic import Whereabouts
from rankwise.errors import RankwiseError
from rankwise.native import Arguments
from rankwise.topology.machine.model import Level, Machine, Source
from rankwise.topology.machine.objects import Object

SLOT = "slot"

_CURES = (
    "give the machine.json of the job's nodes, or `rankwise map predict` places the ranks on another one",
    "give one with all its slots, or remove it",
)


class NoPresentPlacementError(RankwiseError):
    """The ranks of the run have no place on the machine."""

    def __init__(self, reason: str, cure: str) -> None:
        """Take both as parts of a sentence."""
        super().__init__(f"{reason}: {cure}")
        self.reason = reason


@dataclass(frozen=True)
class PresentPlacement:
    """The placement of the run.

    Attributes:
        slot: shape (ranks,): index of the slot of each rank in Machine.slots.
        bound: ranks whose place in the node is known, because they were bound to some of its processors. The
            others are taken to be in the order of their ranks.
    """

    slot: NDArray[np.int64]
    bound: int


def find_present_placement(where: Whereabouts, machine: Machine) -> PresentPlacement:
    """Find the slots that the ranks were in.

    Raises:
        NoPresentPlacementError: a host that is not known or that the machine has not, or more ranks there
            than slots.
    """
    hosts, given = known_hosts(where), Arguments()
    slot, bound = np.empty(len(hosts), dtype=np.int32), given.new("int32_t *")
    _find(given, "slots", machine, hosts, where.cpus, given.pointer(slot, np.int32, "int32_t *"), bound)
    return PresentPlacement(slot.astype(np.int64), bound[0])


def machine_of_run(where: Whereabouts) -> Machine:
    """Return the machine as far as a run shows it: its nodes, each with as many slots as it had ranks.

    Raises:
        NoPresentPlacementError: the host of a rank is not known.
    """
    counts: dict[str, int] = {}
    for host in known_hosts(where):
        counts[host] = counts.get(host, 0) + 1
    nodes = tuple(Object(1, (Object(2),) * count, host) for host, count in counts.items())
    levels = (Level("machine"), Level("node"), Level(SLOT))
    return Machine(levels, Object(0, nodes), (Source("profile", "nodes and their numbers of ranks"),))


def known_hosts(where: Whereabouts) -> list[str]:
    """Return the host of each rank; NoPresentPlacementError names the first one whose host is not known."""
    if None in where.hosts:
        raise NoPresentPlacementError(
            f"the profile does not record where rank {where.hosts.index(None)} was",
            "its counters were not read; record the run again",
        )
    return [host for host in where.hosts if host is not None]


def nodes_of(hosts: Sequence[str], machine: Machine) -> list[int]:
    """Return the index in Machine.nodes of each host.

    A name with its domain and one without are the same if no other node of the machine has that short name.

    Raises:
        NoPresentPlacementError: the machine has no such node.
    """
    given, nodes = Arguments(), np.empty(len(hosts), dtype=np.int32)
    _find(given, "nodes", machine, hosts, [()] * len(hosts), given.pointer(nodes, np.int32, "int32_t *"))
    return [int(node) for node in nodes]


def _find(
    given: Arguments,
    what: str,
    machine: Machine,
    hosts: Sequence[str],
    cpus: Sequence[Sequence[int]],
    *results: Any,
) -> None:
    """Ask the library where the ranks of a run were in a machine.

    Args:
        given: to the call.
        what: `nodes` or `slots`: rankwise_find_nodes or rankwise_find_slots of include/rankwise/machine.h.
        machine: with nodes of these names.
        hosts: of each rank.
        cpus: processors that each may run on; none if that is not known.
        results: pointers to the results.

    Raises:
        NoPresentPlacementError: a host that the machine has not, or more ranks there than slots.
    """
    slots, processes, problem = machine.slots, given.new("struct rankwise_processes *"), given.problem()
    names, numbers = given.texts(machine.hosts()), slots.numbers
    native_machine = given.new("struct rankwise_machine *")
    native_machine.slots, native_machine.levels, native_machine.nodes = *numbers.shape, len(machine.nodes)
    native_machine.object = given.pointer(numbers, np.int32, "int32_t *")
    native_machine.processor = given.pointer(slots.os[:, -1], np.int32, "int32_t *")
    native_machine.node, native_machine.host = given.pointer(slots.host, np.int32, "int32_t *"), names
    processes.count, processes.ended, processes.host = len(hosts), 1, given.texts(hosts)
    processes.first = given.pointer(np.cumsum([0, *map(len, cpus)]), np.int64, "int64_t *")
    processes.processor = given.pointer([cpu for some in cpus for cpu in some], np.int32, "int32_t *")
    library = given.library
    code = getattr(library, f"rankwise_find_{what}")(
        native_machine, processes, *results, problem, len(problem)
    )
    if code == library.RANKWISE_OUT_OF_MEMORY:
        raise MemoryError
    if code != library.RANKWISE_FOUND:
        raise NoPresentPlacementError(given.said(problem), _CURES[code == library.RANKWISE_NO_ROOM])
