"""The runners-up of a race: what is tried where the program fails with the winner."""

from __future__ import annotations

import statistics

from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.race import LEAST_GAIN, Outcome
from rankwise.tuning.settings.rule import Algorithm, Evidence


def runners_up(raced: Outcome) -> list[tuple[Algorithm, Evidence]]:
    """Return the other algorithms that the race shows to be faster than the default, the fastest first.

    Their evidence is that of the race: only the winner was measured afresh. They look little better than they
    are, as they were not chosen for being the best.

    Args:
        raced: the race, with a winner.
    """
    race, best = raced.race, raced.race.winner()
    found: list[tuple[float, Algorithm, Evidence]] = []
    for one in race.comparisons():
        algorithm, interval = raced.arms[one.arm], one.interval
        rejected = one.dropped is not None and one.dropped.why
        if algorithm is None or interval is None or rejected or (best and one.arm == best.arm):
            continue
        if interval.verdict != "faster" or interval.ratio < 1 + LEAST_GAIN:
            continue
        times = race.times[one.arm]
        evidence = Evidence(
            default_us=1e6 * statistics.median(race.times[DEFAULT][: len(times)]),
            chosen_us=1e6 * statistics.median(times),
            ratio=interval.ratio,
            low=interval.low,
            high=interval.high,
            confidence=interval.confidence,
            rounds=len(times),
        )
        found.append((interval.ratio, algorithm, evidence))
    return [(algorithm, evidence) for _, algorithm, evidence in sorted(found, key=lambda one: -one[0])]
