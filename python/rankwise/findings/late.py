"""Ranks that the others wait for most, in collectives and for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.waiting.late import LateGroup as Late

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting

_EXPLAINS = 0.5  # of the lateness: what is computed more has to be so much of it

__all__ = ["Late", "by_the_mean", "explains", "how_unsure", "is_known", "late", "useful_seconds"]


def is_known(seen: Evidence) -> bool:
    """Tell whether the profile has anything on who waited for whom."""
    kept = seen.waiting.kept if seen.waiting else 0
    return bool(kept or any(one.certain for one in seen.messages.waiting))


def late(seen: Evidence) -> Late | None:
    """Return those that most of the waiting is for; None if nobody stands out."""
    return seen.late


def how_unsure(found: Waiting | None) -> float:
    """Return by how much of itself the waiting in collectives may be off."""
    if found is None or not found.waiting.seconds:
        return 0.0
    return found.waiting.error_seconds / found.waiting.seconds


def useful_seconds(seen: Evidence) -> dict[int, float]:
    """Return the time of each rank outside of MPI."""
    return {one.rank: max(one.run_seconds - one.seconds / max(one.threads, 1), 0.0) for one in seen.ranks}


def by_the_mean(seen: Evidence, found: Late) -> float:
    """Return the time of the late ones outside of MPI by that of all ranks, in the mean."""
    own, mean = _own_and_mean(seen, found)
    return own / len(found.ranks) / mean if own and mean > 0 else 1.0


def explains(seen: Evidence, found: Late) -> bool:
    """Tell whether the late ones compute so much longer than the mean that it explains their lateness.

    All others wait while one is late: it is late for as long as one of them waits for it.
    """
    own, mean = _own_and_mean(seen, found)
    return mean > 0 and own - len(found.ranks) * mean >= _EXPLAINS * found.seconds / seen.run.ranks


def _own_and_mean(seen: Evidence, found: Late) -> tuple[float, float]:
    useful = useful_seconds(seen)
    return sum(useful.get(rank, 0.0) for rank in found.ranks), sum(useful.values()) / len(useful)
