"""Loads of links by class: their imbalance, and lower bounds that hold for any routing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.network.fabric.model import (
    ACROSS,
    CLASSES,
    CORE_DOWN,
    CORE_UP,
    DIMENSIONS,
    GLOBAL,
    HOST_DOWN,
    HOST_UP,
    LEAF_DOWN,
    LEAF_UP,
    LOCAL,
    Subnet,
)
from rankwise.network.routes.distances import distances
from rankwise.network.routes.steps import Floats, Indices

_WITHOUT_LEVELS = (ACROSS, LOCAL, GLOBAL, *DIMENSIONS)
_OPPOSITE = (
    (HOST_UP, HOST_DOWN),
    (LEAF_UP, LEAF_DOWN),
    (CORE_UP, CORE_DOWN),
    *((link_class, link_class) for link_class in _WITHOUT_LEVELS),
)
"""Classes of links that connect parts of a subnet, both directions."""
ANY = len(CLASSES)
"""In bounds, behind the classes: all links between switches."""


@dataclass(frozen=True, kw_only=True)
class ClassLoads:
    """The loads of the links of one class, in the unit of the weights.

    Attributes:
        link_class: index into CLASSES.
        links: of the class.
        used: with any load.
        total: of all.
        max: load of the most loaded link.
        mean_used: over the links with a load; 0 without any.
        mean: over all links.
        p95: the 95th percentile of those with a load.
        gini: coefficient of the used links: 0 = equal loads, near 1 = one link has nearly all (Gini 1912).
        bound: the most loaded link of the class has at least this load, with any routing; 0: not known.
        bound_of_any: the most loaded of all links between switches has at least this load; 0: not known.
        hottest: the first link with the load `max`; -1 if none has a load.
    """

    link_class: int
    links: int
    used: int
    total: float
    max: float
    mean_used: float
    mean: float
    p95: float
    gini: float
    bound: float
    bound_of_any: float
    hottest: int

    @property
    def name(self) -> str:
        """Of the class."""
        return CLASSES[self.link_class]

    @property
    def excess(self) -> float | None:
        """How many times the bound the most loaded link has; None if there is no bound."""
        return self.max / self.bound if self.bound else None

    @property
    def times_mean(self) -> float | None:
        """The largest load divided by the mean over the used links; None: none is used."""
        return self.max / self.mean_used if self.mean_used else None


def between_switches(subnet: Subnet) -> Indices:
    """Return the links that no host is at."""
    return np.flatnonzero((subnet.classes != HOST_UP) & (subnet.classes != HOST_DOWN))


def by_class(subnet: Subnet, loads: Floats, bounds: Floats) -> list[ClassLoads]:
    """Sum up loads.

    Args:
        subnet: with L links.
        loads: shape (L,): of each.
        bounds: as of `class_bounds`.

    Returns:
        One entry for each class of links in the subnet, in the order of CLASSES.
    """
    classes_found = []
    for number in range(len(CLASSES)):
        of_class = np.flatnonzero(subnet.classes == number)
        if not len(of_class):
            continue
        load = loads[of_class]
        used = np.sort(load[load > 0])
        classes_found.append(
            ClassLoads(
                link_class=number,
                links=len(of_class),
                used=len(used),
                total=float(load.sum()),
                max=float(load.max()),
                mean_used=float(used.mean()) if len(used) else 0.0,
                mean=float(load.mean()),
                p95=float(np.percentile(used, 95)) if len(used) else 0.0,
                gini=_gini(used),
                bound=float(bounds[number]),
                bound_of_any=float(bounds[ANY]),
                hottest=int(of_class[load.argmax()]) if len(used) else -1,
            )
        )
    return classes_found


def class_bounds(subnet: Subnet, source: ArrayLike, destination: ArrayLike, weight: ArrayLike) -> Floats:
    """Return a lower bound for the greatest load in each class of links, for any routing.

    A cut divides the subnet into parts. All traffic from hosts of a part to others must leave the part over
    the links that lead out of it, so one of these has at least the mean. The same holds for incoming traffic.
    (A cut bound, as in Leiserson, "Fat-trees", IEEE Trans. Comp. C-34, 1985.) If all links out of a part are
    of one class, this is a bound for the class; if not, it is a bound for the most loaded of all links
    between switches. The bound is the greatest such mean of all parts and of these cuts:

    - each switch with its hosts is a part, so that there is a bound in any graph;
    - the parts that the subnet falls into without the links of a class and of the opposite class.

    Where switches have no levels, messages load at least as many links as there are on a shortest way, so
    that the mean load of all links between switches is a bound, too: for their class if it is a single one.

    Args:
        subnet: with P host ports.
        source: shape (N,): host ports.
        destination: shape (N,): host ports.
        weight: shape (N,): of each pair, if its messages arrive.

    Returns:
        Shape (classes + 1,): 0 without a bound; the last one is for ANY.
    """
    sources, destinations = np.asarray(source, np.int64), np.asarray(destination, np.int64)
    weights = np.asarray(weight, np.float64)
    bounds = np.zeros(len(CLASSES) + 1)
    for cut in cuts(subnet):
        part = cut.crossed(sources, destinations)
        amount = np.bincount(part[part >= 0], weights[part >= 0], len(cut.links))
        means = np.divide(amount, cut.links, out=np.zeros(len(amount)), where=cut.links > 0)
        bounds[cut.link_class] = max(bounds[cut.link_class], float(means.max(initial=0.0)))
    least = least_hops(subnet, sources, destinations)
    if least is not None:
        between = between_switches(subnet)
        single = np.unique(subnet.classes[between])
        of = int(single[0]) if len(single) == 1 else ANY
        bounds[of] = max(bounds[of], float(weights @ least) / len(between))
    bounds[ANY] = bounds[LEAF_UP:].max()
    return bounds


def least_hops(subnet: Subnet, source: Indices, destination: Indices) -> Floats | None:
    """Return how many links between switches messages take at least.

    Args:
        subnet: with P host ports.
        source: shape (N,): host ports.
        destination: shape (N,): host ports.

    Returns:
        Shape (N,); None unless there are links between switches, and no switch is above another.
    """
    between = between_switches(subnet)
    if not len(between) or not np.isin(subnet.classes[between], _WITHOUT_LEVELS).all():
        return None
    order = between[np.argsort(subnet.links.source[between], kind="stable")]
    first = subnet.links.destination[subnet.up]
    ends, end = np.unique(first[destination], return_inverse=True)
    far = distances(
        len(subnet.switches.names), subnet.links.source[order], subnet.links.destination[order], ends
    )
    return far[first[source], end].astype(np.float64)


@dataclass(frozen=True)
class Cut:
    """Parts of a subnet, and links of one class that lead out of them, or into them.

    Attributes:
        link_class: index into CLASSES, or ANY.
        outward: the links lead out of parts; else into them.
        part: shape (P,): of each host port.
        links: shape (parts,): that lead out of each part, or into it; 0: they are not all of this class.
    """

    link_class: int
    outward: bool
    part: Indices
    links: Indices

    def crossed(self, source: Indices, destination: Indices) -> Indices:
        """Return the part that each message must leave, or enter; -1: it stays within its part.

        Args:
            source: shape (N,): host ports.
            destination: shape (N,): host ports.
        """
        start, end = self.part[source], self.part[destination]
        return np.where(start == end, -1, start if self.outward else end)


def cuts(subnet: Subnet) -> list[Cut]:
    """Return the cuts that give bounds, as of `class_bounds`, each once."""
    switches = len(subnet.switches.names)
    nodes = switches + len(subnet.ports.hosts)
    alone = np.arange(nodes)
    alone[switches:] = subnet.links.destination[subnet.up]
    partitions = [alone]
    for out, into in _OPPOSITE:
        kept = (subnet.classes != out) & (subnet.classes != into)
        if not kept.all():
            partitions.append(_parts(nodes, subnet.links.source[kept], subnet.links.destination[kept]))
    cuts_found: list[Cut] = []
    for part in partitions:
        for cut in _cuts_of(subnet, part):
            if not any(_is_same(cut, other) for other in cuts_found):
                cuts_found.append(cut)
    return cuts_found


def _cuts_of(subnet: Subnet, part: Indices) -> Iterator[Cut]:
    """Yield the cuts between parts: of each direction, one for each class, and one for mixed ones.

    Args:
        subnet: with N switches and host ports.
        part: shape (N,): of each, the lowest number of all that are in it.
    """
    of_hosts = part[len(subnet.switches.names) :]
    has_hosts = np.zeros(len(part), bool)
    has_hosts[of_hosts] = True
    crossing = np.flatnonzero(part[subnet.links.source] != part[subnet.links.destination])
    classes = subnet.classes[crossing]
    for outward in (True, False):
        ends = part[(subnet.links.source if outward else subnet.links.destination)[crossing]]
        total = np.bincount(ends, minlength=len(part))
        mixed = np.where(has_hosts, total, 0)
        for link_class in np.unique(classes).tolist():
            own = np.bincount(ends[classes == link_class], minlength=len(part))
            links = np.where(has_hosts & (own == total), own, 0)
            mixed[links > 0] = 0
            if links.any():
                yield Cut(link_class, outward, of_hosts, links)
        if mixed.any():
            yield Cut(ANY, outward, of_hosts, mixed)


def _is_same(cut: Cut, other: Cut) -> bool:
    return (
        cut.link_class == other.link_class
        and cut.outward == other.outward
        and np.array_equal(cut.links, other.links)
        and np.array_equal(cut.part, other.part)
    )


def _parts(nodes: int, first: NDArray[np.int32], second: NDArray[np.int32]) -> Indices:
    """Return the part that each node is in: the lowest number of all nodes that it hangs together with."""
    part = np.arange(nodes)
    while True:
        lower = part.copy()
        np.minimum.at(lower, first, part[second])
        np.minimum.at(lower, second, part[first])
        lower = lower[lower]
        if (lower == part).all():
            return part
        part = lower


def _gini(ascending: Floats) -> float:
    total = float(ascending.sum())
    if not total:
        return 0.0
    count = len(ascending)
    ranks = 2.0 * np.arange(1, count + 1) - count - 1
    return float(ranks @ ascending) / (count * total)
