"""Bindings of ranks, from the slots of a machine that they are to be in."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.launchers.binding import Binding
from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.objects import Object


def bindings_of(machine: Machine, slot: ArrayLike) -> list[Binding]:
    """Return the binding of each rank.

    Args:
        machine: that the slots are of.
        slot: index of the slot of each rank in Machine.slots.
    """
    nodes_by_children = {id(node.children): node for node in machine.nodes}  # most nodes share their children
    inside = {key: _levels_inside(node) for key, node in nodes_by_children.items()}
    hosts = machine.hosts()
    package, core = (_in_node(machine, name) for name in ("package", "core"))
    in_package = _in_package(machine)
    bindings = []
    for rank, place in enumerate(np.asarray(slot).tolist()):
        node = int(machine.slots.host[place])
        # Objects of a level that the node leaves out have numbers, but no launcher knows these.
        has_package, has_core = (
            name in machine.level_names() and machine.depth(name) in inside[id(machine.nodes[node].children)]
            for name in ("package", "core")
        )
        bindings.append(
            Binding(
                rank,
                hosts[node],
                package=int(package[place]) if has_package else -1,
                core=int(core[place]) if has_core else -1,
                core_of_package=int(in_package[place]) if has_package and has_core else -1,
                cpu=int(machine.slots.os[place, -1]),
            )
        )
    return bindings


def _levels_inside(node: Object) -> frozenset[int]:
    return frozenset({child.level for child in node.children}.union(*map(_levels_inside, node.children)))


def _in_node(machine: Machine, level: str) -> NDArray[np.int64]:
    if level not in machine.level_names():
        return np.full(len(machine.slots), -1)
    return machine.slots.in_node(machine.depth(level))


def _in_package(machine: Machine) -> NDArray[np.int64]:
    """Return the number of each slot's core within its package."""
    names = machine.level_names()
    if "package" not in names or "core" not in names:
        return np.full(len(machine.slots), -1)
    packages, cores = (machine.slots.numbers[:, machine.depth(name)] for name in ("package", "core"))
    first = np.searchsorted(packages, np.arange(int(packages[-1]) + 1))
    return (cores - cores[first][packages]).astype(np.int64)
