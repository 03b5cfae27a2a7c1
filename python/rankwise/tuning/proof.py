"""The proof: the program as given and with settings, in paired runs in random order."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from rankwise.errors import RankwiseError
from rankwise.text.units import number_of, second_text
from rankwise.trials.interval import Interval, ratio_interval
from rankwise.trials.plan import Aim, about, counted
from rankwise.trials.progress import change_so_far, left_text
from rankwise.trials.race import order
from rankwise.trials.run import Interrupted, OutOfTime, Rejected
from rankwise.trials.sequential import MOST_PAIRS, PairedTest
from rankwise.trials.ways import Way

Say = Callable[[str], None]


class Kept(Protocol):
    """Paired runs kept from call to call, in their order: see racing.store."""

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the records of earlier calls."""

    def add(self, record: Mapping[str, Any]) -> None:
        """Keep a pair, or a look."""


class Running(Protocol):
    """The maker of the runs: see trials.ways.Runs."""

    def seconds(self, way: Way, number: int, left: float = ...) -> float:
        """Run a way once."""

    def usual_seconds(self) -> float:
        """Return how long a run takes."""


@dataclass
class Proof:
    """The result of paired runs.

    Attributes:
        before: seconds of the program as given, in pairs with `after`.
        after: seconds with the settings.
        interval: of the ratio; None without a pair.
        equivalent: whether the interval is within the change to be resolved.
        ended: why it ended undecided; '' if it is decided.
        rejected: why the settings are out at any speed, such as another output; '' if they are not.
        excluded: the smallest gain that is excluded, such as 0.06; None: no gain is.
        more_seconds: of pairs that would probably decide; None: it is decided or was interrupted, or no
            number of pairs would decide.
    """

    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    interval: Interval | None = None
    equivalent: bool = False
    ended: str = ""
    rejected: str = ""
    excluded: float | None = None
    more_seconds: float | None = None

    @property
    def is_gain(self) -> bool:
        """Whether the settings are worth it."""
        return self.interval is not None and not self.rejected and self.interval.verdict == "faster"

    @property
    def is_undecided(self) -> bool:
        """Whether more pairs could show a gain."""
        return bool(self.ended) and not self.rejected and not self.is_gain


def prove(
    before: Way,
    after: Way,
    aim: Aim,
    seed: int,
    runs: Running,
    say: Say,
    clock: Callable[[], float] = time.monotonic,
    kept: Kept | None = None,
) -> Proof:
    """Warm both sides up, and run pairs until they decide or the time is over.

    Args:
        before: the program as given.
        after: with settings.
        aim: of the pairs; its seconds are for all runs.
        seed: of the order.
        runs: runs them.
        say: gets a line of progress at a time.
        clock: in seconds.
        kept: pairs of earlier calls, from which this call continues; None: nothing is kept.

    Raises:
        RankwiseError: a run failed.
    """
    return _Prover((before, after), aim, seed, runs, say, clock, kept).proof()


