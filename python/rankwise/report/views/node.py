"""The nodes: their ranks, time in MPI, and bytes that stay or leave."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.locality import locality
from rankwise.analysis.nodes import Node, nodes
from rankwise.report.counted_columns import OF_MPI_MEANING, OF_RUN_MEANING
from rankwise.report.empty import NO_RANKS
from rankwise.report.terminal.tables import TextColumn, label, number
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text, count_text, percent_text, second_text


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row a node."""
    rows = nodes(connection)
    columns: list[TextColumn[Node]] = [
        label("node", lambda row: row.host),
        number("ranks", lambda row: row.ranks, count_text),
        number("in MPI", lambda row: row.seconds, second_text),
        number("% of MPI", lambda row: row.percent_of_mpi, percent_text),
        TextColumn("% of its run", lambda row: percent_text(row.percent_of_own_run), right=True),
        number("on node", lambda row: row.bytes_on_node, byte_text),
        number("off node", lambda row: row.bytes_off_node, byte_text),
    ]
    if any(row.bytes_unplaced for row in rows):
        columns.append(number("unknown", lambda row: row.bytes_unplaced, byte_text))
    caption = (
        f"in MPI: sum over its ranks. % of MPI: {OF_MPI_MEANING}. % of its run:"
        f" {OF_RUN_MEANING.replace('all ranks', 'its ranks')}."
        " on node, off node: bytes of point-to-point and one-sided messages from its ranks."
    )
    return [Section(columns, rows, NO_RANKS, caption=caption)]


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every node, and what leaves the nodes altogether."""
    return {"nodes": nodes(connection), "locality": locality(connection)}
