"""Dragonflies and HyperX networks, recognised by the links between their switches.

Neither has levels: all switches have hosts. A graph that is not clearly one of them stays unknown, such as a
torus, or groups of two switches, which could as well be a ring.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

DRAGONFLY, HYPERX = "dragonfly", "HyperX"
MOST_DIMENSIONS = 4
_LEAST_GROUPS = 3
_LEAST_SWITCHES = 3
"""In a group, and along a dimension."""
_LEAST_LINKED = 0.9
"""Of the pairs of switches of a group, and of the pairs of groups: cables may be broken."""


@dataclass(frozen=True)
class Topology:
    """What the switches of a subnet form.

    Attributes:
        name: DRAGONFLY or HYPERX.
        text: what that is, and why, a phrase.
        places: of each switch: its group, or its place along each dimension.
        kinds: shape (L,), int8: of the given links: in a dragonfly 0 within a group, 1 between groups; in a
            HyperX network the dimension, from 0.
    """

    name: str
    text: str
    places: tuple[str, ...]
    kinds: NDArray[np.int8]

    def place_text(self, switch: int) -> str:
        """Return where a switch is: `group 3`, or `place 2, 3` in a HyperX network."""
        return self.places[switch] if self.is_dragonfly else f"place {self.places[switch]}"

    @property
    def is_dragonfly(self) -> bool:
        """Whether it is a dragonfly; else a HyperX network."""
        return self.name == DRAGONFLY


def topology_of(
    switches: int, source: NDArray[np.integer], destination: NDArray[np.integer]
) -> Topology | None:
    """Return what switches form; None: it is not known.

    Args:
        switches: S.
        source: shape (L,): of directed links between switches.
        destination: shape (L,).
    """
    is_near = np.zeros(switches, np.bool_)
    is_near[destination[source == 0]] = True
    if not (is_near[source] & is_near[destination]).any():
        return None  # in both, each switch has neighbours that are linked
    near: list[set[int]] = [set() for _ in range(switches)]
    for here, there in zip(source.tolist(), destination.tolist(), strict=True):
        near[here].add(there)
    return _hyperx(near, source, destination) or _dragonfly(near, source, destination)


def _hyperx(
    near: Sequence[set[int]], source: NDArray[np.integer], destination: NDArray[np.integer]
) -> Topology | None:
    """Recognise switches on a grid, each linked with all others of its row along each dimension.

    The neighbours of a switch along one dimension are linked with each other, and not with those along
    another. These neighbours give the places of all other switches, which are then checked.
    """
    rows = _parts(near[0], near)
    sizes = [len(row) + 1 for row in rows]
    if not 2 <= len(rows) <= MOST_DIMENSIONS or min(sizes) < _LEAST_SWITCHES:
        return None
    if math.prod(sizes) != len(near) or any(len(each) != sum(sizes) - len(sizes) for each in near):
        return None
    places = np.full((len(near), len(rows)), -1)
    places[0] = 0
    for dimension, row in enumerate(rows):
        for place, switch in enumerate(row, 1):
            places[switch] = 0
            places[switch, dimension] = place
    known, last = {0, *near[0]}, near[0]
    while last:
        following = {there for here in last for there in near[here]} - known
        for switch in following:
            places[switch] = np.max([places[each] for each in near[switch] & last], axis=0)
        known |= following
        last = following
    differing = (places[source] != places[destination]).sum(axis=1)
    if len(known) < len(near) or (differing != 1).any() or len(np.unique(places, axis=0)) < len(near):
        return None
    grid = " x ".join(map(str, sizes))
    return Topology(
        HYPERX,
        f"{HYPERX} of {grid} switches, by its links: each switch is linked with all others of its row along "
        "each dimension",
        tuple(", ".join(str(place + 1) for place in each) for each in places.tolist()),
        (places[source] != places[destination]).argmax(axis=1).astype(np.int8),
    )


def _parts(members: set[int], near: Sequence[set[int]]) -> list[list[int]]:
    """Return the parts of some switches that hang together by links between these, lowest numbers first."""
    parts, seen = [], set[int]()
    for first in sorted(members):
        if first in seen:
            continue
        part, waiting = {first}, [first]
        while waiting:
            new = (near[waiting.pop()] & members) - part
            part |= new
            waiting += new
        seen |= part
        parts.append(sorted(part))
    return parts


def _dragonfly(
    near: Sequence[set[int]], source: NDArray[np.integer], destination: NDArray[np.integer]
) -> Topology | None:
    """Recognise groups of switches that are all linked, if each two groups are linked as well.

    Two linked switches of a group have all its other switches as common neighbours, and hardly any others;
    two of different groups have few. How many are enough is found by trying.
    """
    common = {
        (here, there): len(near[here] & near[there])
        for here in range(len(near))
        for there in near[here]
        if here < there
    }
    for least in sorted({*common.values()} - {0}, reverse=True):
        close: list[set[int]] = [set() for _ in near]
        for (here, there), count in common.items():
            if count >= least:
                close[here].add(there)
                close[there].add(here)
        groups = _parts(set(range(len(near))), close)
        if len(groups) < _LEAST_GROUPS:
            return None  # less would join even more
        if min(map(len, groups)) >= _LEAST_SWITCHES:
            found = _of_groups(groups, near, source, destination)
            if found:
                return found
    return None


def _of_groups(
    groups: Sequence[Sequence[int]],
    near: Sequence[set[int]],
    source: NDArray[np.integer],
    destination: NDArray[np.integer],
) -> Topology | None:
    pairs = sum(math.comb(len(group), 2) for group in groups)
    apart = 0
    for group in groups:
        missing = sum(there not in near[here] for here, there in combinations(group, 2))
        if missing > (1 - _LEAST_LINKED) * math.comb(len(group), 2):
            return None
        apart += missing
    group_of = np.empty(len(near), np.int64)
    for number, group in enumerate(groups):
        group_of[list(group)] = number
    ends = np.sort(np.stack([group_of[source], group_of[destination]]), axis=0)
    is_global = ends[0] != ends[1]
    all_pairs = math.comb(len(groups), 2)
    unlinked = all_pairs - np.unique(ends[:, is_global], axis=1).shape[1]
    if unlinked > (1 - _LEAST_LINKED) * all_pairs:
        return None
    least, most = min(map(len, groups)), max(map(len, groups))
    without = [
        f"{count} of {total} pairs of {what}"
        for count, total, what in (
            (apart, pairs, "switches of a group"),
            (unlinked, all_pairs, "groups"),
        )
        if count
    ]
    size = str(least) if least == most else f"{least} to {most}"
    return Topology(
        DRAGONFLY,
        f"{DRAGONFLY} of {len(groups)} groups of {size} switches, by its links: the switches of a group are "
        "all linked with each other, and so are the groups"
        + (f"; without a link: {' and '.join(without)}" if without else ""),
        tuple(f"group {number + 1}" for number in group_of.tolist()),
        is_global.astype(np.int8),
    )
