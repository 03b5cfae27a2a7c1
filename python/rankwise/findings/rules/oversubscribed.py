"""There are more ranks or threads than processors: they take turns, and who has none can't communicate."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Command, Finding, NotTold, Rule
from rankwise.findings.processors import sharing_finding


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    if not any(rank.cpus_allowed for rank in seen.ranks):
        return NotTold("the profile does not tell which processors the ranks may use")
    nodes = [one for one in seen.shortages.sharing if one.is_of_node]
    if not nodes:
        return []
    is_known = nodes[0].waited_seconds is not None
    where = ("--by", "counter") if is_known else ("--by", "rank", "-v")
    return [sharing_finding(RULE.id, RULE.formula, nodes, Command("show", where))]


RULE = Rule(
    "oversubscribed",
    "More ranks or threads than processors.",
    "A node has more ranks than processors that they may use, however busy these were; or more threads that"
    " compute, if no processors are left. Threads that end within a step are known by what they used: with"
    " what others waited it is more than the processors had.",
    "the run time in which ranks were ready and had no processor; where the kernel does not tell, run time of"
    " the ranks x share of it in which the processors were in use x (1 - processors / ranks or threads), of"
    " each such node whose ranks used 25 % of them",
    "Start as many ranks and threads as there are processors, or take more nodes; look at the binding.",
    _find,
    order=70,
)
