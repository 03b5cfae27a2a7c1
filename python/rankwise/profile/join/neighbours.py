"""Who the neighbours of each member of a Cartesian communicator are (MPI 4.1, chapter 8).

Those of graphs are not in the profile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NOBODY = -1
"""In place of a neighbour."""


def are_known(topology: str, dims: Sequence[int], size: int) -> bool:
    """Tell whether neighbours follow from the dimensions: of more than 8 the profile has only the first."""
    return topology == "cart" and math.prod(dims) == size


def neighbours(dims: Sequence[int], periods: Sequence[int]) -> NDArray[np.int64]:
    """Return the neighbours of each place in a grid: one row a place, each neighbour once, never itself."""
    size = math.prod(dims)
    places, stride = np.arange(size), size
    columns = [np.full(size, NOBODY)]
    for count, is_periodic in zip(dims, periods, strict=True):
        stride //= count
        own = places // stride % count
        for step in (-1, 1):
            there = (own + step) % count
            other = places + (there - own) * stride
            is_there = (there == own + step) | bool(is_periodic)
            columns.append(np.where(is_there & (other != places), other, NOBODY))
    neighbours_sorted = np.sort(np.stack(columns, axis=1), axis=1)
    neighbours_sorted[:, 1:][neighbours_sorted[:, 1:] == neighbours_sorted[:, :-1]] = NOBODY
    return neighbours_sorted
