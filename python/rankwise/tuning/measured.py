"""The calls that a rule was measured with: kept in the rule, and turned into cells again."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.profile.join import members
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.settings.rule import Raced, Rule

CLOCK_US = 0.1
"""The time of reading the clock twice: a shorter time is no measurement."""

_OF_ALL_SIZES = (8, 1 << 10, 64 << 10)
"""Bytes that stand for all messages, if the program's sizes are unknown."""


def raced_of(cells: Sequence[Cell]) -> tuple[Raced, ...]:
    """Return what a rule keeps of cells."""
    return tuple(
        Raced(
            cell.size,
            max(cell.calls, 1),
            grouping.share,
            grouping.root,
            tuple(members.compact(group) for group in grouping.groups),
            _late_us(grouping),
        )
        for cell in cells
        for grouping in cell.groupings
        if grouping.share > 0
    )


def _late_us(grouping: Grouping) -> tuple[float, ...]:
    late = {rank: seconds for rank, seconds in grouping.late if seconds > 0}
    if not late:
        return ()
    return tuple(1e6 * late.get(rank, 0.0) for group in grouping.groups for rank in group)


def cells_again(rule: Rule, ranks: int) -> tuple[Cell, ...]:
    """Return the cells that a rule was measured with; empty if they are unknown, or need more ranks.

    Args:
        rule: that was measured with them.
        ranks: of the launch.
    """
    by_size: dict[int, list[tuple[Raced, Grouping]]] = {}
    for raced in rule.raced:
        groups = tuple(tuple(members.parse(text)) for text in raced.groups)
        if any(rank >= ranks for group in groups for rank in group):
            return ()
        inside = [rank for group in groups for rank in group]
        late = [
            (rank, us * 1e-6) for rank, us in zip(inside, raced.late_us, strict=bool(raced.late_us)) if us > 0
        ]
        grouping = Grouping(groups, raced.share, raced.root, tuple(sorted(late)))
        by_size.setdefault(raced.size, []).append((raced, grouping))
    return tuple(
        _cell(rule, size, max(raced.calls for raced, _ in pairs), tuple(grouping for _, grouping in pairs))
        for size, pairs in by_size.items()
    )


def cells_like(rule: Rule, ranks: int) -> tuple[Cell, ...]:
    """Return cells for a rule: adjacent blocks of ranks, with a message in the middle of its range.

    Args:
        rule: to be measured.
        ranks: of the launch, at least as many as the rule is for.
    """
    starts = range(0, ranks - rule.processes + 1, rule.processes)
    groupings = (Grouping(tuple(tuple(range(start, start + rule.processes)) for start in starts)),)
    sizes = _OF_ALL_SIZES if rule.high is None else ((rule.low + rule.high) // 2,)
    return tuple(_cell(rule, size, 1, groupings) for size in sizes)


def _cell(rule: Rule, size: int, calls: int, groupings: tuple[Grouping, ...]) -> Cell:
    return Cell(
        procedure=rule.procedure,
        processes=rule.processes,
        low=size,
        high=size,
        size=size,
        calls=calls,
        seconds=0.0,
        tunable_seconds=0.0,
        groupings=groupings,
    )
