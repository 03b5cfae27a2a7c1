"""What a profile has of single calls, as a trace: which rank was inside which call from when until when.

These are the samples of collectives and of calls that wait for messages, and nothing else: between two of
them a rank may have made any number of calls. What a rank did in all is in the time line.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from rankwise.analysis.timing.time_line import TimeLine, time_line
from rankwise.analysis.timing.traced_tables import make_tables
from rankwise.analysis.waiting.instances import NOBODY
from rankwise.analysis.waiting.message_sample import WAITING, least_rendezvous, ready
from rankwise.analysis.waiting.procedures import CALLS
from rankwise.profile.join.members import UNKNOWN, parse
from rankwise.records import dataclass

COLLECTIVES = tuple(sorted(CALLS))
"""Procedures of which there is a sample of instances."""


@dataclass(frozen=True)
class TracedCommunicator:
    """A communicator on which calls of the trace were made.

    Attributes:
        name: ancestry.
        user_name: that the program gave it, or ''.
        members: world ranks by rank in it; () = not all are known, or it is none of one group.
    """

    name: str
    user_name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class TracedMessage:
    """A message that a call waited for; times in nanoseconds.

    Attributes:
        key: which message it is, the same on both sides: source, destination, communicator, tag, number.
        bytes: as the waiting rank knows them; 0 for a probe.
        sends: the waiting rank is the source.
        procedure: that posted the waiting rank's side.
        posted: when.
        other_procedure: that posted the other side.
        other_posted: when.
        arrow: number of the arrow from where the other side was posted to the call; None = there is none.
    """

    key: tuple[int, int, int, int, int]
    bytes: int
    sends: bool
    procedure: str
    posted: int
    other_procedure: str
    other_posted: int
    arrow: int | None

    @property
    def other(self) -> int:
        """Return the rank that the waiting one waits for."""
        return self.key[1 if self.sends else 0]


@dataclass(frozen=True, kw_only=True)
class TracedCall:
    """One call of the sample; times in nanoseconds after the start of the run.

    Attributes:
        rank: that made it.
        lane: 0, or more where other calls of the rank, by other threads, go on at the same time.
        procedure: name.
        communicator: id.
        region: path, '' for none.
        began: when.
        ended: when.
        waited: of its time, until the latest of the others was there; None = not known.
        whose: rank that it waited for the longest; -1 = nobody.
        instance: of a collective, which call of the procedure on the communicator it is; else 0.
        bytes: of a collective: of the message.
        root: of a collective, world rank; None = it has none.
        messages: of a wait, how many it completed.
        sampled: of these, in the sample.
        known: of these, the messages whose both sides are known.
    """

    rank: int
    lane: int
    procedure: str
    communicator: int
    region: str
    began: int
    ended: int
    waited: int | None
    whose: int
    instance: int
    bytes: int
    root: int | None
    messages: int
    sampled: int
    known: tuple[TracedMessage, ...]


@dataclass(frozen=True)
class Posted:
    """Where a rank posted a message that another one waited for.

    Attributes:
        rank: that posted it.
        at: nanoseconds after the start of the run.
        message: as the other rank, which waited for it, has it.
    """

    rank: int
    at: int
    message: TracedMessage


@dataclass(frozen=True)
class Share:
    """How many calls are in the sample, of how many that were made."""

    sampled: int
    calls: int


class Trace:
    """The trace of an open profile, or of the part of it that is looked at.

    Attributes:
        hosts: of the ranks, in their order.
        communicators: by id, those of the trace.
        collectives: how much of them the sample has.
        waits: of calls that wait for messages, likewise.
        line: the time line, empty if it is not wanted.
        first: 0, or the earliest instant if it is before the start of the run, as clocks may tell.
        last: the latest instant, or the end of the run.
    """

    def __init__(self, connection: sqlite3.Connection, *, with_time_line: bool = True) -> None:
        """Read what is needed at once, and put the rest in order.

        Raises:
            ValueError: the profile is damaged.
        """
        make_tables(connection)
        self._connection = connection
        self._procedures: dict[int, str] = dict(
            connection.execute("SELECT id, name FROM procedures").fetchall()
        )
        self._regions: dict[int, str] = dict(
            connection.execute("SELECT id, CASE id WHEN 0 THEN '' ELSE path END FROM regions").fetchall()
        )
        self.hosts: dict[int, str] = dict(
            connection.execute("SELECT rank, host FROM ranks ORDER BY rank").fetchall()
        )
        self.communicators = _communicators(connection)
        self.collectives = _share(connection, "arrivals", COLLECTIVES)
        self.waits = _share(connection, "waits", WAITING)
        self.line = time_line(connection) if with_time_line else TimeLine()
        self.first, self.last = self._ends()

    def _ends(self) -> tuple[int, int]:
        calls = self._connection.execute("SELECT MIN(began), MAX(ended) FROM temp.traced_calls").fetchone()
        posted = self._connection.execute(
            "SELECT MIN(other_posted), MAX(other_posted) FROM temp.traced_messages WHERE drawn"
        ).fetchone()
        (wall,) = self._connection.execute("SELECT wall FROM run").fetchone()
        width = self.line.width_seconds * len(self.line.intervals)
        line = [round(at * 1e9) for at in (self.line.begin_seconds, self.line.begin_seconds + width, wall)]
        known = [0, *line, *(at for at in (*calls, *posted) if at is not None)]
        return min(known), max(known)

    @property
    def not_drawn(self) -> int:
        """Return how many messages that came have no arrow: by the clocks too late, or by ranks left out."""
        return self._count("traced_messages WHERE NOT sends AND NOT drawn")

    def _count(self, rows: str) -> int:
        (count,) = self._connection.execute(f"SELECT COUNT(*) FROM {rows}").fetchone()
        return int(count)

    def calls(self) -> Iterator[TracedCall]:
        """Yield the calls, of each rank in the order in which they began; those of a lane don't overlap."""
        rendezvous = least_rendezvous(self._connection)
        rows = self._connection.execute(
            "SELECT collective, rank, began, ended, communicator, procedure, region, number, bytes, root,"
            " messages, sampled, waited, whose FROM temp.traced_calls WHERE rank IN (SELECT rank FROM ranks)"
            " ORDER BY rank, began, ended"
        )
        lanes: list[int] = []
        of_rank = None
        for collective, rank, began, ended, communicator, procedure, region, *rest in rows:
            number, size, root, messages, sampled, waited, whose = rest
            if rank != of_rank:
                of_rank, lanes = rank, []
            lane = _free_lane(lanes, began)
            lanes[lane] = ended
            name = self._procedures[procedure]
            known = () if collective else tuple(self._messages("wait = ?", number))
            if known:
                waited, whose = _waited(known, name, began, ended, rendezvous)
            yield TracedCall(
                rank=rank,
                lane=lane,
                procedure=name,
                communicator=communicator,
                region=self._regions.get(region, ""),
                began=began,
                ended=ended,
                waited=None if waited is None else min(waited, ended - began),
                whose=NOBODY if whose is None else whose,
                instance=number if collective else 0,
                bytes=size,
                root=root,
                messages=messages,
                sampled=sampled,
                known=known,
            )

    def posted(self) -> Iterator[Posted]:
        """Yield where messages with an arrow were posted, of each rank in the order of time."""
        order = "ORDER BY other, other_posted, source, destination, communicator, tag, number"
        for message in self._messages(f"drawn {order}"):
            yield Posted(message.other, message.other_posted, message)

    def _messages(self, condition: str, *values: int) -> Iterator[TracedMessage]:
        rows = self._connection.execute(
            "SELECT source, destination, communicator, tag, number, bytes, sends, procedure, posted,"
            f" other_procedure, other_posted, rowid, drawn FROM temp.traced_messages WHERE {condition}",
            values,
        )
        for *key, size, sends, procedure, posted, other_procedure, other_posted, number, drawn in rows:
            source, destination, communicator, tag, count = key
            yield TracedMessage(
                (source, destination, communicator, tag, count),
                size,
                bool(sends),
                self._procedures[procedure],
                posted,
                self._procedures[other_procedure],
                other_posted,
                number if drawn else None,
            )


