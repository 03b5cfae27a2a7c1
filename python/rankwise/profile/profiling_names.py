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
    # (Several objects may refer to a name, and which of them has called it is not known.)
    callers = sorted({c for header in headers.values() for c in header.profiling_callers.split(", ") if c})
    ranks = compact(sorted(rank for rank, header in headers.items() if header.profiling_names))
    return [
        f"called as {shown} by {' or '.join(callers) or 'an unknown object'} (ranks {ranks}): "
        "what a tool calls there for itself counts as the program's"
    ]
