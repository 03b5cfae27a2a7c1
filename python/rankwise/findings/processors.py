"""Whether the ranks of a node have their own processors."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.processors import ALL_BUSY, Sharing
from rankwise.findings.finding import HIGH, LOW, Command, Fact, Finding
from rankwise.text.processors import all_sharing_text, why_sure

_SHOWN = 3  # nodes, or groups of ranks


def crowded(profile: Evidence) -> list[Sharing]:
    """Return the nodes on which too few processors make ranks late."""
    return [sharing for sharing in profile.shortages.sharing if sharing.is_of_node and sharing.matters]


def why_lateness_is_doubtful(profile: Evidence, ranks: Collection[int] | None = None) -> str:
    """Return why ranks may be late only for lack of processors; '' = they had processors.

    Args:
        profile: the facts of the run.
        ranks: the late ones; None = any ranks.
    """
    if crowded(profile):
        return "there are more ranks than processors: a late rank may just have had no processor"
    preempted = profile.shortages.preempted
    if preempted is None or (ranks is not None and not {*preempted.ranks} & {*ranks}):
        return ""
    those = "these ranks" if ranks is not None else "some ranks"
    return f"other processes used the processors of {those}, which may be why they are late"


def sharing_finding(rule: str, formula: str, some: Sequence[Sharing], command: Command) -> Finding:
    """Return the finding of ranks that share too few processors, the worst first."""
    worst = some[0]
    what = all_sharing_text(some)
    others = [sharing for sharing in some if sharing.others_seconds is not None]
    return Finding(
        rule=rule,
        title=f"{what[0].upper()}{what[1:]}",
        saved_seconds=sum(sharing.lost_seconds for sharing in some),
        upper_bound=True,
        formula=formula,
        inputs=[fact for sharing in some[:_SHOWN] for fact in _inputs(sharing)],
        evidence=[
            Fact(
                f"of the processors of {sharing.host}, used by other processes",
                sharing.others_seconds or 0.0,
                "s",
            )
            for sharing in others[:_SHOWN]
        ],
        confidence=_confidence(some),
        why_confidence=why_sure(worst),
        command=command,
    )


def _inputs(sharing: Sharing) -> list[Fact]:
    run = Fact(f"run time where {sharing.what}", sharing.run_seconds, "s")
    if sharing.waited_seconds is None:
        return [run]
    return [run, Fact("during which these had no processor", sharing.waited_seconds, "s")]


def _confidence(some: Sequence[Sharing]) -> str:
    if all(sharing.waited_seconds is not None for sharing in some):
        return HIGH
    used, capacity = (
        sum(sharing.used_seconds for sharing in some),
        sum(sharing.capacity_seconds for sharing in some),
    )
    return HIGH if used >= ALL_BUSY * capacity else LOW
