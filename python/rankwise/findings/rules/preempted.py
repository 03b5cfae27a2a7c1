"""Ranks lose their processors to other processes while other ranks wait for them."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.processors import MANY_SWITCHES, MUCH_WAIT, YIELDS, Preempted
from rankwise.analysis.nodes.system_counters import rank_counters
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import HIGH, LOW, Command, Fact, Finding, NoAnswer, Rule
from rankwise.text.processors import preempted_text
from rankwise.text.units import count_text

_SHOWN = 8  # ranks


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    rows = rank_counters(profile.connection)
    if not any(
        row.waited_seconds is not None or row.counted.involuntary_switches_per_second is not None
        for row in rows
    ):
        return NoAnswer("involuntary context switches were not counted")
    preempted = profile.shortages.preempted
    if preempted is None:
        return []
    if preempted.lost_seconds is None:
        return NoAnswer("the ranks' processor time was not counted")
    return [
        Finding(
            rule=RULE.id,
            title=_title(preempted),
            saved_seconds=preempted.lost_seconds,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[
                Fact("run time of these ranks", preempted.run_seconds, "s"),
                Fact("without a processor", preempted.lost_seconds, "s"),
            ],
            evidence=_evidence(preempted),
            confidence=HIGH if preempted.is_exact else LOW,
            why_confidence="the kernel reports how long threads were ready but had no processor"
            if preempted.is_exact
            else "the time without a processor includes sleeping and waiting for files",
            command=Command("show", ("--by", "counter")),
        )
    ]


def _evidence(preempted: Preempted) -> list[Fact]:
    facts = []
    if preempted.switches_per_second:
        rate = preempted.switches_per_second
        facts.append(Fact("involuntary context switches per second, maximum of these ranks", rate, ""))
    if preempted.others_seconds is not None:
        facts.append(
            Fact("of the processors of their nodes, used by other processes", preempted.others_seconds, "s")
        )
    return facts


def _title(preempted: Preempted) -> str:
    if preempted.is_exact:
        sentence = preempted_text(preempted)
        return sentence[0].upper() + sentence[1:]
    names = cpu_text(sorted(preempted.ranks[:_SHOWN]))
    more = f" and {len(preempted.ranks) - _SHOWN} more" if len(preempted.ranks) > _SHOWN else ""
    verb = "were" if len(preempted.ranks) > 1 else "was"
    return (
        f"Rank{'s' * (len(preempted.ranks) > 1)} {names}{more} {verb} preempted by other processes, up to "
        f"{count_text(preempted.switches_per_second)} times a second"
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
