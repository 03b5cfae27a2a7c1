"""All rules."""

from __future__ import annotations

from rankwise.findings.finding import Rule
from rankwise.findings.rules import (
    badly_bound,
    collective_algorithm,
    communicators_not_freed,
    eager_threshold,
    late_ranks,
    off_node_traffic,
    oversubscribed,
    polling,
    preempted,
    reorder_not_done,
    tiny_messages,
    unbalanced_files,
    waiting_collective,
)

RULES: tuple[Rule, ...] = (
    late_ranks.RULE,
    waiting_collective.RULE,
    collective_algorithm.RULE,
    off_node_traffic.RULE,
    reorder_not_done.RULE,
    eager_threshold.RULE,
    oversubscribed.RULE,
    badly_bound.RULE,
    preempted.RULE,
    tiny_messages.RULE,
    polling.RULE,
    communicators_not_freed.RULE,
    unbalanced_files.RULE,
)
