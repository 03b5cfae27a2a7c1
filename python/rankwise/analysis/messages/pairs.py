"""The traffic between pairs of ranks."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.percent import percent
from rankwise.records import dataclass

OUTSIDE_WORLD = -1
OTHER = -2


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The messages from one rank to another.

    Attributes:
        source: world rank.
        destination: world rank; -1 = outside MPI_COMM_WORLD, -2 = several, without room for separate rows.
        source_host: None if the rank's counters were not read.
        destination_host: None if unknown.
        off_node: whether the two hosts differ; None if one is unknown.
        kind: point-to-point, in-collective, one-sided.
        communicator: name, None = sum over all communicators.
        procedure: name, None = sum over all procedures.
        percent_of_kind_bytes: `bytes` in percent of all messages of the same kind.
    """

    source: int
    destination: int
    source_host: str | None
    destination_host: str | None
    off_node: bool | None
    kind: str
    communicator: str | None
    procedure: str | None
    messages: int
    bytes: int
    percent_of_kind_bytes: float


def pairs(connection: sqlite3.Connection) -> list[Pair]:
    """Return every pair of ranks and kind, most bytes first."""
    return _pairs(connection)


def pairs_in_detail(connection: sqlite3.Connection) -> list[Pair]:
    """Return every pair of ranks, kind, communicator and procedure, most bytes first."""
    return _pairs(connection, in_detail=True)


def _pairs(connection: sqlite3.Connection, *, in_detail: bool = False) -> list[Pair]:
    communicator, procedure, joins, more_keys = "NULL", "NULL", "", ""
    if in_detail:
        communicator, procedure = "communicators.name", "procedures.name"
        joins = (
            " JOIN communicators ON communicators.id = messages.communicator"
            " JOIN procedures ON procedures.id = messages.procedure"
        )
        more_keys = ", messages.communicator, messages.procedure"
    hosts = dict(connection.execute("SELECT rank, host FROM main.ranks").fetchall())
    totals = dict(connection.execute("SELECT kind, SUM(bytes) FROM messages GROUP BY kind").fetchall())
    rows = connection.execute(
        f"SELECT source, destination, kind, {communicator}, {procedure}, SUM(messages), SUM(bytes)"
        f" FROM messages{joins} GROUP BY source, destination, kind{more_keys}"
        " ORDER BY SUM(messages.bytes) DESC, SUM(messages.messages) DESC, source, destination",
    )
    return [
        Pair(
            source=source,
            destination=destination,
            source_host=(source_host := hosts.get(source)),
            destination_host=(destination_host := hosts.get(destination)),
            off_node=source_host != destination_host
            if source_host is not None and destination_host is not None
            else None,
            kind=kind,
            communicator=name,
            procedure=call,
            messages=messages,
            bytes=size,
            percent_of_kind_bytes=percent(size, totals[kind]),
        )
        for source, destination, kind, name, call, messages, size in rows
    ]
