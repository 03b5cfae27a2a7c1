"""The hosts of a fabric by their names, with or without the domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rankwise.host_names import short_name
from rankwise.network.fabric.model import Fabric


@dataclass(frozen=True)
class PortOfHost:
    """A port of a host that is linked with a switch.

    Attributes:
        subnet: index into Fabric.subnets.
        port: index into its host ports.
        device: adapter, such as mlx5_0; '' = unknown.
        number: of the port on its adapter, from 1.
    """

    subnet: int
    port: int
    device: str
    number: int


class NoHostError(ValueError):
    """No host of the fabric is meant by a name; says why."""


@dataclass(frozen=True)
class HostsByName:
    """The hosts of a fabric.

    Attributes:
        fabric: where the hosts are.
    """

    fabric: Fabric

    @cached_property
    def ports(self) -> dict[str, tuple[PortOfHost, ...]]:
        """The ports of each host that has a name, by the name that the fabric has for it."""
        ports_of_hosts: dict[str, list[PortOfHost]] = {}
        for number, subnet in enumerate(self.fabric.subnets):
            subnet_ports = subnet.ports
            for port, (host, device, place) in enumerate(
                zip(subnet_ports.hosts, subnet_ports.devices, subnet_ports.numbers.tolist(), strict=True)
            ):
                if host:
                    ports_of_hosts.setdefault(host, []).append(PortOfHost(number, port, device, place))
        return {host: tuple(ports) for host, ports in ports_of_hosts.items()}

    @cached_property
    def _by_short_name(self) -> dict[str, list[str]]:
        candidates: dict[str, list[str]] = {}
        for host in self.ports:
            candidates.setdefault(_short(host), []).append(host)
        return candidates

    def __contains__(self, name: object) -> bool:
        """Return whether a name may mean at least one host."""
        return isinstance(name, str) and _short(name) in self._by_short_name

    def find(self, name: str) -> str:
        """Return the name that the fabric has for a host.

        Names with a domain and without are the same, in any case of letters, unless several hosts of the
        fabric are meant.

        Raises:
            NoHostError: no host, or several.
        """
        if name in self.ports:
            return name
        candidates = self._by_short_name.get(_short(name), [])
        if len(candidates) > 1:
            raise NoHostError(f"it may be {_some(candidates)} of the fabric")
        if not candidates:
            raise NoHostError("no host of the fabric has this name")
        return candidates[0]


def _short(name: str) -> str:
    return short_name(name).lower()


def _some(names: Sequence[str], most: int = 3) -> str:
    """List names, a few of many."""
    more = f", ... ({len(names)} in total)" if len(names) > most else ""
    return " or ".join(names[:most]) + more
