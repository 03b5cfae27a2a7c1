"""How far switches are from each other, by links between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FAR = np.iinfo(np.int16).max // 2
"""There is no way."""


def distances(
    switches: int, source: NDArray[np.int32], destination: NDArray[np.int32], ends: NDArray[np.int32]
) -> NDArray[np.int16]:
    """Return how many links lead from each switch to some of them, on a shortest way.

    Args:
        switches: S.
        source: shape (L,): of each link, ascending.
        destination: shape (L,): of each.
        ends: shape (C,): switches to come to.

    Returns:
        Shape (S, C).
    """
    far = np.full((switches, len(ends)), FAR, np.int16)
    far[ends, np.arange(len(ends))] = 0
    here, begin = np.unique(source, return_index=True)
    while len(here):
        nearest = np.minimum.reduceat(far[destination], begin, axis=0) + np.int16(1)
        if (nearest >= far[here]).all():
            break
        far[here] = np.minimum(far[here], nearest)
    return far
