"""Which ports hosts send from and get messages at, as the rail policy says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.hosts import HostsByName
from rankwise.network.job.rails import BY_LOCAL_RANK, ENV, RailPolicy

Port = tuple[int, int]
"""Of a host: the number of the subnet, and of the port there."""


@dataclass(frozen=True)
class Ends:
    """Ports of N hosts in the subnets of a fabric.

    Attributes:
        hosts: their names.
        sends: the ports that each host sends from, if the other host has one in the same subnet; they take
            equal shares.
        receives: of each subnet, the ports that each host gets messages at, in equal shares; none: it is not
            reached there.
    """

    hosts: tuple[str, ...]
    sends: tuple[tuple[Port, ...], ...]
    receives: tuple[tuple[tuple[int, ...], ...], ...]

    def between(self, host: int, rails: frozenset[int]) -> list[Port]:
        """Return the ports that a host takes for hosts that are reached in some subnets alone."""
        return [port for port in self.sends[host] if port[0] in rails]

    def rails_to(self, other: int) -> frozenset[int]:
        """Return the subnets in which a host is reached."""
        return frozenset(rail for rail, ports in enumerate(self.receives) if ports[other])


def ends_of(fabric: Fabric, hosts: Sequence[str], policy: str) -> Ends:
    """Choose ports of hosts, as `rankwise.network.job.journeys` does for ranks.

    Args:
        fabric: where the hosts are.
        hosts: by the names that the fabric has for them.
        policy: name of a RailPolicy that all ranks follow.

    Raises:
        RankwiseError: ranks of a host would not take the same ports, there is no such rail, or a host has no
            port to take.
    """
    known, rule = HostsByName(fabric).ports, _rule(policy)
    rule.check(fabric, {host: known[host] for host in hosts})
    sends, receives = [], []
    for host in hosts:
        chosen = rule.chosen(fabric, known[host], 0, 0)
        if not chosen:
            raise RankwiseError(
                f"{host} has no port to take, for messages go {rule}: choose nodes with --node"
            )
        sends.append(tuple((port.subnet, port.port) for port in chosen))
        of_rails = []
        for rail in range(len(fabric.subnets)):
            # A host that sends only by other rails receives at all its ports on this rail.
            there = [port for port in chosen if port.subnet == rail] or known[host]
            of_rails.append(tuple(port.port for port in there if port.subnet == rail))
        receives.append(tuple(of_rails))
    return Ends(tuple(hosts), tuple(sends), tuple(zip(*receives, strict=True)))


def hosts_that_take(fabric: Fabric, policy: str) -> list[str]:
    """Return all hosts that have a port to take; all of the fabric if none has, or RankwiseError."""
    known, rule = HostsByName(fabric).ports, _rule(policy)
    return [host for host, ports in known.items() if rule.chosen(fabric, ports, 0, 0)] or list(known)


def _rule(policy: str) -> RailPolicy:
    if policy in (BY_LOCAL_RANK, ENV):
        raise RankwiseError(
            f"--rail {policy}: the ranks of a host may then use different ports, but a machine.json has one "
            "route between two hosts: give split, first, or the name of a rail or an adapter"
        )
    return RailPolicy(policy)
