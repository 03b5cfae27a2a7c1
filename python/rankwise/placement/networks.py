"""What lies between nodes where that is no tree, as the placement engine takes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Torus:
    """Rings, or lines, of routers along each axis; hops are links between routers on the shortest way.

    Attributes:
        length: routers along each axis.
        ring: whether the last router of an axis is linked with the first; None: on all axes.
        router: of each node, in row-major order; None: node n is at router n.
        per_byte: cost of a byte for each hop.
        per_message: cost of a message for each hop.
    """

    length: Sequence[int]
    ring: Sequence[bool] | None = None
    router: ArrayLike | None = None
    per_byte: float = 1.0
    per_message: float = 0.0

    @property
    def kind(self) -> str:
        """Name of the kind, as in machine.json."""
        return "torus"

    @property
    def count(self) -> int:
        """How many nodes there are, one at each router."""
        return math.prod(self.length)


@dataclass(frozen=True)
class Dragonfly:
    """Groups of routers that are all linked, and one link between each two groups.

    Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008.

    Link k of group g leads to group k, or k + 1 from g on, and is at router k // ceil((groups - 1) / routers)
    of the group. Hops are routers on the way: 1 at the same router, 2 in a group, 2 to 4 between groups, by
    the link of the two groups.

    Attributes:
        groups: of routers.
        routers: of each group.
        nodes: at each router.
        router: of each node, counted over all groups; None: node n is at router n // nodes.
        per_byte: cost of a byte for each hop.
        per_message: cost of a message for each hop.
    """

    groups: int
    routers: int
    nodes: int
    router: ArrayLike | None = None
    per_byte: float = 1.0
    per_message: float = 0.0

    @property
    def kind(self) -> str:
        """Name of the kind, as in machine.json."""
        return "dragonfly"

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return self.groups * self.routers * self.nodes


@dataclass(frozen=True)
class Matrix:
    """Measured costs between n nodes.

    Attributes:
        per_byte: shape (n, n): cost of a byte; the mean of both directions counts.
        per_message: cost of a message, in the same form; None: nothing.
    """

    per_byte: ArrayLike
    per_message: ArrayLike | None = None

    @property
    def kind(self) -> str:
        """Name of the kind, as in machine.json."""
        return "matrix"

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return len(np.asarray(self.per_byte))


@dataclass(frozen=True)
class Routes:
    """Routes by forwarding tables: messages follow links from router to router, up to that of their node.

    Hops are the links on the way, on average over the tables, by their shares.

    Attributes:
        router: shape (n,): of each node.
        ends: shape (links, 2): the routers of each link, which is used in both directions: their loads are
            two.
        next: shape (tables, routers, n): link from a router towards a node; -1: none, as at its router and
            where no message comes by.
        share: of all messages, that follow each table; their sum is 1; None: all equal.
        per_link_byte: what a byte costs on each link, for the bottleneck alone; None: as much as a hop.
        per_byte: cost of a byte for each hop.
        per_message: cost of a message for each hop.
    """

    router: ArrayLike
    ends: ArrayLike
    next: ArrayLike
    share: ArrayLike | None = None
    per_link_byte: ArrayLike | None = None
    per_byte: float = 1.0
    per_message: float = 0.0

    @property
    def kind(self) -> str:
        """Name of the kind, as in machine.json."""
        return "routes"

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return np.size(self.router)


Network = Torus | Dragonfly | Matrix | Routes
