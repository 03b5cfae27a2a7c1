"""Pairs of ranks, the slowest of their level first."""

from __future__ import annotations

from rankwise.text.units import byte_text, count_text
from rankwise.topology.pairs.relative import PairRow, Relative
from rankwise.views.latency.found import Found
from rankwise.views.latency.texts import FACTOR, value_format
from rankwise.views.view import NUMBER, TEXT, Column, Table, label


def table(latency: Found, size: int | None, limit: int) -> Table:
    """Return the table of the `limit` slowest pairs (0 = all)."""
    relative = Relative(latency.measurement, latency.hierarchy, size)
    what = relative.values.what
    rows = relative.pairs(limit)
    value = value_format(what)
    columns: list[Column[PairRow]] = [
        label("ranks", lambda row: f"{row.first} - {row.second}", "the pair", kind=TEXT),
        label("hosts", lambda row: " - ".join(dict.fromkeys(row.hosts)), "on which they are", kind=TEXT),
        label("level", lambda row: row.level, "the smallest level with both in one group"),
        label(what, lambda row: row.value, "of the pair", kind=value),
        Column("expected", lambda row: row.expected, value, "median of the level"),
        label("slower", lambda row: row.slowness, "than expected", kind=FACTOR),
        label("repeats", lambda row: row.repeats, "of this value", kind=NUMBER),
    ]
    if any(row.alone is not None for row in rows):
        columns.append(label("alone", lambda row: row.alone, "measured again, alone", kind=value))
    pairs = len(latency.measurement.pairs)
    shown = f"The slowest {len(rows)} of {count_text(pairs)} pairs; --limit 0 shows all."
    return Table(
        columns,
        rows,
        empty="No pair was measured: measure at least two ranks.",
        title=f"{what.capitalize()} of {byte_text(relative.values.size)} messages",
        notes=[shown] if len(rows) < pairs else [],
    )


def data(latency: Found, size: int | None) -> dict[str, object]:
    """Return all pairs as plain values."""
    relative = Relative(latency.measurement, latency.hierarchy, size)
    return {"what": relative.values.what, "size": relative.values.size, "pairs": relative.pairs()}
