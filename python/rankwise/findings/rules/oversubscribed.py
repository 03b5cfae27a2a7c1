"""More ranks or threads than processors: without a processor, a rank can't communicate."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Command, Finding, NoAnswer, Rule
from rankwise.findings.processors import sharing_finding


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if not any(rank.cpus_allowed for rank in profile.ranks):
        return NoAnswer("the profile does not record which processors the ranks may use")
    nodes = [sharing for sharing in profile.shortages.sharing if sharing.is_of_node]
    if not nodes:
        return []
    is_known = nodes[0].waited_seconds is not None
    where = ("--by", "counter") if is_known else ("--by", "rank", "-v")
    return [sharing_finding(RULE.id, RULE.formula, nodes, Command("show", where))]


RULE = Rule(
    "oversubscribed",
    "More ranks or threads than processors.",
    "A node has more ranks than processors they may use, regardless of how busy these were; or more "
    "computing threads than processors. Short-lived threads are detected by their processor time: together "
    "with the time that others waited, it exceeds the time the processors had.",
    "the run time during which ranks were ready but had no processor; if the kernel does not report it, "
    "run time of the ranks x utilisation of the processors x (1 - processors / ranks or threads), for each "
    "such node whose ranks used 25 % of its processors",
    "Start no more ranks and threads than there are processors, or use more nodes. Check the binding.",
    _find,
    order=70,
)
