"""The hosts of a job, found in a fabric: by the port GUIDs of their adapters, else by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankwise.network.fabric.model import Fabric
from rankwise.network.job.adapters import AdapterPort, PortsByGuid
from rankwise.network.job.hosts import HostsByName, NoHostError, PortOfHost

BY_GUID, BY_NAME, PLACED = "port GUID", "name", "placed"
"""How the ports of a host were found: by its adapters, by its name, or given by the user."""


@dataclass(frozen=True)
class HostMatch:
    """The match of a host of the job in the fabric.

    Attributes:
        on_fabric: its name in the fabric; '' = it is not there.
        how: BY_GUID, BY_NAME or PLACED; '' = it is not in the fabric.
        why: it is not in the fabric, as a part of a sentence; '' = it is.
        ports: that are linked with the fabric, by rail and number.
    """

    on_fabric: str = ""
    how: str = ""
    why: str = ""
    ports: tuple[PortOfHost, ...] = ()


@dataclass(frozen=True)
class FoundHosts:
    """The hosts of a job.

    Attributes:
        hosts: by name.
        same_as: other names of hosts that have the same adapters as one of these, with its name.
        warnings: a line each.
    """

    hosts: Mapping[str, HostMatch]
    same_as: Mapping[str, str]
    warnings: tuple[str, ...]


def by_name(hosts: HostsByName, name: str, how: str) -> HostMatch:
    """Find a host by its name."""
    try:
        on_fabric = hosts.find(name)
    except NoHostError as error:
        return HostMatch(why=str(error))
    return HostMatch(on_fabric, how, "", hosts.ports[on_fabric])


def found_hosts(
    fabric: Fabric, names: Sequence[str], adapters: Mapping[str, Sequence[AdapterPort]]
) -> FoundHosts:
    """Find the hosts of a job.

    Args:
        fabric: that it ran on.
        names: of the hosts, each once.
        adapters: of hosts, as far as they are known.
    """
    guids, named = PortsByGuid(fabric), HostsByName(fabric)
    matched = {name: guids.find(adapters.get(name, ())) for name in names}
    hosts: dict[str, HostMatch] = {}
    same_as: dict[str, str] = {}
    taken: dict[tuple[int, int], str] = {}
    by_guid = [name for name in names if matched[name].ports]
    # Where names disagree with the adapters, the adapters are right.
    for name in (*by_guid, *(name for name in names if not matched[name].ports)):
        ports, on_fabric = matched[name].ports, matched[name].on_fabric
        host = HostMatch(on_fabric, BY_GUID, "", ports) if ports else by_name(named, name, BY_NAME)
        places = [(port.subnet, port.port) for port in host.ports]
        first = next((taken[place] for place in places if place in taken), name)
        if first != name and ports:
            same_as[name] = first
            continue
        if first != name:
            host, places = HostMatch(why=f"its host in the fabric is that of {first!r}"), []
        taken.update(dict.fromkeys(places, name))
        hosts[name] = host
    moved = [(own, lid) for name in names for own, lid in matched[name].moved]
    missing = [own for name in by_guid for own in matched[name].missing]
    strange = [own for name in names if not matched[name].ports for own in matched[name].missing]
    return FoundHosts(hosts, same_as, tuple(_warnings(hosts, same_as, moved, missing, strange)))


def _warnings(
    hosts: Mapping[str, HostMatch],
    same_as: Mapping[str, str],
    moved: Sequence[tuple[AdapterPort, int]],
    missing: Sequence[AdapterPort],
    strange: Sequence[AdapterPort],
) -> Iterator[str]:
    """Yield warnings about inconsistencies.

    Args:
        hosts: that were found, or not.
        same_as: as in FoundHosts.
        moved: ports with another LID than in the fabric, and that LID.
        missing: ports in use of hosts that were found by other ports.
        strange: ports in use of hosts that the fabric does not have.
    """
    if same_as:
        other, same = next(iter(same_as.items()))
        yield f"hosts {other} and {same} have the same adapters, and are taken for one"
    if moved:
        own, lid = moved[0]
        yield (
            f"{_ports(moved)} other LIDs than in the fabric, such as {own}: {own.lid}, there {lid}: it was "
            "recorded at another time, and the routes may differ, too"
        )
    if missing:
        where = f"{_ports(missing)} been in use, but are not in the fabric"
        yield f"{where}, such as {missing[0]}: a rail is missing"
    if strange:
        named = sum(hosts[name].how == BY_NAME for name in {own.host for own in strange} & hosts.keys())
        yield (
            f"{_ports(strange)} been in use, but no port GUID of their hosts is in the fabric, such as "
            f"{strange[0]}: this is another fabric, or adapters were replaced; {named} of these hosts were "
            "found by name"
        )


def _ports(some: Sequence[object]) -> str:
    return "1 port of the job has" if len(some) == 1 else f"{len(some)} ports of the job have"
