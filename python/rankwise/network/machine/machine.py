"""A machine of a fabric: its hosts as nodes, and the routes between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.hosts import HostsByName
from rankwise.network.job.rails import SPLIT
from rankwise.network.machine.ends import ends_of, hosts_that_take
from rankwise.network.machine.regular import regular_network
from rankwise.network.machine.route_tables import routes_between
from rankwise.topology.machine.hosts import checked
from rankwise.topology.machine.model import NODE, ROOT, Level, Machine, Source
from rankwise.topology.machine.network import Network
from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc import hwloc_sources
from rankwise.topology.sources.inside import inside_of_nodes


def machine_from_fabric(
    fabric: Fabric,
    *,
    hosts: Sequence[str] | None = None,
    rail: str = SPLIT,
    lid_offset: int | None = 0,
    as_tables: bool = False,
    hwloc: Path | None = None,
    slots: int | None = None,
    warn: Callable[[str], None] | None = None,
) -> Machine:
    """Make a machine whose network is a fabric.

    Args:
        fabric: as it was read or made.
        hosts: only these nodes, such as those of a job; None: all.
        rail: the rail policy: the ports of its host that a message takes, as in `rankwise links`.
        lid_offset: which LID of a port it takes, from 0, modulo their number; None: all evenly.
        as_tables: write forwarding tables, even where a torus or a dragonfly says as much.
        hwloc: XML of a node that all nodes are like.
        slots: in each node, if there is no `hwloc`; None: the node itself is one slot.
        warn: called with a line if the tables do not represent the fabric exactly.

    Raises:
        RankwiseError: there is no such rail or node, or no way between two nodes.
    """
    known = HostsByName(fabric).ports
    chosen = checked(hosts_that_take(fabric, rail) if hosts is None else hosts)
    unknown = next((host for host in chosen if host not in known), None)
    if unknown is not None:
        raise RankwiseError(
            f"the fabric has no host {unknown!r}: it has {len(known)}, such as {next(iter(known))}"
        )
    if not chosen:
        raise RankwiseError("the fabric has no hosts")
    ends = ends_of(fabric, chosen, rail)
    routes = " and ".join(dict.fromkeys(str(subnet.routing) for subnet in fabric.subnets))
    network: Network | None = None if as_tables else regular_network(fabric, chosen)
    if network is None:
        made = routes_between(fabric.subnets, ends, lid_offset)
        network = made.routes
        if not made.is_exact:
            routes += f", approximated by {len(network.next)} tables"
            if warn:
                warn(
                    f"the even split has more combinations of ways than {len(network.next)} tables: loads of"
                    " links are only nearly those of `rankwise links`; --node may leave fewer ways"
                )
    names, children = inside_of_nodes(hwloc, slots, 2)
    levels = tuple(Level(name) for name in (ROOT, NODE, *names))
    nodes = tuple(Object(1, children, host) for host in chosen)
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    files = ", ".join(source.what for source in fabric.sources)
    sources = (
        Source("fabric", f"network between nodes; routes: {routes}", files, now),
        *(hwloc_sources([hwloc]) if hwloc else ()),
    )
    return Machine(levels, Object(0, nodes), sources, network=network)
