"""The machine of a job on a fabric: its hosts by the names that the job has for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.rank_ports import Places
from rankwise.network.machine.machine import machine_from_fabric
from rankwise.topology.machine.model import Machine


def machine_of_job(
    fabric: Fabric,
    places: Places,
    *,
    rail: str,
    lid_offset: int | None,
    warn: Callable[[str], None] | None = None,
) -> Machine:
    """Make a machine of the hosts of a job, each with as many slots as one of them has ranks at most.

    Args:
        fabric: that the job ran on.
        places: of the ranks in it.
        rail: the rail policy, as `machine_from_fabric` takes it.
        lid_offset: as `machine_from_fabric` takes it.
        warn: called with a line if the tables do not represent the fabric exactly.

    Raises:
        RankwiseError: a host of the job is not in the fabric, or as of `machine_from_fabric`.
    """
    if places.absent:
        missing, hosts = places.absent, len(places.hosts)
        raise RankwiseError(
            f"{len(missing)} of the job's {hosts} hosts are not in the fabric, such as {missing[0].name}: "
            f"{missing[0].why}; give the fabric of the run"
        )
    names = {host.on_fabric: host.name for host in places.hosts}
    machine = machine_from_fabric(
        fabric,
        hosts=list(names),
        rail=rail,
        lid_offset=lid_offset,
        slots=max(host.ranks for host in places.hosts),
        warn=warn,
    )
    nodes = tuple(replace(node, name=names[node.name]) for node in machine.root.children)
    return replace(machine, root=replace(machine.root, children=nodes))
