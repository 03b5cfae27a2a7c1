"""The runners-up of a race, which are tried if the program fails with the winner."""

from __future__ import annotations

import statistics

from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.race import LEAST_GAIN, Outcome
from rankwise.tuning.settings.rule import Algorithm, Evidence


def runners_up(raced: Outcome) -> list[tuple[Algorithm, Evidence]]:
    """Return the other algorithms that the race shows to be faster than the default, the fastest first.

    Their evidence is from the race: only the winner was measured afresh. They look hardly better than they
    are, because they were not chosen as the best.

    Args:
        raced: the race, with a winner.
    """
    race, best = raced.race, raced.race.winner()
    runners: list[tuple[float, Algorithm, Evidence]] = []
    for comparison in race.comparisons():
        algorithm, interval = raced.arms[comparison.arm], comparison.interval
        rejected = comparison.dropped is not None and comparison.dropped.why
        if algorithm is None or interval is None or rejected or (best and comparison.arm == best.arm):
            continue
        if interval.verdict != "faster" or interval.ratio < 1 + LEAST_GAIN:
            continue
        times = race.times[comparison.arm]
        evidence = Evidence(
            default_us=1e6 * statistics.median(race.times[DEFAULT][: len(times)]),
            chosen_us=1e6 * statistics.median(times),
            ratio=interval.ratio,
            low=interval.low,
            high=interval.high,
            confidence=interval.confidence,
            rounds=len(times),
        )
        runners.append((interval.ratio, algorithm, evidence))
    return [
        (algorithm, evidence) for _, algorithm, evidence in sorted(runners, key=lambda runner: -runner[0])
    ]
