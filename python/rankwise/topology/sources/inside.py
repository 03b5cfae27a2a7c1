"""The contents of each node of a machine with equal nodes."""

from __future__ import annotations

from pathlib import Path

from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc import read_node
from rankwise.topology.sources.node_levels import NodeLevels


def inside_of_nodes(
    hwloc: Path | None, slots: int | None, level: int
) -> tuple[tuple[str, ...], tuple[Object, ...]]:
    """Return the names of the levels inside of nodes, and the objects in each node.

    Args:
        hwloc: XML of a node that all nodes are like.
        slots: in each node, if there is no `hwloc`; None: the node itself is one slot.
        level: depth of the first level inside.
    """
    if hwloc:
        insides = NodeLevels([read_node(hwloc).parts])
        return insides.levels, insides.children(0, level)
    if slots:
        return ("core",), (Object(level),) * slots
    return (), ()
