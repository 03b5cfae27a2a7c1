"""A fabric: switches, the ports of the hosts' adapters, the links between them, and forwarding tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.topology import MOST_DIMENSIONS, Topology, topology_of

MEASURED = "measured tables"
MODELLED = "modelled"
EVEN_SPLIT = "even split"
ROUTINGS = (MEASURED, MODELLED, EVEN_SPLIT)
"""Origins of routes: tables read from the switches, a rule, or an even split over all shortest paths."""

NO_PORT = 0xFFFF
"""In a forwarding table: the switch has no way."""


@dataclass(frozen=True)
class Routing:
    """Where the routes of a subnet come from.

    Attributes:
        kind: one of ROUTINGS.
        by: the rule, such as d-mod-k; '' for measured tables.
    """

    kind: str
    by: str = ""

    def __str__(self) -> str:
        return f"{self.kind} ({self.by})" if self.by else self.kind


@dataclass(frozen=True)
class Switches:
    """S switches, by their GUIDs.

    Attributes:
        names: of each; not unique.
        guids: shape (S,), uint64: node GUIDs; of a generated fabric numbers from 1.
        systems: shape (S,), uint64: the chips of a director switch share one; 0: unknown.
        lids: shape (S,), int32: 0: none.
        levels: shape (S,), int32: 1 for switches that are there for hosts, 2 for their neighbours, and so on;
            `levels_of` says which.
    """

    names: tuple[str, ...]
    guids: NDArray[np.uint64]
    systems: NDArray[np.uint64]
    lids: NDArray[np.int32]
    levels: NDArray[np.int32]


@dataclass(frozen=True)
class HostPorts:
    """P ports of hosts' adapters that are linked with a switch, by host, device and number.

    Attributes:
        hosts: name of the host of each.
        devices: name of the adapter, such as mlx5_0, HCA-1; '' = unknown.
        numbers: shape (P,), int32: of the port on its adapter, from 1.
        guids: shape (P,), uint64: port GUIDs; 0: not known.
        nodes: shape (P,), uint64: node GUIDs of the adapters; 0: not known.
        lids: shape (P,), int32: the lowest LID of each.
        lid_counts: shape (P,), int32: how many it has, 2^LMC.
    """

    hosts: tuple[str, ...]
    devices: tuple[str, ...]
    numbers: NDArray[np.int32]
    guids: NDArray[np.uint64]
    nodes: NDArray[np.uint64]
    lids: NDArray[np.int32]
    lid_counts: NDArray[np.int32]


@dataclass(frozen=True)
class Links:
    """L directed links: those of cable k are 2 k and 2 k + 1. Each parallel cable has its own links.

    Attributes:
        source: shape (L,), int32: a switch s is s, a host port p is S + p.
        source_port: shape (L,), int32.
        destination: shape (L,), int32: like `source`, at the other end.
        destination_port: shape (L,), int32.
        rates: shape (L,): bytes a second that it takes in this direction; nan: not known.
        widths: shape (L,), int8: its lanes, such as 4; 0: not known.
    """

    source: NDArray[np.int32]
    source_port: NDArray[np.int32]
    destination: NDArray[np.int32]
    destination_port: NDArray[np.int32]
    rates: NDArray[np.float64]
    widths: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class Subnet:
    """A connected part of the fabric with its own LIDs: a rail, or the whole fabric.

    Attributes:
        name: of the rail; '' if there is only one.
        switches: S of them.
        ports: of hosts, P of them.
        links: between them.
        forward: shape (S, highest LID + 1, W), uint16: the port that a switch sends a message for a LID out
            of. W = 1, but of an even split: there are up to W ports, each taken equally often, and NO_PORT
            in the other places. Port 0 is the switch itself.
        routing: the origin of `forward`.
    """

    name: str
    switches: Switches
    ports: HostPorts
    links: Links
    forward: NDArray[np.uint16]
    routing: Routing

    @cached_property
    def out(self) -> NDArray[np.int32]:
        """Shape (S, highest port + 1): the link out of each port of each switch; -1: none."""
        switches = len(self.switches.names)
        of_switch = np.flatnonzero(self.links.source < switches)
        ports = self.links.source_port[of_switch]
        links = np.full((switches, int(ports.max(initial=0)) + 1), -1, np.int32)
        links[self.links.source[of_switch], ports] = of_switch
        return links

    @cached_property
    def up(self) -> NDArray[np.int32]:
        """Shape (P,): the link from each host port to its switch."""
        switches, ports = len(self.switches.names), len(self.ports.hosts)
        of_port = np.flatnonzero(self.links.source >= switches)
        links = np.full(ports, -1, np.int32)
        links[self.links.source[of_port] - switches] = of_port
        return links

    @cached_property
    def classes(self) -> NDArray[np.int8]:
        """Shape (L,): the class of each link, an index into CLASSES."""
        level = np.concatenate([self.switches.levels, np.zeros(len(self.ports.hosts), np.int32)])
        source, destination = level[self.links.source], level[self.links.destination]
        up = source < destination
        lower = np.minimum(source, destination)
        classes = np.where(up, CORE_UP, CORE_DOWN)
        classes = np.where(lower == 1, np.where(up, LEAF_UP, LEAF_DOWN), classes)
        classes = np.where(lower == 0, np.where(up, HOST_UP, HOST_DOWN), classes)
        classes = np.where(source == destination, ACROSS, classes).astype(np.int8)
        if self.topology is not None:
            first = LOCAL if self.topology.is_dragonfly else DIMENSIONS[0]
            classes[self._between] = first + self.topology.kinds
        return classes

    @cached_property
    def topology(self) -> Topology | None:
        """What the switches form, if they have no levels; None: it is not known."""
        between = self._between
        return topology_of(
            len(self.switches.names), self.links.source[between], self.links.destination[between]
        )

    @property
    def _between(self) -> NDArray[np.int64]:
        switches = len(self.switches.names)
        return np.flatnonzero((self.links.source < switches) & (self.links.destination < switches))

    def name_of(self, end: int) -> str:
        """Return the name of a switch, or of a host, as `links` numbers them."""
        switches = len(self.switches.names)
        return self.switches.names[end] if end < switches else self.ports.hosts[end - switches]


DIMENSIONS = range(9, 9 + MOST_DIMENSIONS)
CLASSES = (
    "host up",
    "host down",
    "leaf up",
    "leaf down",
    "core up",
    "core down",
    "across",
    "local",
    "global",
    *(f"dimension {number}" for number in range(1, MOST_DIMENSIONS + 1)),
)
"""Of links, by the levels of their ends: from hosts and to them; from the switches of level 1 to those above
and back; the same above them; between switches of one level, as in a torus. In a dragonfly, links between
switches are within a group, local, or between groups, global; in a HyperX network, along a dimension."""
HOST_UP, HOST_DOWN, LEAF_UP, LEAF_DOWN, CORE_UP, CORE_DOWN, ACROSS, LOCAL, GLOBAL, *_ = range(len(CLASSES))


@dataclass(frozen=True)
class Source:
    """The files that a fabric was read from, or the words that generated it.

    Attributes:
        kind: ibdiagnet, opensm, ibnetdiscover, iblinkinfo, ibsim, slurm, generator, opareport, fabric.json.
        what: names of the files, or the generator's words.
    """

    kind: str
    what: str


GAP = "incomplete files: "
"""A warning with this phrase reports missing parts that make messages undeliverable."""


@dataclass(frozen=True)
class Fabric:
    """One or more subnets.

    Attributes:
        subnets: in the order on the command line.
        sources: in the order on the command line.
        warnings: a line for each missing or omitted thing.
    """

    subnets: tuple[Subnet, ...]
    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()

    @property
    def gaps(self) -> tuple[str, ...]:
        """Warnings about messages that are on no link; they are shown first."""
        return tuple(warning for warning in self.warnings if GAP in warning)

    @property
    def remarks(self) -> tuple[str, ...]:
        """All other warnings."""
        return tuple(warning for warning in self.warnings if GAP not in warning)
