"""Procedures whose calls may have passed Rankwise by: references to them were not redirected in time."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rankwise.profile.counters import Header
from rankwise.profile.members import compact
from rankwise.profile.procedures import PROCEDURES

LOADED_LATER = "plugins"  # what is said for any procedure that an object calls which is loaded later
_NAMES = {0: LOADED_LATER} | {procedure.id: procedure.name for procedure in PROCEDURES}


def passed_by(headers: Collection[Header]) -> list[str]:
    """Return the names of these procedures, sorted."""
    return sorted({_NAMES[number] for header in headers for number in header.passed_by if number in _NAMES})


def passed_by_warnings(headers: Mapping[int, Header]) -> list[str]:
    """Say which procedures and ranks they are, in one sentence if there are any.

    Args:
        headers: by rank.
    """
    names = passed_by(headers.values())
    if not names:
        return []
    ranks = compact(sorted(rank for rank, header in headers.items() if header.passed_by))
    return [f"calls of {', '.join(names)} may be missing (ranks {ranks}): objects made them past Rankwise"]
