"""System counters in words, where they matter."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.nodes.system_counters import YIELDS_PER_SECOND, AbsentCounter, CounterTotals
from rankwise.profile.join.members import compact
from rankwise.text.units import rate_text

_MOST_RANKS = 4


def counter_fields(totals: CounterTotals | None) -> list[str]:
    """Return what a summary says: how fast the program computes, and the ranks that shared processors."""
    if totals is None:
        return []
    found = []
    if totals.gflop_per_second:
        found.append(f"{rate_text(totals.gflop_per_second)} gflop/s")
    if totals.preempted_ranks:
        rate = totals.counted.involuntary_switches_per_second or 0.0
        what = "yielding" if rate >= YIELDS_PER_SECOND else "preempted"
        found.append(
            f"{_ranks(totals.preempted_ranks)}: often {what} ({rate_text(rate)}/s on average over all ranks)"
        )
    return found


def absent_notes(absent: Sequence[AbsentCounter]) -> list[str]:
    """Return a sentence for each reason for which something was not counted."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in absent:
        reasons.setdefault((one.why, one.ranks), []).append(
            one.counter.removesuffix("_seconds").replace("_", " ")
        )
    return [
        f"Not counted on {'rank' if ranks.isdecimal() else 'ranks'} {ranks}: {', '.join(names)}: {why}."
        for (why, ranks), names in reasons.items()
    ]


def _ranks(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    listed = compact(sorted(ranks))
    return f"ranks {listed}" if listed.count(",") < _MOST_RANKS else f"{len(ranks)} ranks"
