"""Whether the ranks of a node have processors of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.processors import ALL_BUSY, Sharing
from rankwise.findings.finding import HIGH, LOW, Command, Fact, Finding
from rankwise.text.processors import all_sharing_text, why_sure

_SHOWN = 3  # nodes, or groups of ranks


def crowded(seen: Evidence) -> list[Sharing]:
    """Return the nodes with too few processors, where that makes ranks late."""
    return [one for one in seen.shortages.sharing if one.is_of_node and one.matters]


def why_lateness_is_doubtful(seen: Evidence, ranks: Collection[int] | None = None) -> str:
    """Return why ranks may be late only because they had no processors; '' = they had them.

    Args:
        seen: of the run.
        ranks: those that are late; None = any of all.
    """
    if crowded(seen):
        return "there are more ranks than processors: a late rank may just have had no processor"
    preempted = seen.shortages.preempted
    if preempted is None or (ranks is not None and not {*preempted.ranks} & {*ranks}):
        return ""
    those = "these ranks" if ranks is not None else "some ranks"
    return f"other processes used the processors of {those}, which may be why they are late"


def sharing_finding(rule: str, formula: str, some: Sequence[Sharing], command: Command) -> Finding:
    """Return the finding of ranks that share too few processors, the worst first."""
    worst = some[0]
    what = all_sharing_text(some)
    others = [one for one in some if one.others_seconds is not None]
    return Finding(
        rule=rule,
        title=f"{what[0].upper()}{what[1:]}",
        saved_seconds=sum(one.lost_seconds for one in some),
        upper_bound=True,
        formula=formula,
        inputs=[fact for one in some[:_SHOWN] for fact in _inputs(one)],
        evidence=[
            Fact(f"of the processors of {one.host}, used by other processes", one.others_seconds or 0.0, "s")
            for one in others[:_SHOWN]
        ],
        confidence=_confidence(some),
        why_confidence=why_sure(worst),
        command=command,
    )


def _inputs(one: Sharing) -> list[Fact]:
    run = Fact(f"run time where {one.what}", one.run_seconds, "s")
    if one.waited_seconds is None:
        return [run]
    return [run, Fact("during which these had no processor", one.waited_seconds, "s")]


def _confidence(some: Sequence[Sharing]) -> str:
    if all(one.waited_seconds is not None for one in some):
        return HIGH
    used, capacity = sum(one.used_seconds for one in some), sum(one.capacity_seconds for one in some)
    return HIGH if used >= ALL_BUSY * capacity else LOW
