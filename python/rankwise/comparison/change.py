"""One figure before and after: the difference, and whether it is more than noise."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.trials.shift import shift_interval

CONFIDENCE = 0.95
"""One-sided confidence of the words better and worse: the change has this direction."""

ALIKE_PERCENT = 5.0
"""A difference surely below this share counts as none, unless it is significant."""

BETTER, WORSE, SAME, UNKNOWN = "better", "worse", "same", "unknown"
LESS, MORE = "less", "more"


@dataclass(frozen=True, kw_only=True)
class Change:
    """A figure on both sides.

    Attributes:
        before: median of the runs before.
        after: median of the runs after.
        change: `after` - `before`.
        percent: `change` in percent of `before`; None if `before` is 0.
        low: lower end of the confidence interval of the difference, at least -`before`, since no figure falls
            below 0; None: too few runs, or the figure is the same in all runs of a side.
        high: upper end; None as for `low`.
        verdict: `better` or `worse`; `less` or `more` if the figure is neither good nor bad; `same`; or
            `unknown`: the noise is larger than the difference, or unknown.
        exact: all runs of each side agree, so a difference is no noise. Times are never exact.
        before_runs: values of the runs before.
        after_runs: values of the runs after.
    """

    before: float
    after: float
    change: float
    percent: float | None
    low: float | None
    high: float | None
    verdict: str
    exact: bool
    before_runs: list[float]
    after_runs: list[float]


def timed(before: Sequence[float], after: Sequence[float]) -> Change:
    """Compare times, or other noisy quantities where less is better."""
    return _noisy(before, after, BETTER, WORSE)


def efficient(before: Sequence[float], after: Sequence[float]) -> Change:
    """Compare noisy quantities where more is better."""
    return _noisy(before, after, WORSE, BETTER)


def amounted(before: Sequence[float], after: Sequence[float]) -> Change:
    """Compare noisy quantities that are neither good nor bad."""
    return _noisy(before, after, LESS, MORE)


def counted(before: Sequence[float], after: Sequence[float]) -> Change:
    """Compare counts: if the runs of each side agree, any difference is a change."""
    if len({*before}) > 1 or len({*after}) > 1:  # polling, or work distributed dynamically
        return amounted(before, after)
    early, late = before[0], after[0]
    verdict = SAME if early == late else MORE if late > early else LESS
    return _change(before, after, early, late, None, None, verdict, exact=True)


def _noisy(before: Sequence[float], after: Sequence[float], less: str, more: str) -> Change:
    interval = shift_interval(before, after, 1 - 2 * (1 - CONFIDENCE))
    early, late = statistics.median(before), statistics.median(after)
    low, high = (max(interval.low, -early), interval.high) if interval else (None, None)
    equal = early * ALIKE_PERCENT / 100
    if len({*before, *after}) == 1:
        verdict = SAME  # usually 0: the runs do nothing of this kind
    elif low is None or high is None:
        verdict = UNKNOWN
    elif low > 0:
        verdict = more
    elif high < 0:
        verdict = less
    else:
        verdict = SAME if -equal <= low and high <= equal else UNKNOWN
    return _change(before, after, early, late, low, high, verdict, exact=False)


def _change(
    before: Sequence[float],
    after: Sequence[float],
    early: float,
    late: float,
    low: float | None,
    high: float | None,
    verdict: str,
    *,
    exact: bool,
) -> Change:
    percent = 100 * (late - early) / early if early else None
    return Change(
        before=early,
        after=late,
        change=late - early,
        percent=percent,
        low=low,
        high=high,
        verdict=verdict,
        exact=exact,
        before_runs=[*before],
        after_runs=[*after],
    )
