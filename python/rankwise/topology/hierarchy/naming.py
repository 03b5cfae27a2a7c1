"""Names for levels and their groups, from the hosts and bindings that the kernel reported."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy.clustering import Groups
from rankwise.topology.hierarchy.compare import adjusted_rand, hwloc_partitions, numbered_keys

_ALIKE = 0.9
"""Adjusted Rand index from which a level is a part of the machine: some ranks may be misplaced."""


def names(measurement: Measurement, partitions: Sequence[Groups]) -> list[str]:
    """Name each level, from the innermost; the last level has all ranks in one group.

    A level has the name of the largest part of the machine whose borders are its groups'. Unions of nodes are
    a `switch`, all nodes together the `machine`. Without a known name, it is `level 1`, `level 2`, ...
    """
    known = {name: numbered_keys(keys) for name, keys in hwloc_partitions(measurement).items()}
    named: list[str] = []
    for place, groups in enumerate(partitions):
        name = _name(groups, known, outermost=place == len(partitions) - 1) or f"level {place + 1}"
        same = sum(other.split(" ")[0] == name for other in named)
        named.append(f"{name} {same + 1}" if same else name)
    return named


def _name(groups: Groups, known: dict[str, Groups], outermost: bool) -> str:
    nodes = known.get("node")
    several = nodes is not None and nodes.max() > 0
    if outermost:
        if nodes is None:
            return "machine"
        return "machine" if several else "node"
    scores = {name: adjusted_rand(groups, given) for name, given in known.items() if given.max() > 0}
    fits = [name for name, score in scores.items() if score >= _ALIKE and score == max(scores.values())]
    if fits:
        return fits[-1]
    if nodes is not None and several and groups.max() < nodes.max():
        held = sum(len(set(groups[nodes == node].tolist())) == 1 for node in range(int(nodes.max()) + 1))
        if held >= _ALIKE * (int(nodes.max()) + 1):
            return "switch"
    return ""


def labels(measurement: Measurement, name: str, groups: Groups) -> tuple[str, ...]:
    """Name each group of a level: by its host where it is a node, else by its number."""
    if name != "node":
        return tuple(f"{name} {number}" for number in range(int(groups.max()) + 1))
    hosts = measurement.host_names()
    chosen = []
    for number in range(int(groups.max()) + 1):
        inside = [host for host, group in zip(hosts, groups.tolist(), strict=True) if group == number]
        chosen.append(max(sorted(set(inside)), key=inside.count))
    return tuple(chosen)
