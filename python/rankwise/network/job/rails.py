"""Which of its host's ports a rank sends and receives by: the rail policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.hosts import PortOfHost

SPLIT, FIRST, BY_LOCAL_RANK = "split", "first", "by-local-rank"
POLICIES = (SPLIT, FIRST, BY_LOCAL_RANK)
"""Those that are no name of a rail or of an adapter."""

_TOLD = {
    SPLIT: "split evenly over all ports of a host",
    FIRST: "over the first port of a host",
    BY_LOCAL_RANK: "over one port each, which the ranks of a host take in turns",
}


@dataclass(frozen=True)
class RailPolicy:
    """How the traffic of ranks is shared out among the ports of their hosts.

    Attributes:
        name: one of POLICIES, the name of a rail, or an adapter: mlx5_0, or mlx5_0:1 with its port.
    """

    name: str = SPLIT

    def __str__(self) -> str:
        return _TOLD.get(self.name, f"over {self.name} alone")

    def chosen(self, fabric: Fabric, ports: Sequence[PortOfHost], local_rank: int) -> list[PortOfHost]:
        """Return the ports that a rank takes, each for the same share of its traffic.

        Args:
            fabric: whose they are.
            ports: of its host, by rail and number.
            local_rank: how many ranks of its host are before it.
        """
        if self.name == SPLIT or not ports:
            return list(ports)
        if self.name == FIRST:
            return [ports[0]]
        if self.name == BY_LOCAL_RANK:
            return [ports[local_rank % len(ports)]]
        return [port for port in ports if self._means(fabric, port)]

    def check(self, fabric: Fabric, ports: Mapping[str, Sequence[PortOfHost]]) -> None:
        """Refuse a name that is none of any port.

        Args:
            fabric: whose they are.
            ports: of the job's hosts, by host.

        Raises:
            RankwiseError: there is no such rail, and no host has such an adapter.
        """
        everything = [port for of_host in ports.values() for port in of_host]
        if self.name in POLICIES or not everything or any(self._means(fabric, port) for port in everything):
            return
        rails = [subnet.name for subnet in fabric.subnets if subnet.name]
        devices = sorted({port.device for port in everything if port.device})
        raise RankwiseError(
            f"no host of the job has a rail or an adapter {self.name!r}:"
            f" there are {', '.join([*POLICIES, *rails, *devices[:8]])}"
        )

    def _means(self, fabric: Fabric, port: PortOfHost) -> bool:
        return self.name in (
            fabric.subnets[port.subnet].name,
            port.device,
            f"{port.device}:{port.number}",
        )
