"""Who sends how much to whom."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.pairs import OTHER, OUTSIDE_WORLD, Pair, pairs, pairs_in_detail
from rankwise.report.empty import NO_MESSAGES
from rankwise.report.names import call_name
from rankwise.report.terminal.tables import TextColumn, label, number
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text, count_text, percent_text

_TITLES = {
    "point-to-point": "Point-to-point",
    "one-sided": "One-sided",
    "in-collective": "Inside collectives: sent by the MPI library itself",
}
_CAPTIONS = {
    "point-to-point": "% of p2p bytes: of all point-to-point messages.",
    "one-sided": "% of bytes: of all one-sided messages; from, to: the way that the data goes.",
    "in-collective": "% of bytes: of all messages inside collectives; --by collective tells what is visible.",
}


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return a table for each kind: one row a pair; with `verbose` one for each communicator and call."""
    rows = pairs_in_detail(connection) if verbose else pairs(connection)
    kinds = [kind for kind in _TITLES if any(row.kind == kind for row in rows)]
    if not kinds:
        return [Section([], [], NO_MESSAGES)]
    return [
        Section(
            _columns(kind, verbose),
            [row for row in rows if row.kind == kind],
            NO_MESSAGES,
            title=_TITLES[kind] if kinds != ["point-to-point"] else "",
            caption=f"from, to: rank (host). {_CAPTIONS[kind]}",
        )
        for kind in kinds
    ]


def _columns(kind: str, verbose: bool) -> list[TextColumn[Pair]]:
    columns: list[TextColumn[Pair]] = [
        label("from", lambda row: _end(row.source, row.source_host)),
        label("to", lambda row: _end(row.destination, row.destination_host)),
        TextColumn("node", _place),
        number("messages", lambda row: row.messages, count_text),
        number("bytes", lambda row: row.bytes, byte_text),
        number(
            "% of p2p bytes" if kind == "point-to-point" else "% of bytes",
            lambda row: row.percent_of_kind_bytes,
            percent_text,
        ),
    ]
    if verbose:
        columns[2:2] = [
            label("communicator", lambda row: row.communicator or "-"),
            label("call", lambda row: call_name(row.procedure or "-")),
        ]
    return columns


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
