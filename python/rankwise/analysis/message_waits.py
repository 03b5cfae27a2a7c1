"""Why receives, waits and blocking sends took so long: the other side came late.

Of a sample of these calls the profile has when both sides posted their messages. A receive waits for its
sender (late sender). A send that the MPI library does not buffer waits for its receiver (late receiver):
that is one by MPI_Ssend and its kin, or one of more bytes than any was seen to end before its receive was
posted. What a call does after the latest of its messages was posted on the other side is not waiting: the
rest.

Sums are estimated as the share in the sample of the exact time of the same rank, procedure and
communicator. Where the sample is everything, they are exact.
"""

from __future__ import annotations

import math
import sqlite3
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rankwise.analysis.percent import percent
from rankwise.analysis.sampling_error import sampling_error
from rankwise.analysis.selection import is_part

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
_MOST_STEPS = 16  # of a chain of waits
_WHOLE = 0.995  # of the time: what is missing is what the clock lacks


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


@dataclass(frozen=True)
class RankWaits:
    """The waits of a rank in a procedure on a communicator.

    Attributes:
        rank: world rank.
        host: its node; None = not known.
        communicator: its name.
        procedure: full name.
        seconds: in these calls, exact.
        certain_seconds: of them in calls whose messages are known on both sides.
        late_sender_seconds: of these, until the sender had posted.
        late_receiver_seconds: until the receiver had.
        error_seconds: how far the sum of both may be off, by the sampling (95 %) and the clocks of the nodes;
            0.0 = it is exact.
        sampled: calls in the sample.
        certain: of them, known.
    """

    rank: int
    host: str | None
    communicator: str
    procedure: str
    seconds: float
    certain_seconds: float
    late_sender_seconds: float
    late_receiver_seconds: float
    error_seconds: float
    sampled: int
    certain: int

    @property
    def percent_certain(self) -> float:
        """Of the time, what is known."""
        return percent(self.certain_seconds, self.seconds)


@dataclass(frozen=True)
class Caused:
    """What a rank made another one wait.

    Attributes:
        rank: that came late.
        waiter: that waited for it.
        late_sender_seconds: for its messages.
        late_receiver_seconds: for its receives.
        passed_on_seconds: of both, while it was waiting for others itself.
        waits: in the sample.
    """

    rank: int
    waiter: int
    late_sender_seconds: float
    late_receiver_seconds: float
    passed_on_seconds: float
    waits: int


@dataclass(frozen=True)
class Origin:
    """How long others waited because of a rank, whomever they waited for themselves.

    Attributes:
        rank: world rank.
        host: its node; None = not known.
        directly_seconds: waits for this rank.
        origin_seconds: waits that began with it: it was late, and not because it waited for others.
        longest_chain: how many ranks waited one for the other because of it.
        suffered_seconds: its own waits.
    """

    rank: int
    host: str | None
    directly_seconds: float
    origin_seconds: float
    longest_chain: int
    suffered_seconds: float


@dataclass(frozen=True)
class MessageWaits:
    """All of it.

    Attributes:
        seconds: in receives, waits and blocking sends, of all ranks.
        percent_certain: of it, in calls whose messages are known on both sides.
        late_sender_seconds: estimate.
        late_receiver_seconds: estimate.
        error_seconds: how far the sum of both may be off, likewise.
        waiting: by rank, procedure and communicator, the longest waits first.
        caused: by pairs, the longest waits first.
        origins: by rank, who made the others wait the longest first.
    """

    seconds: float
    percent_certain: float
    late_sender_seconds: float
    late_receiver_seconds: float
    error_seconds: float
    waiting: list[RankWaits]
    caused: list[Caused]
    origins: list[Origin]


@dataclass
class _Sample:
    """The sampled calls of a rank in a procedure on a communicator."""

    seconds: float = 0.0  # of all, each by the share of its messages that are in the sample
    sampled: int = 0
    waits: list[Wait] = field(default_factory=list)
    clock_error: float = 0.0  # of all waits together, seconds


@dataclass
class _Blame:
    sender: float = 0.0
    receiver: float = 0.0
    passed_on: float = 0.0
    waits: int = 0


_Key = tuple[int, int, str]  # rank, communicator, procedure


