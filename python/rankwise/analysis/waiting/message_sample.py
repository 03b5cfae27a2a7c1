"""The sample of calls that waited for messages, with the times at which both sides posted these.

A receive waits for its sender (late sender). A send that the MPI library does not buffer waits for its
receiver (late receiver): sends by MPI_Ssend and similar calls, and sends of a size that is proven to wait for
receives (`least_rendezvous`). After the other side has posted the last of a call's messages, the call no
longer waits.

There are two samples: by the numbers of the messages, and all calls that began in some periods. If the
numbers of a call's messages are rarely in the first sample together, only the second sample has all of them;
between nodes, only the first sample does. For each rank, procedure and communicator, the sample with the
larger known share is used, or both together if they know about the same.
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

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
    "MPI_Win_start",
    "MPI_Win_complete",
    "MPI_Win_wait",
)
"""Procedures that wait for messages, or for other ranks to open or close epochs."""

_ANY = ("MPI_Waitany", "MPI_Waitsome")  # they end with the first message
_SYNCHRONOUS = ("MPI_Ssend", "MPI_Issend", "MPI_Ssend_init")
_BUFFERED = ("MPI_Bsend", "MPI_Ibsend", "MPI_Bsend_init")
_BY_KIND = (*_SYNCHRONOUS, *_BUFFERED)  # their waiting does not depend on the size

LEAST_EAGER_LIMIT = 1024
"""Bytes that every MPI library buffers, over every network."""
_CLEARLY_LATE_S = 50e-6  # longer than a buffered send takes
_PROOFS = 3
_MUCH = 1.02  # a sample is preferred if it knows this many times the share of the other


NO_STRETCH = -1


@dataclass(frozen=True, kw_only=True)
class Wait:
    """A call with known messages.

    Attributes:
        rank: that waited.
        place: communicator (id) and procedure.
        began: seconds after the start of the run.
        ended: seconds after the start of the run.
        waited: seconds until the other side had posted, up to the end; 0.0 = it had posted before.
        other: rank of the latest message; -1 = none.
        sends: the wait was for a receiver.
        needed: times at which the others posted the awaited messages, and their ranks.
        part: part of the call in the sample; 0.0 = it is known, but represents no other calls.
        stretch: number of the period in which all calls were sampled; NO_STRETCH = sampled individually.
    """

    rank: int
    place: tuple[int, str]
    began: float
    ended: float
    waited: float
    other: int
    sends: bool
    needed: tuple[tuple[float, int], ...] = ()
    part: float = 1.0
    stretch: int = NO_STRETCH

    @property
    def seconds(self) -> float:
        """Duration of the call, times its part in the sample."""
        return self.part * (self.ended - self.began)


@dataclass
class Sample:
    """The sampled calls of a rank in a procedure on a communicator."""

    seconds: float = 0.0  # sum over the calls, each times its part in the sample
    squares: float = 0.0  # sum of the squared seconds of the calls, also times their parts
    effective: float = 0.0  # sum of the parts
    sampled: int = 0
    waits: list[Wait] = field(default_factory=list)
    clock_error: float = 0.0  # of all waits together, seconds
    others: list[Wait] = field(default_factory=list)  # known, but not in this sample

    @property
    def known_seconds(self) -> float:
        """Seconds of the calls with known messages."""
        return sum(wait.seconds for wait in self.waits)

    def waited(self, *, sends: bool | None = None) -> float:
        """Return the seconds that the sampled calls waited, for senders, receivers, or both."""
        return sum(wait.part * wait.waited for wait in self.waits if sends is None or wait.sends is sends)


Key = tuple[int, int, str]  # rank, communicator, procedure


@dataclass(frozen=True)
class Exact:
    """All calls of a rank in a procedure on a communicator."""

    calls: int
    seconds: float


def exact_seconds(connection: sqlite3.Connection, schema: str) -> dict[Key, Exact]:
    """Return the number of calls that wait for messages, and the ranks' time in them.

    Args:
        connection: to the profile.
        schema: 'main.' for the whole run if a part of it is selected; else ''.
    """
    marks = ", ".join("?" * len(WAITING))
    rows = connection.execute(
        "SELECT rank, communicator, name, calls, seconds FROM (SELECT rank, communicator, procedure,"
        f" SUM(calls) AS calls, SUM(seconds) AS seconds FROM {schema}calls"
        f" WHERE procedure IN (SELECT id FROM procedures WHERE name IN ({marks})) AND unfinished = 0"
        " GROUP BY 1, 2, 3) JOIN procedures ON procedures.id = procedure ORDER BY 1, 2, 3",
        WAITING,
    )
    return {
        (rank, communicator, name): Exact(calls, seconds)
        for rank, communicator, name, calls, seconds in rows
        if seconds > 0
    }


def _has_whole(connection: sqlite3.Connection) -> bool:
    """Return whether a part is selected, and the profile has waits of the whole run."""
    tables = connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'waits'").fetchone()
    return bool(tables) and is_part(connection)


def known_waits(samples: Mapping[Key, Sample]) -> list[Wait]:
    """Return the waits in the samples with known messages."""
    return [wait for sample in samples.values() for wait in sample.waits]


def scales_of(samples: Mapping[Key, Sample], exact: Mapping[Key, Exact]) -> dict[Key, float]:
    """Return the seconds that a second of each sample represents; 0.0 = these calls are unknown."""
    empty = Sample()
    return {
        key: all_calls.seconds / sampled if (sampled := samples.get(key, empty).seconds) else 0.0
        for key, all_calls in exact.items()
    }


@dataclass(frozen=True)
class _Call:
    """A sampled call."""

    seconds: float
    part: float  # in the sample by number
    stretch: int  # of the sample by time
    known: Wait | None
    clock_error: float


def samples_of(connection: sqlite3.Connection, schema: str) -> dict[Key, Sample]:
    """Return the sampled calls.

    Args:
        connection: to the profile.
        schema: 'main.' for the whole run if a part of it is selected; else ''.
    """
    calls: defaultdict[Key, list[_Call]] = defaultdict(list)
    messages = _messages(connection, schema)
    rendezvous = least_rendezvous(connection, schema)
    clocks = {
        rank: (host, error or 0.0)
        for rank, host, error in connection.execute(f"SELECT rank, host, clock_error FROM {schema}ranks")
    }
    has_stretches = "stretch" in (row[1] for row in connection.execute("PRAGMA table_info(waits)"))
    stretches = "stretch" if has_stretches else "NULL"
    rows = connection.execute(
        f"SELECT waits.id, rank, communicator, procedures.name, began, ended, messages, sampled, known,"
        f" {stretches} FROM {schema}waits JOIN procedures ON procedures.id = procedure ORDER BY began"
    )
    for number, rank, communicator, procedure, began, ended, count, sampled, known, stretch in rows:
        part = sampled / max(count, 1) if count or has_stretches else 1.0
        wait, doubt = None, 0.0
        if known:
            needed = _needed(messages.get(number, ()), procedure, began, ended, rendezvous)
            at, other, sends = max(needed, key=_latest) if needed else (began, -1, False)
            waited = min(max(at - began, 0.0), ended - began)
            if waited:
                (host, error), (other_host, other_error) = clocks[rank], clocks.get(other, ("", 0.0))
                doubt = error + other_error if host != other_host else 0.0
            place = (communicator, procedure)
            wait = Wait(
                rank=rank,
                place=place,
                began=began,
                ended=ended,
                waited=waited,
                other=other if waited else -1,
                sends=sends and waited > 0,
                needed=tuple((posted, whose) for posted, whose, _ in needed),
            )
        within = NO_STRETCH if stretch is None else stretch
        calls[rank, communicator, procedure].append(_Call(ended - began, part, within, wait, doubt))
    return {key: _sample(calls_of_key) for key, calls_of_key in calls.items()}


def _sample(calls: Sequence[_Call]) -> Sample:
    """Return the sample with the larger known share, or both together if they know about the same."""
    numbers = _chosen(calls, by_number=True)
    times = _chosen(calls, by_time=True)
    if times.seconds * numbers.known_seconds > _MUCH * numbers.seconds * times.known_seconds:
        return numbers
    if numbers.seconds * times.known_seconds > _MUCH * times.seconds * numbers.known_seconds:
        return times
    return _chosen(calls, by_number=True, by_time=True)


def _chosen(calls: Sequence[_Call], *, by_number: bool = False, by_time: bool = False) -> Sample:
    sample = Sample()
    stretches: defaultdict[int, list[float]] = defaultdict(list)
    for call in calls:
        if by_time and call.stretch != NO_STRETCH:
            _add(sample, call, 1.0, call.stretch)
            stretches[call.stretch].append(call.seconds)
        elif by_number and call.part:
            _add(sample, call, call.part, NO_STRETCH)
            sample.squares += call.part * call.seconds**2
        elif call.known:
            sample.others.append(replace(call.known, part=0.0))
    if stretches:
        # Calls of one stretch are similar, so the variance is computed between stretches.
        mean = sample.seconds / sample.effective
        sample.squares += sum(
            (sum(each) - mean * len(each)) ** 2 + mean * (2 * sum(each) - mean * len(each))
            for each in stretches.values()
        )
    return sample


def _add(sample: Sample, call: _Call, part: float, stretch: int) -> None:
    sample.sampled += 1
    sample.effective += part
    sample.seconds += part * call.seconds
    if call.known:
        sample.waits.append(replace(call.known, part=part, stretch=stretch))
        sample.clock_error += part * call.clock_error


Message = tuple[int, int, str, float, bool]  # other rank, bytes, posted by, when the other posted, sends


def _messages(connection: sqlite3.Connection, schema: str) -> dict[int, list[Message]]:
    rows = connection.execute(
        "SELECT wait, CASE WHEN sends THEN destination ELSE source END, bytes, procedures.name,"
        f" other_posted, sends FROM {schema}wait_messages JOIN procedures ON procedures.id = procedure"
    )
    messages: defaultdict[int, list[Message]] = defaultdict(list)
    for wait, other, size, procedure, posted, sends in rows:
        messages[wait].append((other, size, procedure, posted, bool(sends)))
    return messages


def least_rendezvous(connection: sqlite3.Connection, schema: str = "") -> float:
    """Return the size in bytes from which plain sends provably wait for their receives; inf = not proven.

    The proof is several calls that waited only for one send, began long before the receive was posted, and
    ended after it, while no send of the same size or larger ended before. A send in a call that also receives
    (MPI_Sendrecv) proves nothing.

    Args:
        connection: to the profile.
        schema: 'main.' for the whole run if a part of it is selected; else ''.
    """
    marks = ", ".join("?" * len(_BY_KIND))
    rows = connection.execute(
        "SELECT bytes, ended > other_posted, messages = 1 AND waiting.name IN"
        f" ('MPI_Send', 'MPI_Rsend', 'MPI_Wait') AND other_posted > began + {_CLEARLY_LATE_S}"
        f" FROM {schema}wait_messages JOIN {schema}waits ON waits.id = wait"
        " JOIN procedures AS posting ON posting.id = wait_messages.procedure"
        " JOIN procedures AS waiting ON waiting.id = waits.procedure"
        f" WHERE sends AND bytes > {LEAST_EAGER_LIMIT} AND posting.name NOT IN ({marks})",
        _BY_KIND,
    ).fetchall()
    buffered = max((size for size, has_waited, _ in rows if not has_waited), default=0)
    proofs = sorted(size for size, has_waited, clearly in rows if has_waited and clearly and size > buffered)
    return float(proofs[_PROOFS - 1]) if len(proofs) >= _PROOFS else math.inf


def ready(
    messages: Iterable[Message], procedure: str, began: float, ended: float, rendezvous: float
) -> tuple[float, int, bool] | None:
    """Return when the others had posted everything a call waited for, the last rank, and whether it receives.

    For calls that end with the first message, only this message counts. If one call posted a message and a
    receive, the wait is for the message.

    Args:
        messages: of the call.
        procedure: that was called.
        began: start of the call, seconds.
        ended: end of the call, seconds.
        rendezvous: size in bytes from which plain sends wait for receives, as from `least_rendezvous`.
    """
    return max(_needed(messages, procedure, began, ended, rendezvous), key=_latest, default=None)


def _needed(
    messages: Iterable[Message], procedure: str, began: float, ended: float, rendezvous: float
) -> list[tuple[float, int, bool]]:
    """Return the same for each message that a call waited for; only the first if it ends the call."""
    needs: list[tuple[float, int, bool]] = []
    for other, size, posted_by, at, sends in messages:
        if sends and posted_by not in _SYNCHRONOUS:
            waits = posted_by not in _BUFFERED and size >= rendezvous and began < at < ended
            if not waits:
                continue
        needs.append((at, other, sends))
    return [min(needs)] if needs and procedure in _ANY else needs


def _latest(needed: tuple[float, int, bool]) -> tuple[float, bool]:
    """Sort key of a call's needs: if one call posted a message and a receive, the message is later."""
    at, _, sends = needed
    return at, not sends


def waits_of_all(connection: sqlite3.Connection) -> list[tuple[Wait, float]]:
    """Return the known waits of the whole run, and the seconds that a second of each represents (0.0 = none).

    Args:
        connection: to the profile; a part may be selected.
    """
    schema = "main." if _has_whole(connection) else ""
    samples = samples_of(connection, schema)
    if not samples:  # saves a scan of all calls of a large job
        return []
    scales = scales_of(samples, exact_seconds(connection, schema))
    return [
        (wait, wait.part * scales.get(key, 0.0))
        for key, sample in samples.items()
        for wait in (*sample.waits, *sample.others)
        if wait.waited > 0
    ]
