"""What the measurements of a scope say: an algorithm that a rule should choose, or why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankwise.text.names import algorithm_name
from rankwise.text.units import confidence_text
from rankwise.tuning.machine.grid import Point, Scope
from rankwise.tuning.machine.results import Held, Results
from rankwise.tuning.measured import CLOCK_US
from rankwise.tuning.settings.rule import Algorithm

DEFAULT_IS_BEST = "default is best"
NO_CHOICE = "no choice"
NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Decision:
    """What a scope should have.

    Attributes:
        scope: in question.
        algorithm: that is proven to be better; None: the library's own choice stays.
        why: it stays, in a few words.
        ratio: default / algorithm, the mean over the scope's points.
        weakest: of the points at which the algorithm is better, that with the least gain.
    """

    scope: Scope
    algorithm: Algorithm | None = None
    why: str = ""
    ratio: float = 1.0
    weakest: Held | None = None

    @property
    def is_unsure(self) -> bool:
        """Whether an algorithm may be better, and is not proven to be."""
        return self.algorithm is None and self.why not in (DEFAULT_IS_BEST, NO_CHOICE, NOT_MEASURED)


def candidates(scope: Scope, results: Results) -> list[Algorithm]:
    """Return the algorithms that win a race of a scope and lose none, those that gain most first."""
    scores: dict[Algorithm, float] = {}
    raced = [results.raced[point] for point in scope.points if point in results.raced]
    for algorithm in dict.fromkeys(arm.algorithm for one in raced for arm in one.arms):
        arms = [one.arm(algorithm) for one in raced]
        known = [arm for arm in arms if arm is not None]
        if len(known) < len(scope.points) or not any(arm.faster and not arm.dropped for arm in known):
            continue
        if any(arm.high < 1 for arm in known):
            continue
        scores[algorithm] = sum(math.log(arm.ratio) for arm in known)
    return sorted(scores, key=lambda one: -scores[one])


def decide(scope: Scope, results: Results, confidence: float, margin: float) -> Decision:
    """Return what a scope should have.

    An algorithm has to be better by more than the margin at one point, with its whole interval and beyond
    what the library's own choice differs from itself, and must not be worse by the margin at any other.

    Args:
        scope: in question.
        results: what was measured.
        confidence: of each interval.
        margin: such as 0.03.
    """
    raced = [results.raced.get(point) for point in scope.points]
    if any(one is None for one in raced):
        return Decision(scope, why=NOT_MEASURED)
    found = candidates(scope, results)
    made = [_of_algorithm(scope, results, algorithm, confidence, margin) for algorithm in found]
    proven = [one for one in made if one.algorithm]
    if proven:
        return max(proven, key=lambda one: one.ratio)
    if any(one.why for one in made):
        return next(one for one in made if one.why)
    if not any(one and one.arms for one in raced):
        return Decision(scope, why=NO_CHOICE)
    if any(arm.faster and not arm.dropped for one in raced if one for arm in one.arms):
        return Decision(scope, why="no algorithm is better wherever the rule would hold")
    return Decision(scope, why=DEFAULT_IS_BEST)


def _of_algorithm(
    scope: Scope, results: Results, algorithm: Algorithm, confidence: float, margin: float
) -> Decision:
    held = [one for point in scope.points if (one := results.held.get((point, algorithm)))]
    if any(min(one.default_us, one.chosen_us) < CLOCK_US for one in held):
        return Decision(scope, why="a call takes less than reading the clock does")
    worse = [one for one in held if one.interval(confidence).low <= 1 / (1 + margin)]
    if worse:
        return Decision(
            scope, why=f"{algorithm_name(algorithm.label)} may be slower on {_where(worse[0].point)}"
        )
    if len(held) < len(scope.points):
        return Decision(scope, why=f"{algorithm_name(algorithm.label)} was not measured afresh")
    gains = {one.point: one.interval(confidence) for one in held}
    better = [one for one in held if is_better(one, confidence, margin)]
    if not better:
        return Decision(
            scope, why=f"{algorithm_name(algorithm.label)} is not proven to gain {confidence_text(margin)} %"
        )
    effects = [one for held in better if (one := results.effects.get((held.point, algorithm)))]
    if any(is_better(one, confidence, margin) for one in effects):
        return Decision(scope, why=f"{algorithm_name(algorithm.label)} gains nothing by the library's file")
    ratio = math.exp(sum(math.log(one.ratio) for one in gains.values()) / len(gains))
    weakest = min(better, key=lambda one: gains[one.point].low)
    return Decision(scope, algorithm, ratio=ratio, weakest=weakest)


def is_better(held: Held, confidence: float, margin: float) -> bool:
    """Tell whether an algorithm is better by more than the margin, beyond chance and noise."""
    interval = held.interval(confidence)
    return interval.reached and interval.low > (1 + margin) * held.noise(confidence)


def _where(point: Point) -> str:
    return point.text.partition(" on ")[2]
