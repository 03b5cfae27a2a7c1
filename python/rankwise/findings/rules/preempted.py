"""Ranks lose their processors to something else while others wait for them."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import YIELDS_PER_SECOND, preempted, rank_counters
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import LOW, Command, Fact, Finding, NotTold, Rule
from rankwise.findings.processors import crowded
from rankwise.text.units import count_text

_BUSY = 0.95  # processor time, of the run time
_SHOWN = 8  # ranks


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    rows = rank_counters(seen.connection)
    if not any(row.counted.involuntary_switches_per_second is not None for row in rows):
        return NotTold("involuntary context switches were not counted")
    often = [
        row
        for row in preempted(rows)
        if (row.counted.involuntary_switches_per_second or 0.0) < YIELDS_PER_SECOND
    ]
    if not often or crowded(seen):
        return []  # (Of more ranks than processors "oversubscribed" tells.)
    runs = {rank.rank: rank.run_seconds for rank in seen.ranks}
    away, known = 0.0, False
    for row in often:
        task = row.counted.counts.task_clock_seconds
        if task is not None:
            known = True
            away += max(runs.get(row.rank, 0.0) - task, 0.0)
    if not known:
        return NotTold("the ranks' processor time was not counted")
    run = sum(runs.get(row.rank, 0.0) for row in often)
    if run and away < (1 - _BUSY) * run:
        return []
    most = often[0].counted.involuntary_switches_per_second or 0.0
    names = cpu_text(sorted(row.rank for row in often[:_SHOWN]))
    more = f" and {len(often) - _SHOWN} more" if len(often) > _SHOWN else ""
    return [
        Finding(
            rule=RULE.id,
            title=f"Rank{'s' * (len(often) > 1)} {names}{more} lost the processor to others, up to"
            f" {count_text(most)} times a second",
            saved_seconds=away,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[Fact("run time of these ranks", run, "s"), Fact("without a processor", away, "s")],
            evidence=[
                Fact(f"involuntary context switches of rank {row.rank} a second", rate, "")
                for row in often[:3]
                if (rate := row.counted.involuntary_switches_per_second)
            ],
            confidence=LOW,
            why_confidence="the time without a processor is also that of sleeping, and of waiting for files",
            command=Command("show", ("--by", "counter")),
        )
    ]


RULE = Rule(
    "preempted",
    "Ranks whose processor was given to others, while the program ran.",
    f"Involuntary context switches of a rank 20 to {YIELDS_PER_SECOND:.0f} times a second (if more, it gives"
    " its processor up itself), where there are no more ranks than processors, and these ranks had no"
    " processor for 5 % of their run time or more.",
    "run time of these ranks - their processor time",
    "Look at what else runs on these nodes, at the binding, and leave a core to the system.",
    _find,
    order=90,
)
