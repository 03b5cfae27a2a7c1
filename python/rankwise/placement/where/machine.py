"""The machine of a launch: its nodes, with the inside that their kernels report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from rankwise.analysis.nodes.binding import NodePlace, Processor
from rankwise.placement.where.places import Places
from rankwise.topology.machine.model import NODE, ROOT, Level, Machine, Source
from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc_xml import Part
from rankwise.topology.sources.node_levels import NodeLevels

_LEVELS = ("package", "numa", "l3", "core")


def machine_of(launches: Sequence[Places]) -> Machine:
    """Return the nodes of some launches.

    A node whose inside is unknown, or that has more ranks than processors in one of them, has as many equal
    slots as it had ranks at most.

    Args:
        launches: on the same nodes, or some of them.
    """
    nodes: dict[str, NodePlace] = {}
    most: dict[str, int] = {}
    for node in (node for places in launches for node in places.nodes):
        nodes.setdefault(node.host, node)
        most[node.host] = max(most.get(node.host, 0), len(node.ranks))
    parts = [_parts(node, most[host]) for host, node in nodes.items()]
    insides = NodeLevels(parts)
    made = tuple(Object(1, insides.children(place, 2), host) for place, host in enumerate(nodes))
    levels = tuple(Level(name) for name in (ROOT, NODE, *insides.levels))
    return Machine(levels, Object(0, made), (Source("profile", "nodes and their inside"),))


def _parts(node: NodePlace, ranks: int) -> tuple[Part, ...]:
    if len(node.processors) < ranks:
        return tuple(Part("pu", -1) for _ in range(ranks))
    kinds = [kind for kind in _LEVELS if _divides(node.processors, kind)]
    return _nested(node.processors, kinds)


def _divides(processors: Sequence[Processor], kind: str) -> bool:
    """Return whether all processors have such a part, and each part is inside of one package."""
    packages: dict[int, set[int | None]] = {}
    for processor in processors:
        part = getattr(processor, kind)
        if part is None:
            return False
        packages.setdefault(part, set()).add(processor.package)
    return all(len(around) == 1 for around in packages.values())


def _nested(processors: Iterable[Processor], kinds: Sequence[str]) -> tuple[Part, ...]:
    if not kinds:
        return tuple(Part("pu", processor.processor) for processor in processors)
    ordered = sorted(processors, key=lambda processor: (getattr(processor, kinds[0]), processor.processor))
    parts = groupby(ordered, key=lambda processor: getattr(processor, kinds[0]))
    return tuple(Part(kinds[0], number, _nested(tuple(inside), kinds[1:])) for number, inside in parts)
