"""A race of k arms in rounds: who runs next, who is dropped, and when it is over.

A round runs every arm that is still in the race once. The first arm is the baseline, which stays to the end:
the verdict on another arm is the interval of the ratio baseline / arm over the rounds of both. Rounds are
blocks: a disturbance of a whole round hits all of its arms and leaves the ratios unchanged.

Errors that the race keeps to, for k - 1 challengers:

- Intervals hold together with the wanted confidence: each has 1 - (1 - confidence) / (k - 1) (Bonferroni;
  Dunn, Multiple comparisons among means, JASA 56, 1961). So the risk that any arm is called faster and is not
  stays the same, however many there are.
- An arm is dropped at a look if it is slower than any other one by an interval that leaves out 1 (successive
  elimination: Maron and Moore, Hoeffding races, NIPS 1993; Birattari et al., A racing algorithm for
  configuring metaheuristics, GECCO 2002). The i-th look spends 2^-i of the risk that the best arm is dropped
  (Lan and DeMets, Biometrika 70, 1983), shared among its k - 1 comparisons. It does not matter which arm
  leads when, as only comparisons of the best arm itself can drop it.

The number of rounds is found from the scatter of the first ones (an internal pilot: Wittes and Brittain,
Statistics in Medicine 9, 1990). The race does not run anything and knows no clock: arms may be run one by one
(see run.py), or all rounds up to the next look within one job.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rankwise.trials.interval import Interval, ratio_interval
from rankwise.trials.plan import Aim, rounds_needed

Name = TypeVar("Name", bound=str)


def order(arms: Sequence[Name], number: int, seed: int) -> tuple[Name, ...]:
    """Return the arms in the order of their runs in a round.

    After k rounds (2 k if k is odd) each arm has run equally often in each place, and equally often right
    after each other one: a machine that gets slower all the time favours no arm, and neither does what a run
    leaves behind. Two arms alternate: A B, B A, A B, ... Source: Williams, Experimental designs balanced for
    the estimation of residual effects of treatments, Australian Journal of Scientific Research A 2, 1949.

    Args:
        arms: that run.
        number: of the round, from 0.
        seed: of the random numbers that say which arm has which part in the design.
    """
    drawn, count = list(arms), len(arms)
    random.Random(seed).shuffle(drawn)
    there_and_back = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(count)]
    row = [drawn[(step + number) % count] for step in there_and_back]
    return tuple(reversed(row) if count % 2 and number // count % 2 else row)


@dataclass(frozen=True)
class Dropped:
    """Why an arm is no longer in the race.

    Attributes:
        rounds: that it was whole in.
        slower_than: the arm that is clearly faster; '' if it was rejected.
        why: it was rejected; '' if it was dropped for its times.
    """

    rounds: int
    slower_than: str = ""
    why: str = ""


@dataclass(frozen=True)
class Comparison:
    """An arm beside the baseline.

    Attributes:
        arm: its name.
        interval: of the ratio baseline / arm; None if they have no round in common. That of a dropped arm is
            from the rounds before, in which it may have looked worse than it is.
        equivalent: the whole interval is within the change to resolve.
        dropped: why it left the race; None if it did not.
    """

    arm: str
    interval: Interval | None
    equivalent: bool
    dropped: Dropped | None


class Race:
    """The state of a race. It follows from its rounds: to resume a race is to add them again.

    Attributes:
        arms: names of all, the baseline first.
        running: the arms that are still in the race.
        dropped: the others.
        times: seconds of each arm in its rounds, from the first one on.
        rounds: number of whole ones.
        wanted: number of rounds, as far as known now.
        needed: rounds that the scatter shows to be needed for the arms that run; None before that is known.
        looks: how often arms were looked at to drop some, and to find out how many rounds are needed.
    """

    def __init__(self, arms: Sequence[str], aim: Aim, seed: int) -> None:
        """Begin.

        Args:
            arms: distinct names, the baseline first.
            aim: of the race; its seconds are for the caller to keep.
            seed: of the order.

        Raises:
            ValueError: there are fewer than two arms, or two have one name.
        """
        if len(arms) < 2 or len(set(arms)) < len(arms):
            raise ValueError("a race needs at least two arms with different names")
        self.arms = tuple(arms)
        self.running = list(arms)
        self.dropped: dict[str, Dropped] = {}
        self.times: dict[str, list[float]] = {name: [] for name in arms}
        self.rounds = 0
        self.wanted = aim.first_rounds(len(arms) - 1)
        self.needed: int | None = None
        self.looks = 0
        self._aim, self._seed = aim, seed
        self._next_look = aim.first_look(len(arms) - 1)

    @property
    def over(self) -> bool:
        """Whether no more rounds are to be run."""
        return self.rounds >= self.wanted or len(self.running) < 2

    def order(self) -> tuple[str, ...]:
        """Return the arms of the next round in the order of their runs."""
        return order(self.running, self.rounds, self._seed)

    def until_look(self) -> list[tuple[str, ...]]:
        """Return the orders of the rounds up to the next look, to be run in one job; none if it is over."""
        if self.over:
            return []
        end = min(self._next_look, self.wanted)
        return [order(self.running, number, self._seed) for number in range(self.rounds, end)]

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add a whole round.

        Args:
            seconds: of each arm that is in the race.

        Raises:
            ValueError: an arm is missing, or a time is not above 0.
        """
        if not all(seconds.get(name, 0) > 0 for name in self.running):
            raise ValueError("a round needs a time above 0 of every arm that is in the race")
        for name in self.running:
            self.times[name].append(seconds[name])
        self.rounds += 1
        if self.rounds == self._next_look:
            self._look()

    def reject(self, name: str, why: str) -> None:
        """Take an arm out of the race, such as one whose program fails or computes something else.

        Args:
            name: of the arm; its unfinished round does not count.
            why: a sentence's end for people.

        Raises:
            ValueError: it is the baseline, or not in the race.
        """
        if name == self.arms[0] or name not in self.running:
            raise ValueError(f"{name} can't be rejected")
        self.running.remove(name)
        self.dropped[name] = Dropped(self.rounds, why=why)

    def comparisons(self) -> list[Comparison]:
        """Return every other arm compared with the baseline, in the given order."""
        baseline, *challengers = self.arms
        confidence = self._aim.confidence_of_each(len(challengers))
        compared = []
        for name in challengers:
            times = self.times[name]
            interval = (
                ratio_interval(self.times[baseline][: len(times)], times, confidence) if times else None
            )
            is_equivalent = interval is not None and interval.reached and interval.within(self._aim.resolve)
            compared.append(Comparison(name, interval, is_equivalent, self.dropped.get(name)))
        return compared

    def winner(self) -> Comparison | None:
        """Return the fastest arm that is faster than the baseline; None if none is.

        As the best of several it looks better than it is: a new race against the baseline measures its gain.
        """
        faster = [
            (comparison.interval.ratio, -place, comparison)
            for place, comparison in enumerate(self.comparisons())
            if comparison.interval is not None
            and comparison.interval.verdict == "faster"
            and comparison.dropped is None
        ]
        return max(faster)[2] if faster else None

    def can_become_clear(self, further: int) -> bool:
        """Return whether so many more rounds are likely to show something of an arm: see Aim.can_decide."""
        baseline, *challengers = self.running
        confidence = self._aim.confidence_of_each(len(self.arms) - 1)
        return any(
            self._aim.can_decide(self.times[baseline], self.times[name], confidence, self.rounds + further)
            for name in challengers
        )

    def _look(self) -> None:
        """Drop arms, and find out how many rounds are needed for the others."""
        aim = self._aim
        self.looks += 1
        self._next_look = aim.most_rounds
        if aim.risk is not None:
            self._drop_slower(1 - 2 * aim.risk / 2**self.looks / (len(self.arms) - 1))
            self._next_look = min(2 * self.rounds, aim.most_rounds)
        baseline, *challengers = self.running
        if aim.rounds is not None or not challengers:
            return
        confidence = aim.confidence_of_each(len(self.arms) - 1)
        self.needed = max(
            rounds_needed(self.times[baseline], self.times[name], aim.resolve, confidence)
            for name in challengers
        )
        self.wanted = max(self.rounds, min(self.needed, aim.most))

    def _drop_slower(self, confidence: float) -> None:
        """Drop each challenger that is slower than another arm, by an interval of this confidence."""
        for name in self.running[1:]:
            ahead = {
                other: interval.ratio
                for other in self.running
                if other != name
                for interval in (ratio_interval(self.times[name], self.times[other], confidence),)
                if interval.verdict == "faster"
            }
            if ahead:
                self.dropped[name] = Dropped(self.rounds, slower_than=max(ahead, key=lambda arm: ahead[arm]))
        self.running = [name for name in self.running if name not in self.dropped]
