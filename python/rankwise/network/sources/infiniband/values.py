"""Ranges of LIDs and ports."""

from __future__ import annotations

from rankwise.network.sources.text import TextFile

MOST_LID = 0xBFFF
"""The highest LID of a port; those above are for multicast
(InfiniBand Architecture Specification, volume 1, 4.1.3)."""
MOST_PORT = 254
"""Of a switch; in a forwarding table 255 is no port."""


def check_lid(file: TextFile, line: int, lid: int) -> int:
    """Return the LID of a port, 0 if it has none; RankwiseError if it is invalid."""
    if lid > MOST_LID:
        raise file.error(line, f"LID {lid:#x} is above the maximum {MOST_LID:#x}")
    return lid


def check_port(file: TextFile, line: int, port: int, least: int = 1) -> int:
    """Return the number of a port; RankwiseError if it is invalid."""
    if not least <= port <= MOST_PORT:
        raise file.error(line, f"port {port} is not between {least} and {MOST_PORT}")
    return port
