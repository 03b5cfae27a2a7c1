"""Which of its host's ports a rank sends and receives by: the rail policy."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.hosts import PortOfHost

SPLIT, FIRST, BY_LOCAL_RANK, ENV = "split", "first", "by-local-rank", "env"
POLICIES = (SPLIT, FIRST, BY_LOCAL_RANK, ENV)
"""Policies; all other words are names of a rail or an adapter."""

_TOLD = {
    SPLIT: "split evenly over all ports of a host",
    FIRST: "over the first port of a host",
    BY_LOCAL_RANK: "over one port per rank, assigned to the ranks of a host in round-robin order",
    ENV: "split evenly over the ports chosen by the environment of a rank, else over all ports of its host",
}
_EVERY = frozenset({"all", "any"})
# Several may be set: the first in this order counts. (Names of variables, with the form of their values.)
_VARIABLES = ("UCX_NET_DEVICES", "OMPI_MCA_btl_openib_if_include", "MV2_IBA_HCA", "PSM3_NIC", "HFI_UNIT")


@dataclass(frozen=True)
class RailPolicy:
    """How the traffic of ranks is shared out among the ports of their hosts.

    Attributes:
        name: one of POLICIES, the name of a rail, or an adapter: mlx5_0, or mlx5_0:1 with its port.
        choices: adapters that the environment of a rank chose, named in the same way, by rank; the other
            ranks chose none.
    """

    name: str = SPLIT
    choices: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        return _TOLD.get(self.name, f"over {self.name} only")

    def chosen(
        self, fabric: Fabric, ports: Sequence[PortOfHost], rank: int, local_rank: int
    ) -> list[PortOfHost]:
        """Return the ports that a rank takes, each for the same share of its traffic.

        Args:
            fabric: where the ports are.
            ports: of its host, by rail and number.
            rank: in the world.
            local_rank: how many ranks of its host are before it.
        """
        if self.name == SPLIT or not ports or (self.name == ENV and rank not in self.choices):
            return list(ports)
        if self.name == FIRST:
            return [ports[0]]
        if self.name == BY_LOCAL_RANK:
            return [ports[local_rank % len(ports)]]
        names = self.choices[rank] if self.name == ENV else {self.name}
        return [port for port in ports if not names.isdisjoint(_names(fabric, port))]

    def check(self, fabric: Fabric, ports: Mapping[str, Sequence[PortOfHost]]) -> None:
        """Refuse a name that is none of any port.

        Args:
            fabric: where the ports are.
            ports: of the job's hosts, by host.

        Raises:
            RankwiseError: there is no such rail, and no host has such an adapter.
        """
        everything = [port for of_host in ports.values() for port in of_host]
        if self.name in POLICIES or not everything:
            return
        if any(self.name in _names(fabric, port) for port in everything):
            return
        rails = [subnet.name for subnet in fabric.subnets if subnet.name]
        devices = sorted({port.device for port in everything if port.device})
        raise RankwiseError(
            f"no host of the job has a rail or an adapter {self.name!r}; choose from "
            f"{', '.join([*POLICIES, *rails, *devices[:8]])}"
        )

    def warnings(self) -> Iterator[str]:
        """Yield a warning where the environment of the run chose other rails."""
        if self.name == ENV and not self.choices:
            yield "no rank's environment chose adapters: traffic is split evenly over all ports of a host"
        if self.name == SPLIT and self.choices:
            rank, names = next(iter(self.choices.items()))
            yield (
                f"the environment of {len(self.choices)} rank{'s' * (len(self.choices) > 1)} chose "
                f"adapters, such as {', '.join(sorted(names))} for rank {rank}: rail policy {ENV} uses only "
                "these"
            )


def rail_choices(connection: sqlite3.Connection) -> dict[int, frozenset[str]]:
    """Return the adapters that the environment of each rank chose: mlx5_0, or mlx5_0:1 with a port.

    Ranks that may use all are left out.
    """
    values: dict[int, dict[str, str]] = {}
    for rank, variable, value in connection.execute("SELECT rank, variable, value FROM rail_choices"):
        values.setdefault(rank, {})[variable] = value
    names_of_rank = {}
    for rank, of_rank in values.items():
        variable = next((name for name in _VARIABLES if name in of_rank), "")
        names = frozenset(_devices(variable, of_rank.get(variable, "")))
        if names and names.isdisjoint(_EVERY):
            names_of_rank[rank] = names
    return names_of_rank


def _devices(variable: str, value: str) -> Iterator[str]:
    """Yield the adapters that a variable names."""
    if variable == "HFI_UNIT":  # a number
        yield from (f"hfi1_{value}",) if value.isdecimal() else ()
        return
    for word in re.split(r"[,\s]+", value):
        # MVAPICH has colons between adapters, the others before the port.
        yield from filter(None, word.split(":") if variable == "MV2_IBA_HCA" else [word])


def _names(fabric: Fabric, port: PortOfHost) -> frozenset[str]:
    """Return all that a port may be meant by."""
    return frozenset({fabric.subnets[port.subnet].name, port.device, f"{port.device}:{port.number}"}) - {""}
