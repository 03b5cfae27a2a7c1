"""Processors that ranks lack: they make runs with more ranks slower, and the program is not the reason."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from rankwise.analysis.nodes.processors import MUCH_WAIT
from rankwise.records import dataclass
from rankwise.runs.scaling_points import Point

_EXPLAINS = 0.5
"""Of what the row loses that loses most. If only the shortage slows a run, they are equal; if ranks also wait
for others that have no processor, the row loses more."""


@dataclass(frozen=True, kw_only=True)
class Shortage:
    """Ranks lacked processors for much of the run with most ranks.

    Attributes:
        percent: of the run with most ranks that ranks were without a processor; median of the runs.
        reference_percent: the same at the reference.
        is_exact: the kernel reports it; else it is the most that it can be.
        crowded: ranks and their threads share too few processors; else other processes used them.
        explains: it is so much of the run, compared with the loss of the worst row, that nothing is known
            about the program.
    """

    percent: float
    reference_percent: float
    is_exact: bool
    crowded: bool
    explains: bool


def shortage_of(last: Point, reference: Point, most_lost_percent: float | None) -> Shortage | None:
    """Return the shortage with most ranks; None if ranks had their processors nearly always.

    Args:
        last: the runs with most ranks.
        reference: the runs at the reference.
        most_lost_percent: of the run, by the row that surely loses most; None = no row does.
    """
    percent = 100 * without(last)
    if percent < 100 * MUCH_WAIT:
        return None
    return Shortage(
        percent=percent,
        reference_percent=100 * without(reference),
        is_exact=all(run.processors.is_exact for run in last.runs),
        crowded=any(run.processors.crowded for run in last.runs),
        explains=most_lost_percent is not None and percent >= _EXPLAINS * most_lost_percent,
    )


def without(point: Point) -> float:
    """Return the share of the run without a processor, from 0 to 1; median of the runs."""
    return statistics.median(point.values(lambda run: run.processors.without))


def lacking(points: Sequence[Point]) -> list[Point]:
    """Return the points whose ranks lacked processors for much of the run."""
    return [point for point in points if without(point) >= MUCH_WAIT]
