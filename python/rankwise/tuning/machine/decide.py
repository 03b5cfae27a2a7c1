"""The algorithm that a rule should choose for a scope, by its measurements, or why no rule follows."""

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
    """The algorithm for a scope.

    Attributes:
        scope: in question.
        algorithm: that is proven to be better; None: the library's own choice stays.
        why: the library's own choice stays, in a few words.
        ratio: default / algorithm, the mean over the scope's points.
        weakest: the point with the least gain, of the points at which the algorithm is better.
    """

    scope: Scope
    algorithm: Algorithm | None = None
    why: str = ""
    ratio: float = 1.0
    weakest: Held | None = None

    @property
    def is_unsure(self) -> bool:
        """Whether an algorithm may be better, but is not proven to be."""
        return self.algorithm is None and self.why not in (DEFAULT_IS_BEST, NO_CHOICE, NOT_MEASURED)


def candidates(scope: Scope, results: Results) -> list[Algorithm]:
    """Return the algorithms that win a race of a scope and lose none, the largest gain first."""
    scores: dict[Algorithm, float] = {}
    raced = [results.raced[point] for point in scope.points if point in results.raced]
    for algorithm in dict.fromkeys(arm.algorithm for race in raced for arm in race.arms):
        arms = [race.arm(algorithm) for race in raced]
        known = [arm for arm in arms if arm is not None]
        if len(known) < len(scope.points) or not any(arm.faster and not arm.dropped for arm in known):
            continue
        if any(arm.high < 1 for arm in known):
            continue
        scores[algorithm] = sum(math.log(arm.ratio) for arm in known)
    return sorted(scores, key=lambda algorithm: -scores[algorithm])


def decide(scope: Scope, results: Results, confidence: float, margin: float) -> Decision:
    """Return the algorithm for a scope.

    At one point, the algorithm's whole interval has to be better by more than the margin and by more than the
    noise of the library's own choice. At no other point may it be worse by the margin.

    Args:
        scope: in question.
        results: the measurements.
        confidence: of each interval.
        margin: such as 0.03.
    """
    raced = [results.raced.get(point) for point in scope.points]
    if any(race is None for race in raced):
        return Decision(scope, why=NOT_MEASURED)
    algorithms = candidates(scope, results)
    made = [_of_algorithm(scope, results, algorithm, confidence, margin) for algorithm in algorithms]
    proven = [decision for decision in made if decision.algorithm]
    if proven:
        return max(proven, key=lambda decision: decision.ratio)
    if any(decision.why for decision in made):
        return next(decision for decision in made if decision.why)
    if not any(race and race.arms for race in raced):
        return Decision(scope, why=NO_CHOICE)
    if any(arm.faster and not arm.dropped for race in raced if race for arm in race.arms):
        return Decision(scope, why="no algorithm is better wherever the rule would hold")
    return Decision(scope, why=DEFAULT_IS_BEST)


def _of_algorithm(
    scope: Scope, results: Results, algorithm: Algorithm, confidence: float, margin: float
) -> Decision:
    held = [measured for point in scope.points if (measured := results.held.get((point, algorithm)))]
    if any(min(measured.default_us, measured.chosen_us) < CLOCK_US for measured in held):
        return Decision(scope, why="a call takes less than reading the clock does")
    worse = [measured for measured in held if measured.interval(confidence).low <= 1 / (1 + margin)]
    if worse:
        return Decision(
            scope, why=f"{algorithm_name(algorithm.label)} may be slower on {_where(worse[0].point)}"
        )
    if len(held) < len(scope.points):
        return Decision(scope, why=f"{algorithm_name(algorithm.label)} was not measured afresh")
    gains = {measured.point: measured.interval(confidence) for measured in held}
    better = [measured for measured in held if is_better(measured, confidence, margin)]
    if not better:
        return Decision(
            scope, why=f"{algorithm_name(algorithm.label)} is not proven to gain {confidence_text(margin)} %"
        )
    effects = [effect for held in better if (effect := results.effects.get((held.point, algorithm)))]
    if any(is_better(effect, confidence, margin) for effect in effects):
        return Decision(scope, why=f"{algorithm_name(algorithm.label)} gains nothing by the library's file")
    ratio = math.exp(sum(math.log(interval.ratio) for interval in gains.values()) / len(gains))
    weakest = min(better, key=lambda measured: gains[measured.point].low)
    return Decision(scope, algorithm, ratio=ratio, weakest=weakest)


def is_better(held: Held, confidence: float, margin: float) -> bool:
    """Return whether an algorithm is better by more than the margin, beyond chance and noise."""
    interval = held.interval(confidence)
    return interval.reached and interval.low > (1 + margin) * held.noise(confidence)


def _where(point: Point) -> str:
    return point.text.partition(" on ")[2]
