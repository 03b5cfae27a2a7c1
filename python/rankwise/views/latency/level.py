"""The groups of each level, and the ranks in them."""

from __future__ import annotations

from rankwise.records import dataclass
from rankwise.topology.pairs.relative import rank_groups
from rankwise.views.latency.found import Found
from rankwise.views.latency.texts import ranks_text
from rankwise.views.view import NUMBER, TEXT, Column, Table, label


@dataclass(frozen=True)
class GroupRow:
    """One group of one level."""

    level: str
    group: str
    ranks: tuple[int, ...]


def table(latency: Found, size: int | None, limit: int) -> Table:
    """Return the table; its content does not depend on size and limit."""
    del size, limit
    columns: list[Column[GroupRow]] = [
        label("level", lambda row: row.level, "of the machine"),
        label("group", lambda row: row.group, "of ranks near each other"),
        label("n", lambda row: len(row.ranks), "ranks in the group", kind=NUMBER),
        label("ranks", lambda row: ranks_text(row.ranks), "in the group", kind=TEXT),
    ]
    return Table(columns, _rows(latency), empty="No level was found.")


def data(latency: Found, size: int | None) -> dict[str, object]:
    """Return the levels with their groups as plain values."""
    del size
    rows = _rows(latency)
    return {
        "levels": [
            {
                "name": level.name,
                "pairs": level.pairs,
                "cost": level.cost,
                "spread": level.spread,
                "stability": level.stability,
                "groups": [
                    {"group": row.group, "ranks": row.ranks} for row in rows if row.level == level.name
                ],
            }
            for level in latency.hierarchy.levels
        ]
    }


def _rows(latency: Found) -> list[GroupRow]:
    return [
        GroupRow(level.name, group, ranks)
        for level in reversed(latency.hierarchy.levels)
        for group, ranks in rank_groups(level.groups, level.labels)
    ]
