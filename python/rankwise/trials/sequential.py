"""A test of pairs of runs that is looked at again and again, and ends as soon as it can decide.

Looks come after fixed numbers of pairs: the fewest that can show a difference, and then about 1.4 times as
many each time, as the time allows. The risk of a false answer is spent over them (Lan and DeMets,
Biometrika 70, 1983; Jennison and Turnbull, Interim analyses: the repeated confidence interval approach,
Journal of the Royal Statistical Society B 51, 1989):

- The intervals of all looks hold together with the wanted confidence. So the first one that leaves out 1 is
  a proof, and what all of them have in common is the interval in the end.
- A gain of twice the change that is to be resolved is missed with a risk of 10 % at the most: "no gain" is
  the answer only if one-sided limits, which spend this risk, leave out such a gain.

How much each look may spend follows from the looks before it: sums of independent increments, for which the
statistic of signed ranks is taken (its own intervals are exact). Whether the pairs that are left can decide
anything is judged by a scatter that single outliers do not move, and with an optimist's eye: the time is used
as long as there is hope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.trials.interval import Interval, ratio_interval
from rankwise.trials.plan import EFFICIENCY, Aim, robust_scatter

MISS = 0.1
"""Risk that a gain of twice the change to resolve is missed."""

MOST_PAIRS = 400
"""That are ever run."""

_GROWTH = 1.4  # of the pairs, from look to look
_KEEPS = 0.7  # of the risk that is left, from look to look
_FIRST_SHARE = 2 / 3  # of the risk, at the most: for the first look
_TO_MISS = 2 * MISS, 0.3  # as two tails; and the share of the first look
_LEAST_FOR_SCATTER = 4
_PROBABLY = NormalDist().inv_cdf(0.8)
_HOPE = NormalDist().inv_cdf(0.9)
_CHEAP_PAIRS = 20
"""Up to this many pairs are worth spending for a better estimate."""
_PRECISE = 1 / 3  # of the gain, that the lower end of its interval has to reach then

_STEP = 0.05  # of the grid of sums, in standard deviations of one pair
_EDGE = 7.0  # standard deviations that it reaches out

Decision = Literal["", "faster", "slower", "no gain", "measured"]


def first_pairs(aim: Aim) -> int:
    """Return how many pairs are run before they are looked at."""
    if aim.rounds is not None:
        return aim.rounds
    return max(3, math.ceil(1 - math.log2(_FIRST_SHARE * (1 - aim.confidence)) - 1e-9))


class PairedTest:
    """The state of a test. It follows from its pairs and looks: to resume it is to add them again.

    Attributes:
        before: seconds of the pairs' one side.
        after: seconds of the other side.
        looks: numbers of pairs at each look.
        interval: of the ratio before / after, at the last look; None without a look.
        excluded: the smallest gain that is ruled out, such as 0.06; None: no gain is.
        decision: '' while undecided; 'measured': a fixed number of pairs shows no difference.
    """

    def __init__(self, aim: Aim) -> None:
        """Begin.

        Args:
            aim: its confidence is that of all looks together; its seconds are for the caller to keep.
        """
        self.before: list[float] = []
        self.after: list[float] = []
        self.looks: list[int] = []
        self.interval: Interval | None = None
        self.excluded: float | None = None
        self.decision: Decision = ""
        self._aim = aim

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.before)

    @property
    def next_look(self) -> int:
        """The number of pairs at which it will be looked at."""
        return _next(self.looks[-1]) if self.looks else first_pairs(self._aim)

    @property
    def shows_scatter(self) -> bool:
        """Whether there are pairs enough to say how many more it will take."""
        return self.pairs >= _LEAST_FOR_SCATTER

    def allowed(self) -> int:
        """Return how many more pairs a call may add."""
        if self._aim.rounds is not None:
            return max(0, self._aim.rounds - self.pairs)
        return MOST_PAIRS if self._aim.seconds is not None else self._aim.most

    def add(self, before: float, after: float) -> None:
        """Add a pair, and look if it is time."""
        self.before.append(before)
        self.after.append(after)
        if self.pairs == self.next_look:
            self.look()

    def look(self) -> None:
        """Look at the pairs; also where the time is over, but not where their times say so."""
        if self.pairs < first_pairs(self._aim) or self.pairs in self.looks:
            return
        self.looks.append(self.pairs)
        aim = self._aim
        if aim.rounds is not None:
            self.interval = ratio_interval(self.before, self.after, aim.confidence)
            verdict = self.interval.verdict
            self.decision = "measured" if verdict == "no difference shown" else _decided(verdict)
            return
        self.interval = self._with_earlier(self._of_look(_levels(tuple(self.looks), *self._risk())[-1]))
        verdict = self.interval.verdict
        if verdict == "faster":
            precise = math.log(self.interval.low) >= _PRECISE * math.log(self.interval.ratio)
            self.decision = "faster" if precise or self.next_look > _CHEAP_PAIRS else ""
        elif verdict == "slower":
            self.decision = "slower"
        else:
            # One as large as was asked for, if few pairs do; else twice as large.
            large = aim.resolve if self.next_look <= _CHEAP_PAIRS else 2 * aim.resolve
            if self._most_gain() < 1 + large:
                self.decision, self.excluded = "no gain", large

    def can_decide(self, further: int) -> bool:
        """Return whether so many more pairs may decide: False only if that is hopeless.

        Args:
            further: pairs that there is time for.
        """
        if self.decision or further < 1:
            return False
        if self._aim.rounds is not None or not self.looks:
            return self.pairs + further >= self.next_look
        gain, scatter = self._gain_and_scatter()
        hoped = _HOPE * scatter / math.sqrt(self.pairs * EFFICIENCY)
        # And the scatter of so few pairs is uncertain, too.
        lucky = scatter / (1 + _HOPE / math.sqrt(2 * self.pairs))
        counts = [count for count in self._later_looks() if count <= self.pairs + further]
        return self._deciding(counts or [self.pairs + further], gain, hoped, lucky, 0.0) is not None

    def further_pairs(self) -> int | None:
        """Return how many more pairs would probably decide; None: as many as are ever run would not.

        Of too few pairs to tell: those until the first look.
        """
        if not self.shows_scatter or self._aim.rounds is not None:
            return max(first_pairs(self._aim) - self.pairs, 1)
        later, (gain, scatter) = self._later_looks(), self._gain_and_scatter()
        count = self._deciding(later, gain, 0.0, scatter, _PROBABLY)
        return None if count is None else count - self.pairs

    def _later_looks(self) -> list[int]:
        later = [self.next_look]
        while later[-1] < MOST_PAIRS:
            later.append(_next(later[-1]))
        return later

    def _deciding(
        self, later: Sequence[int], gain: float, hoped: float, scatter: float, surplus: float
    ) -> int | None:
        """Return the first of later looks at which a gain would be proven, or a large one left out.

        Args:
            later: pairs at these looks.
            gain: as seen so far.
            hoped: how much the true one may differ, to either side.
            scatter: of a pair.
            surplus: standard deviations by which the limits should be exceeded.
        """
        counts = (*self.looks, *later)
        large = math.log1p(2 * self._aim.resolve)
        ways = ((abs(gain), self._risk()), (large - gain, _TO_MISS))
        return next(
            (
                count
                for number, count in enumerate(later, len(self.looks))
                if any(
                    (away + hoped) * math.sqrt(count * EFFICIENCY)
                    >= (_deviations(_levels(counts, *risk)[number]) + surplus) * scatter
                    for away, risk in ways
                )
            ),
            None,
        )

    def _gain_and_scatter(self) -> tuple[float, float]:
        """Return the gain so far, and the scatter of pairs; both logarithms."""
        logs = np.log(np.array(self.before) / np.array(self.after))
        return float(np.median(logs)), max(robust_scatter(logs), 1e-9)

    def _risk(self) -> tuple[float, float]:
        risk = 1 - self._aim.confidence
        return risk, 2.0 ** (1 - first_pairs(self._aim)) / risk

    def _of_look(self, level: float) -> Interval:
        # A rounding error must not cost the single value that so few pairs have.
        return ratio_interval(self.before, self.after, 1 - level * (1 + 1e-3))

    def _with_earlier(self, interval: Interval) -> Interval:
        """Return the intersection of an interval with those of earlier looks, with the confidence of all."""
        low, high = interval.low, interval.high
        if self.interval is not None and max(low, self.interval.low) <= min(high, self.interval.high):
            low, high = max(low, self.interval.low), min(high, self.interval.high)
        confidence = self._aim.confidence
        return replace(
            interval,
            low=low,
            high=high,
            ratio=min(max(interval.ratio, low), high),
            wanted=confidence,
            confidence=confidence if interval.reached else interval.confidence,
        )

    def _most_gain(self) -> float:
        """Return the one-sided limit of the ratio that spends the risk of missing a gain."""
        level = _levels(tuple(self.looks), *_TO_MISS)[-1]
        interval = self._of_look(level)
        return interval.high if interval.reached else math.inf


def _next(pairs: int) -> int:
    return max(pairs + 1, math.ceil(_GROWTH * pairs - 1e-9))


def _deviations(level: float) -> float:
    """Return the standard deviations of a two-sided level."""
    return NormalDist().inv_cdf(1 - level / 2)


def _decided(verdict: str) -> Decision:
    return "faster" if verdict == "faster" else "slower"


@cache
def _levels(counts: tuple[int, ...], risk: float, first: float) -> tuple[float, ...]:
    """Return the two-sided level of each look, so that all together have the risk.

    By the density of sums that have not crossed a limit yet (Armitage, McPherson and Rowe, Journal of the
    Royal Statistical Society A 132, 1969).

    Args:
        counts: of the pairs at each look.
        risk: of all looks, however many follow.
        first: share of it that the first look spends.
    """
    edge = math.ceil(_EDGE * math.sqrt(counts[-1]) / _STEP)
    sums = _STEP * np.arange(-edge, edge + 1)
    density = np.zeros(len(sums))
    density[edge] = 1.0  # nothing yet
    risk_left, before, limits = risk, 0, []
    for number, count in enumerate(counts):
        share = first if number == 0 else 1 - _KEEPS
        spent = share * risk_left
        risk_left -= spent
        density = np.convolve(density, _increments(count - before), mode="same")
        before = count
        # Both tails of a symmetric density; the limit is between two of its points.
        tail = 2 * np.cumsum(density)[:edge]
        limit = -float(np.interp(spent, tail, sums[:edge] + _STEP / 2))
        limits.append(2 * (1 - NormalDist().cdf(limit / math.sqrt(count))))
        density[np.abs(sums) > limit] = 0.0
    return tuple(limits)


def _increments(pairs: int) -> NDArray[np.float64]:
    """Return the chances of the sums of so many pairs more, on the grid."""
    reach = math.ceil(_EDGE * math.sqrt(pairs) / _STEP)
    sums = _STEP * np.arange(-reach, reach + 1)
    weights = np.exp(-(sums**2) / (2 * pairs))
    return np.asarray(weights / weights.sum())
