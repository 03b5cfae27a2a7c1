"""Where the ranks of a measurement are in a machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.host_names import short_name
from rankwise.latency.measurement import Measurement
from rankwise.topology.machine.model import Machine


def objects_of_ranks(machine: Machine, measurement: Measurement) -> NDArray[np.int64]:
    """Return which object of each level each rank is in.

    A rank is in the smallest object that holds all processors it may run on; if these are not known, in its
    node. Hosts are known by their names, or by these up to the first dot.

    Returns:
        shape (N, D), as Slots.numbers; below the smallest object a negative number of the rank's own.

    Raises:
        RankwiseError: the machine does not have a host.
    """
    nodes = nodes_of_hosts(machine, measurement)
    slots = machine.slots
    starts = np.searchsorted(slots.host, np.arange(len(machine.nodes) + 1))
    objects = np.empty((len(measurement.ranks), slots.numbers.shape[1]), dtype=np.int64)
    for number, rank in enumerate(measurement.ranks):
        own = slice(*starts[nodes[rank.host] : nodes[rank.host] + 2])
        usable = np.isin(slots.os[own, -1], rank.cpus)
        inside = slots.numbers[own][usable] if usable.any() else slots.numbers[own]
        objects[number] = np.where((inside == inside[0]).all(axis=0), inside[0], -1 - number)
    return objects


def nodes_of_hosts(machine: Machine, measurement: Measurement) -> list[int]:
    """Return the place of each host in the machine's nodes."""
    hosts = machine.hosts()
    known = {host: place for place, host in enumerate(hosts)}
    short: dict[str, int] = {}
    for place, node in enumerate(hosts):
        name = short_name(node)
        short[name] = -1 if name in short else place  # -1: ambiguous
    nodes = []
    for host in measurement.hosts:
        place = known.get(host.name, short.get(short_name(host.name), -1))
        if place < 0:
            raise RankwiseError(f"the measurement was made on {host.name!r}, which the machine does not have")
        nodes.append(place)
    return nodes
