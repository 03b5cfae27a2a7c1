"""The tree of a machine, from a measurement and from the kernels of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.measurement import Host, Measurement, Processor
from rankwise.topology.hierarchy import levels as found_levels
from rankwise.topology.hierarchy.levels import Hierarchy
from rankwise.topology.machine.hosts import checked
from rankwise.topology.machine.model import NODE, ROOT, Level, Machine
from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc_xml import Part
from rankwise.topology.sources.node_levels import NodeLevels

_SWITCH = "switch"
_SLOT = "slot"
_INSIDE = ("package", "numa", "l3", "core")  # of a node, as kernels number them

Key = tuple[int, ...]
Keyed = tuple[Key, Object]


@dataclass(frozen=True)
class FoundTree:
    """A machine for a measurement.

    Attributes:
        machine: without costs.
        measured: names of the levels that only the measurement shows.
        slots: shape (N,): the slot of each rank; None: its binding gives the slot.
    """

    machine: Machine
    measured: frozenset[str] = frozenset()
    slots: NDArray[np.int64] | None = None


def tree_of(measurement: Measurement, hierarchy: Hierarchy) -> FoundTree:
    """Return the machine: measured switches, nodes, and their contents.

    The inside of nodes has the processors that the kernels reported; if they did not, detected groups of
    ranks, with one slot for each rank.

    Raises:
        RankwiseError: a host's name can't be a node's.
    """
    checked([host.name for host in measurement.hosts])
    switches = [level for level in reversed(hierarchy.levels) if level.name.startswith(_SWITCH)]
    keys = _switches_of_hosts(measurement, switches)
    node = 1 + len(switches)
    if all(host.processors for host in measurement.hosts):
        insides = NodeLevels([_parts_of(host) for host in measurement.hosts])
        inner = insides.levels
        children = [insides.children(place, node + 1) for place in range(len(measurement.hosts))]
        slots = None
    else:
        groups = _inner(measurement, hierarchy)
        inner = (*(level.name for level in groups), _SLOT)
        children, slots = _of_ranks(measurement, groups, keys, node + 1)
    nodes = [
        (key, Object(node, inside, host.name))
        for key, host, inside in zip(keys, measurement.hosts, children, strict=True)
    ]
    root = Object(0, _nested(sorted(nodes, key=_key), 1, switches))
    names = [level.name for level in switches]
    made = Machine(tuple(Level(name) for name in (ROOT, *names, NODE, *inner)), root)
    return FoundTree(made, frozenset((ROOT, *names, *(inner if slots is not None else ()))), slots)


def _parts_of(host: Host) -> tuple[Part, ...]:
    """Return the contents of a host, without kinds that the kernel does not report for all processors."""
    known = [kind for kind in _INSIDE if all(getattr(processor, kind) >= 0 for processor in host.processors)]
    # Memory may be inside a cache or around it: the rarer kind is outside.
    known.sort(key=lambda kind: len({_part_of(processor, kind) for processor in host.processors}))
    return _parts(host.processors, known)


def _part_of(processor: Processor, kind: str) -> Key:
    """Return the identity of a part among its kind; cores and caches are counted in each package."""
    number = getattr(processor, kind)
    return (processor.package, number) if kind in ("l3", "core") else (number,)


def _parts(processors: Sequence[Processor], kinds: Sequence[str]) -> tuple[Part, ...]:
    if not kinds:
        return tuple(Part("pu", processor.os) for processor in processors)
    groups: dict[Key, list[Processor]] = {}
    for processor in processors:
        groups.setdefault(_part_of(processor, kinds[0]), []).append(processor)
    return tuple(Part(kinds[0], key[-1], _parts(some, kinds[1:])) for key, some in groups.items())


def _key(keyed: Keyed) -> Key:
    return keyed[0]


def _switches_of_hosts(measurement: Measurement, switches: Sequence[found_levels.Level]) -> list[Key]:
    """Return the switches around each host, outermost first, from most of its ranks."""
    hosts = np.array([rank.host for rank in measurement.ranks])
    return [
        tuple(int(np.bincount(level.groups[hosts == place]).argmax()) for level in switches)
        for place in range(len(measurement.hosts))
    ]


def _inner(measurement: Measurement, hierarchy: Hierarchy) -> list[found_levels.Level]:
    """Return the levels that were found inside of nodes, the outermost first."""
    hosts = len(measurement.hosts)
    return [
        level
        for level in reversed(hierarchy.levels)
        if level.name not in (NODE, ROOT)
        and not level.name.startswith(_SWITCH)
        and hosts < len(level.labels) < len(measurement.ranks)
    ]


def _of_ranks(
    measurement: Measurement, groups: Sequence[found_levels.Level], hosts: Sequence[Key], first: int
) -> tuple[list[tuple[Object, ...]], NDArray[np.int64]]:
    """Return the contents of each host, with a slot for each of its ranks, and the slot of each rank."""
    inside: list[list[tuple[Key, int]]] = [[] for _ in measurement.hosts]
    for number, rank in enumerate(measurement.ranks):
        inside[rank.host].append((tuple(int(level.groups[number]) for level in groups), number))
    for ranks in inside:
        ranks.sort()
    slot = Object(first + len(groups))
    children = [_nested([(key, slot) for key, _ in ranks], first, ()) for ranks in inside]
    in_order = [
        rank for host in sorted(range(len(hosts)), key=lambda place: hosts[place]) for _, rank in inside[host]
    ]
    slots = np.empty(len(in_order), dtype=np.int64)
    slots[in_order] = np.arange(len(in_order))
    return children, slots


def _nested(
    keyed: Sequence[Keyed], level: int, named: Sequence[found_levels.Level], depth: int = 0
) -> tuple[Object, ...]:
    """Return objects of `level`, ... around sorted ones whose keys have the same numbers at the start."""
    if not keyed or depth == len(keyed[0][0]):
        return tuple(made for _, made in keyed)
    return tuple(
        Object(
            level,
            _nested(list(some), level + 1, named, depth + 1),
            named[depth].labels[number] if named else "",
        )
        for number, some in groupby(keyed, key=lambda pair: pair[0][depth])
    )
