"""Messages of the program by size: their number, the time in the calls that send them, and buffering.

A small send returns when the MPI library has buffered the message (eager), a large send when the receiver
takes it (rendezvous). The sample of waits shows the eager limit: a send that ended before its receive was
posted was buffered. That sends of a size wait has to be proven (`least_rendezvous`).
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
    """Small sends.

    Attributes:
        most: largest size, bytes.
        calls: number of calls up to this size, summed over all ranks.
        seconds: in these calls, without calls that also receive: MPI_Sendrecv may wait for its message.
        all_calls: number of sends of any size.
    """

    most: int
    calls: int
    seconds: float
    all_calls: int


@dataclass(frozen=True)
class Buffering:
    """Buffered sends, as seen in the sample of waits.

    Attributes:
        largest_buffered: bytes of the largest message known to be buffered; None = unknown.
        rendezvous: smallest size, in bytes, from which sends are proven to wait for their receives; inf = not
            proven.
        sizes: (bytes, number in the sample, seconds of waiting in the sample), ascending, for calls that
            waited only for receivers.
        sampled: number of sends in the sample.
        waited_seconds: that all calls in the sample waited for receivers.
    """

    largest_buffered: int | None
    rendezvous: float
    sizes: list[tuple[int, int, float]]
    sampled: int
    waited_seconds: float


def small_sends(connection: sqlite3.Connection, size_bin: int) -> SmallSends:
    """Return the sends up to the largest size of a bin, without empty messages."""
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
    """Return which sends were buffered, and which larger sends waited.

    Args:
        connection: the profile.
        known: bytes up to which messages are known to be buffered; 0 = unknown.
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
    buffered_sizes = (size for size, _, ended, posted, *_ in plain if posted > ended)
    buffered = max((*buffered_sizes, *([known] if known else [])), default=None)
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
