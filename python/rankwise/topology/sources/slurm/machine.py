"""A machine from Slurm's topology: switches or blocks around nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.topology.machine.hosts import checked
from rankwise.topology.machine.model import NODE, ROOT, Level, Machine, Source
from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc import hwloc_sources
from rankwise.topology.sources.inside import inside_of_nodes
from rankwise.topology.sources.slurm.groups import Group, Network, as_tree, usable
from rankwise.topology.sources.slurm.topology_conf import read_conf
from rankwise.topology.sources.slurm.topology_yaml import read_yaml


def machine_from_slurm(
    path: Path,
    *,
    topology: str | None = None,
    hosts: Sequence[str] | None = None,
    hwloc: Path | None = None,
    slots: int | None = None,
    warn: Callable[[str], object] | None = None,
) -> Machine:
    """Make a machine of Slurm's topology.conf or topology.yaml.

    Args:
        path: the file; YAML if it ends in .yaml or .yml.
        topology: one of a YAML file's; None: the cluster's default.
        hosts: only these nodes, such as those of a job; None: all.
        hwloc: XML of a node that represents all nodes.
        slots: in each node, if there is no `hwloc`; None: the node itself is one slot.

        warn: called with a line for each deviation from the file.

    Raises:
        RankwiseError: one line that names the place in the file.
    """
    is_yaml = path.suffix in (".yaml", ".yml")
    if topology is not None and not is_yaml:
        raise RankwiseError(f"--topology is for topology.yaml: {path} has one topology")
    network = read_yaml(path, topology) if is_yaml else read_conf(path)
    try:
        network, warnings = usable(network, "the first one counts")
        tree = _Tree(as_tree(network), None if hosts is None else checked(hosts))
    except RankwiseError as error:
        message = str(error)
        raise RankwiseError(message if message.startswith(str(path)) else f"{path}: {message}") from error
    if warn:
        for warning in warnings:
            warn(f"{path}: {warning}")
    node = len(tree.levels) + 1
    names, children = inside_of_nodes(hwloc, slots, node + 1)
    levels = tuple(Level(name) for name in (ROOT, *tree.levels, NODE, *names))
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    sources = (
        Source("slurm", "what is around nodes", str(path), now),
        *(hwloc_sources([hwloc]) if hwloc else ()),
    )
    return Machine(levels, tree.root(lambda host: Object(node, children, host)), sources)


class _Tree:
    """Switches of a checked network as objects; those without wanted nodes are left out.

    Attributes:
        levels: names of those around nodes, the outermost first.
    """

    def __init__(self, network: Network, wanted: Sequence[str] | None) -> None:
        self._groups = {group.name: group for group in network.groups}
        known = {node for group in network.groups for node in group.nodes}
        if not network.kind and not wanted:
            raise RankwiseError("the topology is flat and names no nodes: --node must")
        missing = next((host for host in wanted or () if network.kind and host not in known), None)
        if missing is not None:
            raise RankwiseError(f"there is no node {missing!r}")
        self._wanted = known if wanted is None else set(wanted)
        self._flat = [] if network.kind else list(wanted or ())
        self._heights: dict[str, int] = {}
        below = {child for group in network.groups for child in group.groups}
        self._tops = [group for group in network.groups if group.name not in below and self._height(group)]
        highest = max(self._heights.values(), default=0)
        self.levels = tuple(
            network.kind if height == 1 else f"{network.kind} {height}" for height in range(highest, 0, -1)
        )

    def root(self, node: Callable[[str], Object]) -> Object:
        """Return the whole tree, with nodes as `node` makes them of their names."""
        return Object(0, tuple(map(node, self._flat)) + tuple(self._object(top, node) for top in self._tops))

    def _height(self, group: Group) -> int:
        """Return 1 for a switch with nodes alone, more for those above, 0 for those without wanted nodes."""
        heights = [self._height(self._groups[name]) for name in group.groups]
        height = 1 + max(heights, default=0) if any(heights) or self._nodes(group) else 0
        self._heights[group.name] = height
        return height

    def _nodes(self, group: Group) -> list[str]:
        return [node for node in group.nodes if node in self._wanted]

    def _object(self, group: Group, node: Callable[[str], Object]) -> Object:
        inner = [self._groups[name] for name in group.groups if self._heights[name]]
        children = [self._object(child, node) for child in inner] + [
            node(host) for host in self._nodes(group)
        ]
        return Object(1 + len(self.levels) - self._heights[group.name], tuple(children), group.name)
