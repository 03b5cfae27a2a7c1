"""Ranks, the slowest first."""

from __future__ import annotations

from rankwise.cpulist import cpu_text
from rankwise.text.units import byte_text
from rankwise.topology.pairs.relative import RankRow, Relative
from rankwise.views.latency.found import Found
from rankwise.views.latency.texts import FACTOR
from rankwise.views.view import FIGURES, NUMBER, TEXT, Column, Table, label


def table(latency: Found, size: int | None, limit: int) -> Table:
    """Return the table; the limit cuts it when it is shown."""
    del limit
    relative = Relative(latency.measurement, latency.hierarchy, size)
    columns: list[Column[RankRow]] = [
        label("rank", lambda row: row.rank, "in MPI_COMM_WORLD", kind=NUMBER),
        label("host", lambda row: row.host, "node on which it is"),
        label("cpus", lambda row: cpu_text(row.cpus) or None, "that it may use", kind=TEXT),
        Column(
            "slower",
            lambda row: row.slowness,
            FACTOR,
            "than the median of the level; median over the rank's pairs",
        ),
        label(
            "worst with",
            lambda row: None if row.worst is None else f"rank {row.worst}",
            "the slowest pair",
            kind=FIGURES,
        ),
        label("there", lambda row: row.worst_slowness, "by how much it is slower", kind=FACTOR),
    ]
    return Table(
        columns,
        relative.ranks(),
        empty="No rank was measured.",
        title=f"{relative.values.what.capitalize()} of {byte_text(relative.values.size)} messages",
    )


def data(latency: Found, size: int | None) -> dict[str, object]:
    """Return all ranks as plain values."""
    relative = Relative(latency.measurement, latency.hierarchy, size)
    return {"what": relative.values.what, "size": relative.values.size, "ranks": relative.ranks()}
