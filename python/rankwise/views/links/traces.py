"""The way of messages between two ports, as `ibtracert` prints it."""

from __future__ import annotations

from typing import Any

from rankwise.network.fabric.model import Subnet
from rankwise.network.routes.destinations import IN_CIRCLES, NO_WAY
from rankwise.network.routes.trace import Trace

OUTCOMES = {NO_WAY: "dead end", IN_CIRCLES: "loop"}


def trace_lines(subnet: Subnet, trace: Trace) -> list[str]:
    """Return the lines of a way: its first port, a line for each link, its last port or why it ends."""
    ports, switches = subnet.ports, len(subnet.switches.names)
    lines = [
        f"From ca {{0x{ports.nodes[trace.source]:016x}}} portnum {ports.numbers[trace.source]} "
        f"{_port_words(subnet, trace.source)}"
    ]
    for hop in trace.hops:
        end = int(subnet.links.destination[hop.link])
        if end < switches:
            lid = int(subnet.switches.lids[end])
            guid, kind = int(subnet.switches.guids[end]), "switch"
            words = f'lid {lid}-{lid} "{subnet.switches.names[end]}"'
        else:
            guid, kind = int(ports.guids[end - switches]), "ca"
            words = _port_words(subnet, end - switches)
        several = f" (1 of {hop.ways} ports, used equally)" if hop.ways > 1 else ""
        lines.append(
            f"[{subnet.links.source_port[hop.link]}] -> {kind} port {{0x{guid:016x}}}"
            f"[{subnet.links.destination_port[hop.link]}] {words}{several}"
        )
    if trace.fate in OUTCOMES:
        return [*lines, _why(subnet, trace)]
    return [
        *lines,
        f"To ca {{0x{ports.nodes[trace.destination]:016x}}} portnum {ports.numbers[trace.destination]} "
        f"{_port_words(subnet, trace.destination)}",
    ]


def trace_data(subnet: Subnet, trace: Trace) -> dict[str, Any]:
    """Return a way as `--json` prints it."""
    links = subnet.links
    return {
        "rail_name": subnet.name,
        "lid": trace.lid,
        "outcome": OUTCOMES.get(trace.fate, "arrives"),
        "hops": [
            {
                "source": subnet.name_of(int(links.source[hop.link])),
                "source_port": int(links.source_port[hop.link]),
                "destination": subnet.name_of(int(links.destination[hop.link])),
                "destination_port": int(links.destination_port[hop.link]),
                "ways": hop.ways,
            }
            for hop in trace.hops
        ],
        "lines": trace_lines(subnet, trace),
    }


def _port_words(subnet: Subnet, port: int) -> str:
    """Return the LIDs and the description of a host port."""
    ports = subnet.ports
    first, count = int(ports.lids[port]), int(ports.lid_counts[port])
    name = " ".join(filter(None, (ports.hosts[port], ports.devices[port])))
    return f'lid {first}-{first + count - 1} "{name}"'


def _why(subnet: Subnet, trace: Trace) -> str:
    """Return why a way does not arrive."""
    end = int(subnet.links.destination[trace.hops[-1].link])
    name = subnet.name_of(end)
    if trace.fate == IN_CIRCLES:
        return f"Loop: the way is at {name} for the second time."
    if end >= len(subnet.switches.names):
        return f"Dead end: LID {trace.lid} is not at {name}."
    return f"Dead end: {name} has no port with a link for LID {trace.lid}."
