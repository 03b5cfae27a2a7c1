"""Nodes, the slowest first."""

from __future__ import annotations

from rankwise.report.latency.found import Found
from rankwise.report.latency.texts import factor_text, ranks_text, value_text
from rankwise.report.terminal.tables import TextColumn, label
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text
from rankwise.topology.pairs.relative import NodeRow, Relative


def section(found: Found, size: int | None, limit: int) -> Section:
    """Return the table; the limit cuts it when it is shown."""
    del limit
    relative = Relative(found.measurement, found.hierarchy, size)
    what = relative.values.what
    columns: list[TextColumn[NodeRow]] = [
        label("node", lambda row: row.host),
        label("ranks", lambda row: ranks_text(row.ranks)),
        TextColumn("inside", lambda row: value_text(what, row.inside), right=True),
        TextColumn("to others", lambda row: value_text(what, row.outside), right=True),
        TextColumn("slower", lambda row: factor_text(row.slowness), right=True),
    ]
    return Section(
        columns,
        relative.nodes(),
        empty="There is no node.",
        title=f"{what.capitalize()} of {byte_text(relative.values.size)} messages",
        caption="slower: than the median of the level, median over the node's pairs.",
    )


def data(found: Found, size: int | None) -> dict[str, object]:
    """Return all nodes as plain values."""
    relative = Relative(found.measurement, found.hierarchy, size)
    return {"what": relative.values.what, "size": relative.values.size, "nodes": relative.nodes()}