def message_waits(connection: sqlite3.Connection) -> MessageWaits:
    """Return who waited for whom in point-to-point communication."""
    samples = _samples(connection, "")
    hosts = dict(connection.execute("SELECT rank, host FROM main.ranks").fetchall())
    names = dict(connection.execute("SELECT id, name FROM communicators").fetchall())
    waiting: list[RankWaits] = []
    scales: dict[_Key, float] = {}
    for key, seconds in _exact_seconds(connection).items():
        rank, communicator, procedure = key
        sample = samples.get(key, _Sample())
        scales[key] = seconds / sample.seconds if sample.seconds else 0.0
        sums = [sum(wait.waited for wait in sample.waits if wait.sends is sends) for sends in (False, True)]
        known = sum(wait.ended - wait.began for wait in sample.waits)
        waiting.append(
            RankWaits(
                rank,
                hosts.get(rank),
                names[communicator],
                procedure,
                seconds,
                known * scales[key],
                sums[0] * scales[key],
                sums[1] * scales[key],
                _error(sample, seconds),
                sample.sampled,
                len(sample.waits),
            )
        )
    waiting.sort(key=lambda one: (-one.late_sender_seconds - one.late_receiver_seconds, one.rank))
    chosen = _known(samples)
    # Whoever was late may have waited in calls that are not selected.
    every = _known(_samples(connection, "main.")) if _has_whole(connection) else chosen
    caused, origins = _blame(chosen, every, scales, hosts)
    seconds = math.fsum(one.seconds for one in waiting)
    return MessageWaits(
        seconds,
        percent(math.fsum(one.certain_seconds for one in waiting), seconds),
        math.fsum(one.late_sender_seconds for one in waiting),
        math.fsum(one.late_receiver_seconds for one in waiting),
        math.sqrt(math.fsum(one.error_seconds**2 for one in waiting)),
        waiting,
        caused,
        origins,
    )


def _exact_seconds(connection: sqlite3.Connection) -> dict[_Key, float]:
    marks = ", ".join("?" * len(WAITING))
    rows = connection.execute(
        f"SELECT rank, communicator, procedures.name, SUM(seconds) FROM calls"
        f" JOIN procedures ON procedures.id = procedure"
        f" WHERE procedures.name IN ({marks}) AND unfinished = 0 GROUP BY 1, 2, 3",
        WAITING,
    )
    return {(rank, communicator, name): seconds for rank, communicator, name, seconds in rows if seconds > 0}


def _has_whole(connection: sqlite3.Connection) -> bool:
    """Tell whether there are more waits than those of the part that is looked at."""
    found = connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'waits'").fetchone()
    return bool(found) and is_part(connection)


def _known(samples: Mapping[_Key, _Sample]) -> list[Wait]:
    return [wait for sample in samples.values() for wait in sample.waits]


def _samples(connection: sqlite3.Connection, schema: str) -> dict[_Key, _Sample]:
    samples: defaultdict[_Key, _Sample] = defaultdict(_Sample)
    messages = _messages(connection, schema)
    buffered = _largest_buffered(connection, schema)
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
        sample.seconds += (ended - began) * (sampled / count if count else 1.0)
        if known:
            found = _ready(messages.get(number, ()), procedure, began, ended, buffered)
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


_Message = tuple[int, int, str, float, bool]  # other rank, bytes, posted by, when the other posted, sends


def _messages(connection: sqlite3.Connection, schema: str) -> dict[int, list[_Message]]:
    rows = connection.execute(
        "SELECT wait, CASE WHEN sends THEN destination ELSE source END, bytes, procedures.name,"
        f" other_posted, sends FROM {schema}wait_messages JOIN procedures ON procedures.id = procedure"
    )
    found: defaultdict[int, list[_Message]] = defaultdict(list)
    for wait, other, size, procedure, posted, sends in rows:
        found[wait].append((other, size, procedure, posted, bool(sends)))
    return found


def _largest_buffered(connection: sqlite3.Connection, schema: str) -> int:
    """Return the most bytes of a plain send that ended before its receive was posted; -1 = there was none."""
    (found,) = connection.execute(
        f"SELECT MAX(bytes) FROM {schema}wait_messages JOIN {schema}waits ON waits.id = wait"
        " JOIN procedures ON procedures.id = wait_messages.procedure"
        " WHERE sends AND other_posted > ended"
        " AND procedures.name NOT IN ('MPI_Bsend', 'MPI_Ibsend', 'MPI_Bsend_init')"
    ).fetchone()
    return -1 if found is None else int(found)


