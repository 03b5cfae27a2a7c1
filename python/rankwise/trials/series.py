"""Pairs of runs: as many as the confidence takes, then as many more as these show to be needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

from rankwise.trials.order import Side, order
from rankwise.trials.plan import MOST_PAIRS, Aim
from rankwise.trials.recorded import Interrupted, OutOfTime

Result = TypeVar("Result")
Say = Callable[[str], None]


@dataclass
class Series(Generic[Result]):
    """Whole pairs, in the order of their runs.

    Attributes:
        before: results of one side.
        after: of the other one.
        needed: pairs that the first ones show to be needed; None if that was not found out.
        ended: why there are fewer, as a sentence; '' if there are not.
    """

    before: list[Result] = field(default_factory=list)
    after: list[Result] = field(default_factory=list)
    needed: int | None = None
    ended: str = ""


def run_series(
    aim: Aim,
    seed: int,
    of_run: float,
    once: Callable[[Side, int], Result],
    seconds: Callable[[Result], float],
    say: Say,
    clock: Callable[[], float] = time.monotonic,
) -> Series[Result]:
    """Run pairs.

    Args:
        aim: of it all; its time counts from now.
        seed: of the order.
        of_run: seconds that a run takes, launch included, as far as known.
        once: runs one side of the pair of this number, from 1.
        seconds: the time of a result that is compared.
        say: is told how far it is.
        clock: in seconds.

    Raises:
        RankwiseError: a run failed.
    """
    made: Series[Result] = Series()
    start, took = clock(), [of_run]
    wanted = aim.first_pairs
    for number in count(1):
        if number > wanted:
            break
        of_run = sum(took) / len(took)
        if aim.seconds is not None and clock() - start + 2 * of_run > aim.seconds:
            made.ended = f"The time limit came after {len(made.before)} of {wanted} pairs."
            break
        results: dict[Side, Result] = {}
        try:
            for side in order(number - 1, seed):
                begin = clock()
                results[side] = once(side, number)
                took.append(clock() - begin)
        except OutOfTime:
            made.ended = f"The time limit came after {len(made.before)} of {wanted} pairs."
            break
        except Interrupted:
            made.ended = f"Interrupted after {len(made.before)} of {wanted} pairs."
            break
        made.before.append(results["before"])
        made.after.append(results["after"])
        times = " s, ".join(f"{side} {seconds(results[side]):.4g}" for side in ("before", "after"))
        say(f"pair {number} of {wanted}: {times} s")
        if number == aim.first_pairs and aim.pairs is None:
            made.needed = aim.needed(*(list(map(seconds, side)) for side in (made.before, made.after)))
            wanted = min(max(made.needed, number), MOST_PAIRS)
            if wanted > number:
                say(_more(made.needed, wanted - number, aim, sum(took) / len(took)))
    return made


def _more(needed: int, further: int, aim: Aim, of_run: float) -> str:
    line = f"to resolve {100 * aim.resolve:g} %, {needed} pairs are needed"
    if needed > MOST_PAIRS:
        line += f", but no more than {MOST_PAIRS} are run unless --pairs says so"
    return f"{line}: {further} more, {about(2 * further * of_run)}"


def about(seconds: float) -> str:
    """Return a duration as people say it: 'about 40 s', 'about 4 min', 'about 2.5 h'."""
    if seconds < 99.5:
        return f"about {max(seconds, 1):.0f} s"
    minutes = seconds / 60
    return f"about {minutes:.0f} min" if minutes < 99.5 else f"about {minutes / 60:.1f} h"
