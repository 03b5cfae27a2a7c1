"""One figure before and after: the difference, and whether it is more than noise."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.trials.shift import shift_interval

CONFIDENCE = 0.95
"""That a change which is called better or worse is one: of each of the two words."""

ALIKE_PERCENT = 5.0
"""A difference that is surely smaller than this is none, if it is not surely one."""

BETTER, WORSE, SAME, UNKNOWN = "better", "worse", "same", "unknown"
LESS, MORE = "less", "more"


@dataclass(frozen=True, kw_only=True)
class Change:
    """A figure on both sides.

    Attributes:
        before: median of the runs.
        after: likewise.
        change: the difference of the two.
        percent: of `before`; None where that is 0.
        low: the least difference that the noise of the runs leaves possible, not below -`before`, since
            nothing falls by more than all of it; None: too few runs, or the figure is the same in all runs of
            a side.
        high: the largest, likewise.
        verdict: `better` or `worse`; `less` or `more` of what is neither good nor bad; `same`; or `unknown`:
            the noise is larger than the difference, or not known.
        exact: all runs of each side agree: whatever differs is no noise. Times never are.
        before_runs: values of the runs.
        after_runs: likewise.
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
    """Compare times, or what else is a bit different each time, and better the less it is."""
    return _noisy(before, after, BETTER, WORSE)


def efficient(before: Sequence[float], after: Sequence[float]) -> Change:
    """Compare quantities of which more is better."""
    return _noisy(before, after, WORSE, BETTER)


def amounted(before: Sequence[float], after: Sequence[float]) -> Change:
    """Compare quantities that vary from run to run, and are neither good nor bad."""
    return _noisy(before, after, LESS, MORE)


def counted(before: Sequence[float], after: Sequence[float]) -> Change:
    """Compare counts: if the runs of each side agree, any difference is a change."""
    if len({*before}) > 1 or len({*after}) > 1:  # polls, or work that is shared out as it comes
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
        verdict = SAME  # as a rule 0: nobody does this
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
