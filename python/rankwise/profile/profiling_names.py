"""Calls that came by ``PMPI_`` names: of programs and tools with wrappers of their own."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.profile.counters import Header
from rankwise.profile.members import compact
from rankwise.profile.procedures import PROCEDURES

_NAMES = {procedure.id: procedure.name for procedure in PROCEDURES}
_MOST_NAMES = 6  # in a sentence


def profiling_sentences(headers: Mapping[int, Header]) -> list[str]:
    """Say which procedures, callers and ranks they are, in one sentence if there are any.

    They are counted: what a tool calls for itself can't be told from what it forwards for the program.

    Args:
        headers: by rank.
    """
    numbers = {number for header in headers.values() for number in header.profiling_names}
    names = sorted(f"P{_NAMES[number]}" for number in numbers if number in _NAMES)
    if not names:
        return []
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    callers = sorted({header.profiling_callers for header in headers.values() if header.profiling_callers})
    ranks = compact(sorted(rank for rank, header in headers.items() if header.profiling_names))
    return [
        f"called as {shown} by {', '.join(callers) or 'an unknown object'} (ranks {ranks}): "
        "what a tool calls there for itself counts as the program's"
    ]
