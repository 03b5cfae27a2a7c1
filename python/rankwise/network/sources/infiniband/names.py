"""Names of hosts, devices and switches, from their descriptions."""

from __future__ import annotations

import re

from rankwise.network.sources.text import printable

_AGGREGATION = "Aggregation Node"
_FACTORY = "Mellanox Technologies"
_DEVICE = re.compile(r"HCA|(?:HCA|mlx|mthca|hfi|qib|ipath|ib|rocep|rdmap|bnxt_re)[-_]?\d\w*", re.IGNORECASE)
_NO_NAMES = (
    "localhost",
    "localhost.localdomain",
    "(none)",
    "none",
    "unknown",
    "linux",
    "ubuntu",
    "debian",
    "hca",
)
_MANAGED = re.compile(r"MF0;([^:]+):([^/]*)/?(.*)")


def is_aggregation(description: str) -> bool:
    """Return whether this is the part of a switch that computes (SHARP), which shows up as an adapter."""
    return _AGGREGATION in description


def host_and_device(description: str, node: int) -> tuple[str, str]:
    """Return the names of the host and of its device, '' without one.

    The first word is the host, the rest the device: `%h %d` is what rdma-ndd sets. Where the first word is a
    device and the last is not, the last is the host. An adapter that still has its factory description
    counts as a separate host, by its GUID.

    Args:
        description: of an adapter.
        node: its GUID.
    """
    words = printable(description).split(None, 1)
    if is_factory(description):
        return f"0x{node:016x}", ""
    host, device = words[0], words[1].strip() if len(words) > 1 else ""
    between, _, last = device.rpartition(" ")
    if is_device(host) and last and not is_device(last):
        return last, f"{host} {between}".strip()
    return host, device


def is_device(word: str) -> bool:
    """Return whether a word of a description names an adapter, such as mlx5_0, HCA-1."""
    return _DEVICE.fullmatch(word) is not None


def is_no_name(host: str) -> bool:
    """Return whether this is a default name of hosts."""
    return host.lower() in _NO_NAMES or is_device(host)


def is_factory(description: str) -> bool:
    """Return whether an adapter's description names no host."""
    return not description.strip() or _FACTORY in description


def switch_name(description: str, node: int) -> str:
    """Return the name of a switch; of `MF0;name:MODEL/L01/U1`, as managed ones have it, name/L01/U1.

    Args:
        description: of a switch.
        node: its GUID, which replaces a missing name.
    """
    text = printable(description).strip()
    managed = _MANAGED.fullmatch(text)
    if managed:
        name, _, chip = managed.groups()
        return name if chip in ("", "U1") else f"{name}/{chip}"
    return text or f"0x{node:016x}"
