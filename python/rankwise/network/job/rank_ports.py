"""Which ports of a fabric the ranks of a job have, and how that is known."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.messages.traffic import ranks_expected
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.adapters import adapters_of_run
from rankwise.network.job.cable_errors import cable_warnings
from rankwise.network.job.found import PLACED, HostMatch, by_name, found_hosts
from rankwise.network.job.given_hosts import GivenHost, given_hosts
from rankwise.network.job.hosts import HostsByName, PortOfHost
from rankwise.network.job.rails import SPLIT, RailPolicy, rail_choices


@dataclass(frozen=True)
class HostOnFabric:
    """A host of the job.

    Attributes:
        name: as the job has it.
        ranks: how many of them are there.
        (the others as for `HostMatch`)
    """

    name: str
    ranks: int
    on_fabric: str
    how: str
    why: str
    ports: tuple[PortOfHost, ...]


@dataclass(frozen=True)
class Rail:
    """The ports of the ranks in one subnet: W at most.

    Attributes:
        ports: shape (ranks, W), int32: index into the subnet's host ports of each port of the rank's host;
            -1: none, in the last places.
        shares: shape (ranks, W): the part of the rank's traffic that takes this port by the
        rail policy. The shares of a rank sum to 1 over all rails, or to 0 if it has no port.
    """

    ports: NDArray[np.int32]
    shares: NDArray[np.float64]


@dataclass(frozen=True)
class Places:
    """Where the ranks of a job are in a fabric.

    Attributes:
        ranks: number of ranks.
        host: shape (ranks,), int32: index into `hosts`; -1: unknown. Messages between ranks of one host
            never reach the fabric.
        hosts: of the job, in the order of their lowest ranks.
        rails: one entry for each subnet of the fabric.
        policy: how traffic is shared among ports; every figure that depends on it must name it.
        warnings: a line each.
    """

    ranks: int
    host: NDArray[np.int32]
    hosts: tuple[HostOnFabric, ...]
    rails: tuple[Rail, ...]
    policy: RailPolicy
    warnings: tuple[str, ...] = ()

    @property
    def absent(self) -> tuple[HostOnFabric, ...]:
        """The hosts of the job that are not in the fabric."""
        return tuple(host for host in self.hosts if not host.how)

    def how(self, rank: int) -> str:
        """Return how the ports of a rank were found, as in HostOnFabric.how."""
        host = int(self.host[rank])
        return self.hosts[host].how if host >= 0 else ""


def places_of_run(connection: sqlite3.Connection, fabric: Fabric, policy: str = SPLIT) -> Places:
    """Find the ports that the ranks of a run had.

    Args:
        connection: the profile.
        fabric: that it ran on.
        policy: which of their host's ports the ranks take: the name of a RailPolicy.

    Raises:
        RankwiseError: no host of the job is in the fabric, or there is no such rail.
    """
    ranks = _hosts_of_ranks(connection)
    names = [name for name in dict.fromkeys(ranks) if name is not None]
    known_hosts = found_hosts(fabric, names, adapters_of_run(connection))
    hosts = [known_hosts.same_as.get(name, name) if name is not None else None for name in ranks]
    warnings = (*known_hosts.warnings, *cable_warnings(connection, fabric, known_hosts.hosts))
    places = _places(fabric, hosts, known_hosts.hosts, RailPolicy(policy, rail_choices(connection)), warnings)
    if places.hosts and len(places.absent) == len(places.hosts):
        raise RankwiseError(
            f"no host of the job is in the fabric, such as {places.hosts[0].name!r}: give the fabric of the "
            "run, or give the hosts with --place"
        )
    return places


def given_places(connection: sqlite3.Connection, fabric: Fabric, given: str, policy: str = SPLIT) -> Places:
    """Put the ranks of a run on other hosts of a fabric, or on hosts of another fabric.

    Args:
        connection: the profile.
        fabric: that has the hosts.
        given: as `given_hosts` takes it.
        policy: which of their host's ports the ranks take: the name of a RailPolicy.

    Raises:
        RankwiseError: the file or the list can't be read, has too few hosts, or is for more ranks, or the
            fabric lacks a host.
    """
    rows = connection.execute("SELECT host FROM ranks ORDER BY rank").fetchall()
    own = list(dict.fromkeys(host for (host,) in rows if host))
    hosts = given_hosts(given, ranks_expected(connection), HostsByName(fabric), own)
    return places_on(fabric, hosts, policy, rail_choices(connection))


def places_on(
    fabric: Fabric,
    ranks: Sequence[GivenHost],
    policy: str = SPLIT,
    choices: Mapping[int, frozenset[str]] | None = None,
) -> Places:
    """Put ranks on hosts of a fabric.

    Args:
        fabric: that has the hosts.
        ranks: the host of each.
        policy: which of their host's ports the ranks take: the name of a RailPolicy.
        choices: adapters that the environment of ranks chose, as in RailPolicy.

    Raises:
        RankwiseError: the fabric lacks a host, or has no such rail.
    """
    named = HostsByName(fabric)
    hosts = []
    hosts_by_name = {}
    for given in ranks:
        host = by_name(named, given.host, PLACED)
        if not host.how:
            where = f"{given.where}: " if given.where else ""
            raise RankwiseError(f"{where}{given.host!r}: {host.why}")
        # Different names of the same host count as one host.
        hosts_by_name[host.on_fabric] = host
        hosts.append(host.on_fabric)
    return _places(fabric, hosts, hosts_by_name, RailPolicy(policy, choices or {}))


def _hosts_of_ranks(connection: sqlite3.Connection) -> list[str | None]:
    """Return the host of each rank of the world, also of ranks that a part of the profile leaves out."""
    hosts: list[str | None] = [None] * ranks_expected(connection)
    for rank, host in connection.execute("SELECT rank, host FROM main.ranks"):
        if 0 <= rank < len(hosts):
            hosts[rank] = host
    return hosts


def _places(
    fabric: Fabric,
    hosts: Sequence[str | None],
    hosts_by_name: Mapping[str, HostMatch],
    policy: RailPolicy,
    warnings: Sequence[str] = (),
) -> Places:
    """Combine hosts, their ports and their ranks.

    Args:
        fabric: where the ports are.
        hosts: of each rank; None: not known.
        hosts_by_name: each host, by its name.
        policy: which of their host's ports the ranks take.
        warnings: that there are already.
    """
    policy.check(fabric, {name: host.ports for name, host in hosts_by_name.items()})
    names = [name for name in dict.fromkeys(hosts) if name is not None]
    number = {name: place for place, name in enumerate(names)}
    of_rank = np.array([-1 if name is None else number[name] for name in hosts], np.int32)
    counts = np.bincount(of_rank[of_rank >= 0], minlength=len(names))
    hosts_on_fabric = tuple(
        HostOnFabric(name, int(count), match.on_fabric, match.how, match.why, match.ports)
        for name, count in zip(names, counts, strict=True)
        for match in (hosts_by_name[name],)
    )
    rails = _rails(fabric, of_rank, hosts_on_fabric, policy)
    more = (*_warnings(of_rank, hosts_on_fabric, rails, policy), *policy.warnings())
    return Places(len(hosts), of_rank, hosts_on_fabric, rails, policy, (*warnings, *more))


def _warnings(
    of_rank: NDArray[np.int32], hosts: Sequence[HostOnFabric], rails: Sequence[Rail], policy: RailPolicy
) -> Iterator[str]:
    """Yield warnings about unusual, but possible, situations."""
    unknown = np.flatnonzero(of_rank < 0)
    if len(unknown):
        yield f"the hosts of {len(unknown)} of {len(of_rank)} ranks are unknown, such as rank {unknown[0]}"
    absent = [host for host in hosts if not host.how]
    if absent:
        yield f"not in the fabric: {_named(absent)}: {absent[0].why}"
    there = [host for host in hosts if host.how]
    usual = max((len(host.ports) for host in there), default=0)
    fewer = [host for host in there if len(host.ports) < usual]
    if fewer:
        yield f"fewer ports in the fabric than the {usual} of other hosts: {_named(fewer)}"
    takes = sum((rail.shares.sum(axis=1) for rail in rails), np.zeros(len(of_rank)))
    without = sorted({place for place in of_rank[takes == 0].tolist() if place >= 0 and hosts[place].how})
    if without:
        yield f"no usable port, because traffic goes {policy}: {_named([hosts[place] for place in without])}"


def _named(hosts: Sequence[HostOnFabric], most: int = 3) -> str:
    """Count hosts of the job and their ranks, and name some."""
    ranks = sum(host.ranks for host in hosts)
    names = ", ".join(host.name for host in hosts[:most]) + ", ..." * (len(hosts) > most)
    return f"{len(hosts)} host{'s' * (len(hosts) > 1)} with {ranks} rank{'s' * (ranks > 1)} ({names})"


def _rails(
    fabric: Fabric, of_rank: NDArray[np.int32], hosts: Sequence[HostOnFabric], policy: RailPolicy
) -> tuple[Rail, ...]:
    ranks, subnets = len(of_rank), range(len(fabric.subnets))
    widest = [
        max((sum(port.subnet == subnet for port in host.ports) for host in hosts), default=0)
        for subnet in subnets
    ]
    rails = tuple(Rail(np.full((ranks, width), -1, np.int32), np.zeros((ranks, width))) for width in widest)
    before = [0] * len(hosts)
    for rank, place in enumerate(of_rank.tolist()):
        if place < 0:
            continue
        ports = hosts[place].ports
        chosen = policy.chosen(fabric, ports, rank, before[place])
        before[place] += 1
        columns = [0] * len(rails)
        for port in ports:
            column, rail = columns[port.subnet], rails[port.subnet]
            columns[port.subnet] += 1
            rail.ports[rank, column] = port.port
            rail.shares[rank, column] = (port in chosen) / len(chosen) if chosen else 0
    return rails
