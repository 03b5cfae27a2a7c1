"""Sentences about missing counters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.analysis.nodes.processors import Shortages
from rankwise.analysis.nodes.system_counters import AbsentCounter, CounterTotals
from rankwise.text.processors import shortage_fields
from rankwise.text.units import rate_text


def counter_fields(
    totals: CounterTotals | None, shortages: Shortages, said: Collection[str] = ()
) -> list[str]:
    """Return what a summary says: how fast the program computes, and the ranks that had no processors.

    Args:
        totals: of all ranks.
        shortages: ranks without enough processors.
        said: rules with findings shown next to it that say the same.
    """
    speed = totals.gflop_per_second if totals else None
    return [*([f"{rate_text(speed)} gflop/s"] if speed else []), *shortage_fields(shortages, said)]


def absent_notes(absent: Sequence[AbsentCounter]) -> list[str]:
    """Return a sentence for each reason for which something was not counted."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for counter in absent:
        reasons.setdefault((counter.why, counter.ranks), []).append(
            counter.counter.removesuffix("_seconds").replace("_", " ")
        )
    return [
        f"Not counted on {'rank' if ranks.isdecimal() else 'ranks'} {ranks}: {', '.join(names)}: {why}."
        for (why, ranks), names in reasons.items()
    ]
