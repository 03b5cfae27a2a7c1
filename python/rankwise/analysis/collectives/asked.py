"""Collectives on each communicator: the calls, and the messages inside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from rankwise.analysis.calls.families import names_of_all
from rankwise.analysis.calls.totals import (
    JOIN_COMMUNICATORS,
    JOIN_PROCEDURES,
    Totals,
    opening_and_closing_by,
    totals_by,
)
from rankwise.analysis.collectives.visibility import Visibilities, Visibility, has_messages_inside
from rankwise.profile.join.families import with_library
from rankwise.records import dataclass

CLASSES = ("collective", "neighbourhood")
"""Classes of procedures that are collectives."""

OPENING = "environment"
"""Class of MPI_Init and MPI_Finalize, which no sum of times includes."""

_KEYS = (
    "procedures.name, procedures.class, calls.procedure, calls.communicator, communicators.name,"
    " communicators.family, communicators.user_name, communicators.size, communicators.remote_size"
)
_GROUP = "calls.communicator, calls.procedure"
_JOINS = f"{JOIN_COMMUNICATORS} {JOIN_PROCEDURES}"


@dataclass(frozen=True, kw_only=True)
class Collective:
    """A collective on a communicator.

    Attributes:
        procedure: name.
        class_name: of the procedure; not in `CLASSES` if it is no collective but has messages inside.
        communicator: name.
        user_name: of the communicator, '' if the program set none.
        processes: of the communicator, both groups of an intercommunicator.
        totals: calls, time, and the bytes that the processes contributed, a lower bound of the traffic.
        messages: number of visible messages actually sent inside; None if none are visible.
        bytes: of these messages; None if none are visible.
        factor: `bytes` divided by the bytes contributed; None if either is 0 or not fully known.
        visibility: of its messages.
        family: of the communicator.
    """

    procedure: str
    class_name: str
    communicator: str
    user_name: str
    processes: int
    totals: Totals
    messages: int | None
    bytes: int | None
    factor: float | None
    visibility: Visibility
    family: str


@dataclass(frozen=True, kw_only=True)
class CollectiveFamily:
    """A collective on the communicators of a family, summed up.

    Attributes:
        communicator: name of the communicator if it was called on one only, else of the family.
        user_names: of the communicators, without repeats; empty if some have none.
        communicators: number that it was called on.
        size_min: processes of the smallest communicator, both groups of an intercommunicator.
        size_max: processes of the largest communicator.
        visibility: of its messages; if communicators differ, the first where something is missing.
        (the others as for `Collective`)
    """

    procedure: str
    class_name: str
    communicator: str
    user_names: list[str]
    communicators: int
    size_min: int
    size_max: int
    totals: Totals
    messages: int | None
    bytes: int | None
    factor: float | None
    visibility: Visibility


def collective_families(rows: Sequence[Collective]) -> list[CollectiveFamily]:
    """Sum up collectives by families of communicators, most time in MPI first.

    Args:
        rows: result of `collectives`.
    """
    groups: dict[tuple[bool, str, str], list[Collective]] = {}
    for row in rows:
        groups.setdefault((row.class_name == OPENING, row.procedure, row.family), []).append(row)
    families = [_family(group) for group in groups.values()]
    return sorted(families, key=lambda row: (row.class_name == OPENING, row.totals.order))


def _family(group: Sequence[Collective]) -> CollectiveFamily:
    first = group[0]
    totals = sum((row.totals for row in group), Totals())
    messages = [row.messages for row in group if row.messages is not None]
    volumes = [row.bytes for row in group if row.bytes is not None]
    visibility = next((row.visibility for row in group if row.visibility.text), first.visibility)
    return CollectiveFamily(
        procedure=first.procedure,
        class_name=first.class_name,
        communicator=with_library(first.communicator, first.family) if len(group) == 1 else first.family,
        user_names=names_of_all(row.user_name for row in group),
        communicators=len(group),
        size_min=min(row.processes for row in group),
        size_max=max(row.processes for row in group),
        totals=totals,
        messages=sum(messages) if messages else None,
        bytes=sum(volumes) if volumes else None,
        factor=_factor(sum(volumes), totals, visibility),
        visibility=visibility,
    )


def _factor(volume: int | None, totals: Totals, visibility: Visibility) -> float | None:
    """Return bytes sent divided by bytes contributed; None if the ratio is meaningless."""
    return volume / totals.bytes_sent if volume and totals.bytes_sent and not visibility.text else None


def collectives(connection: sqlite3.Connection, visible: Visibilities | None = None) -> list[Collective]:
    """Return every collective on every communicator of several processes, most time in MPI first.

    Other calls, such as MPI_Comm_split, are included if messages were seen inside them; MPI_Init and
    MPI_Finalize are last.

    Args:
        connection: the profile.
        visible: visibility of its collectives; computed if not given.
    """
    inside = seen_inside(connection)
    visible = visible or Visibilities(connection)
    with_data = set(
        connection.execute("SELECT communicator, procedure FROM communicator_sums WHERE with_data").fetchall()
    )
    rows = []
    for (
        name,
        class_name,
        procedure,
        communicator,
        communicator_name,
        family,
        user_name,
        size,
        remote,
    ), totals in [
        *totals_by(connection, _KEYS, _JOINS, sums="communicator_sums", group=_GROUP),
        *opening_and_closing_by(connection, _KEYS, _JOINS, sums="communicator_sums"),
    ]:
        processes = size + remote
        messages, volume = inside.get((communicator, procedure), (None, None))
        if processes == 1 or (class_name not in CLASSES and messages is None):
            continue
        visibility = visible.of_all(
            communicator,
            name,
            seen=messages is not None,
            with_data=(communicator, procedure) in with_data,
        )
        rows.append(
            Collective(
                procedure=name,
                class_name=class_name,
                communicator=communicator_name,
                user_name=user_name,
                processes=processes,
                totals=totals,
                messages=messages,
                bytes=volume,
                factor=_factor(volume, totals, visibility),
                visibility=visibility,
                family=family,
            )
        )
    return rows


def hidden_collectives(connection: sqlite3.Connection, only: Collection[str] = ()) -> list[Collective]:
    """Return the collectives with invisible messages, for some procedures or for all."""
    rows = [row for row in collectives(connection) if not only or row.procedure in only]
    return [row for row in rows if row.visibility.hides]


def count_hidden(connection: sqlite3.Connection) -> int:
    """Return the number of collectives with invisible messages, without a row for each: there may be many."""
    inside, visible = seen_inside(connection), Visibilities(connection)
    classes = ", ".join(f"'{name}'" for name in CLASSES)
    hidden = 0
    for name, is_collective, communicator, procedure, with_data in connection.execute(
        f"SELECT procedures.name, class IN ({classes}), communicator, calls.procedure, with_data"
        f" FROM communicator_sums AS calls {_JOINS} WHERE size + remote_size <> 1"
    ):
        is_seen = (communicator, procedure) in inside
        if is_collective or is_seen:
            visibility = visible.of_all(communicator, name, seen=is_seen, with_data=bool(with_data))
            hidden += visibility.hides
    return hidden


def seen_inside(connection: sqlite3.Connection) -> dict[tuple[int, int], tuple[int, int]]:
    """Return messages and bytes seen inside calls, by communicator and procedure."""
    if not has_messages_inside(connection):
        return {}
    return {
        (communicator, procedure): (messages, size)
        for communicator, procedure, messages, size in connection.execute(
            "SELECT communicator, procedure, SUM(messages), SUM(bytes) FROM messages"
            " WHERE kind = 'in-collective' GROUP BY communicator, procedure"
        )
    }


@dataclass(frozen=True)
class NotAttributed:
    """Messages inside collectives whose call is unknown."""

    messages: int
    bytes: int


def not_attributed(connection: sqlite3.Connection) -> NotAttributed:
    """Return the messages inside collectives that belong to no call."""
    return NotAttributed(
        *connection.execute(
            "SELECT COALESCE(SUM(messages), 0), COALESCE(SUM(bytes), 0) FROM messages"
            " WHERE kind = 'in-collective' AND procedure = 0"
        ).fetchone()
    )
