"""Round-robin choice among the ports of hosts: the sender's ports send evenly to the receiver's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Subnet
from rankwise.network.machine.ends import Ends
from rankwise.network.machine.lanes import Lanes, Numbers, lanes_of

_NONE = -1


@dataclass(frozen=True)
class Turn:
    """The ports that messages between N nodes take in one or more tables.

    Attributes:
        share: of all messages.
        rail: shape (N, N): the subnet in which a node sends messages for each other node; -1 for itself.
        port: shape (N, N): the host port that it sends them from.
        arrives: of each subnet that is used, shape (N,): the host port where each node gets messages.
        lanes: of each subnet that is used.
    """

    share: float
    rail: Numbers
    port: Numbers
    arrives: Mapping[int, Numbers]
    lanes: Mapping[int, Lanes]

    @property
    def count(self) -> int:
        """How many tables there are."""
        return math.lcm(*(lanes.count for lanes in self.lanes.values()))

    def starts(self, subnet: Subnet, number: int) -> NDArray[np.bool_]:
        """Return shape (S, N): the switches where messages for each node begin in a subnet."""
        return _starts(subnet, self.rail == number, self.port)

    def begins(self, subnet: Subnet, number: int, at: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return shape (N, N): the pairs whose messages begin at some of the switches, shape (S, N)."""
        is_start: NDArray[np.bool_] = self.rail == number
        source, destination = np.nonzero(is_start)
        is_start[source, destination] = at[
            subnet.links.destination[subnet.up[self.port[source, destination]]], destination
        ]
        return is_start


def turns(subnets: Sequence[Subnet], ends: Ends, lid_offset: int | None) -> Iterator[Turn]:
    """Yield the turns, which together cover all messages.

    Args:
        subnets: all of the fabric.
        ends: the ports of the nodes.
        lid_offset: which LID of a port to take, from 0; None: all evenly.

    Raises:
        RankwiseError: two nodes have no rail in common.
    """
    sending = _sending(ends)
    for rail, port in sending:
        used = [number for number in range(len(subnets)) if (rail == number).any()]
        receiving = [
            (place, offset)
            for place in range(math.lcm(*(len(own) or 1 for number in used for own in ends.receives[number])))
            for offset in _offsets([subnets[number] for number in used], lid_offset)
        ]
        starts = {number: _starts(subnets[number], rail == number, port) for number in used}
        for place, offset in receiving:
            arrives, lanes = {}, {}
            for number in used:
                ports = subnets[number].ports
                arrives[number] = to = np.array(
                    [own[place % len(own)] if own else _NONE for own in ends.receives[number]]
                )
                lids = ports.lids[to] + offset % ports.lid_counts[to]
                lanes[number] = lanes_of(subnets[number], subnets[number].forward[:, lids], starts[number])
            yield Turn(1 / (len(sending) * len(receiving)), rail, port, arrives, lanes)


def _offsets(subnets: Sequence[Subnet], lid_offset: int | None) -> Sequence[int]:
    """Return which LIDs of ports to take, in equal shares."""
    if lid_offset is not None:
        return (lid_offset,)
    return range(
        math.lcm(*(int(count) for subnet in subnets for count in np.unique(subnet.ports.lid_counts)))
    )


def _sending(ends: Ends) -> list[tuple[Numbers, Numbers]]:
    """Return subnets and ports that nodes send from, as `Turn` has them, in equal shares."""
    nodes = len(ends.hosts)
    rails_to = [ends.rails_to(other) for other in range(nodes)]
    choices = {
        (source, rails): ends.between(source, rails)
        for source in range(nodes)
        for rails in dict.fromkeys(rails_to)
    }
    senders = []
    for turn in range(math.lcm(*(len(ports) or 1 for ports in choices.values()))):
        rail, port = np.full((nodes, nodes), _NONE), np.full((nodes, nodes), _NONE)
        for rails in dict.fromkeys(rails_to):
            others = np.array([other for other in range(nodes) if rails_to[other] == rails])
            for source in range(nodes):
                ports = choices[source, rails]
                if not ports and (others != source).any():
                    other = ends.hosts[others[others != source][0]]
                    raise RankwiseError(
                        f"{ends.hosts[source]} has no rail in common with {other}: choose nodes with "
                        "--node, or a rail with --rail"
                    )
                if ports:
                    rail[source, others], port[source, others] = ports[turn % len(ports)]
        np.fill_diagonal(rail, _NONE)
        senders.append((rail, port))
    return senders


def _starts(subnet: Subnet, here: NDArray[np.bool_], port: Numbers) -> NDArray[np.bool_]:
    """Return shape (S, N): the switches where messages of some pairs of N nodes begin.

    Args:
        subnet: with S switches.
        here: shape (N, N): the pairs.
        port: shape (N, N): that the first of each sends from.
    """
    starts = np.zeros((len(subnet.switches.names), len(here)), bool)
    source, destination = np.nonzero(here)
    starts[subnet.links.destination[subnet.up[port[source, destination]]], destination] = True
    return starts
