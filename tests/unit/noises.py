"""Times as jobs take them: how they scatter around 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Times]


def spikes(generator: np.random.Generator, count: int) -> Times:
    late = (generator.random(count) < 0.15) * generator.exponential(1, count)
    return 1 + 0.02 * generator.random(count) + late


NOISES: dict[str, Noise] = {
    "normal": lambda generator, count: np.exp(0.05 * generator.standard_normal(count)),
    "wide": lambda generator, count: np.exp(0.4 * generator.standard_normal(count)),
    "skewed": lambda generator, count: 1 + generator.exponential(0.3, count),
    "spikes": spikes,
}
