"""Bundles of cables between the same two ends: a line of a drawing, a cell of a matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import Subnet


@dataclass(frozen=True)
class Bundles:
    """B bundles.

    Attributes:
        low, high: shape (B,): their ends, the lower level first; numbered as in `Links`.
        cables: shape (B,): their number.
        most: shape (2, B): the most that one of their links carries, from low to high, and back.
        hot: shape (2, B): whether one of their links carries too much, from low to high, and back.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    cables: NDArray[np.int64]
    most: NDArray[np.float64]
    hot: NDArray[np.bool_]


def bundles(
    subnet: Subnet, links: NDArray[np.int64], loads: NDArray[np.float64], hot: NDArray[np.int64]
) -> Bundles:
    """Bundle links.

    Args:
        subnet: of the links.
        links: both directions of each drawn cable.
        loads: shape (L,): of all links of the subnet.
        hot: links that carry too much.
    """
    ends = len(subnet.switches.names) + len(subnet.ports.hosts)
    level = np.concatenate([subnet.switches.levels, np.zeros(len(subnet.ports.hosts), np.int32)])
    source, destination = (
        of[links].astype(np.int64) for of in (subnet.links.source, subnet.links.destination)
    )
    upward = (level[source] < level[destination]) | (
        (level[source] == level[destination]) & (source < destination)
    )
    low, high = np.where(upward, source, destination), np.where(upward, destination, source)
    keys, place = np.unique(low * ends + high, return_inverse=True)
    way = (~upward).astype(np.int64)
    most, marked = np.zeros((2, len(keys))), np.zeros((2, len(keys)), bool)
    np.maximum.at(most, (way, place), loads[links])
    is_hot = np.isin(links, hot)
    marked[way[is_hot], place[is_hot]] = True
    return Bundles(*np.divmod(keys, ends), np.bincount(place) // 2, most, marked)
