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
            why_confidence="the kernel reports how long threads were ready but had no processor"
            if found.is_exact
            else "the time without a processor includes sleeping and waiting for files",
            command=Command("show", ("--by", "counter")),
        )
    ]


def _evidence(found: Preempted) -> list[Fact]:
    facts = []
    if found.switches_per_second:
        rate = found.switches_per_second
        facts.append(Fact("involuntary context switches per second, maximum of these ranks", rate, ""))
    if found.others_seconds is not None:
        facts.append(
            Fact("of the processors of their nodes, used by other processes", found.others_seconds, "s")
        )
    return facts


def _title(found: Preempted) -> str:
    if found.is_exact:
        told = preempted_text(found)
        return told[0].upper() + told[1:]
    names = cpu_text(sorted(found.ranks[:_SHOWN]))
    more = f" and {len(found.ranks) - _SHOWN} more" if len(found.ranks) > _SHOWN else ""
    verb = "were" if len(found.ranks) > 1 else "was"
    return (
        f"Rank{'s' * (len(found.ranks) > 1)} {names}{more} {verb} preempted by other processes, up to "
        f"{count_text(found.switches_per_second)} times a second"
    )


RULE = Rule(
    "preempted",
    "Ranks that were preempted by other processes.",
    "A rank that shares its processors with no other rank was ready but had no processor for at least "
    f"{100 * MUCH_WAIT:.0f} % of its run time. If the kernel does not report it: a rank has "
    f"{MANY_SWITCHES:.0f} to {YIELDS:.0f} involuntary context switches per second (with more, it yields its "
    f"processor itself), and such ranks had no processor for at least {100 * MUCH_WAIT:.0f} % of their run "
    "time.",
    "the run time during which these ranks were ready but had no processor; if the kernel does not report "
    "it, their run time - their processor time",
    "Check what else runs on these nodes and how ranks are bound, and leave a core to the system.",
    _find,
    order=90,
)
