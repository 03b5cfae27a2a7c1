"""Ranks or their threads are bound to the same few processors of their node."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Command, Finding, NoAnswer, Rule
from rankwise.findings.processors import sharing_finding


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if not any(node.processors for node in profile.places):
        return NoAnswer("the profile does not record which processors the nodes have")
    groups = [sharing for sharing in profile.shortages.sharing if not sharing.is_of_node]
    if not groups:
        return []
    return [sharing_finding(RULE.id, RULE.formula, groups, Command("show", ("--by", "node")))]


RULE = Rule(
    "badly-bound",
    "Ranks or threads that are bound to the same few processors of a node.",
    "Ranks have more computing threads than processors they may use, and the node has more processors. "
    "Nodes with more ranks than processors are excluded (see oversubscribed).",
    "the run time during which ranks were ready but had no processor; if the kernel does not report it, "
    "run time of these ranks x utilisation of their processors x (1 - processors they may use / computing "
    "threads)",
    "Start fewer threads, or let the launcher bind each rank to as many cores as it has threads:"
    " `--map-by slot:PE=4 --bind-to core`, `-bind-to core:4`, `srun --cpus-per-task=4 --cpu-bind=cores`.",
    _find,
    order=80,
)
