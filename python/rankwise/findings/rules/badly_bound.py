"""Ranks or their threads are bound to the same few processors of their node."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Command, Finding, NotTold, Rule
from rankwise.findings.processors import sharing_finding


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    if not any(node.processors for node in seen.places):
        return NotTold("the profile does not tell which processors the nodes have")
    groups = [one for one in seen.shortages.sharing if not one.is_of_node]
    if not groups:
        return []
    return [sharing_finding(RULE.id, RULE.formula, groups, Command("show", ("--by", "node")))]


RULE = Rule(
    "badly-bound",
    "Ranks or threads that are bound to the same few processors of a node.",
    "Ranks have more threads that compute than processors that these ranks may use, while the node has more."
    " Not on nodes with more ranks than processors (oversubscribed).",
    "the run time in which ranks were ready and had no processor; where the kernel does not tell, run time of"
    " these ranks x share of it in which their processors were in use x (1 - processors that they may use /"
    " their threads that compute)",
    "Start fewer threads, or let the launcher bind each rank to as many cores as it has threads:"
    " `--map-by slot:PE=4 --bind-to core`, `-bind-to core:4`, `srun --cpus-per-task=4 --cpu-bind=cores`.",
    _find,
    order=80,
)
