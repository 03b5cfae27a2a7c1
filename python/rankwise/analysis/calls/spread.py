"""A number per rank, summarised: total, average, extremes and the ranks that have them."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.records import dataclass


@dataclass(frozen=True)
class Spread:
    """Total, average, minimum and maximum over the ranks, in the unit of the key that holds it.

    Attributes:
        total: sum over the ranks; None where a sum means nothing (shares).
        minimum_rank: the lowest rank that has the minimum.
        maximum_rank: the lowest rank that has the maximum.
    """

    total: float | None
    average: float
    minimum: float
    minimum_rank: int
    maximum: float
    maximum_rank: int

    @property
    def imbalance(self) -> float | None:
        """Maximum by average: 1 where all are the same; None where all are 0."""
        return self.maximum / self.average if self.average else None


def spread(values: Mapping[int, float]) -> Spread:
    """Return the spread of rank → value; `values` must not be empty."""
    total = sum(values.values())
    lowest, highest = min(values.values()), max(values.values())
    ranks = (min(rank for rank, value in values.items() if value == end) for end in (lowest, highest))
    return Spread(total, total / len(values), lowest, next(ranks), highest, next(ranks))
