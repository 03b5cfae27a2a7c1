"""Whether levels would be found again, had the noise been another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.topology.hierarchy.clustering import Groups, class_of, nested_partitions
from rankwise.topology.hierarchy.compare import adjusted_rand
from rankwise.topology.hierarchy.distances import Matrix, fill
from rankwise.topology.hierarchy.unmeasured import measured
from rankwise.topology.machine.slots import numbered

SAME = 0.95
"""Adjusted Rand index from which two partitions count as the same."""


def stabilities(distances: Matrix, partitions: Sequence[Groups], seed: int) -> list[float]:
    """Return the share of resampled measurements in which each partition is found.

    A resampled measurement has noise once more on top: normal in the logarithm, each class of pairs with the
    spread (1.4826 MAD) that it shows itself. That is more noise than was measured, so the share errs low.

    Args:
        distances: shape (N, N), logarithms, NaN where nothing was measured.
        partitions: nested, from the innermost; one that joins no two measured ranks counts as found.
        seed: of the noise.
    """
    if not partitions:
        return []
    known = measured(distances)
    distances = fill(distances[np.ix_(known, known)])
    partitions = [numbered(groups[known].tolist()) for groups in partitions]
    count = len(known)
    random = np.random.default_rng(seed)
    spreads = _spreads(distances, class_of(partitions, count), len(partitions) + 1)
    times = 3 if count > 1000 else 10 if count > 200 else 20
    hits = np.zeros(len(partitions))
    for _ in range(times):
        noise = random.standard_normal((count, count), dtype=np.float32) * spreads
        noise = np.triu(noise, 1)
        again = nested_partitions(distances + noise + noise.T)
        hits += [any(adjusted_rand(groups, other) >= SAME for other in again) for groups in partitions]
    return [
        1.0 if groups.max() == count - 1 else float(share)
        for groups, share in zip(partitions, hits / times, strict=True)
    ]


def _spreads(distances: Matrix, classes: NDArray[np.int8], number: int) -> Matrix:
    """Return the robust standard deviation of each pair's class: shape (N, N)."""
    upper = np.triu(np.ones(distances.shape, dtype=bool), 1)
    spreads = np.zeros(number, dtype=np.float32)
    for place in range(number):
        values = distances[upper & (classes == place)]
        if len(values):
            spreads[place] = 1.4826 * np.median(np.abs(values - np.median(values)))
    return spreads[classes]
