"""What a placement would lead to on a machine, in figures that machines can be compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.analysis.messages.traffic import RunTraffic, Traffic, Whereabouts
from rankwise.placement.engine import weigh
from rankwise.placement.mapping import Mapping
from rankwise.placement.network_costs import hop_network
from rankwise.placement.options import BY_HOPS
from rankwise.placement.placement_cost import LevelTraffic, PlacementCost, placement_cost
from rankwise.placement.present_placement import (
    NoPresentPlacementError,
    find_present_placement,
    known_hosts,
    machine_of_run,
)
from rankwise.placement.prices import prices
from rankwise.topology.machine.model import NODE, Machine

HOPS = "byte hops off node"
"""Unit of costs by hops: the inside of nodes may have more or fewer levels on each machine."""


@dataclass(frozen=True)
class NodeLoad:
    """What goes over the border of the most loaded node.

    Attributes:
        host: its name.
        bytes: into it and out of it.
        mean: of the same over all nodes with ranks.
        imbalance: bytes / mean; None if nothing leaves any node.
    """

    host: str
    bytes: int
    mean: float
    imbalance: float | None


@dataclass(frozen=True)
class Outlook:
    """What a placement would lead to.

    Attributes:
        cost: by hops, bytes x levels to go up from the node, or hops of the network between nodes; else as in
            PlacementCost. None if it is not known.
        nodes: that have ranks.
        bytes_off_node: between ranks on different nodes.
        messages_off_node: between ranks on different nodes; None: their number is unknown.
        most_loaded: of the nodes.
        outer: what meets at each level around nodes, from the outermost, at which something can.
    """

    cost: float | None
    nodes: int
    bytes_off_node: int
    messages_off_node: int | None
    most_loaded: NodeLoad
    outer: list[LevelTraffic]


def outlook(
    run: RunTraffic, machine: Machine, cost: PlacementCost, slot: ArrayLike, objective: str
) -> Outlook:
    """Return the outlook.

    Args:
        run: what the ranks sent each other.
        machine: that they are placed on.
        cost: cost of the placement there.
        slot: index of the slot of each rank in Machine.slots.
        objective: one of options.OBJECTIVES.
    """
    around = machine.level_names()[: machine.depth(NODE)]
    outer = [level for level in cost.levels if level.level in around]
    places, names = np.asarray(slot), machine.hosts()
    hosts = [names[node] for node in machine.slots.host[places].tolist()]
    return Outlook(
        _hops_off_node(run, machine, places, outer) if objective in BY_HOPS else cost.cost,
        len(set(hosts)),
        cost.bytes_off_node,
        cost.messages_off_node,
        most_loaded(run.traffic, hosts),
        outer,
    )


def _hops_off_node(
    run: RunTraffic, machine: Machine, slot: NDArray[np.int64], outer: Sequence[LevelTraffic]
) -> float:
    if hop_network(machine) is None:
        return sum(level.bytes * number for number, level in enumerate(reversed(outer), 1))
    by_hops = prices(machine, "hops", machine.slots.numbers)
    network_alone = replace(by_hops, per_byte=np.zeros_like(by_hops.per_byte))
    return weigh(run.traffic, network_alone.slots(machine), slot)[0]


def most_loaded(traffic: Traffic, hosts: ArrayLike) -> NodeLoad:
    """Return the most loaded node, the first of equal ones.

    Args:
        traffic: with at least one rank.
        hosts: name of the node of each rank.
    """
    names, first, node = np.unique(np.asarray(hosts), return_index=True, return_inverse=True)
    source, destination = (node.ravel()[np.asarray(ends)] for ends in (traffic.source, traffic.destination))
    leaves = source != destination
    # Python's own numbers: their sums have no limit.
    sizes = np.asarray(traffic.bytes, dtype=np.int64)[leaves].astype(object)
    loads = np.zeros(len(names), dtype=object)
    for ends in (source, destination):
        np.add.at(loads, ends[leaves], sizes)
    worst = min(range(len(names)), key=lambda each: (-loads[each], first[each]))
    most, mean = int(loads[worst]), float(sum(loads.tolist()) / len(loads))
    return NodeLoad(str(names[worst]), most, mean, most / mean if most else None)


def present_outlook(
    run: RunTraffic, where: Whereabouts, mappings: Sequence[Mapping], objective: str
) -> tuple[Outlook | None, str]:
    """Return the outlook of the run's own placement, or why it is missing.

    The run's own machine is best, if given; else its hosts, without costs except hops.
    """
    try:
        known_hosts(where)
    except NoPresentPlacementError as error:
        return None, error.reason
    for mapping in mappings:
        if mapping.present is not None:
            return outlook(run, mapping.machine, mapping.present, mapping.slot_before, objective), ""
    machine = machine_of_run(where)
    by_hops = prices(machine, "hops", machine.slots.numbers)
    slot = find_present_placement(where, machine).slot
    prediction = outlook(run, machine, placement_cost(run.traffic, machine, slot, by_hops), slot, "hops")
    return (prediction if objective in BY_HOPS else replace(prediction, cost=None)), ""