def _ready(
    messages: Iterable[_Message], procedure: str, began: float, ended: float, buffered: int
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


def _error(sample: _Sample, seconds: float) -> float:
    """Return how far estimated waits may be off: by the sampling (a ratio of sums) and by the clocks."""
    count = len(sample.waits)
    if not sample.seconds:
        return 0.0
    clocks = sample.clock_error * seconds / sample.seconds
    if sample.seconds >= _WHOLE * seconds:
        return clocks
    if count < 2:
        return seconds
    share = sum(wait.waited for wait in sample.waits) / sample.seconds
    scale, factor = seconds / sample.seconds, (1 - sample.seconds / seconds) * count / (count - 1)
    rest = [scale * (wait.waited - share * (wait.ended - wait.began)) for wait in sample.waits]
    second = factor * math.fsum(one**2 for one in rest)
    third = factor**2 * math.fsum(one**3 for one in rest)
    return sampling_error(second, third) + clocks


def _blame(
    chosen: list[Wait], every: list[Wait], scales: Mapping[_Key, float], hosts: Mapping[int, str]
) -> tuple[list[Caused], list[Origin]]:
    by_rank: defaultdict[int, list[Wait]] = defaultdict(list)
    for wait in every:
        if wait.waited > 0:
            by_rank[wait.rank].append(wait)
    begins: dict[int, list[float]] = {}
    for rank, own in by_rank.items():
        own.sort(key=lambda wait: wait.began)
        begins[rank] = [wait.began for wait in own]
    pairs: defaultdict[tuple[int, int], _Blame] = defaultdict(_Blame)
    origins: defaultdict[int, float] = defaultdict(float)
    chains: defaultdict[int, int] = defaultdict(int)

    def follow(rank: int, begin: float, end: float, steps: int) -> dict[int, float]:
        """Divide a stretch of time in which others waited for a rank among those with whom it began."""
        shares: defaultdict[int, float] = defaultdict(float)
        own = by_rank.get(rank, [])
        left = end - begin
        place = max(bisect_left(begins.get(rank, []), begin) - 1, 0)
        while steps < _MOST_STEPS and place < len(own) and own[place].began < end:
            wait = own[place]
            place += 1
            first, last = max(wait.began, begin), min(wait.began + wait.waited, end)
            if last <= first:
                continue
            left -= last - first
            for origin, seconds in follow(wait.other, first, last, steps + 1).items():
                shares[origin] += seconds
        if left > 0:
            shares[rank] += left
            chains[rank] = max(chains[rank], steps)
        return shares

    for wait in chosen:
        if not wait.waited:
            continue
        scale = scales.get((wait.rank, *wait.place), 0.0)
        pair = pairs[wait.other, wait.rank]
        pair.waits += 1
        shares = follow(wait.other, wait.began, wait.began + wait.waited, 1)
        for origin, seconds in shares.items():
            origins[origin] += seconds * scale
        pair.passed_on += (wait.waited - shares.get(wait.other, 0.0)) * scale
        if wait.sends:
            pair.receiver += wait.waited * scale
        else:
            pair.sender += wait.waited * scale
    caused = [
        Caused(late, waiter, one.sender, one.receiver, one.passed_on, one.waits)
        for (late, waiter), one in pairs.items()
    ]
    caused.sort(key=lambda one: (-one.late_sender_seconds - one.late_receiver_seconds, one.rank, one.waiter))
    directly: defaultdict[int, float] = defaultdict(float)
    suffered: defaultdict[int, float] = defaultdict(float)
    for one in caused:
        seconds = one.late_sender_seconds + one.late_receiver_seconds
        directly[one.rank] += seconds
        suffered[one.waiter] += seconds
    ranks = sorted({*directly, *suffered, *origins})
    found = [
        Origin(rank, hosts.get(rank), directly[rank], origins[rank], chains[rank], suffered[rank])
        for rank in ranks
    ]
    return caused, sorted(found, key=lambda one: (-one.origin_seconds, one.rank))
