"""Checks that hold for every complete MPI program: all that is sent is received, collectives are collective.

A mismatch means that something was not recorded. Every sentence names the communicator and both figures.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby

from rankwise.profile.join.batches import OUTSIDE_WORLD
from rankwise.profile.join.members import UNKNOWN, compact, parse

# What the runtime could not book, and so may be why the bytes do not agree.
_EXPLANATIONS = {
    "receives": "receives have bytes that cannot be known:"
    " freed, failed, or of an MPI_Isendrecv whose status does not tell",
    "requests": "requests could not be tracked, so their received bytes were not booked",
    "thread_calls": "calls had no room, or followed one that was left by a jump, and were not booked",
    "communicators": "communicators had no room for a record and are booked on (other)",
}

# Communicators that every process has seen.
_WHOLE = "communicators.id >= 3 AND members_seen = size + remote_size"


def check(profile: sqlite3.Connection, *, paused: bool = False) -> list[str]:
    """Check a complete profile.

    Args:
        profile: all tables filled; no rank missing, and all ranks lived to the end.
        paused: the program paused the recording, so messages of that time were received without being
        counted: they can't be compared.

    Returns:
        A sentence for each mismatch.
    """
    return [] if paused else [*_volumes(profile), *_collectives(profile)]


def _volumes(profile: sqlite3.Connection) -> Iterator[str]:
    """Compare point-to-point bytes sent and received on each communicator."""
    mismatches = profile.execute(
        "SELECT communicators.name, SUM(bytes_sent) AS sent, SUM(bytes_received) AS received FROM"
        " (SELECT communicator, procedure, bytes_sent, bytes_received FROM communicator_sums"
        # Starts contribute to persistent collectives, too: what they send to somebody are their messages.
        " JOIN procedures ON procedures.id = procedure WHERE class <> 'starting'"
        " UNION ALL SELECT communicator, procedure, 0, bytes_received FROM communicator_sums"
        " JOIN procedures ON procedures.id = procedure WHERE class = 'starting'"
        " UNION ALL SELECT communicator, procedure, bytes, 0 FROM messages"
        " JOIN procedures ON procedures.id = procedure"
        " WHERE class = 'starting' AND kind = 'point-to-point') AS calls"
        " JOIN procedures ON procedures.id = calls.procedure"
        " JOIN communicators ON communicators.id = communicator"
        f" WHERE class IN ('point-to-point', 'partitioned', 'completion', 'starting') AND {_WHOLE}"
        # Messages that leave the world are received where no rank counts.
        " AND communicator NOT IN"
        " (SELECT communicator FROM messages WHERE destination = ? AND kind <> 'in-collective')"
        " GROUP BY communicator HAVING sent <> received ORDER BY communicator",
        (OUTSIDE_WORLD,),
    ).fetchall()
    explanation = _explanation(profile)
    for name, sent, received in mismatches:
        figures = f"{sent} bytes were sent point-to-point but {received} bytes were received"
        yield f"on {name}, {figures}{explanation}"


def _explanation(profile: sqlite3.Connection) -> str:
    dropped = dict(profile.execute("SELECT what, SUM(count) FROM dropped GROUP BY what"))
    reasons = [f"{dropped[what]} {text}" for what, text in _EXPLANATIONS.items() if what in dropped]
    not_covered: list[str] | None = json.loads(profile.execute("SELECT not_covered FROM run").fetchone()[0])
    if not_covered:
        others = f" and {len(not_covered) - 3} more" if len(not_covered) > 3 else ""
        reasons.append(f"the program may have used {', '.join(not_covered[:3])}{others}, not recorded")
    return f" ({'; '.join(reasons)})" if reasons else ""


def _collectives(profile: sqlite3.Connection) -> Iterator[str]:
    """Compare how often each member of an intracommunicator called each collective."""
    unlike = (
        "SELECT communicator, calls.procedure FROM communicator_sums AS calls"
        " JOIN procedures ON procedures.id = calls.procedure"
        " JOIN communicators ON communicators.id = communicator"
        f" WHERE class IN ('collective', 'neighbourhood') AND {_WHOLE} AND remote_size = 0"
        " AND (ranks <> size OR least_calls <> most_calls)"
    )
    if profile.execute(f"SELECT NOT EXISTS ({unlike})").fetchone() == (1,):
        return
    counted = profile.execute(
        "SELECT communicator, procedure, rank, SUM(calls) FROM calls"
        f" WHERE (communicator, procedure) IN ({unlike}) GROUP BY communicator, procedure, rank"
    )
    communicators = {
        number: (name, members)
        for number, name, members in profile.execute("SELECT id, name, members FROM communicators")
    }
    procedures = dict(profile.execute("SELECT id, name FROM procedures"))
    for (communicator, procedure), rows in groupby(counted, key=lambda row: row[:2]):
        by_count: dict[int, list[int]] = defaultdict(list)
        for _, _, rank, calls in rows:
            by_count[calls].append(rank)
        name, members = communicators[communicator]
        sentence = _disagreement(by_count, members)
        if sentence:
            yield f"{procedures[procedure]} on {name} was called {sentence}"


def _disagreement(by_count: dict[int, list[int]], members: str) -> str:
    """Return who called how often, the majority first; '' if all members called equally often."""
    if len(by_count) == 1 and sum(map(len, by_count.values())) == len(parse(members)):
        return ""
    reporting = {rank for ranks in by_count.values() for rank in ranks}
    silent = sorted(rank for rank in parse(members) if rank not in reporting and rank != UNKNOWN)
    if silent:
        by_count = {**by_count, 0: silent}
    if len(by_count) < 2:
        return ""
    ordered = sorted(by_count.items(), key=lambda item: -len(item[1]))
    parts = [f"{_times(calls)} by {_ranks(ranks)}" for calls, ranks in ordered[:3]]
    others = sum(len(ranks) for _, ranks in ordered[3:])
    return " but ".join(parts) + (f", and otherwise by {others} more" if others else "")


def _times(calls: int) -> str:
    return "once" if calls == 1 else f"{calls} times"


def _ranks(ranks: list[int]) -> str:
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {compact(ranks)}"
