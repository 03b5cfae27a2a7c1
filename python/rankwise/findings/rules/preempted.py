"""Ranks lose their processors to something else while others wait for them."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.processors import MANY_SWITCHES, MUCH_WAIT, YIELDS, Preempted
from rankwise.analysis.nodes.system_counters import rank_counters
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import HIGH, LOW, Command, Fact, Finding, NotTold, Rule
from rankwise.text.processors import preempted_text
from rankwise.text.units import count_text

_SHOWN = 8  # ranks


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    rows = rank_counters(seen.connection)
    if not any(
        row.waited_seconds is not None or row.counted.involuntary_switches_per_second is not None
        for row in rows
    ):
        return NotTold("involuntary context switches were not counted")
    found = seen.shortages.preempted
    if found is None:
        return []
    if found.lost_seconds is None:
        return NotTold("the ranks' processor time was not counted")
    return [
        Finding(
            rule=RULE.id,
            title=_title(found),
            saved_seconds=found.lost_seconds,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[
                Fact("run time of these ranks", found.run_seconds, "s"),
                Fact("without a processor", found.lost_seconds, "s"),
            ],
            evidence=_evidence(found),
            confidence=HIGH if found.is_exact else LOW,
            why_confidence="the kernel tells how long threads were ready and had no processor"
            if found.is_exact
            else "the time without a processor is also that of sleeping, and of waiting for files",
            command=Command("show", ("--by", "counter")),
        )
    ]


def _evidence(found: Preempted) -> list[Fact]:
    facts = []
    if found.switches_per_second:
        rate = found.switches_per_second
        facts.append(Fact("involuntary context switches of one of them a second, at most", rate, ""))
    if found.others_seconds is not None:
        facts.append(Fact("of the processors of their nodes others took", found.others_seconds, "s"))
    return facts


def _title(found: Preempted) -> str:
    if found.is_exact:
        told = preempted_text(found)
        return told[0].upper() + told[1:]
    names = cpu_text(sorted(found.ranks[:_SHOWN]))
    more = f" and {len(found.ranks) - _SHOWN} more" if len(found.ranks) > _SHOWN else ""
    return (
        f"Rank{'s' * (len(found.ranks) > 1)} {names}{more} lost the processor to others, up to"
        f" {count_text(found.switches_per_second)} times a second"
    )


RULE = Rule(
    "preempted",
    "Ranks whose processor was given to others, while the program ran.",
    f"A rank that shares its processors with no other rank was ready and had none for {100 * MUCH_WAIT:.0f} %"
    " of its run time or more. Where the kernel does not tell: involuntary context switches of a rank"
    f" {MANY_SWITCHES:.0f} to {YIELDS:.0f} times a second (if more, it gives its processor up itself), where"
    f" such ranks had no processor for {100 * MUCH_WAIT:.0f} % of their run time or more.",
    "the run time in which these ranks were ready and had no processor; where the kernel does not tell, their"
    " run time - their processor time",
    "Look at what else runs on these nodes, at the binding, and leave a core to the system.",
    _find,
    order=90,
)
