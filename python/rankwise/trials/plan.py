"""How many rounds are needed, how many the user and the clock allow, and what that will take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError

MOST_ROUNDS = 20  # unless the user says more
EFFICIENCY = 3 / math.pi
"""Of Hodges' and Lehmann's estimate, for normal scatter."""

_OF_DIFFERENCES = 1.0483  # a standard deviation, in medians of the differences of normal values
_PART_OF_CHANGE = 0.25
_NOBODY_RUNS_MORE = 1000


@dataclass(frozen=True)
class Aim:
    """What the user wants to know, and what it may cost.

    Attributes:
        confidence: of all intervals together, between 0 and 1.
        resolve: change that must not be missed, such as 0.05.
        rounds: fixed number of them; None: as many as are needed, up to most.
        seconds: for all runs together; None: no limit.
        most: rounds, if their number is not fixed.
        risk: that the best arm is dropped for being slower, between 0 and 1; None: no arm is dropped.
        give_up: whether it ends early when the rounds that are left are not likely to show anything.
    """

    confidence: float = 0.95
    resolve: float = 0.05
    rounds: int | None = None
    seconds: float | None = None
    most: int = MOST_ROUNDS
    risk: float | None = None
    give_up: bool = False

    @property
    def most_rounds(self) -> int:
        """The rounds that are not exceeded."""
        return self.most if self.rounds is None else self.rounds

    def confidence_of_each(self, challengers: int) -> float:
        """Return the confidence for each of several intervals so that together they have the wanted one."""
        return 1 - (1 - self.confidence) / challengers

    def first_look(self, challengers: int = 1) -> int:
        """Return how many rounds are run before they are looked at: the fewest that can show a difference."""
        least = least_rounds(self.confidence_of_each(challengers))
        if self.risk is not None:
            least = max(least, least_rounds(1 - self.risk / challengers))
        return min(least, self.most_rounds)

    def first_rounds(self, challengers: int = 1) -> int:
        """Return how many rounds are known to be run at the beginning."""
        return self.first_look(challengers) if self.rounds is None else self.rounds

    def can_decide(
        self, baseline: Sequence[float], other: Sequence[float], confidence: float, rounds: int
    ) -> bool:
        """Return whether so many rounds are likely to show a change, or the absence of one worth resolving.

        By the scatter without outliers: some in the first rounds are no reason to give up.

        Args:
            baseline: times of the rounds so far, s.
            other: times of the other arm, s.
            confidence: of the interval.
            rounds: in total.
        """
        if min(len(baseline), len(other)) < 2 or rounds < least_rounds(confidence):
            return False
        logs = _logs(baseline, other)
        scatter = min(robust_scatter(logs), float(np.std(logs, ddof=1)))
        half = _half(scatter, confidence, np.array([rounds]))
        middle = abs(float(np.median(logs)))
        return bool(half[0] <= max(math.log1p(self.resolve), middle))


def least_rounds(confidence: float) -> int:
    """Return the fewest rounds that can give this confidence: the interval is from the least to the most.

    All n differences have the same sign by chance with probability 2 / 2^n: 6 rounds give 96.9 %, 5 93.8 %.
    """
    return max(2, math.ceil(1 - math.log2(1 - confidence) - 1e-9))


def rounds_needed(
    baseline: Sequence[float], other: Sequence[float], resolve: float, confidence: float = 0.95
) -> int:
    """Return the rounds after which the interval is likely to be narrow enough; they may be very many.

    Narrow enough: half the interval is at most the change to resolve, or a quarter of the change
    that is seen, if that is more. The logarithms of the ratios are taken to scatter normally.

    Args:
        baseline: times of the first rounds, s.
        other: times of the other arm, s.
        resolve: such as 0.05.
        confidence: of the interval.
    """
    least = least_rounds(confidence)
    if min(len(baseline), len(other)) < 2:
        return least
    counts = np.arange(least, max(least, _NOBODY_RUNS_MORE) + 1)
    logs = _logs(baseline, other)
    half = _half(float(np.std(logs, ddof=1)), confidence, counts)
    enough = counts[half <= max(math.log1p(resolve), _PART_OF_CHANGE * abs(float(np.median(logs))))]
    return int(enough[0]) if len(enough) else int(counts[-1])


def _logs(baseline: Sequence[float], other: Sequence[float]) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = np.log(np.array(baseline, dtype=float) / np.array(other, dtype=float))
    return logs


def _half(scatter: float, confidence: float, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return half the width of the interval of logarithms after this many rounds."""
    deviations = _students_t((1 + confidence) / 2, counts - 1)
    return np.asarray(deviations * scatter / np.sqrt(counts * EFFICIENCY))


