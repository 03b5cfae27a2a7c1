"""Networks that are not trees: a torus, a dragonfly, routes, or a measurement."""

from __future__ import annotations

import math
from dataclasses import dataclass

Rows = tuple[tuple[int, ...], ...]
Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Torus:
    """Rings, or lines, of routers along each axis.

    Attributes:
        dims: routers along each axis.
        wrap: whether the last node of an axis is linked with the first.
        coordinates: of each node, from left to right in the tree; none: nodes are in row-major order.
    """

    dims: tuple[int, ...]
    wrap: tuple[bool, ...]
    coordinates: Rows = ()

    def room(self) -> int:
        """Return how many nodes there are if none has coordinates."""
        return math.prod(self.dims)

    def limits(self) -> tuple[int, ...]:
        """Return below which each coordinate must be."""
        return self.dims

    def __str__(self) -> str:
        sides = " x ".join(map(str, self.dims))
        lines = [str(axis) for axis, wrapped in enumerate(self.wrap) if not wrapped]
        return f"torus of {sides} routers" + (f", not closed along axis {', '.join(lines)}" if lines else "")


@dataclass(frozen=True)
class Dragonfly:
    """Groups of routers that are all linked, with a link between each two groups.

    Attributes:
        groups: of routers.
        routers: of each group.
        nodes: at each router.
        coordinates: group, and router in it, of each node from left to right in the tree; none: in order.
    """

    groups: int
    routers: int
    nodes: int
    coordinates: Rows = ()

    def room(self) -> int:
        """Return how many nodes there are if none has coordinates."""
        return self.groups * self.routers * self.nodes

    def limits(self) -> tuple[int, ...]:
        """Return below which each coordinate must be."""
        return self.groups, self.routers

    def __str__(self) -> str:
        return f"dragonfly of {self.groups} groups x {self.routers} routers x {self.nodes} nodes"


@dataclass(frozen=True)
class Matrix:
    """Measured costs between nodes, from left to right in the tree; row = sender.

    Attributes:
        us_per_byte: of a large message.
        latency_us: half a round trip of the smallest size.
    """

    us_per_byte: Table
    latency_us: Table

    def __str__(self) -> str:
        return f"measured between each two of {len(self.us_per_byte)} nodes"


@dataclass(frozen=True)
class Routes:
    """Routers with any links between them, and forwarding tables.

    Attributes:
        routers: their names.
        at: router of each node, from left to right in the tree.
        links: the two routers of each, by their numbers; used in both directions.
        mb_s: bandwidth of each link; none: unknown, taken as equal.
        shares: of all messages, that follow each table; their sum is 1.
        next: tables: for each router the link that it takes to each node; -1: none.
    """

    routers: tuple[str, ...]
    at: tuple[int, ...]
    links: tuple[tuple[int, int], ...]
    mb_s: tuple[float, ...]
    shares: tuple[float, ...]
    next: tuple[Rows, ...]

    def __str__(self) -> str:
        tables = f"{len(self.next)} forwarding table{'s' * (len(self.next) > 1)}"
        return f"{len(self.routers)} routers with {len(self.links)} links, {tables}"


Network = Torus | Dragonfly | Matrix | Routes
