"""Pairs by the level of the machine that they talk across."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy.levels import Hierarchy

_NAMES = {
    "core": "same core",
    "l3": "same L3",
    "numa": "same NUMA domain",
    "package": "same package",
    "node": "same node",
    "switch": "same switch",
    "machine": "across the machine",
}
COLOURS = ("#4477aa", "#ee8866", "#228833", "#aa3377", "#66ccee", "#997700", "#000000", "#bbbbbb")
"""Of classes, from the innermost; also distinct for the colour-blind (Tol's schemes)."""


@dataclass(frozen=True)
class Classes:
    """Attributes:
    names: from the innermost level to the outermost.
    of: place in `names` for each of the measurement's pairs, shape (P,).
    """

    names: tuple[str, ...]
    of: NDArray[np.int64]


def classes(measurement: Measurement, hierarchy: Hierarchy | None) -> Classes:
    """Sort the pairs into levels; without a hierarchy into pairs on the same node, and others."""
    first, second = measurement.pairs.first, measurement.pairs.second
    if hierarchy is None:
        hosts = np.array([rank.host for rank in measurement.ranks])
        return Classes(("same node", "across nodes"), (hosts[first] != hosts[second]).astype(np.int64))
    levels = np.full(len(first), len(hierarchy.levels) - 1)
    for place in range(len(hierarchy.levels) - 1, -1, -1):
        groups = hierarchy.levels[place].groups
        levels[groups[first] == groups[second]] = place
    return Classes(tuple(_NAMES.get(level.name, level.name) for level in hierarchy.levels), levels)
