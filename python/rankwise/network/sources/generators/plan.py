"""Common parts of the generators: from switches, hosts and cables to a subnet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.fabric.draft import Draft, DraftPort, DraftSwitch, finished
from rankwise.network.fabric.model import NO_PORT, Routing, Subnet
from rankwise.text.units import byte_text

_LARGEST_TABLES = 4 << 30
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """S switches with P hosts, each with one port.

    Attributes:
        switches: their names.
        hosts: their names.
        at: shape (P,): the switch of each host.
        port: shape (P,): its port there.
        cables: shape (C, 4): switch and port of one end, then of the other.
        rate: bytes a second of each cable, in each direction; nan: not known.
    """

    switches: tuple[str, ...]
    hosts: tuple[str, ...]
    at: Numbers
    port: Numbers
    cables: Numbers
    rate: float

    def __post_init__(self) -> None:
        highest = max(int(self.port.max(initial=0)), int(self.cables[:, [1, 3]].max(initial=0)))
        if highest >= NO_PORT:
            raise RankwiseError(f"a switch would need {highest} ports; at most {NO_PORT - 1} are possible")


def check_tables(switches: int, hosts: int, ways: int = 1) -> None:
    """Refuse tables that need too much memory, before there are any.

    Args:
        switches: their number.
        hosts: their number.
        ways: ports of an entry.
    """
    size = switches * (hosts + 1) * ways * np.dtype(np.uint16).itemsize
    if size > _LARGEST_TABLES:
        raise RankwiseError(
            f"forwarding tables would take {byte_text(size)}, and the maximum is "
            f"{byte_text(_LARGEST_TABLES)}: make it "
            f"smaller{', or without an even split' if ways > 1 else ''}"
        )


def subnet_of(plan: Plan, tables: NDArray[np.uint16], routing: Routing) -> Subnet:
    """Return the subnet.

    Args:
        plan: of the fabric.
        tables: shape (S, P, W): the ports that each switch sends messages for each host out of, filled with
            NO_PORT.
        routing: the origin of the tables.
    """
    count = len(plan.switches)
    draft = Draft(routing=routing)
    draft.switches = {number: DraftSwitch(name) for number, name in enumerate(plan.switches, 1)}
    places = list(zip((plan.at + 1).tolist(), plan.port.tolist(), strict=True))
    for number, (host, place) in enumerate(zip(plan.hosts, places, strict=True), 1):
        draft.ports[count + number, 1] = DraftPort(host, lid=number, node=0)
        draft.link((count + number, 1), place, plan.rate)
    for lower, one_port, upper, other_port in plan.cables.tolist():
        draft.link((lower + 1, one_port), (upper + 1, other_port), plan.rate)
    lids = np.arange(1, len(plan.hosts) + 1)
    draft.tables = {number: (lids, table) for number, table in enumerate(tables, 1)}
    return finished(draft)