def robust_scatter(values: NDArray[np.float64]) -> float:
    """Return the standard deviation of values that scatter normally, apart from some outliers.

    The median of all differences between two of them: a quarter of the values may be anything. Source:
    Shamos, Geometry and statistics: problems at the interface, 1976.

    Args:
        values: two or more.
    """
    first, second = np.triu_indices(len(values), 1)
    return float(_OF_DIFFERENCES * np.median(np.abs(values[first] - values[second])))


def _students_t(probability: float, freedom: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return quantiles of Student's t: within 0.1 % where the confidence needs 3 pairs or more.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    x = NormalDist().inv_cdf(probability)
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return np.asarray(sum(term / freedom.astype(float) ** power for power, term in enumerate(terms)))


def announcement(aim: Aim, of_run: float, arms: int = 2) -> list[str]:
    """Return sentences on what the trials will take, to be said before the first run.

    Args:
        aim: of the trials.
        of_run: seconds that a run took when it was last seen; starting it takes some more.
        arms: that take part, the baseline among them.

    Raises:
        RankwiseError: the time that is allowed is too short for a round.
    """
    rounds, confidence = aim.first_rounds(arms - 1), aim.confidence_of_each(arms - 1)
    said = [
        f"{counted(rounds, arms)} = {arms * rounds} runs {_each(of_run)} and {arms} to warm up: "
        + about(arms * (rounds + 1) * of_run)
        + ("" if aim.rounds else f"; they show whether more are needed (at most {counted(aim.most, arms)})")
    ]
    if aim.rounds and (reachable := 1 - 2.0 ** (1 - rounds)) < confidence:
        said.append(
            f"{_few(rounds, arms, reachable)}, not {100 * confidence:.3g} %: too few to show a difference"
        )
    if aim.seconds is not None:
        fitting = int(aim.seconds / max(arms * of_run, 1e-9)) - 1
        if fitting < 1:
            raise RankwiseError(
                f"a time limit of {aim.seconds:.3g} s is too short for a {unit(arms)} "
                f"and {arms} runs to warm up: {about(2 * arms * of_run)}"
            )
        if fitting < rounds:
            few = _few(fitting, arms, 1 - 2.0 ** (1 - fitting))
            said.append(f"the time limit allows at most {few}")
    return said


def unit(arms: int) -> str:
    """Return the word for a round of this many arms."""
    return "pair" if arms == 2 else "round"


def counted(rounds: int, arms: int) -> str:
    """Return a number of rounds in words: '1 pair', '6 pairs', '9 rounds'."""
    return f"{rounds} {unit(arms)}{'s' * (rounds != 1)}"


def about(seconds: float) -> str:
    """Return a duration as people say it: 'about 40 s', 'about 4 min', 'about 2.5 h'."""
    if seconds < 99.5:
        return f"about {max(seconds, 1):.0f} s"
    minutes = seconds / 60
    return f"about {minutes:.0f} min" if minutes < 99.5 else f"about {minutes / 60:.1f} h"


def _each(of_run: float) -> str:
    return f"of {about(of_run)}" if of_run >= 1 else "of less than a second"


def _few(rounds: int, arms: int, confidence: float) -> str:
    return f"{counted(rounds, arms)}, which give at most {100 * confidence:.1f} % confidence"
