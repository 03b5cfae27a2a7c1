"""Ways that a host's messages may go: by its port on each rail, and by each LID of the other host's port."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import NO_PORT, Subnet

_MOST_WAYS = 32
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Lane:
    """One of the ways to send, of N nodes in a subnet.

    Attributes:
        port: shape (N,): the host port that each node sends from, and gets what is sent to it at.
        exits: shape (S, N): the port that each switch sends messages for each node out of; NO_PORT: none.
    """

    port: Numbers
    exits: NDArray[np.uint16]


def lanes(subnet: Subnet, hosts: Sequence[str]) -> Iterator[Lane]:
    """Yield the lanes of some hosts, which take equal shares of all messages.

    A host with several ports in the subnet takes them in turns: the first one for the first port of the other
    host, and so on. LIDs that a port has beyond its first one (LMC) are ways of their own. So are the ports
    of an even split, at most 32 of them: at each switch the next lane takes the next port.

    Raises:
        RankwiseError: a host has no port in the subnet.
    """
    ports = _ports(subnet, hosts)
    for turn in range(max(map(len, ports))):
        port = np.array([own[turn % len(own)] for own in ports])
        counts = subnet.ports.lid_counts[port]
        for offset in range(int(counts.max())):
            entries = subnet.forward[:, subnet.ports.lids[port] + offset % counts]
            for exits in _split(entries):
                yield Lane(port, exits)


def _ports(subnet: Subnet, hosts: Sequence[str]) -> list[list[int]]:
    """Return the ports of each host."""
    known: dict[str, list[int]] = {host: [] for host in hosts}
    for port, host in enumerate(subnet.ports.hosts):
        if host in known:
            known[host].append(port)
    lacking = [host for host in hosts if not known[host]]
    if lacking:
        where = f"rail {subnet.name!r}" if subnet.name else "the fabric"
        more = f" (nor have {len(lacking) - 1} others)" if len(lacking) > 1 else ""
        raise RankwiseError(
            f"{lacking[0]} has no port in {where}{more}: choose nodes with --nodes"
            + (", or a rail with --rail" if subnet.name else "")
        )
    return [known[host] for host in hosts]


def _split(entries: NDArray[np.uint16]) -> Iterator[NDArray[np.uint16]]:
    """Yield tables with one port for each entry, which together take all ports of an even split alike.

    Which lane takes which port differs from switch to switch and from node to node: so ways through several
    switches are mixed, and what is left over where there are too many ways is spread.
    """
    counts = (entries != NO_PORT).sum(axis=2)
    ways = min(math.lcm(*np.unique(counts[counts > 0]).tolist()), _MOST_WAYS)
    turn = np.add.outer(np.arange(entries.shape[0]), np.arange(entries.shape[1]))
    for lane in range(ways):
        place = (lane + turn) % np.maximum(counts, 1)
        yield np.take_along_axis(entries, place[:, :, None], axis=2)[:, :, 0]
