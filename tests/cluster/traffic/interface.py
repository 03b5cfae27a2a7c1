"""The counters of a node's network interface, and what they hold of the data of programs."""

from __future__ import annotations

from pathlib import Path

HEADER_BYTES = 14 + 20 + 32
"""Of each packet: Ethernet, IPv4, and TCP with time stamps. Bare acknowledgements are nothing but these."""


SEGMENT_BYTES = 1500 - 20 - 32
"""The most that one packet carries."""


def payload(bytes_: int, packets: int) -> int:
    """Return the bytes that TCP carried.

    A virtual interface may hand on one packet that real ones would have cut into many (TSO, GRO). It
    counts it as one and its headers once, so this holds with and without.
    """
    return bytes_ - HEADER_BYTES * packets


FILES = ("/proc/net/dev", "/proc/net/snmp")
"""They show the node's own interfaces to whoever reads them there; /sys shows those of its mounter."""


def sent(interface: str = "eth0") -> int:
    """Return the payload that an interface of this node has sent, without what TCP sent again."""
    devices, protocols = (Path(file).read_text() for file in FILES)
    return sent_by(devices, protocols, interface)


def sent_by(devices: str, protocols: str, interface: str = "eth0") -> int:
    """Return the same from the text of FILES on a node."""
    for line in devices.splitlines():
        name, _, figures = line.partition(":")
        if name.strip() == interface:
            columns = figures.split()
            return payload(int(columns[8]), int(columns[9])) - repeated_by(protocols)
    raise LookupError(f"no interface {interface}")


def repeated_by(protocols: str) -> int:
    """Return how many bytes TCP sent again, at most, from the text of /proc/net/snmp on a node."""
    names, figures = (line.split() for line in protocols.splitlines() if line.startswith("Tcp:"))
    return SEGMENT_BYTES * int(figures[names.index("RetransSegs")])
