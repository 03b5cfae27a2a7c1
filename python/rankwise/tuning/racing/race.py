"""Finds the fastest algorithm of a cell: a race of all, and a fresh measurement of the winner.

The best of many looks better in its race than it is. So separate rounds measure its gain. In these, the
library's own choice runs twice: the difference between the two is the noise of the measurement.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.text.units import ratio_text
from rankwise.trials.interval import Interval, ratio_interval
from rankwise.trials.plan import Aim, least_rounds
from rankwise.trials.race import Race, order
from rankwise.tuning.cells.cell import Cell
from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.racer import Racer, Unfit
from rankwise.tuning.racing.store import Store, key_of
from rankwise.tuning.settings.rule import Algorithm, Evidence

AIM = Aim(confidence=0.95, resolve=0.03, risk=0.05, most=64)
VALIDATION_ROUNDS = 64
LEAST_GAIN = 0.03
"""Of a call: a rule must gain at least this."""
AGAIN = "default again"
_AT_ONCE_SECONDS = 2.0

# Where each arm of each round is a launch.
RELAUNCHED_AIM = Aim(confidence=0.95, resolve=0.05, risk=0.05, most=16, give_up=True)
RELAUNCHED_VALIDATION_ROUNDS = 12
_MOST_RELAUNCHED, _SCREENING_ROUNDS = 4, 2

Say = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """A race, as far as it was run.

    Attributes:
        cell: that was raced.
        arms: the algorithms by name; None: the library's own choice.
        race: its results: winner(), comparisons(), and why arms were dropped.
    """

    cell: Cell
    arms: Mapping[str, Algorithm | None]
    race: Race

    @property
    def winner(self) -> Algorithm | None:
        """The algorithm that probably gains most; None if no algorithm is shown to be faster."""
        best = self.race.winner()
        return self.arms[best.arm] if best else None


@dataclass(frozen=True)
class Validation:
    """A fresh measurement of one algorithm.

    Attributes:
        evidence: of its gain.
        interval: of the ratio default / algorithm.
        control: of the ratio of the default to itself.
    """

    evidence: Evidence
    interval: Interval
    control: Interval

    @property
    def proven(self) -> bool:
        """Whether the algorithm is faster by more than chance and the noise of the default's own time."""
        return self.interval.verdict == "faster" and self.interval.low > noise(self.control)

    @property
    def is_worth_it(self) -> bool:
        """Whether a rule should choose the algorithm."""
        return self.proven and self.evidence.ratio >= 1 + LEAST_GAIN

    @property
    def too_noisy(self) -> bool:
        """Whether the noise of the default leaves open if there is a gain."""
        most = self.interval.high * noise(self.control)
        return noise(self.control) > 1 and not self.proven and most >= 1 + LEAST_GAIN


def noise(control: Interval) -> float:
    """Return the largest ratio that may be noise.

    Args:
        control: of the ratio of something to itself. It may exclude 1 by chance: then it is the bound that a
            gain has to exceed.
    """
    if control.verdict == "no difference shown":
        return 1.0
    return max(control.high, 1 / control.low)


def race(
    racer: Racer,
    cell: Cell,
    arms: Mapping[str, Algorithm | None],
    aim: Aim = AIM,
    seed: int = 0,
    say: Say = lambda _: None,
    store: Store | None = None,
    begun: Callable[[Outcome], None] = lambda _: None,
) -> Outcome:
    """Race the algorithms of a cell.

    Args:
        racer: that runs them.
        cell: of the algorithms.
        arms: at least two by name, the baseline first, see arms.arms_of.
        aim: of the race.
        seed: of the order of arms in rounds.
        say: gets a line of progress at a time.
        store: keeps the rounds; rounds that it has of the same race are not run again.
        begun: gets the race before its first round; the race holds its results even if it does not finish.

    Raises:
        RankwiseError: the job failed.
        trials.run.Interrupted: a signal came; whole rounds are in the store.
        trials.run.OutOfTime: the time is over; whole rounds are in the store.
    """
    store = store or Store()
    key = key_of(racer, cell, arms, "race")
    state = Race(list(arms), aim, seed)
    outcome = Outcome(cell, arms, state)
    begun(outcome)
    for record in store.records(key):
        if "rejected" in record:
            _reject(state, record["rejected"])
        else:
            state.add(record["seconds"])
    while not state.over:
        running = {name: arms[name] for name in arms if name in state.running}
        looks = state.looks
        try:
            for seconds in _run(racer, cell, running, state.until_look()):
                store.add(key, {"seconds": seconds})
                state.add(seconds)
        except Unfit as unfit:
            store.add(key, {"rejected": unfit.why})
            _reject(state, unfit.why)
            for name, why in unfit.why.items():
                say(f"{cell.name}: {name} is rejected: {why}")
        if state.looks > looks:
            say(_standing(cell, state))
    return outcome


