"""A machine of a fabric: its hosts as nodes, and the routes between them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric, Subnet
from rankwise.network.machine.regular import regular_network
from rankwise.network.machine.tables import routes_between
from rankwise.topology.machine.hosts import checked
from rankwise.topology.machine.model import NODE, ROOT, Level, Machine, Source
from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc import hwloc_sources
from rankwise.topology.sources.inside import inside_of_nodes


def machine_from_fabric(
    fabric: Fabric,
    *,
    hosts: Sequence[str] | None = None,
    rail: str | None = None,
    as_tables: bool = False,
    hwloc: Path | None = None,
    slots: int | None = None,
) -> Machine:
    """Make a machine whose network is a fabric.

    Args:
        fabric: as it was read or made.
        hosts: only these nodes, such as those of a job; None: all.
        rail: name of the only subnet to take; None: all, which share the messages evenly.
        as_tables: write forwarding tables, even where a torus or a dragonfly says as much.
        hwloc: XML of a node that all nodes are like.
        slots: in each node, if there is no `hwloc`; None: the node itself is one slot.

    Raises:
        RankwiseError: there is no such rail or node, or no way between two nodes.
    """
    subnets = _rails(fabric, rail)
    known = dict.fromkeys(host for subnet in subnets for host in subnet.ports.hosts)
    chosen = checked(list(known) if hosts is None else hosts)
    unknown = next((host for host in chosen if host not in known), None)
    if unknown is not None:
        raise RankwiseError(
            f"the fabric has no host {unknown!r}: it has {len(known)}, such as {next(iter(known))}"
        )
    if not chosen:
        raise RankwiseError("there are no hosts in the fabric")
    network = None if as_tables else regular_network(fabric, chosen)
    names, children = inside_of_nodes(hwloc, slots, 2)
    levels = tuple(Level(name) for name in (ROOT, NODE, *names))
    nodes = tuple(Object(1, children, host) for host in chosen)
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    files = ", ".join(source.what for source in fabric.sources)
    routings = " and ".join(dict.fromkeys(str(subnet.routing) for subnet in subnets))
    sources = (
        Source("fabric", f"what is between nodes; routes: {routings}", files, now),
        *(hwloc_sources([hwloc]) if hwloc else ()),
    )
    return Machine(levels, Object(0, nodes), sources, network=network or routes_between(subnets, chosen))


def _rails(fabric: Fabric, rail: str | None) -> list[Subnet]:
    found = [subnet for subnet in fabric.subnets if rail in (None, subnet.name)]
    if not found:
        names = ", ".join(subnet.name for subnet in fabric.subnets if subnet.name)
        has = f"it has {names}" if names else "its only subnet has no name: leave --rail away"
        raise RankwiseError(f"the fabric has no rail {rail!r}: {has}")
    return found
