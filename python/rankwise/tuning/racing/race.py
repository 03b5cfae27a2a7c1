"""Which algorithm of a cell is the fastest here: a race of all, and a fresh measurement of the winner.

As the best of many the winner looks better than it is, so its gain is told by rounds of its own. In these,
the library's own choice runs twice: how much it differs from itself shows what the figures can't tell.
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
HOLD_OUT_ROUNDS = 64
LEAST_GAIN = 0.03
"""Of a call: less is not worth a rule."""
AGAIN = "default again"
_AT_ONCE_SECONDS = 2.0

# Where each arm of each round is a launch.
RELAUNCHED_AIM = Aim(confidence=0.95, resolve=0.05, risk=0.05, most=16, give_up=True)
RELAUNCHED_HOLD_OUT_ROUNDS = 12
_MOST_RELAUNCHED, _SCREENING_ROUNDS = 4, 2

Say = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """A race, as far as it was run.

    Attributes:
        cell: that was raced.
        arms: the algorithms by name; None: the library's own choice.
        race: its end: winner(), comparisons(), and why arms were dropped.
    """

    cell: Cell
    arms: Mapping[str, Algorithm | None]
    race: Race

    @property
    def winner(self) -> Algorithm | None:
        """The algorithm that is likely to gain most; None if none is shown to be faster."""
        best = self.race.winner()
        return self.arms[best.arm] if best else None


@dataclass(frozen=True)
class HeldOut:
    """A fresh measurement of one algorithm.

    Attributes:
        evidence: what it gains.
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
        """Whether the default differs from itself so much that a gain could be there, or be none."""
        most = self.interval.high * noise(self.control)
        return noise(self.control) > 1 and not self.proven and most >= 1 + LEAST_GAIN


def noise(control: Interval) -> float:
    """Return the ratio that figures can't tell from 1, as what does not change has it, too.

    Args:
        control: of the ratio of something to itself. That a control leaves out 1 happens by chance; so it is
            no verdict, but what has to be exceeded.
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
        cell: that they are for.
        arms: two or more by name, the baseline first, see arms.arms_of.
        aim: of the race.
        seed: of the order of arms in rounds.
        say: is told how far it is, by lines.
        store: keeps the rounds; those that it has of the same race are not run again.
        begun: is given the race before its first round; it has what was measured also if the race is not
            finished.

    Raises:
        RankwiseError: the job failed.
        trials.run.Interrupted: a signal came; whole rounds are in the store.
        trials.run.OutOfTime: likewise.
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
    """Return the arms that are worth a race where every round of an arm is a launch: the few that look best.

    What looks best in so few rounds need not be: this costs winners, but finds none that is not there, as a
    race and a hold-out follow.

    Args:
        racer: that runs them.
        cell: that they are for.
        arms: by name, the baseline first.
        say: is told about arms that can't be used.

    Raises:
        RankwiseError, Interrupted, OutOfTime: see race.
    """
    left = dict(arms)
    while len(left) > _MOST_RELAUNCHED + 1:
        try:
            rounds = racer.run(
                cell, left, [order(list(left), number, 0) for number in range(_SCREENING_ROUNDS)]
            )
        except Unfit as unfit:
            for name, why in unfit.why.items():
                say(f"{cell.name}: {name} is rejected: {why}")
                del left[name]
            continue
        times = {name: min(seconds[name] for seconds in rounds) for name in left if name != DEFAULT}
        best = sorted(times, key=lambda name: times[name])[:_MOST_RELAUNCHED]
        left = {name: left[name] for name in left if name == DEFAULT or name in best}
        say(f"{cell.name}: of {len(arms) - 1} algorithms {', '.join(best)} are raced")
    return left


def _reject(state: Race, whys: Mapping[str, str]) -> None:
    for name, why in whys.items():
        if name in state.running:
            state.reject(name, why)


def _run(
    racer: Racer, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
) -> Iterator[dict[str, float]]:
    """Give the times of each round, soon after it was run, but run many at once if they are short."""
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
        (one.interval.ratio, one.arm)
        for one in state.comparisons()
        if one.interval and one.dropped is None and one.interval.ratio > 1
    ]
    return f"{line}; {max(ahead)[1]} leads, {ratio_text(max(ahead)[0])} x" if ahead else line


def hold_out(
    racer: Racer,
    cell: Cell,
    algorithm: Algorithm,
    confidence: float,
    rounds: int = HOLD_OUT_ROUNDS,
    seed: int = 0,
    store: Store | None = None,
) -> HeldOut:
    """Measure an algorithm afresh, beside the library's own choice and the same once more.

    Args:
        racer: that runs them.
        cell: that it is for.
        algorithm: the winner of a race, or of a rule.
        confidence: of each interval; the caller corrects it for the number of cells.
        rounds: that are run, or more if fewer can't give the confidence.
        seed: of the order of arms.
        store: keeps the rounds; those that it has of the same measurement are not run again.

    Raises:
        RankwiseError: the job failed, or the algorithm can't be used.
        trials.run.Interrupted: a signal came; whole rounds are in the store.
        trials.run.OutOfTime: likewise.
    """
    default, chosen, again = held_out_times(racer, cell, algorithm, confidence, rounds, seed, store)
    found = ratio_interval(default, chosen, confidence)
    evidence = Evidence(
        default_us=statistics.median(default) * 1e6,
        chosen_us=statistics.median(chosen) * 1e6,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        confidence=found.confidence,
        rounds=len(default),
    )
    return HeldOut(evidence, found, ratio_interval(default, again, confidence))


def held_out_times(
    racer: Racer,
    cell: Cell,
    algorithm: Algorithm,
    confidence: float,
    rounds: int = HOLD_OUT_ROUNDS,
    seed: int = 0,
    store: Store | None = None,
) -> tuple[list[float], list[float], list[float]]:
    """Return the seconds by the library's own choice, by the algorithm, and by the former once more.

    Args:
        racer: see hold_out.
        cell: likewise.
        algorithm: likewise.
        confidence: likewise.
        rounds: likewise.
        seed: likewise.
        store: likewise.

    Raises:
        RankwiseError, Interrupted, OutOfTime: see hold_out.
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
