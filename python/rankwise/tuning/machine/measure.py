"""Measures a machine scope by scope, and continues where an earlier call has ended."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import version_of
from rankwise.profile.join import members
from rankwise.text.names import algorithm_name
from rankwise.text.units import number_of, ratio_text
from rankwise.trials.plan import about
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.gate import refusal
from rankwise.tuning.libraries import by_version
from rankwise.tuning.machine.decide import Decision, candidates, decide
from rankwise.tuning.machine.grid import Layout, Point, Scope, Shape
from rankwise.tuning.machine.results import Arm, Held, Kept, Raced
from rankwise.tuning.racing.arms import DEFAULT, arms_of
from rankwise.tuning.racing.race import (
    AIM,
    RELAUNCHED_AIM,
    RELAUNCHED_VALIDATION_ROUNDS,
    VALIDATION_ROUNDS,
    Outcome,
    race,
    screened,
    validation_times,
)
from rankwise.tuning.racing.racer import Racer
from rankwise.tuning.settings.rule import Algorithm, Rule

ENDED = {
    "interrupted": "Interrupted: what was measured is kept, and the same command continues from there.",
    "over": "The time is over: what was measured is kept, and the same command continues from there.",
}

_CANDIDATES = 2
"""How many algorithms of a scope are measured afresh, one after the other, until one is proven."""

_FAILURES = 3
"""In a row: then the launch fails, not the points."""

Say = Callable[[str], None]


class Placed:
    """A Racer for communicators of one shape, as if the launch had only their ranks.

    Nodes are named by number, so that measurements on other nodes of another job can be reused.
    """

    def __init__(self, racer: Racer, shape: Shape) -> None:
        """Begin.

        Args:
            racer: of the whole launch.
            shape: that fits into it.
        """
        self.library, self.overruled, self.relaunches = racer.library, racer.overruled, racer.relaunches
        chosen = Layout(racer.hosts).ranks(shape)
        numbers = {host: number for number, host in enumerate(dict.fromkeys(chosen.values()))}
        self.hosts = tuple(f"node {numbers[host]}" for host in chosen.values())
        self._racer, self._ranks = racer, tuple(chosen)

    @property
    def group(self) -> str:
        """Its ranks in the launch, as profile.members.compact writes them."""
        return members.compact(self._ranks)

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        """See Racer."""
        return self._racer.offered(procedure)

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """See Racer."""
        return self._racer.run(replace(cell, groupings=(Grouping((self._ranks,)),)), arms, rounds)


@dataclass(frozen=True, kw_only=True)
class Request:
    """The scopes to measure, and how.

    Attributes:
        scopes: in this order.
        untranslatable: returns why the library can't take a rule; '' if it can.
        confidence: of all intervals together.
        margin: gain that a rule must have, such as 0.03.
        bitwise: whether the last digits of results must not change.
        seed: of the order of calls.
    """

    scopes: Sequence[Scope]
    untranslatable: Callable[[Rule], str]
    confidence: float
    margin: float
    bitwise: bool
    seed: int


def measure(racer: Racer, request: Request, kept: Kept, say: Say, checkpoint: Callable[[], None]) -> str:
    """Measure the missing points.

    Args:
        racer: of the launch.
        request: the scopes to measure, and how.
        kept: gets the measurements, and has those of earlier calls.
        say: gets a line of progress at a time.
        checkpoint: is called after each scope.

    Returns:
        why it ended early; '' if everything is measured.

    Raises:
        RankwiseError: the job fails repeatedly, or nothing can be kept.
    """
    return _Measuring(racer, request, kept, say).run(checkpoint)


class _Measuring:
    def __init__(self, racer: Racer, request: Request, kept: Kept, say: Say) -> None:
        self._racer, self._request, self._kept, self._say = racer, request, kept, say
        self._library = by_version(racer.library)
        self._aim = replace(AIM, confidence=request.confidence, resolve=request.margin)
        self._rounds = VALIDATION_ROUNDS
        if racer.relaunches:
            self._aim = replace(RELAUNCHED_AIM, confidence=request.confidence)
            self._rounds = RELAUNCHED_VALIDATION_ROUNDS
        self._points = sum(len(scope.points) for scope in request.scopes)
        self._failures = 0
        self._tried: set[Point] = set()

    def run(self, checkpoint: Callable[[], None]) -> str:
        """See `measure`."""
        scopes = self._request.scopes
        missing = [scope for scope in scopes if not self._is_done(scope)]
        missing_points = sum(len(scope.points) for scope in missing)
        known = self._points - missing_points
        self._say(
            f"{number_of(self._points, 'point')} in {number_of(len(scopes), 'place')} for a rule"
            + (f", {known} of them measured before" if known else "")
        )
        begin, done = time.monotonic(), 0
        try:
            for scope in missing:
                decision = self._scope(scope)
                done += len(scope.points)
                checkpoint()
                seconds_left = (time.monotonic() - begin) / done * (missing_points - done)
                more = f"; {about(seconds_left)} left" if done < missing_points else ""
                self._say(f"{known + done} of {self._points}: {scope.text}: {_outcome(decision)}{more}")
        except Interrupted:
            return ENDED["interrupted"]
        except OutOfTime:
            return ENDED["over"]
        return ""

    def _is_done(self, scope: Scope) -> bool:
        """Return whether a scope is measured completely."""
        results = self._kept.results
        return all(point in results.raced for point in scope.points) and not self._to_be_held(scope)

    def _to_be_held(self, scope: Scope) -> list[Algorithm]:
        """Return the algorithms that must still be measured afresh; empty if one is proven."""
        results, request = self._kept.results, self._request
        if decide(scope, results, results.confidence(request.confidence), request.margin).algorithm:
            return []
        return [
            algorithm
            for algorithm in candidates(scope, results)[:_CANDIDATES]
            if not self._is_out(scope, algorithm)
            and any((point, algorithm) not in results.held for point in scope.points)
        ]

    def _is_out(self, scope: Scope, algorithm: Algorithm) -> bool:
        """Return whether an algorithm is already known to be unsuitable."""
        held = self._kept.results.held
        known = [held[point, algorithm] for point in scope.points if (point, algorithm) in held]
        confidence = self._confidence
        return any(measured.interval(confidence).low <= 1 / (1 + self._request.margin) for measured in known)

    @property
    def _confidence(self) -> float:
        """Of each interval, if everything that can be measured afresh is."""
        return 1 - (1 - self._request.confidence) / max(1, _CANDIDATES * self._points)

    def _scope(self, scope: Scope) -> Decision:
        for point in scope.points:
            if point not in self._kept.results.raced:
                self._point(scope, point)
        results, request = self._kept.results, self._request
        if all(point in results.raced for point in scope.points):
            for algorithm in self._to_be_held(scope):
                if not self._to_be_held(scope):
                    break
                self._hold(scope, algorithm)
        return decide(scope, results, results.confidence(request.confidence), request.margin)

    def _point(self, scope: Scope, point: Point) -> None:
        try:
            self._race(scope, point)
        except RankwiseError as error:
            self._fail(point, error)
        else:
            self._failures = 0

    def _fail(self, point: Point, error: RankwiseError) -> None:
        self._failures += 1
        if self._failures >= _FAILURES:
            raise error
        self._kept.add_failed(point, str(error))
        self._say(f"{point.text} can't be measured: {error}")

    def _race(self, scope: Scope, point: Point) -> None:
        placed, cell = Placed(self._racer, point.shape), point.cell(scope.traits)
        arms = self._arms(scope, placed, point)
        if len(arms) < 2:
            default_us = 0.0
            measured: tuple[Arm, ...] = ()
        else:
            if placed.relaunches:
                arms = screened(placed, cell, arms, self._say)
            raced = race(placed, cell, arms, self._aim, self._request.seed, store=self._kept.store)
            default_us = 1e6 * statistics.median(raced.race.times[DEFAULT] or [math.nan])
            measured = _arms(raced)
        self._kept.add_raced(Raced(point, default_us, measured, placed.group))

    def _arms(self, scope: Scope, racer: Racer, point: Point) -> dict[str, Algorithm | None]:
        """Return the arms that neither the gate nor the library's own grammar refuses."""
        library = version_of(racer.library)
        offered = racer.offered(point.procedure)
        arms = arms_of(self._library, point.procedure, point.size, offered)
        return {
            name: algorithm
            for name, algorithm in arms.items()
            if algorithm is None
            or not (
                refusal(scope.target, library, algorithm, bitwise=self._request.bitwise)
                or self._request.untranslatable(rule_of(scope, algorithm))
            )
        }

    def _hold(self, scope: Scope, algorithm: Algorithm) -> None:
        for point in scope.points:
            if (point, algorithm) in self._kept.results.held:
                continue
            placed = Placed(self._racer, point.shape)
            try:
                times = validation_times(
                    placed,
                    point.cell(scope.traits),
                    algorithm,
                    self._confidence,
                    self._rounds,
                    self._request.seed,
                    self._kept.store,
                )
            except RankwiseError as error:
                self._fail(point, error)
                return
            self._kept.add_held(Held(point, algorithm, *map(tuple, times)))
            if self._is_out(scope, algorithm):
                return


def rule_of(scope: Scope, algorithm: Algorithm) -> Rule:
    """Return a rule for a scope, without its evidence."""
    high = None if scope.whole else scope.size
    return Rule(scope.procedure, scope.processes, 0 if scope.whole else scope.size, high, algorithm)


def _arms(raced: Outcome) -> tuple[Arm, ...]:
    measured = []
    for comparison in raced.race.comparisons():
        algorithm = raced.arms[comparison.arm]
        assert algorithm is not None  # it is no baseline
        rejected = comparison.dropped.why if comparison.dropped else ""
        if rejected or comparison.interval is None:
            measured.append(Arm(algorithm, rejected=rejected or "it was not timed"))
            continue
        interval = comparison.interval
        measured.append(
            Arm(
                algorithm,
                interval.ratio,
                interval.low,
                interval.high,
                interval.confidence,
                faster=interval.verdict == "faster",
                dropped=comparison.dropped is not None,
            )
        )
    return tuple(measured)


def _outcome(decision: Decision) -> str:
    if decision.algorithm is None:
        return decision.why
    return f"{algorithm_name(decision.algorithm.label)}, {ratio_text(decision.ratio)} x"
