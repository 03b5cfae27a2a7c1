"""Colours of values: blue for fast, yellow for slow, red beyond the scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Viridis (Smith and van der Walt 2015) without its first violet: even steps for the eye, also for the
# colour-blind and in grey. Red is not on it.
PALETTE = ("#472a7a", "#3e4c8a", "#306a8e", "#25848e", "#1f9f88", "#37b878", "#6ece58", "#b5de2b", "#fde725")
BEYOND = "#e3342f"
MISSING = "#d9dce1"

END = 1 + 1e-9
"""Above this height a value is beyond the scale."""

_FENCE = 3.0  # quartile distances; Tukey's "far out"
_LEAST_SPREAD = 0.05  # relative: nearly equal values must not make each other outliers


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale.

    Attributes:
        fast, slow: the values at its ends; of times fast < slow, of bandwidths fast > slow.
        fastest, slowest: of all values, maybe beyond the ends.
    """

    fast: float
    slow: float
    fastest: float
    slowest: float

    def height(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 0 for fast, 1 for slow, more for slower than the scale; NaN stays NaN."""
        span = np.log(self.slow / self.fast)
        with np.errstate(divide="ignore"):
            return np.asarray(np.maximum(np.log(values / self.fast) / span, 0.0))

    def value(self, height: float) -> float:
        """Return the value at a height."""
        return float(self.fast * (self.slow / self.fast) ** height)

    def ticks(self, apart: float = 0.0) -> list[float]:
        """Return round values on the scale, from fast to slow, at least `apart` in height."""
        values: list[float] = []
        for value in sorted(round_values(*sorted((self.fast, self.slow))), reverse=self.fast > self.slow):
            if not values or np.diff(self.height(np.array([values[-1], value])))[0] >= apart:
                values.append(value)
        return values

    @property
    def cut(self) -> bool:
        """Whether there are values slower than the scale."""
        return bool(self.height(np.array([self.slowest]))[0] > END)


def amount_colours() -> Any:
    """Return the colour map of amounts on white paper, as in the report's light theme: dark = most."""
    from matplotlib.colors import LinearSegmentedColormap

    # The brightest yellow can hardly be seen on white.
    return LinearSegmentedColormap.from_list("amounts", PALETTE[-2::-1])


def scale(classes: Sequence[NDArray[np.float64]], *, smallest: bool = False) -> Scale:
    """Choose the ends so that outliers do not squeeze the rest into one colour.

    Each class, such as the pairs within nodes, may reach three quartile distances beyond its quartiles.
    Values slower than this for all classes are beyond the scale.

    Args:
        classes: values of each; only finite and positive ones count.
        smallest: whether the smallest value is the worst (bandwidths), else the largest (times).
    """
    ends = []
    everything = []
    for values in classes:
        logs = np.log(values[np.isfinite(values) & (values > 0)])
        if not len(logs):
            continue
        low, high = np.quantile(logs, (0.25, 0.75))
        room = _FENCE * max(high - low, _LEAST_SPREAD)
        ends.append((max(logs.min(), low - room), min(logs.max(), high + room)))
        everything.append((logs.min(), logs.max()))
    if not ends:
        return Scale(1.0, 2.0, 1.0, 2.0)
    least, most = min(low for low, _ in ends), max(high for _, high in ends)
    if most - least < _LEAST_SPREAD:  # all nearly equal: the middle of the scale, nothing stands out
        least, most = least - _LEAST_SPREAD, most + _LEAST_SPREAD
    first, last = min(low for low, _ in everything), max(high for _, high in everything)
    limits = [float(np.exp(end)) for end in (least, most, first, last)]
    return Scale(limits[1], limits[0], limits[3], limits[2]) if smallest else Scale(*limits)


def colour(height: float) -> str:
    """Return the colour at a height, as #rrggbb."""
    if height > END:
        return BEYOND
    place = min(max(height, 0.0), 1.0) * (len(PALETTE) - 1)
    low = min(int(place), len(PALETTE) - 2)
    share = place - low
    parts = zip(_parts(PALETTE[low]), _parts(PALETTE[low + 1]), strict=True)
    return "#" + "".join(f"{round(start + share * (end - start)):02x}" for start, end in parts)


def colours(heights: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return red, green, blue and opacity of heights, shape (..., 4); NaN is transparent."""
    anchors = np.array([_parts(text) for text in PALETTE], dtype=np.float64)
    place = np.nan_to_num(np.clip(heights, 0, 1)) * (len(PALETTE) - 1)
    paint = np.empty((*heights.shape, 4))
    for part in range(3):
        paint[..., part] = np.interp(place, np.arange(len(PALETTE)), anchors[:, part])
    paint[heights > END, :3] = _parts(BEYOND)
    paint[..., 3] = np.where(np.isnan(heights), 0, 255)
    rounded: NDArray[np.uint8] = paint.round().astype(np.uint8)
    return rounded


def round_values(low: float, high: float) -> list[float]:
    """Return round numbers between two, for a logarithmic axis; both ends if there are too few."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    values: list[float] = []
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        values = [step * 10.0**power for power in powers for step in steps]
        values = [value for value in values if low * (1 - 1e-6) <= value <= high * (1 + 1e-6)]
        if len(values) >= 4:
            break
    return values if len(values) >= 2 else [float(f"{low:.3g}"), float(f"{high:.3g}")]


def tick_text(value: float) -> str:
    """Return a round value without needless digits: `0.5`, `20`, `10000`."""
    return f"{value:.6g}"


def ink(background: str) -> str:
    """Return the colour, black or white, that is most legible on a background."""
    red, green, blue = _parts(background)
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"


def _parts(text: str) -> tuple[int, int, int]:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