class _Prover:
    def __init__(
        self,
        ways: tuple[Way, Way],
        aim: Aim,
        seed: int,
        runs: Running,
        say: Say,
        clock: Callable[[], float],
        kept: Kept | None,
    ) -> None:
        self._ways, self._aim, self._seed, self._runs = ways, aim, seed, runs
        self._say, self._clock, self._kept = say, clock, kept
        self._end = math.inf if aim.seconds is None else clock() + aim.seconds
        self._test = PairedTest(aim)
        self._took: list[float] = []
        self._made = Proof()

    def proof(self) -> Proof:
        made, test = self._made, self._test
        self._go_on()
        if not test.decision and self._is_warm():
            self._run_pairs()
        made.before, made.after = test.before, test.after
        made.interval = test.interval
        if made.interval is None and test.pairs:
            # Without a look it proves nothing, at any confidence that so many pairs would have alone.
            made.interval = replace(ratio_interval(test.before, test.after, self._aim.confidence), wanted=1.0)
        if made.interval is not None:
            made.equivalent = made.interval.reached and made.interval.within(self._aim.resolve)
        made.excluded = test.excluded
        return made

    def _go_on(self) -> None:
        """Take over the pairs of earlier calls."""
        for record in self._kept.records() if self._kept else ():
            if "look" in record:
                self._test.look()
            else:
                self._test.add(*record["pair"])
        if self._test.pairs:
            self._say(f"continuing from {counted(self._test.pairs, 2)} of earlier runs")

    def _is_warm(self) -> bool:
        made = self._made
        try:
            for way in self._ways:
                self._runs.seconds(way, 0, self._left())
        except Interrupted:
            made.ended = self._so_far("Interrupted")
        except OutOfTime:
            self._too_short()
        except Rejected as why:
            made.rejected = str(why)
        return not (made.ended or made.rejected)

    def _run_pairs(self) -> None:
        test, made = self._test, self._made
        last = test.pairs + test.allowed()
        of_run, wanted = self._runs.usual_seconds(), test.next_look - test.pairs
        runs_of = f"{counted(wanted, 2)} of runs of {about(of_run)}"
        self._say(f"proof: {runs_of}: {about(2 * wanted * of_run)}, and more as long as they can decide")
        while not test.decision:
            further = min(last - test.pairs, self._affordable())
            just_looked = test.pairs in test.looks
            if further < 1 or (just_looked and not test.can_decide(further)):
                self._end_early(hopeless=further >= 1)
                return
            try:
                self._add(*self._pair())
            except OutOfTime:
                self._end_early()
                return
            except Interrupted:
                made.ended = self._so_far("Interrupted")
                return
            except Rejected as why:
                made.rejected = str(why)
                return

    def _pair(self) -> tuple[float, float]:
        begin, number = self._clock(), self._test.pairs
        times: dict[str, float] = {}
        by_name = {way.name: way for way in self._ways}
        before, after = by_name
        for name in order((before, after), number, self._seed):
            times[name] = self._run(by_name[name], number + 1)
        # An earlier call's run is not repeated and takes no time.
        self._took.append(max(self._clock() - begin, sum(times.values())))
        return times[before], times[after]

    def _run(self, way: Way, number: int) -> float:
        try:
            return self._runs.seconds(way, number, self._left())
        except Rejected as why:
            if way is self._ways[0]:
                raise RankwiseError(f"{way.name}: {why}", 1) from why
            self._say(f"{way.name} is rejected: {why}")
            raise

    def _add(self, before: float, after: float) -> None:
        test = self._test
        looks, wanted = len(test.looks), test.next_look
        test.add(before, after)
        if self._kept:
            self._kept.add({"pair": [before, after]})
        times = zip(self._ways, (before, after), strict=True)
        each = ", ".join(f"{way.name} {second_text(seconds)}" for way, seconds in times)
        known = change_so_far(test.before, test.after, self._aim.confidence)
        self._say("; ".join(filter(None, [f"pair {test.pairs} of {wanted}: {each}", known, self._still()])))
        if len(test.looks) > looks and not test.decision and self._aim.rounds is None:
            further = test.further_pairs()
            if further is None:
                self._say(f"not decided yet: the runs scatter too much for {MOST_PAIRS} pairs")
            else:
                more = number_of(further, "more pair")
                self._say(f"not decided yet: {more} probably will, {about(self._more(further))}")

    def _still(self) -> str:
        """Return how many runs are left until the next look, and how long they take."""
        if self._test.decision:
            return ""
        pairs = min(self._test.next_look - self._test.pairs, self._affordable())
        return left_text(2 * pairs, self._of_pair() / 2, self._left())

    def _end_early(self, *, hopeless: bool = False) -> None:
        """Take a last look at the pairs so far, as the time is over."""
        test = self._test
        if not hopeless and not test.decision and test.pairs not in test.looks:
            looks = len(test.looks)
            test.look()
            if self._kept and len(test.looks) > looks:
                self._kept.add({"look": test.pairs})
        if not test.decision:
            self._too_short()

    def _too_short(self) -> None:
        made, test = self._made, self._test
        if test.interval is not None and test.interval.verdict == "faster":
            return  # it is proven; more pairs would only be more precise
        further = test.further_pairs()
        if further is None:
            seconds = self._more(MOST_PAIRS - test.pairs)
            made.ended = f"The runs scatter too much: {about(seconds)} more would probably not decide."
            return
        made.more_seconds = self._more(further + 1)  # a further call warms up again
        would = "would probably decide" if test.shows_scatter else "is needed for a first result"
        made.ended = f"Too short: {about(made.more_seconds)} more {would}."

    def _more(self, pairs: int) -> float:
        """Return the seconds that so many more pairs take."""
        return pairs * self._of_pair()

    def _of_pair(self) -> float:
        # A single slow run, such as the first, says little.
        return statistics.median(self._took) if self._took else 2 * self._runs.usual_seconds()

    def _affordable(self) -> int:
        seconds_left = self._left()
        most = self._test.allowed()
        return most if seconds_left >= most * self._of_pair() else max(0, int(seconds_left / self._of_pair()))

    def _left(self) -> float:
        return self._end - self._clock()

    def _so_far(self, what: str) -> str:
        return f"{what} after {counted(self._test.pairs, 2)}."
