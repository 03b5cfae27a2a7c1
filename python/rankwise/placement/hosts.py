"""The hosts of a run and the nodes of a machine: the same ones under names that may differ by the domain."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.traffic import Whereabouts
from rankwise.placement.absent import NoPresentError
from rankwise.topology.machine.model import Level, Machine, Object, Source

SLOT = "slot"


def machine_of_run(where: Whereabouts) -> Machine:
    """Return all that a run tells of its machine: its nodes, each with as many slots as ranks were there.

    Raises:
        NoPresentError: the host of a rank is not known.
    """
    counts: dict[str, int] = {}
    for host in known_hosts(where):
        counts[host] = counts.get(host, 0) + 1
    nodes = tuple(Object(1, (Object(2),) * count, host) for host, count in counts.items())
    levels = (Level("machine"), Level("node"), Level(SLOT))
    return Machine(levels, Object(0, nodes), (Source("profile", "nodes, and how many ranks were on each"),))


def known_hosts(where: Whereabouts) -> list[str]:
    """Return the host of each rank; NoPresentError names the first one whose host is not known."""
    if None in where.hosts:
        raise NoPresentError(
            f"the profile does not know where rank {where.hosts.index(None)} was",
            "its counters were not read; record the run again",
        )
    return [host for host in where.hosts if host is not None]


def nodes_of(hosts: Sequence[str], machine: Machine) -> list[int]:
    """Return the place in Machine.nodes of each host.

    A name with its domain and one without are the same if no other node of the machine has that short name.

    Raises:
        NoPresentError: the machine has no such node.
    """
    places = {name: place for place, name in enumerate(machine.hosts())}
    short: dict[str, list[str]] = {}
    for name in places:
        short.setdefault(_short(name), []).append(name)
    found = []
    for rank, host in enumerate(hosts):
        alike = [name for name in short.get(_short(host), []) if ("." in name) != ("." in host)]
        if host not in places and len(alike) != 1:
            which = f", which one of {', '.join(map(repr, alike))} may be" * bool(alike)
            raise NoPresentError(
                f"the machine has no node {host!r}{which}, where rank {rank} was",
                "give the machine.json of the job's nodes, or --predict to place the ranks on another one",
            )
        found.append(places[host] if host in places else places[alike[0]])
    return found


def _short(name: str) -> str:
    return name.partition(".")[0]
