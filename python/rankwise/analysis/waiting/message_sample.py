"""The sample of calls that waited for messages, with when both sides had posted these.

Of a sample of such calls the profile has when both sides posted their messages. A receive waits for its
sender (late sender). A send that the MPI library does not buffer waits for its receiver (late receiver):
that is one by MPI_Ssend and its kin, or one of more bytes than any was seen to end before its receive was
posted. What a call does after the latest of its messages was posted on the other side is not waiting: the
rest.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import field

from rankwise.analysis.selection import is_part
from rankwise.records import dataclass

WAITING = (
    "MPI_Recv",
    "MPI_Mrecv",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Send",
    "MPI_Ssend",
    "MPI_Bsend",
    "MPI_Rsend",
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Waitany",
    "MPI_Waitsome",
    "MPI_Probe",
    "MPI_Mprobe",
)
"""Procedures that wait for messages."""

_ANY = ("MPI_Waitany", "MPI_Waitsome")  # they end with the first message
_SYNCHRONOUS = ("MPI_Ssend", "MPI_Issend", "MPI_Ssend_init")
_BUFFERED = ("MPI_Bsend", "MPI_Ibsend", "MPI_Bsend_init")


@dataclass(frozen=True)
class Wait:
    """One call, whose messages are known.

    Attributes:
        rank: that waited.
        place: communicator (id) and procedure.
        began: seconds after the start of the run.
        ended: likewise.
        waited: seconds until the other side had posted, not beyond the end; 0.0 = it had before.
        other: whose message was the latest; -1 = nobody's.
        sends: the wait was for a receiver.
    """

    rank: int
    place: tuple[int, str]
    began: float
    ended: float
    waited: float
    other: int
    sends: bool


@dataclass
class Sample:
    """The sampled calls of a rank in a procedure on a communicator."""

    seconds: float = 0.0  # of all, each by the share of its messages that are in the sample
    squares: float = 0.0  # of the seconds of each, likewise
    effective: float = 0.0  # calls, likewise
    sampled: int = 0
    waits: list[Wait] = field(default_factory=list)
    clock_error: float = 0.0  # of all waits together, seconds


Key = tuple[int, int, str]  # rank, communicator, procedure


@dataclass(frozen=True)
class Exact:
    """All calls of a rank in a procedure on a communicator."""

    calls: int
    seconds: float


def exact_seconds(connection: sqlite3.Connection, schema: str) -> dict[Key, Exact]:
    """Return the number of calls that wait for messages, by rank, and the time that ranks spent in them.

    Args:
        connection: to the profile.
        schema: 'main.' for the whole run, where a part of it has taken its place; '' else.
    """
    marks = ", ".join("?" * len(WAITING))
    rows = connection.execute(
        f"SELECT rank, communicator, procedures.name, SUM(calls), SUM(seconds) FROM {schema}calls"
        f" JOIN procedures ON procedures.id = procedure"
        f" WHERE procedures.name IN ({marks}) AND unfinished = 0 GROUP BY 1, 2, 3",
        WAITING,
    )
    return {
        (rank, communicator, name): Exact(calls, seconds)
        for rank, communicator, name, calls, seconds in rows
        if seconds > 0
    }


def _has_whole(connection: sqlite3.Connection) -> bool:
    """Tell whether there are more waits than those of the part that is looked at."""
    found = connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'waits'").fetchone()
    return bool(found) and is_part(connection)


def known_waits(samples: Mapping[Key, Sample]) -> list[Wait]:
    """Return the waits whose messages are known."""
    return [wait for sample in samples.values() for wait in sample.waits]


def scales_of(samples: Mapping[Key, Sample], exact: Mapping[Key, Exact]) -> dict[Key, float]:
    """Return what a second of the sample stands for; 0.0 = nothing is known of these calls."""
    empty = Sample()
    return {
        key: all_calls.seconds / sampled if (sampled := samples.get(key, empty).seconds) else 0.0
        for key, all_calls in exact.items()
    }


def samples_of(connection: sqlite3.Connection, schema: str) -> dict[Key, Sample]:
    """Return the sampled calls.

    Args:
        connection: to the profile.
        schema: 'main.' for the whole run, where a part of it has taken its place; '' else.
    """
    samples: defaultdict[Key, Sample] = defaultdict(Sample)
    messages = _messages(connection, schema)
    buffered = largest_buffered(connection, schema)
    clocks = {
        rank: (host, error or 0.0)
        for rank, host, error in connection.execute(f"SELECT rank, host, clock_error FROM {schema}ranks")
    }
    rows = connection.execute(
        f"SELECT waits.id, rank, communicator, procedures.name, began, ended, messages, sampled, known"
        f" FROM {schema}waits JOIN procedures ON procedures.id = procedure"
    )
    for number, rank, communicator, procedure, began, ended, count, sampled, known in rows:
        sample = samples[rank, communicator, procedure]
        sample.sampled += 1
        part = sampled / count if count else 1.0
        sample.effective += part
        sample.seconds += part * (ended - began)
        sample.squares += part * (ended - began) ** 2
        if known:
            found = ready(messages.get(number, ()), procedure, began, ended, buffered)
            at, other, sends = found if found else (began, -1, False)
            waited = min(max(at - began, 0.0), ended - began)
            if waited:
                (host, error), (there, others) = clocks[rank], clocks.get(other, ("", 0.0))
                sample.clock_error += error + others if host != there else 0.0
            place = (communicator, procedure)
            sample.waits.append(
                Wait(rank, place, began, ended, waited, other if waited else -1, sends and waited > 0)
            )
    return samples


Message = tuple[int, int, str, float, bool]  # other rank, bytes, posted by, when the other posted, sends


def _messages(connection: sqlite3.Connection, schema: str) -> dict[int, list[Message]]:
    rows = connection.execute(
        "SELECT wait, CASE WHEN sends THEN destination ELSE source END, bytes, procedures.name,"
        f" other_posted, sends FROM {schema}wait_messages JOIN procedures ON procedures.id = procedure"
    )
    found: defaultdict[int, list[Message]] = defaultdict(list)
    for wait, other, size, procedure, posted, sends in rows:
        found[wait].append((other, size, procedure, posted, bool(sends)))
    return found


def largest_buffered(connection: sqlite3.Connection, schema: str) -> int:
    """Return the most bytes of a plain send that ended before its receive was posted; -1 = there was none."""
    (found,) = connection.execute(
        f"SELECT MAX(bytes) FROM {schema}wait_messages JOIN {schema}waits ON waits.id = wait"
        " JOIN procedures ON procedures.id = wait_messages.procedure"
        " WHERE sends AND other_posted > ended"
        " AND procedures.name NOT IN ('MPI_Bsend', 'MPI_Ibsend', 'MPI_Bsend_init')"
    ).fetchone()
    return -1 if found is None else int(found)


def ready(
    messages: Iterable[Message], procedure: str, began: float, ended: float, buffered: int
) -> tuple[float, int, bool] | None:
    """Return when the others had posted all that a call waited for, who was last, and whether it receives.

    Of calls that end with the first message, that one's.
    """
    found: list[tuple[float, int, bool]] = []
    for other, size, posted_by, at, sends in messages:
        if sends and posted_by not in _SYNCHRONOUS:
            waits = posted_by not in _BUFFERED and size > buffered and began < at < ended
            if not waits:
                continue
        found.append((at, other, sends))
    if not found:
        return None
    return min(found) if procedure in _ANY else max(found)


def waits_of_all(connection: sqlite3.Connection) -> list[tuple[Wait, float]]:
    """Return the waits of the whole run, and what a second of each stands for.

    Args:
        connection: to the profile, of which only a part may be looked at.
    """
    schema = "main." if _has_whole(connection) else ""
    samples = samples_of(connection, schema)
    if not samples:  # all calls of a large job need not be looked through
        return []
    scales = scales_of(samples, exact_seconds(connection, schema))
    return [
        (wait, scales.get((wait.rank, *wait.place), 0.0)) for wait in known_waits(samples) if wait.waited > 0
    ]
