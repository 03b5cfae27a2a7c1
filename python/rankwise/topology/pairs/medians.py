"""Medians of many groups at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def group_medians(groups: NDArray[np.int64], values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return the median of the values of each group.

    Args:
        groups: shape (V,), from 0.
        values: shape (V,); NaN does not count.
        count: G, number of groups.

    Returns:
        shape (G,); NaN for a group without values.
    """
    known = ~np.isnan(values)
    groups, values = groups[known], values[known]
    values = values[np.lexsort((values, groups))]
    sizes = np.bincount(groups, minlength=count)
    starts = np.cumsum(sizes) - sizes
    medians = np.full(count, np.nan)
    full = sizes > 0
    low, high = starts + (sizes - 1) // 2, starts + sizes // 2
    medians[full] = (values[low[full]] + values[high[full]]) / 2
    return medians
