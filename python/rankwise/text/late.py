"""The ranks that others wait for most, in words."""

from __future__ import annotations

from rankwise.analysis.waiting.groups import NODE
from rankwise.analysis.waiting.late import LateGroup
from rankwise.text.units import percent_text, second_text

_MOST_LETTERS = 30


def late_ranks(late: LateGroup) -> str:
    """Return `rank 7`, `ranks 6-7`, `the ranks of n2 (4-7)`, `ranks 4-7 (row 1 of the 4 x 4 grid W_a1)`."""
    group, ranks = late.group, late.group.text
    if group.kind == NODE:
        return f"the ranks of {group.name} ({short_ranks(ranks)})"
    who = f"rank{'s' * (len(late.ranks) > 1)} {ranks}"
    if len(ranks) > _MOST_LETTERS:
        who = f"{len(late.ranks)} ranks" if group.name else f"{len(late.ranks)} ranks ({short_ranks(ranks)})"
    return f"{who} ({group.name})" if group.name else who


def short_ranks(ranks: str) -> str:
    """Return the first of many ranks: `0,16,32,...`."""
    if len(ranks) <= _MOST_LETTERS:
        return ranks
    return f"{ranks[:_MOST_LETTERS].rpartition(',')[0]},..."


def late_ranks_on(late: LateGroup) -> str:
    """Return the same with their node, if there is one: `rank 7 on n2`."""
    return f"{late_ranks(late)} on {late.host}" if late.host and late.group.kind != NODE else late_ranks(late)


def most_waiting(late: LateGroup | None) -> str:
    """Return a sentence without its full stop: the rank that caused the most waiting; '' = no such rank."""
    if late is None:
        return ""
    share = percent_text(100 * late.share)
    return f"{late_ranks_on(late)} caused {share} % of all waiting, {second_text(late.seconds)}"
