"""The way of messages from one host port to another, hop by hop."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.network.fabric.model import NO_PORT, Subnet
from rankwise.network.routes.destinations import ARRIVES, IN_CIRCLES, NO_WAY


@dataclass(frozen=True)
class Hop:
    """A link on the way.

    Attributes:
        link: its index.
        ways: number of links that the switch before it uses equally often for this destination.
    """

    link: int
    ways: int


@dataclass(frozen=True)
class Trace:
    """A way.

    Attributes:
        source: host port.
        destination: host port.
        lid: of the destination that messages are sent to.
        hops: links, the first one from the source to its switch; of an even split, the first of several ways.
        fate: ARRIVES, NO_WAY or IN_CIRCLES: the outcome at the end of the last hop.
    """

    source: int
    destination: int
    lid: int
    hops: tuple[Hop, ...]
    fate: int


def trace(subnet: Subnet, source: int, destination: int, lid: int) -> Trace:
    """Follow messages through the forwarding tables.

    A way that comes to a switch for the second time is in a loop, and ends there.

    Args:
        subnet: of the ports.
        source: host port.
        destination: another host port.
        lid: one of its LIDs.
    """
    switches = len(subnet.switches.names)
    hops = [Hop(int(subnet.up[source]), 1)]
    seen = set()
    while True:
        end = int(subnet.links.destination[hops[-1].link])
        if end >= switches:
            fate = ARRIVES if end == switches + destination else NO_WAY
            break
        if end in seen:
            fate = IN_CIRCLES
            break
        seen.add(end)
        ports = [port for port in subnet.forward[end, lid].tolist() if port != NO_PORT]
        link = _out(subnet, end, ports[0]) if ports else -1
        if link < 0:
            fate = NO_WAY
            break
        hops.append(Hop(link, len(ports)))
    return Trace(source, destination, lid, tuple(hops), fate)


def _out(subnet: Subnet, switch: int, port: int) -> int:
    """Return the link out of a port of a switch; -1 without one. Port 0 is the switch itself."""
    return int(subnet.out[switch, port]) if 0 < port < subnet.out.shape[1] else -1
