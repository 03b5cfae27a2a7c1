"""Nodes, the slowest first."""

from __future__ import annotations

from rankwise.text.units import byte_text
from rankwise.topology.pairs.relative import NodeRow, Relative
from rankwise.views.latency.found import Found
from rankwise.views.latency.texts import FACTOR, ranks_text, value_format
from rankwise.views.view import TEXT, Column, Table, label


def table(latency: Found, size: int | None, limit: int) -> Table:
    """Return the table; the limit cuts it when it is shown."""
    del limit
    relative = Relative(latency.measurement, latency.hierarchy, size)
    what = relative.values.what
    value = value_format(what)
    columns: list[Column[NodeRow]] = [
        label("node", lambda row: row.host, "host name"),
        label("ranks", lambda row: ranks_text(row.ranks), "on the node", kind=TEXT),
        label("inside", lambda row: row.inside, "median of the pairs inside the node", kind=value),
        label("to others", lambda row: row.outside, "median of the pairs with other nodes", kind=value),
        Column(
            "slower",
            lambda row: row.slowness,
            FACTOR,
            "than the median of the level; median over the node's pairs",
        ),
    ]
    return Table(
        columns,
        relative.nodes(),
        empty="No node was measured.",
        title=f"{what.capitalize()} of {byte_text(relative.values.size)} messages",
    )


def data(latency: Found, size: int | None) -> dict[str, object]:
    """Return all nodes as plain values."""
    relative = Relative(latency.measurement, latency.hierarchy, size)
    return {"what": relative.values.what, "size": relative.values.size, "nodes": relative.nodes()}
