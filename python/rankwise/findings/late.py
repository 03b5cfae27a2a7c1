"""Ranks that the others wait for most, in collectives and for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.waiting.late import LateGroup as Late

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting

__all__ = ["Late", "how_unsure", "is_known", "late"]


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
