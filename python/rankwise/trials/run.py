"""Runs the arms of a race one by one, within a budget."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rankwise.errors import RankwiseError
from rankwise.trials.plan import Aim, about, counted, unit
from rankwise.trials.progress import change_so_far, left_text
from rankwise.trials.race import Race

Result = TypeVar("Result")
Say = Callable[[str], None]


class Interrupted(Exception):  # noqa: N818
    """A signal asked us to end; the run was ended and says nothing."""


class OutOfTime(Exception):  # noqa: N818
    """The time for all runs together is over; the run that was under way was ended and says nothing."""


class UnrunnableError(RankwiseError):
    """The program does not run any more, with any settings, or its runs can't be kept: all trials end."""


class Rejected(Exception):  # noqa: N818
    """The run shows that its arm must not win, such as by a wrong result; the text says why."""


@dataclass(frozen=True)
class Arm(Generic[Result]):
    """One of the ways to run a job.

    Attributes:
        name: for people.
        launch: runs it; is given the number of the round, from 1, and the seconds that are left for it, which
            may be infinite. It raises OutOfTime if it ended the run after these, Interrupted, Rejected, or an
            error that ends everything.
    """

    name: str
    launch: Callable[[int, float], Result]


@dataclass
class Ran(Generic[Result]):
    """What came out.

    Attributes:
        race: at its end.
        results: of each arm, in its whole rounds.
        ended: why there are fewer rounds than wanted, as a sentence; '' if there are enough.
        out_of_time: whether that is for lack of time: with more of it there would be more rounds.
    """

    race: Race
    results: dict[str, list[Result]]
    ended: str = ""
    out_of_time: bool = False


def run(
    arms: Sequence[Arm[Result]],
    aim: Aim,
    seed: int,
    of_run: float,
    seconds: Callable[[Result], float],
    say: Say,
    clock: Callable[[], float] = time.monotonic,
) -> Ran[Result]:
    """Run whole rounds until the race is over, or its time.

    A round is begun only if it is likely to end in time; its runs get the remaining time. Each arm should
    have run once before, to warm up. A further arm that runs what the baseline runs shows what
    differences mean nothing.

    Args:
        arms: the baseline first.
        aim: of it all; its time counts from now.
        seed: of the order.
        of_run: seconds that a run takes, launch included, as far as known.
        seconds: the time of a result that is compared.
        say: called with the progress.
        clock: in seconds.

    Raises:
        RankwiseError: a run failed, or the baseline was rejected.
        ValueError: see Race.
    """
    return _Runner(arms, aim, seed, of_run, seconds, say, clock).ran()


class _Runner(Generic[Result]):
    def __init__(
        self,
        arms: Sequence[Arm[Result]],
        aim: Aim,
        seed: int,
        of_run: float,
        seconds: Callable[[Result], float],
        say: Say,
        clock: Callable[[], float],
    ) -> None:
        self._arms = {arm.name: arm for arm in arms}
        self._race = Race([arm.name for arm in arms], aim, seed)
        self._aim, self._seconds, self._say, self._clock = aim, seconds, say, clock
        self._end = math.inf if aim.seconds is None else clock() + aim.seconds
        self._took = {arm.name: [of_run] for arm in arms}
        self._made: Ran[Result] = Ran(self._race, {arm.name: [] for arm in arms})

    def ran(self) -> Ran[Result]:
        race, made = self._race, self._made
        while not race.over and not made.ended:
            if not self._affordable():
                self._end_for_time()
                break
            try:
                results = self._round()
            except OutOfTime:
                self._end_for_time()
            except Interrupted:
                made.ended = self._so_far("Interrupted after")
            else:
                if len(race.running) > 1:
                    self._add(results)
        return made

    def _end_for_time(self) -> None:
        self._made.ended = self._so_far("The time limit was reached after")
        self._made.out_of_time = True

    def _round(self) -> dict[str, Result]:
        results: dict[str, Result] = {}
        for name in self._race.order():
            begin = self._clock()
            try:
                results[name] = self._arms[name].launch(self._race.rounds + 1, self._end - begin)
            except Rejected as why:
                if name == self._race.arms[0]:
                    raise RankwiseError(f"{name}: {why}", 1) from why
                self._race.reject(name, str(why))
                self._say(f"{name} is rejected: {why}")
                if len(self._race.running) < 2:
                    break
            else:
                # (A run that an earlier call has made takes no time now.)
                took = max(self._clock() - begin, self._seconds(results[name]))
                self._took[name].append(took)
        return results

    def _add(self, results: dict[str, Result]) -> None:
        race = self._race
        times = {name: self._seconds(results[name]) for name in race.running}
        looks, wanted, dropped = race.looks, race.wanted, set(race.dropped)
        race.add(times)
        for name in times:
            self._made.results[name].append(results[name])
        each = ", ".join(f"{name} {times[name]:.4g} s" for name in race.arms if name in times)
        parts = [
            f"{unit(len(race.arms))} {race.rounds} of {wanted}: {each}",
            self._gain(),
            self._remaining_text(),
        ]
        self._say("; ".join(filter(None, parts)))
        for name in (name for name in race.dropped if name not in dropped):
            self._say(f"{name} is rejected: it is slower than {race.dropped[name].slower_than}")
        if race.looks == looks or race.over:
            return
        if self._aim.give_up and not race.can_become_clear(self._affordable()):
            self._made.ended = self._so_far("The remaining runs could not show more; ended after")
        elif race.needed is not None and race.wanted != wanted:
            self._say(self._more(race.needed))

    def _gain(self) -> str:
        """Return the state of the leading challenger."""
        times, (baseline, *_) = self._race.times, self._race.arms
        leads = max(self._race.running[1:], key=lambda name: -sum(times[name]), default=None)
        if leads is None:
            return ""
        name = f"{leads} leads: " if len(self._race.arms) > 2 else ""
        text = change_so_far(times[baseline], times[leads], self._aim.confidence)
        return f"{name}{text}" if text else ""

    def _remaining_text(self) -> str:
        """Return how many runs are left, as far as known, and how long they take."""
        running = len(self._race.running)
        if running < 2:
            return ""
        rounds = max(0, min(self._race.wanted - self._race.rounds, self._affordable()))
        return left_text(rounds * running, self._of_round() / running, self._end - self._clock())

    def _affordable(self) -> int:
        """Return how many more rounds there is time for, at most as many as may be needed."""
        most = max(self._aim.most_rounds, self._race.wanted) - self._race.rounds
        remaining_s = self._end - self._clock()
        of_round = self._of_round()
        return most if of_round * most <= remaining_s else max(0, int(remaining_s / of_round))

    def _of_round(self) -> float:
        # One slow run, such as the first, says little.
        return sum(statistics.median_low(self._took[name]) for name in self._race.running)

    def _so_far(self, what: str) -> str:
        arms = len(self._race.arms)
        return f"{what} {self._race.rounds} of {counted(self._race.wanted, arms)}."

    def _more(self, needed: int) -> str:
        race, aim = self._race, self._aim
        further = race.wanted - race.rounds
        line = f"to resolve {100 * aim.resolve:g} %, {counted(needed, len(race.arms))} are needed"
        if needed > aim.most:
            line += f", but no more than {aim.most} are run unless more are asked for"
        return f"{line}: {further} more, {about(further * self._of_round())}"
