"""Who sends how much to whom."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.pairs import OTHER, OUTSIDE_WORLD, Pair, pairs, pairs_in_detail
from rankwise.report.empty import NO_MESSAGES
from rankwise.report.names import call_name
from rankwise.report.section import Section
from rankwise.report.tables import Column, label, number
from rankwise.report.units import byte_text, count_text, percent_text

_POINT_TO_POINT = "point-to-point"


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row a pair of ranks; with `verbose` one for each communicator and call of a pair."""
    rows = pairs_in_detail(connection) if verbose else pairs(connection)
    mixed = any(row.kind != _POINT_TO_POINT for row in rows)
    columns: list[Column[Pair]] = [
        label("from", lambda row: _end(row.source, row.source_host)),
        label("to", lambda row: _end(row.destination, row.destination_host)),
        Column("node", _place),
        number("messages", lambda row: row.messages, count_text),
        number("bytes", lambda row: row.bytes, byte_text),
        number(
            "% of its kind's bytes" if mixed else "% of p2p bytes",
            lambda row: row.percent_of_kind_bytes,
            percent_text,
        ),
    ]
    if mixed:
        columns.insert(2, Column("kind", lambda row: row.kind))
    if verbose:
        columns[2:2] = [
            label("communicator", lambda row: row.communicator or "-"),
            label("call", lambda row: call_name(row.procedure or "-")),
        ]
    caption = "from, to: rank (host). % of p2p bytes: of all point-to-point messages."
    return [Section(columns, rows, NO_MESSAGES, caption=caption if not mixed else "from, to: rank (host).")]


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every pair, and every communicator and procedure of every pair."""
    return {"pairs": pairs(connection), "messages": pairs_in_detail(connection)}


def _end(rank: int, host: str | None) -> str:
    if rank == OUTSIDE_WORLD:
        return "outside the world"
    if rank == OTHER:
        return "several"
    return f"{rank} ({host or '?'})"


def _place(row: Pair) -> str:
    return {True: "other", False: "same", None: "?"}[row.off_node]
