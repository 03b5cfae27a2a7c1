"""Ranks that the others wait for most, in collectives and for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.waiting.late import LateGroup as Late

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting

_EXPLAINS = 0.5  # of the lateness: the additional computing has to be at least this share

__all__ = ["Late", "by_the_mean", "explains", "how_unsure", "is_known", "late", "useful_seconds"]


def is_known(profile: Evidence) -> bool:
    """Return whether the profile shows which ranks waited for which."""
    kept = profile.waiting.kept if profile.waiting else 0
    return bool(kept or any(row.certain for row in profile.messages.waiting))


def late(profile: Evidence) -> Late | None:
    """Return the ranks that caused most of the waiting; None if no ranks stand out."""
    return profile.late


def how_unsure(waiting: Waiting | None) -> float:
    """Return the relative error of the waiting in collectives."""
    if waiting is None or not waiting.waiting.seconds:
        return 0.0
    return waiting.waiting.error_seconds / waiting.waiting.seconds


def useful_seconds(profile: Evidence) -> dict[int, float]:
    """Return the time of each rank outside of MPI."""
    return {
        rank.rank: max(rank.run_seconds - rank.seconds / max(rank.threads, 1), 0.0) for rank in profile.ranks
    }


def by_the_mean(profile: Evidence, late_group: Late) -> float:
    """Return the late ranks' mean time outside of MPI, divided by the mean of all ranks."""
    own, mean = _own_and_mean(profile, late_group)
    return own / len(late_group.ranks) / mean if own and mean > 0 else 1.0


def explains(profile: Evidence, late_group: Late) -> bool:
    """Return whether the late ranks compute so much longer than the mean that it explains their lateness.

    While a rank is late, all others wait: it is late for as long as one of them waits for it.
    """
    own, mean = _own_and_mean(profile, late_group)
    return (
        mean > 0 and own - len(late_group.ranks) * mean >= _EXPLAINS * late_group.seconds / profile.run.ranks
    )


def _own_and_mean(profile: Evidence, late_group: Late) -> tuple[float, float]:
    useful = useful_seconds(profile)
    return sum(useful.get(rank, 0.0) for rank in late_group.ranks), sum(useful.values()) / len(useful)
