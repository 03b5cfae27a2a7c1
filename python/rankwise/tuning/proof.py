"""The proof: the program as given and with settings, in pairs of runs whose order is random."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from rankwise.trials.interval import Interval
from rankwise.trials.plan import Aim, about, counted
from rankwise.trials.run import Arm, Interrupted, OutOfTime, Rejected, run
from rankwise.trials.ways import Runs, Way

Say = Callable[[str], None]


@dataclass
class Proof:
    """What pairs of runs showed.

    Attributes:
        before: seconds of the program as given, in pairs with
        after: those with the settings.
        interval: of the ratio; None if there is no pair.
        alike: whether the interval is within the change that was to be resolved.
        ended: why there are fewer pairs than were needed; '' if there are not.
        rejected: why the settings are out whatever their speed, such as another output; '' if they are not.
    """

    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    interval: Interval | None = None
    alike: bool = False
    ended: str = ""
    rejected: str = ""

    @property
    def is_gain(self) -> bool:
        """Whether the settings are worth it."""
        return self.interval is not None and not self.rejected and self.interval.verdict == "faster"


def prove(
    before: Way,
    after: Way,
    aim: Aim,
    seed: int,
    runs: Runs,
    say: Say,
    clock: Callable[[], float] = time.monotonic,
) -> Proof:
    """Warm both sides up, and run pairs.

    Args:
        before: the program as it is.
        after: with settings.
        aim: of the pairs; its seconds are those of all runs.
        seed: of the order.
        runs: runs them.
        say: is told how far it is.
        clock: in seconds.

    Raises:
        RankwiseError: a run failed.
    """
    end = math.inf if aim.seconds is None else clock() + aim.seconds
    made = Proof()
    try:
        runs.seconds(before, 0, end - clock())
        runs.seconds(after, 0, end - clock())
    except Interrupted:
        made.ended = "Interrupted before the first pair."
        return made
    except OutOfTime:
        made.ended = "The time limit came before the first pair."
        return made
    except Rejected as why:
        made.rejected = str(why)
        return made
    pairs, of_run = aim.first_rounds(), runs.usual_seconds()
    runs_of = f"{counted(pairs, 2)} of runs of {about(of_run)}"
    say(f"proof: {runs_of}: {about(2 * pairs * of_run)}, at most {aim.most_rounds} pairs")
    left = replace(aim, seconds=None if math.isinf(end) else end - clock())
    arms = [Arm(way.name, partial(_run, runs, way)) for way in (before, after)]
    ran = run(arms, left, seed, of_run, lambda seconds: seconds, say, clock)
    (compared,) = ran.race.comparisons()
    made.before, made.after = ran.results[before.name], ran.results[after.name]
    made.interval, made.alike, made.ended = compared.interval, compared.alike, ran.ended
    if compared.dropped and compared.dropped.why:
        made.rejected = compared.dropped.why
    return made


def _run(runs: Runs, way: Way, number: int, left: float) -> float:
    return runs.seconds(way, number, left)
