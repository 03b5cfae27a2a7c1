"""The number of LIDs of ports if no file gives it: the LIDs that the switch forwards to the port."""

from __future__ import annotations

from rankwise.network.fabric.draft import Draft

_MOST_LIDS = 128


def find_lid_counts(draft: Draft) -> None:
    """Fill in `lid_count` of the ports that have 0 there.

    A port has 2^LMC LIDs, and the lowest is a multiple of that (InfiniBand Architecture Specification,
    volume 1, 4.1.3 and 7.11.1).
    """
    if all(port.lid_count for port in draft.ports.values()):
        return
    owned = {port.lid for port in draft.ports.values()} | {switch.lid for switch in draft.switches.values()}
    for first, second in draft.cables:
        for end, (switch, out) in ((first, second), (second, first)):
            port = draft.ports.get(end)
            if port is None or port.lid_count:
                continue
            port.lid_count = 1
            if switch in draft.tables:
                lids, ports = draft.tables[switch]
                port.lid_count = _count(port.lid, {*lids[ports == out].tolist()} - (owned - {port.lid}))
    for port in draft.ports.values():
        port.lid_count = port.lid_count or 1


def _count(lowest: int, lids: set[int]) -> int:
    """Return the size of the largest range of LIDs from the lowest that is all in `lids`."""
    count = 1
    while (
        count < _MOST_LIDS
        and lowest % (2 * count) == 0
        and lids.issuperset(range(lowest, lowest + 2 * count))
    ):
        count *= 2
    return count
