"""Why a job hung when it ended, from its profile."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from dataclasses import replace

from rankwise.analysis.calls.totals import RUN_SECONDS
from rankwise.analysis.hangs.find import LEAST_S, find_hang
from rankwise.analysis.hangs.model import Hang
from rankwise.analysis.hangs.waits import FOR_ALL, STARTED_FOR_ALL, Counts, Standing
from rankwise.analysis.last_calls import (
    INSIDE,
    Place,
    communicators_at_end,
    ranks_at_end,
    seconds_between,
)
from rankwise.analysis.percent import percent
from rankwise.profile.join.waiting import OpenMessage


def hang_at_end(connection: sqlite3.Connection) -> Hang | None:
    """Return why a partial run hung when it ended; None if it did not, or is complete.

    Args:
        connection: the profile.
    """
    partial, stopped, size = connection.execute("SELECT partial, stopped, ranks_expected FROM run").fetchone()
    if not partial:
        return None
    places = ranks_at_end(connection, size)
    if not any(place.state == INSIDE for place in places.values()):
        return None
    names, members = communicators_at_end(connection)
    rows = connection.execute(
        "SELECT source, destination, communicator, tag, sent, received FROM open_messages"
    )
    standing = Standing(
        places,
        members,
        _counts(connection, places),
        map(OpenMessage._make, rows),
        ended=_ended(connection, stopped),
        threaded=_ranks(connection, "SELECT rank FROM ranks WHERE threads > 1"),
        vague=_ranks(connection, "SELECT DISTINCT rank FROM dropped"),
    )
    hang = find_hang(standing, names, lambda rank: _site(connection, rank))
    (run,) = connection.execute(f"SELECT TOTAL({RUN_SECONDS}) FROM ranks").fetchone()
    return replace(hang, lost_percent_of_run=percent(hang.lost_seconds, run)) if hang else None


def _ended(connection: sqlite3.Connection, stopped: str) -> frozenset[int]:
    """Return the ranks whose processes ended before the others."""
    rows = connection.execute("SELECT rank, gone FROM ranks WHERE gone IS NOT NULL")
    return frozenset(rank for rank, gone in rows if seconds_between(gone, stopped) >= LEAST_S)


def _ranks(connection: sqlite3.Connection, query: str) -> frozenset[int]:
    return frozenset(rank for (rank,) in connection.execute(query))


def _counts(connection: sqlite3.Connection, places: dict[int, Place]) -> Counts:
    """Return the number of collectives that each rank completed, on the communicators of the last calls."""
    on = {place.communicator for place in places.values() if place.communicator is not None}
    wanted = FOR_ALL | STARTED_FOR_ALL
    procedures = {
        number: name
        for number, name in connection.execute("SELECT id, name FROM procedures")
        if name in wanted
    }
    calls_of_ranks: dict[tuple[int, str], dict[int, int]] = defaultdict(dict)
    rows = connection.execute(
        "SELECT place.communicator, place.rank, count.id >> 7 & 2047 AS procedure, SUM(calls)"
        " FROM call_places AS place"
        " CROSS JOIN call_counts AS count ON count.id >= place.id << 30 AND count.id < (place.id + 1) << 30"
        f" WHERE place.communicator IN ({', '.join(map(str, sorted(on)))})"
        " GROUP BY place.communicator, place.rank, procedure",
    )
    for communicator, rank, procedure, calls in rows:
        if procedure in procedures:
            calls_of_ranks[communicator, procedures[procedure]][rank] = calls
    return calls_of_ranks


def _site(connection: sqlite3.Connection, rank: int) -> str:
    """Return the call site of a rank's unfinished call."""
    row = connection.execute(
        "SELECT objects.path, function, file, line, offset FROM call_places AS place"
        " CROSS JOIN call_counts AS count ON count.id >= place.id << 30 AND count.id < (place.id + 1) << 30"
        " JOIN sites ON sites.id = place.site JOIN objects ON objects.id = object"
        " WHERE place.rank = ? AND unfinished > 0 LIMIT 1",
        (rank,),
    ).fetchone()
    if row is None:
        return ""
    # Imported here: it needs numpy, which the summary of a complete run need not load.
    from rankwise.analysis.calls.places import Place as Source

    path, function, file, line, offset = row
    return Source(path=path, function=function, file=file, line=line, offset=offset).name
