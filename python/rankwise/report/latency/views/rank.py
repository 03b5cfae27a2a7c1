"""Ranks, the slowest first."""

from __future__ import annotations

from rankwise.cpulist import cpu_text
from rankwise.report.latency.found import Found
from rankwise.report.latency.texts import factor_text
from rankwise.report.terminal.tables import TextColumn, label
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text
from rankwise.topology.pairs.relative import RankRow, Relative


def section(found: Found, size: int | None, limit: int) -> Section:
    """Return the table; the limit cuts it when it is shown."""
    del limit
    relative = Relative(found.measurement, found.hierarchy, size)
    columns: list[TextColumn[RankRow]] = [
        TextColumn("rank", lambda row: str(row.rank), right=True),
        label("host", lambda row: row.host),
        label("cpus", lambda row: cpu_text(row.cpus) or "-"),
        TextColumn("slower", lambda row: factor_text(row.slowness), right=True),
        TextColumn("worst with", lambda row: "-" if row.worst is None else f"rank {row.worst}", right=True),
        TextColumn("there", lambda row: factor_text(row.worst_slowness), right=True),
    ]
    return Section(
        columns,
        relative.ranks(),
        empty="There is no rank.",
        title=f"{relative.values.what.capitalize()} of {byte_text(relative.values.size)} messages",
        caption="slower: than the median of the level, median over the rank's pairs.",
    )


def data(found: Found, size: int | None) -> dict[str, object]:
    """Return all ranks as plain values."""
    relative = Relative(found.measurement, found.hierarchy, size)
    return {"what": relative.values.what, "size": relative.values.size, "ranks": relative.ranks()}
