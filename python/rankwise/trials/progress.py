"""Progress of trials: the change of the time so far, remaining runs, and remaining time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankwise.trials.interval import ratio_interval
from rankwise.trials.plan import about


def change_so_far(before: Sequence[float], after: Sequence[float], confidence: float = 0.95) -> str:
    """Return how the time has changed, such as `time -12.0 % (-20.1 to -3.0 %, 75 % sure)`; '' of one pair.

    Args:
        before: times, s.
        after: the second times of the pairs, s.
        confidence: that is wanted; so few pairs may give less.
    """
    if len(before) < 2:
        return ""
    interval = ratio_interval(before, after, confidence)
    most, low, high = (100 * (1 / ratio - 1) for ratio in (interval.ratio, interval.high, interval.low))
    return f"time {most:+.1f} % ({low:+.1f} to {high:+.1f} %, {100 * interval.confidence:.0f} % sure)"


def left_text(runs: int, of_run: float, limit: float = math.inf) -> str:
    """Return the rest of the trials, such as `6 runs left, about 24 s of 2 min`; '' if that is nothing.

    Args:
        runs: that are still to be made.
        of_run: seconds that one takes.
        limit: seconds that there are for all of them.
    """
    if not runs:
        return ""
    there = "" if math.isinf(limit) else f" of {about(limit).removeprefix('about ')}"
    return f"{runs} run{'s' * (runs != 1)} left, {about(runs * of_run)}{there}"
