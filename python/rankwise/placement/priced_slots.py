"""The slots of a machine as the placement engine takes them."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from rankwise.placement.networks import Network


@dataclass(frozen=True)
class PricedSlots:
    """The slots of a machine, and what messages cost between them.

    Attributes:
        objects: shape (N, D): the object of each level, from the outermost, that a slot belongs to.
        per_byte: shape (D + 1,): cost of a byte between slots that have so many leading objects in common.
        per_message: cost of a message, in the same form; None if messages cost nothing.
        per_link_byte: shape (N, D): cost of a byte on the link from the object to the one around it, for
            the bottleneck and weigh; 0: that link does not matter. None: 0 with a network, else 1.
        network: between nodes; slots on different ones cost the first price and what it adds. None: the tree
            tells all.
        node_level: column of `objects` that has the nodes, 0 ... as the network counts them.
    """

    objects: ArrayLike
    per_byte: ArrayLike
    per_message: ArrayLike | None = None
    per_link_byte: ArrayLike | None = None
    network: Network | None = None
    node_level: int = 0
