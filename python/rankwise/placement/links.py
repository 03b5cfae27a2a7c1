"""The links of a machine's objects: what a byte costs on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankwise.placement.network_costs import hop_network
from rankwise.topology.machine.model import NODE, Machine
from rankwise.topology.machine.network import Routes
from rankwise.topology.machine.objects import Object

Costs = NDArray[np.float64]
"""Shape (N, D): of a byte on the link from each slot's object of each level to the one around it; 0: none."""


def link_costs(machine: Machine) -> tuple[Costs, str]:
    """Return the cost of a byte on the links of nodes and of the levels around them, and its unit.

    That is time if the bandwidth of all these links is known; otherwise all links are equal. Links inside
    nodes do not count. If a torus, a dragonfly or routes connect the nodes, only their links do; if that was
    measured, only those of nodes.
    """
    shape = machine.slots.numbers.shape
    costs = np.zeros(shape)
    if hop_network(machine) is not None:
        return costs, "us" if isinstance(machine.network, Routes) and machine.network.mb_s else "bytes"
    node = machine.depth(NODE)
    outermost = node if machine.network else 1
    rates = np.full((len(machine.nodes), node + 1), np.inf)  # a level that is left out has no link
    for number, path in enumerate(_paths(machine.root, node)):
        for step in path[1:]:
            rate = step.link_mb_s if step.link_mb_s is not None else machine.levels[step.level].link_mb_s
            rates[number, step.level] = rate or np.nan
    rates[:, :outermost] = np.inf
    for level in range(outermost, node + 1):
        if machine.slots.numbers[-1, level] == 0:  # the only one: nothing goes out of it
            rates[:, level] = np.inf
    known = not np.isnan(rates).any()
    per_byte = 1 / rates if known else np.isnan(rates) | np.isfinite(rates)
    costs[:, : node + 1] = per_byte[machine.slots.host]
    return costs, "us" if known else "bytes"


def _paths(top: Object, node: int) -> Iterator[tuple[Object, ...]]:
    """Yield the objects around each node, from the root, and the node."""
    if top.level == node:
        yield (top,)
        return
    for child in top.children:
        for path in _paths(child, node):
            yield (top, *path)
