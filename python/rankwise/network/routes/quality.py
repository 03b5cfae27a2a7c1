"""The quality of routes between the host ports of a job, independent of its messages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.network.fabric.model import Subnet
from rankwise.network.routes.all_to_all import AllToAll, all_to_all
from rankwise.network.routes.classes import between_switches
from rankwise.network.routes.steps import Floats, Indices
from rankwise.network.routes.walk import crossings

_PAIRS = 1 << 16
"""Bisections that are processed at a time."""
_MOST_BISECTIONS, _LEAST_BISECTIONS, _ENOUGH_PAIRS = 200, 20, 200_000


@dataclass(frozen=True)
class Bisection:
    """The effective bisection bandwidth.

    Attributes:
        mean: over random bisections, the mean bandwidth of their pairs, as a share of a link's bandwidth.
        deviation: standard deviation over the bisections.
        bisections: how many.
    """

    mean: float
    deviation: float
    bisections: int


def forwarding_index(subnet: Subnet, routes: AllToAll) -> float:
    """Return the edge forwarding index: the most routes over one link between switches.

    Heydemann, Meyer, Sotteau: "On forwarding indices of networks", Discrete Applied Mathematics 23 (1989).

    Args:
        subnet: the routes are in.
        routes: between all pairs of the host ports that matter.
    """
    return float(routes.loads[between_switches(subnet)].max(initial=0.0))


def bisection_bandwidth(
    subnet: Subnet,
    ports: ArrayLike,
    *,
    bisections: int = 0,
    seed: int = 1,
    lid_offset: int | None = 0,
    routes: AllToAll | None = None,
) -> Bisection | None:
    """Return the effective bisection bandwidth of some host ports.

    Half of the ports, chosen at random, are paired with the other half; all pairs exchange messages at once.
    A pair gets its share of the link on its path that most paths cross. Hoefler, Schneider, Lumsdaine:
    "Multistage switches are not crossbars", IEEE Cluster 2008.

    Args:
        subnet: with links that are all equally fast.
        ports: shape (N,): host ports, each once.
        bisections: how many; 0: 200, fewer if the ports are many.
        seed: of the random numbers.
        lid_offset: as of `routed`.
        routes: between all pairs of the ports, if they are known.

    Returns:
        None for less than two ports, or if some messages do not arrive.
    """
    hosts = np.asarray(ports, np.int64)
    half = len(hosts) // 2
    if not half or (routes or all_to_all(subnet, hosts, lid_offset=lid_offset)).missing:
        return None
    count = bisections or min(_MOST_BISECTIONS, max(_LEAST_BISECTIONS, _ENOUGH_PAIRS // len(hosts)))
    random = np.random.default_rng(seed)
    orders = np.array([random.permutation(hosts) for _ in range(count)])
    at_once = max(1, _PAIRS // len(hosts))
    means = np.concatenate(
        [
            _bandwidths(subnet, orders[first : first + at_once], half, lid_offset)
            for first in range(0, count, at_once)
        ]
    )
    return Bisection(float(means.mean()), float(means.std()), count)


def _bandwidths(subnet: Subnet, orders: Indices, half: int, lid_offset: int | None) -> Floats:
    """Return the mean bandwidth of the pairs of each order of the ports, shape (B,)."""
    first_half, second_half = orders[:, :half], orders[:, half : 2 * half]
    source = np.concatenate([first_half, second_half], axis=1)
    destination = np.concatenate([second_half, first_half], axis=1)
    pair, link, share = crossings(
        subnet, source.ravel(), destination.ravel(), np.arange(len(subnet.links)), lid_offset=lid_offset
    )
    meeting = pair // source.shape[1] * len(subnet.links) + link
    ways = np.bincount(meeting, share, len(orders) * len(subnet.links))[meeting]
    worst = np.zeros(source.size)
    np.maximum.at(worst, pair, ways)
    means: Floats = (1.0 / worst).reshape(source.shape).mean(axis=1)
    return means
