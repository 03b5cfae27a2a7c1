"""The number of pairs by value, for each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.render.figures.heatmap.view import View

_BINS = 80


@dataclass(frozen=True)
class Histogram:
    """Counts in bins that are equally wide on a logarithmic axis.

    Attributes:
        names: of the classes, from the innermost.
        medians: of each class; NaN where it has no value.
        edges: shape (B + 1,), us or MB/s, ascending.
        counts: shape (classes, B).
    """

    names: tuple[str, ...]
    medians: tuple[float, ...]
    edges: NDArray[np.float64]
    counts: NDArray[np.int64]


def histogram(view: View, bins: int = _BINS) -> Histogram:
    """Count the values, of both directions if these were measured separately."""
    parts = [_values(view, place) for place in range(len(view.classes.names))]
    filled = [part for part in parts if len(part)]
    low = min((part.min() for part in filled), default=1.0)
    high = max((part.max() for part in filled), default=1.0)
    if high < 1.1 * low:  # all nearly equal: a bar in the middle, not as wide as the picture
        low, high = low / 1.5, high * 1.5
    step = np.log(high / low) / bins
    counts = [
        np.bincount(np.clip((np.log(part / low) / step).astype(np.int64), 0, bins - 1), minlength=bins)
        for part in parts
    ]
    return Histogram(
        view.classes.names,
        tuple(float(np.median(part)) if len(part) else float("nan") for part in parts),
        np.geomspace(low, high, bins + 1),
        np.array(counts),
    )


def _values(view: View, place: int) -> NDArray[np.float64]:
    chosen = view.classes.of == place
    chosen_values: NDArray[np.float64] = np.concatenate([values[chosen] for values in view.values])
    there = np.isfinite(chosen_values) & (chosen_values > 0)
    return np.asarray(chosen_values[there])
