"""The bytes that each rank sends to each other."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rankwise.analysis.messages.pairs import OTHER, OUTSIDE_WORLD, Pair, pairs, pairs_in_detail
from rankwise.text.empty import NO_MESSAGES
from rankwise.text.names import call_name
from rankwise.text.units import byte_text, percent_text
from rankwise.views.view import BYTES, COUNT, PERCENT, TEXT, WORD, Column, Detail, Table, View, label, number

_TITLES = {
    "point-to-point": "Point-to-point",
    "one-sided": "One-sided",
    "in-collective": "Inside collectives: sent by the MPI library itself",
}
_ENDS = {"one-sided": "rank (host), in the direction of the data"}
_SHARES = {
    "point-to-point": "of all point-to-point messages",
    "one-sided": "of all one-sided messages",
    "in-collective": "of all messages inside collectives; --by collective shows how much is visible",
}


def view(connection: sqlite3.Connection, detail: Detail) -> View:
    """Return a table for each kind: one row a pair, in verbose answers one for each communicator and call."""
    data: dict[str, object] = {}
    tables: list[Table] = []
    if Detail.BRIEF in detail:
        data["pairs"] = rows = pairs(connection)
        tables += _tables(rows, Detail.BRIEF)
    if Detail.VERBOSE in detail:
        data["messages"] = rows = pairs_in_detail(connection)
        tables += _tables(rows, Detail.VERBOSE)
    return View(_title(rows[0]) if rows and rows[0].bytes else "", tables, data)


def _title(most: Pair) -> str:
    source, destination = (rank if rank >= 0 else "another" for rank in (most.source, most.destination))
    share = f"{percent_text(most.percent_of_kind_bytes)} % of all {most.kind} bytes"
    return f"Rank {source} sends the most to rank {destination}: {byte_text(most.bytes)}, {share}"


def _tables(rows: Sequence[Pair], detail: Detail) -> list[Table]:
    kinds = [kind for kind in _TITLES if any(row.kind == kind for row in rows)]
    if not kinds:
        return [Table([], [], NO_MESSAGES, detail=detail)]
    return [
        Table(
            _columns(kind, detail),
            [row for row in rows if row.kind == kind],
            NO_MESSAGES,
            title=_TITLES[kind] if kinds != ["point-to-point"] else "",
            detail=detail,
        )
        for kind in kinds
    ]


def _columns(kind: str, detail: Detail) -> list[Column[Pair]]:
    ends = _ENDS.get(kind, "rank (host)")
    columns: list[Column[Pair]] = [
        Column("from", lambda row: _end(row.source, row.source_host), TEXT, ends),
        Column("to", lambda row: _end(row.destination, row.destination_host), TEXT, ends),
        Column(
            "node", _whose_node, WORD, "whether the receiver is on the same node or on another", obvious=True
        ),
        number("messages", lambda row: row.messages, COUNT, "number of messages", obvious=True),
        number("bytes", lambda row: row.bytes, BYTES, "bytes of these messages", obvious=True),
        number(
            "% of p2p bytes" if kind == "point-to-point" else "% of bytes",
            lambda row: row.percent_of_kind_bytes,
            PERCENT,
            _SHARES[kind],
        ),
    ]
    if detail is Detail.VERBOSE:
        columns[2:2] = [
            label("communicator", lambda row: row.communicator, "on which they were sent"),
            label("call", lambda row: call_name(row.procedure or "-"), "that sent them, without MPI_"),
        ]
    return columns


def _end(rank: int, host: str | None) -> str:
    if rank == OUTSIDE_WORLD:
        return "outside the world"
    if rank == OTHER:
        return "several"
    return f"{rank} ({host or '?'})"


def _whose_node(row: Pair) -> str:
    return {True: "other", False: "same", None: "?"}[row.off_node]
