"""The phases of a run as a grid in time, with the counts of the ranks in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.analysis.timing.time_line import TimeLine

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PhaseGrid:
    """K consecutive phases.

    Attributes:
        begins: shape (K,): when each begins, seconds after the start of the run.
        end: of the last phase.
        messages: shape (ranks, K): point-to-point and one-sided messages that each rank started.
        bytes_sent: shape (ranks, K): by its calls, including its contributions to collectives.
        calls: shape (ranks, K).
    """

    begins: Floats
    end: float
    messages: Floats
    bytes_sent: Floats
    calls: Floats

    def __len__(self) -> int:
        return len(self.begins)

    def parts(self, began: ArrayLike, ended: ArrayLike) -> Floats:
        """Return the share of each interval in each phase; outside all phases, the nearest one has the whole.

        Args:
            began: shape (n,): seconds after the start of the run.
            ended: seconds after the start of the run.

        Returns:
            shape (n, K); each row sums to 1.
        """
        first = np.clip(np.asarray(began, np.float64), self.begins[0], self.end)
        last = np.clip(np.asarray(ended, np.float64), first, self.end)
        ends = np.append(self.begins[1:], self.end)
        parts = np.minimum(last[:, None], ends) - np.maximum(first[:, None], self.begins)
        parts = np.maximum(parts, 0.0)
        whole = parts.sum(axis=1)
        instants = np.flatnonzero(whole <= 0)
        place = np.searchsorted(self.begins, first[instants], "right") - 1
        parts[instants] = 0.0
        parts[instants, place] = 1.0
        whole[instants] = 1.0
        shares: Floats = parts / whole[:, None]
        return shares


def phase_grid(line: TimeLine, ranks: int) -> PhaseGrid:
    """Put the intervals of a time line together to its phases.

    Args:
        line: with at least one phase.
        ranks: number of ranks in the world; ranks that the time line lacks get zeros.
    """
    begins = np.array([phase.begin_seconds for phase in line.phases])
    middles = line.begin_seconds + line.width_seconds * (np.arange(len(line.intervals)) + 0.5)
    place = np.clip(np.searchsorted(begins, middles, "right") - 1, 0, len(begins) - 1)
    kinds = np.zeros((3, ranks, len(begins)))
    for rank in line.ranks:
        for kind, counts in zip(kinds, (rank.messages, rank.bytes_sent, rank.calls), strict=True):
            kind[rank.rank] = np.bincount(place, counts, len(begins))
    return PhaseGrid(begins, line.phases[-1].end_seconds, *kinds)