def screened(
    racer: Racer, cell: Cell, arms: Mapping[str, Algorithm | None], say: Say = lambda _: None
) -> dict[str, Algorithm | None]:
    """Return the few most promising arms, for races in which every round of an arm is a launch.

    With so few rounds the best arm may be missed. But no false winner results, as a race and a fresh
    measurement follow.

    Args:
        racer: that runs them.
        cell: of the algorithms.
        arms: by name, the baseline first.
        say: gets a line about each arm that can't be used.

    Raises:
        RankwiseError, Interrupted, OutOfTime: see race.
    """
    remaining = dict(arms)
    while len(remaining) > _MOST_RELAUNCHED + 1:
        try:
            rounds = racer.run(
                cell, remaining, [order(list(remaining), number, 0) for number in range(_SCREENING_ROUNDS)]
            )
        except Unfit as unfit:
            for name, why in unfit.why.items():
                say(f"{cell.name}: {name} is rejected: {why}")
                del remaining[name]
            continue
        times = {name: min(seconds[name] for seconds in rounds) for name in remaining if name != DEFAULT}
        best = sorted(times, key=lambda name: times[name])[:_MOST_RELAUNCHED]
        remaining = {name: remaining[name] for name in remaining if name == DEFAULT or name in best}
        say(f"{cell.name}: of {len(arms) - 1} algorithms {', '.join(best)} are raced")
    return remaining


def _reject(state: Race, whys: Mapping[str, str]) -> None:
    for name, why in whys.items():
        if name in state.running:
            state.reject(name, why)


def _run(
    racer: Racer, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
) -> Iterator[dict[str, float]]:
    """Yield the times of each round soon after it ran; short rounds are run many at once."""
    done, at_once = 0, 1
    while done < len(rounds):
        begin = time.monotonic()
        yield from racer.run(cell, arms, rounds[done : done + at_once])
        done += at_once
        if time.monotonic() - begin < _AT_ONCE_SECONDS:
            at_once *= 2


def _standing(cell: Cell, state: Race) -> str:
    line = f"{cell.name}: {state.rounds} of {max(state.wanted, state.rounds)} rounds, "
    line += f"{len(state.running) - 1} of {len(state.arms) - 1} algorithms left"
    ahead = [
        (comparison.interval.ratio, comparison.arm)
        for comparison in state.comparisons()
        if comparison.interval and comparison.dropped is None and comparison.interval.ratio > 1
    ]
    return f"{line}; {max(ahead)[1]} leads, {ratio_text(max(ahead)[0])} x" if ahead else line


def validate(
    racer: Racer,
    cell: Cell,
    algorithm: Algorithm,
    confidence: float,
    rounds: int = VALIDATION_ROUNDS,
    seed: int = 0,
    store: Store | None = None,
) -> Validation:
    """Measure an algorithm afresh, together with the library's own choice, twice.

    Args:
        racer: that runs them.
        cell: of the algorithm.
        algorithm: the winner of a race, or of a rule.
        confidence: of each interval; the caller corrects it for the number of cells.
        rounds: to run, or more if the confidence needs them.
        seed: of the order of arms.
        store: keeps the rounds; rounds that it has of the same measurement are not run again.

    Raises:
        RankwiseError: the job failed, or the algorithm can't be used.
        trials.run.Interrupted: a signal came; whole rounds are in the store.
        trials.run.OutOfTime: the time is over; whole rounds are in the store.
    """
    default, chosen, again = validation_times(racer, cell, algorithm, confidence, rounds, seed, store)
    interval = ratio_interval(default, chosen, confidence)
    evidence = Evidence(
        default_us=statistics.median(default) * 1e6,
        chosen_us=statistics.median(chosen) * 1e6,
        ratio=interval.ratio,
        low=interval.low,
        high=interval.high,
        confidence=interval.confidence,
        rounds=len(default),
    )
    return Validation(evidence, interval, ratio_interval(default, again, confidence))


def validation_times(
    racer: Racer,
    cell: Cell,
    algorithm: Algorithm,
    confidence: float,
    rounds: int = VALIDATION_ROUNDS,
    seed: int = 0,
    store: Store | None = None,
) -> tuple[list[float], list[float], list[float]]:
    """Return the seconds by the library's own choice, by the algorithm, and again by the own choice.

    Args:
        racer: see validate; so are all others.
        cell: of the algorithm.
        algorithm: to be measured.
        confidence: of each interval.
        rounds: to run, at least.
        seed: of the order of arms.
        store: keeps the rounds.

    Raises:
        RankwiseError, Interrupted, OutOfTime: see validate.
    """
    store = store or Store()
    arms = {DEFAULT: None, algorithm.label: algorithm, AGAIN: None}
    key = key_of(racer, cell, arms, "hold-out")
    wanted = max(rounds, least_rounds(confidence))
    kept = [record["seconds"] for record in store.records(key)][:wanted]
    orders = [order(list(arms), number, seed) for number in range(len(kept), wanted)]
    try:
        for seconds in _run(racer, cell, arms, orders):
            store.add(key, {"seconds": seconds})
            kept.append(seconds)
    except Unfit as unfit:
        raise RankwiseError(f"{cell.name}: {unfit}", 1) from unfit
    default, chosen, again = ([seconds[name] for seconds in kept] for name in arms)
    return default, chosen, again
