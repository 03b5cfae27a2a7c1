"""Summary of a quantity with a value per rank: total, average, extremes and the ranks with the extremes."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.records import dataclass


@dataclass(frozen=True)
class Spread:
    """Total, average, minimum and maximum over all ranks, in the unit of the enclosing key.

    Attributes:
        total: sum over all ranks; None if a sum is meaningless (shares).
        minimum_rank: the lowest rank with the minimum.
        maximum_rank: the lowest rank with the maximum.
    """

    total: float | None
    average: float
    minimum: float
    minimum_rank: int
    maximum: float
    maximum_rank: int

    @property
    def imbalance(self) -> float | None:
        """Maximum divided by average: 1 if all are equal; None if all are 0."""
        return self.maximum / self.average if self.average else None


def spread(values: Mapping[int, float]) -> Spread:
    """Return the spread of rank → value; `values` must not be empty."""
    total = sum(values.values())
    lowest, highest = min(values.values()), max(values.values())
    ranks = (min(rank for rank, value in values.items() if value == end) for end in (lowest, highest))
    return Spread(total, total / len(values), lowest, next(ranks), highest, next(ranks))
