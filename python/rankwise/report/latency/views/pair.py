"""Pairs of ranks, the slowest of their level first."""

from __future__ import annotations

from rankwise.report.latency.found import Found
from rankwise.report.latency.texts import factor_text, value_text
from rankwise.report.terminal.tables import TextColumn, label
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text, count_text
from rankwise.topology.pairs.relative import PairRow, Relative


def section(found: Found, size: int | None, limit: int) -> Section:
    """Return the table of the `limit` slowest pairs (0 = all)."""
    relative = Relative(found.measurement, found.hierarchy, size)
    what = relative.values.what
    rows = relative.pairs(limit)
    columns: list[TextColumn[PairRow]] = [
        label("ranks", lambda row: f"{row.first} - {row.second}"),
        label("hosts", lambda row: " - ".join(dict.fromkeys(row.hosts))),
        label("level", lambda row: row.level),
        TextColumn(what, lambda row: value_text(what, row.value), right=True),
        TextColumn("expected", lambda row: value_text(what, row.expected), right=True),
        TextColumn("slower", lambda row: factor_text(row.slowness), right=True),
    ]
    if any(row.alone is not None for row in rows):
        columns.append(TextColumn("alone", lambda row: value_text(what, row.alone), right=True))
    pairs = len(found.measurement.pairs)
    shown = f"The slowest {len(rows)} of {count_text(pairs)} pairs; --limit 0 shows all. "
    return Section(
        columns,
        rows,
        empty="No pair was measured: measure at least two ranks.",
        title=f"{what.capitalize()} of {byte_text(relative.values.size)} messages",
        caption=f"{shown if len(rows) < pairs else ''}expected: median of the level.",
    )


def data(found: Found, size: int | None) -> dict[str, object]:
    """Return all pairs as plain values."""
    relative = Relative(found.measurement, found.hierarchy, size)
    return {"what": relative.values.what, "size": relative.values.size, "pairs": relative.pairs()}