def _free_lane(lanes: list[int], began: int) -> int:
    """Return the first lane whose latest call has ended; a new one if there is none."""
    for lane, ended in enumerate(lanes):
        if ended <= began:
            return lane
    lanes.append(began)
    return len(lanes) - 1


def _waited(
    known: tuple[TracedMessage, ...], procedure: str, began: int, ended: int, rendezvous: float
) -> tuple[int, int]:
    """Return how long a call waited for the other sides of its messages, and for whom the longest."""
    sides = [
        (message.other, message.bytes, message.procedure, message.other_posted, message.sends)
        for message in known
    ]
    ready_at = ready(sides, procedure, began, ended, rendezvous)
    if ready_at is None or ready_at[0] <= began:
        return 0, NOBODY
    return int(ready_at[0]) - began, ready_at[1]


def _communicators(connection: sqlite3.Connection) -> dict[int, TracedCommunicator]:
    rows = connection.execute(
        "SELECT id, name, user_name, members, remote_size FROM communicators WHERE id IN"
        " (SELECT communicator FROM arrivals UNION SELECT communicator FROM waits"
        " UNION SELECT communicator FROM wait_messages)"
    )
    traced = {}
    for key, name, user_name, text, remote in rows:
        members = tuple(parse(text)) if text and not remote else ()
        traced[key] = TracedCommunicator(name, user_name, () if UNKNOWN in members else members)
    return traced


def _share(connection: sqlite3.Connection, table: str, procedures: tuple[str, ...]) -> Share:
    (sampled,) = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
    (calls,) = connection.execute(
        "SELECT COALESCE(SUM(calls), 0) FROM calls JOIN procedures ON procedures.id = procedure"
        f" WHERE procedures.name IN ({', '.join('?' * len(procedures))})",
        procedures,
    ).fetchone()
    return Share(sampled, calls)
