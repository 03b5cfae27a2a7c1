"""The table of operations: bytes by the profile, by the interfaces, and their ratio."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traffic.phases import Traffic


def table(rows: Sequence[Traffic]) -> str:
    """Make a line for each operation and size: what all nodes sent, and the ratio of the worst node."""
    lines = [
        f"{'operation':<14} {'size':>8} {'profile MB':>11} {'wire MB':>10} {'again MB':>9}   ratio   worst"
    ]
    for operation, size in dict.fromkeys((traffic.operation, traffic.size) for traffic in rows):
        of_it = [traffic for traffic in rows if (traffic.operation, traffic.size) == (operation, size)]
        repeated = sum(t.repeated[0] for t in of_it)
        claimed, carried = sum(t.claimed[0] for t in of_it), sum(t.carried[0] for t in of_it) - repeated
        line = (
            f"{operation:<14} {size:>8} {claimed / 1e6:>11.3f} {carried / 1e6:>10.3f} {repeated / 1e6:>9.3f}"
        )
        lines.append(f"{line} {claimed / carried:7.4f} {_worst(of_it):7.4f}" if claimed else line)
    return "\n".join(lines)


def _worst(of_it: Iterable[Traffic]) -> float:
    """The ratio of a single node that is furthest from 1; nodes with less than one message have none."""
    ratios = [
        traffic.claimed[0] / (traffic.carried[0] - traffic.repeated[0])
        for traffic in of_it
        if traffic.claimed[0] >= traffic.size
    ]
    return max(ratios, key=lambda ratio: abs(ratio - 1))
