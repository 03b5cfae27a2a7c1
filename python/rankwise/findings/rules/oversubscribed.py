"""There are more ranks than processors: they take turns, and who has none can't communicate."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import HIGH, LOW, Command, Fact, Finding, NotTold, Rule
from rankwise.findings.processors import LEAST_BUSY, Crowded, crowded, total

_BUSY = 0.8  # of the processors
_SHOWN = 3  # nodes


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    if not any(rank.cpus_allowed for rank in seen.ranks):
        return NotTold("the profile does not tell which processors the ranks may use")
    nodes = [node for node in crowded(seen) if node.in_use]
    if not nodes:
        return []
    worst = nodes[0]
    saved = sum(node.run_seconds * (1 - node.processors / node.ranks) for node in nodes)
    others = f" and likewise on {len(nodes) - 1} more" if len(nodes) > 1 else ""
    used = total([node.use for node in nodes])
    sure = HIGH if used.busy >= _BUSY else LOW
    return [
        Finding(
            rule=RULE.id,
            title=f"{worst.ranks} ranks share {worst.processors} processor{'s' * (worst.processors != 1)}"
            f" on {worst.host}{others}{': they take turns' * (sure == HIGH)}",
            saved_seconds=saved,
            upper_bound=True,
            formula=RULE.formula,
            inputs=_inputs(nodes),
            evidence=[],
            confidence=sure,
            why_confidence=used.told,
            command=Command("show", ("--by", "rank", "-v")),
        )
    ]


def _inputs(nodes: Sequence[Crowded]) -> list[Fact]:
    found = [
        Fact(f"run time on {node.host}, {node.ranks} ranks on {node.processors}", node.run_seconds, "s")
        for node in nodes[:_SHOWN]
    ]
    others = sum(node.run_seconds for node in nodes[_SHOWN:])
    return [*found, Fact(f"on {len(nodes) - _SHOWN} more nodes", others, "s")] if others else found


RULE = Rule(
    "oversubscribed",
    "More ranks than processors.",
    "A node has more ranks than processors that they may use, and these were in use for"
    f" {100 * LEAST_BUSY:.0f} % of the time or more, or nobody knows.",
    "run time of the ranks x (1 - processors / ranks), of each such node",
    "Start as many ranks as there are processors, or take more nodes; look at the binding.",
    _find,
    order=70,
)
