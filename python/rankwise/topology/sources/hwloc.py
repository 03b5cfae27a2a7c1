"""A machine from hwloc: this node, or XML of one or many nodes."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.topology.machine.hosts import checked
from rankwise.topology.machine.model import NODE, ROOT, Level, Machine, Source
from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc_live import live_xml
from rankwise.topology.sources.hwloc_xml import Node, node_of
from rankwise.topology.sources.node_levels import NodeLevels

_WHAT = "inside nodes"
_CURE = "on the node, `lstopo node.xml` writes such a file"


def read_node(path: Path) -> Node:
    """Return the node that a file describes; RankwiseError names the file."""
    try:
        return node_of(path.read_bytes())
    except OSError as error:
        raise RankwiseError(f"cannot read {path}: {error.strerror}; {_CURE}") from error
    except RankwiseError as error:
        raise RankwiseError(f"{path} {error}; {_CURE}") from error


def machine_from_hwloc(files: Sequence[Path], names: Sequence[str] = ()) -> Machine:
    """Make a machine of nodes side by side.

    Args:
        files: hwloc's XML of one node each; none: the node that runs this.
        names: of the nodes. With one file or none, all of them are like it; with several, one for each.
            Without names, those in the files, or else the names of the files.

    Raises:
        RankwiseError: a file can't be read, or the names are not as many as the files or not different.
    """
    nodes = [read_node(path) for path in files] or [node_of(live_xml())]
    if len(nodes) > 1 and names and len(names) != len(nodes):
        raise RankwiseError(f"--node names {len(names)} nodes for {len(nodes)} files: give one name for each")
    hosts = list(names) or _hosts(nodes, files)
    try:
        checked(hosts)
    except RankwiseError as error:
        raise RankwiseError(f"{error}: give all nodes names with --node") from error
    insides = NodeLevels([node.parts for node in nodes])
    kinds = [insides.children(place, 2) for place in range(len(nodes))]
    if len(kinds) == 1:
        kinds *= len(hosts)
    made = tuple(Object(1, kind, host) for kind, host in zip(kinds, hosts, strict=True))
    levels = tuple(Level(name) for name in (ROOT, NODE, *insides.levels))
    return Machine(levels, Object(0, made), hwloc_sources(files))


def hwloc_sources(files: Sequence[Path]) -> tuple[Source, ...]:
    """Return where the insides of nodes are known from."""
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    names = [str(path) for path in files] or [""]
    return tuple(Source("hwloc", _WHAT if name else f"{_WHAT}: this one", name, now) for name in names)


def _hosts(nodes: Sequence[Node], files: Sequence[Path]) -> list[str]:
    if not files:
        return [nodes[0].name or socket.gethostname()]
    return [node.name or path.stem for node, path in zip(nodes, files, strict=True)]
