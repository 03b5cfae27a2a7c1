"""What was not counted, in words."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.nodes.system_counters import AbsentCounter


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
