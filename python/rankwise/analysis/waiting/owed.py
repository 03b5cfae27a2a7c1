"""Root causes of late arrivals: the share of each late arrival that a group of ranks has caused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

Node = tuple[int, int]
"""A rank, and the number of a collective that it was late to."""


class Origin(NamedTuple):
    """Why a rank was late to a collective.

    Attributes:
        own: share of the lateness that is neither passed on nor due to leaving the previous collective late.
        passed: other late arrivals → share that is passed on to them.
    """

    own: float
    passed: Mapping[Node, float]


class Owed:
    """All late arrivals of a run, with the shares that each passes on."""

    def __init__(self, origins: Mapping[Node, Origin], most_steps: int) -> None:
        """Keep the origins; waiting is followed over at most `most_steps` steps."""
        ends = {node for origin in origins.values() for node in origin.passed} - origins.keys()
        self._nodes = [*origins, *sorted(ends)]
        self._steps = most_steps
        place = {node: number for number, node in enumerate(self._nodes)}
        self._own = np.array([*(origin.own for origin in origins.values()), *(1.0 for _ in ends)])
        edges = [
            (place[node], place[other], share)
            for node, origin in origins.items()
            for other, share in origin.passed.items()
        ]
        self._from, self._to = (np.array([edge[side] for edge in edges], np.int64) for side in (0, 1))
        self._share = np.array([share for *_, share in edges], np.float64)
        self._ranks = np.array([rank for rank, _ in self._nodes], np.int64)

    def to(self, ranks: Collection[int]) -> dict[Node, float]:
        """Return the share of each late arrival that these ranks have caused."""
        own = self._own * np.isin(self._ranks, list(ranks))
        share = own
        for _ in range(self._steps if len(self._from) else 0):
            share = own + np.bincount(self._from, self._share * share[self._to], len(own))
        return dict(zip(self._nodes, share.tolist(), strict=True))
