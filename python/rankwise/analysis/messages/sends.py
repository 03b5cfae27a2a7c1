"""Messages of the program by size: how many there are, the time in the calls that send them, and buffering.

A send of few bytes ends when the MPI library has buffered them (eager), one of many when the receiver takes
them (rendezvous). Where the limit lies is seen in the sample of waits: a send that ended before its receive
was posted was buffered; that sends of a size wait has to be proven (`least_rendezvous`).
"""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.totals import JOIN_PROCEDURES, totals_by
from rankwise.analysis.waiting.message_sample import least_rendezvous
from rankwise.records import dataclass

_RECEIVING = ("MPI_Sendrecv", "MPI_Sendrecv_replace")
_SENDS = ("MPI_Send", "MPI_Isend", "MPI_Rsend", "MPI_Irsend", *_RECEIVING)
_NOT_BUFFERED_BY_SIZE = (
    *("MPI_Ssend", "MPI_Issend", "MPI_Ssend_init"),
    *("MPI_Bsend", "MPI_Ibsend", "MPI_Bsend_init"),
)


@dataclass(frozen=True)
class SmallSends:
    """Sends of few bytes.

    Attributes:
        most: bytes of one.
        calls: that send so few; over the ranks.
        seconds: in those of them that only send: MPI_Sendrecv also waits for what it receives.
        all_calls: that send.
    """

    most: int
    calls: int
    seconds: float
    all_calls: int


@dataclass(frozen=True)
class Buffering:
    """Buffered sends, as seen in the sample of waits.

    Attributes:
        largest_buffered: bytes of the largest message that was buffered, or is known to be; None = not known.
        rendezvous: bytes from which on sends are proven to wait for their receives; inf = it is not proven.
        sizes: of messages of so many bytes, ascending, where the call waited for receivers alone: bytes, how
            many there are in the sample, and seconds that they waited there.
        sampled: sends in the sample.
        waited_seconds: that all calls waited for receivers, in the sample.
    """

    largest_buffered: int | None
    rendezvous: float
    sizes: list[tuple[int, int, float]]
    sampled: int
    waited_seconds: float


def small_sends(connection: sqlite3.Connection, size_bin: int) -> SmallSends:
    """Return the sends of at most the largest size of a bin, those without data left out."""
    calls = all_calls = 0
    seconds = 0.0
    for (name, place), totals in totals_by(
        connection, "procedures.name, size_bin", JOIN_PROCEDURES, sums="family_sums"
    ):
        if name not in _SENDS or not totals.bytes_sent:
            continue
        all_calls += totals.calls
        if 0 < place <= size_bin:
            calls += totals.calls
            seconds += totals.seconds if name not in _RECEIVING else 0.0
    return SmallSends(2**size_bin - 1, calls, seconds, all_calls)


def buffering(connection: sqlite3.Connection, known: int = 0) -> Buffering:
    """Return which sends were buffered, and which larger ones waited.

    Args:
        connection: the profile.
        known: bytes of a message that is buffered at least; 0 = nothing is known.
    """
    marks = ", ".join("?" * len(_NOT_BUFFERED_BY_SIZE))
    rows = connection.execute(
        "SELECT bytes, began, ended, other_posted, procedures.name IN"
        f" ({marks}), wait IN (SELECT wait FROM wait_messages WHERE NOT sends)"
        " FROM wait_messages JOIN waits ON waits.id = wait"
        " JOIN procedures ON procedures.id = wait_messages.procedure WHERE sends",
        _NOT_BUFFERED_BY_SIZE,
    ).fetchall()
    plain = [row for row in rows if not row[4]]
    seen = (size for size, _, ended, posted, *_ in plain if posted > ended)
    buffered = max((*seen, *([known] if known else [])), default=None)
    rendezvous = max(least_rendezvous(connection), known + 1)
    sizes: dict[int, tuple[int, float]] = {}
    whole = 0.0
    for size, began, ended, posted, other_way, receives in rows:
        if receives or not (other_way or size >= rendezvous):
            continue
        waited = posted - began if began < posted < ended else 0.0
        whole += waited
        if not other_way:
            count, seconds = sizes.get(size, (0, 0.0))
            sizes[size] = count + 1, seconds + waited
    by_size = [(size, count, seconds) for size, (count, seconds) in sorted(sizes.items()) if seconds]
    return Buffering(buffered, rendezvous, by_size, len(plain), whole)
