"""Binding where a launcher takes one list of processors for all nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankwise.placement.seats import Seat


def common_processors(nodes: Iterable[Sequence[Seat]]) -> list[int] | None:
    """Return the processors of the first, second, ... rank of every node.

    Args:
        nodes: the seats of each, in the order in which its launcher counts them.

    Returns:
        None if a processor is not known, or nodes differ in the processor of a place.
    """
    found: list[int] = []
    for seats in nodes:
        cpus = [seat.cpu for seat in seats]
        shared = min(len(cpus), len(found))
        if -1 in cpus or cpus[:shared] != found[:shared]:
            return None
        found += cpus[shared:]
    return found


def binding_note(nodes: Iterable[Sequence[Seat]]) -> str:
    """Say why there is no such list."""
    if any(seat.cpu == -1 for seats in nodes for seat in seats):
        return "hosts only: the cores are not known"
    return "hosts only: one list of processors holds for all nodes, but they differ"
