"""The single calls in a profile as a trace: when each rank was inside which call.

A profile has only samples of collectives and of calls that wait for messages. Between two of them, a rank may
have made any number of calls. The time line covers all calls.
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
"""Procedures with a sample of instances."""


@dataclass(frozen=True)
class TracedCommunicator:
    """A communicator on which calls of the trace were made.

    Attributes:
        name: ancestry.
        user_name: name that the program gave it, or ''.
        members: world ranks by rank in it; () = not all are known, or it is no intracommunicator.
    """

    name: str
    user_name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class TracedMessage:
    """A message that a call waited for; times in nanoseconds.

    Attributes:
        key: identifies the message on both sides: source, destination, communicator, tag, number.
        bytes: size according to the waiting rank; 0 for a probe.
        sends: the waiting rank is the source.
        procedure: that posted the waiting rank's side.
        posted: when the waiting rank's side was posted.
        other_procedure: that posted the other side.
        other_posted: when the other side was posted.
        arrow: number of the arrow from the posting of the other side to the call; None = no arrow is drawn.
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
        """The rank that the call waits for."""
        return self.key[1 if self.sends else 0]


@dataclass(frozen=True, kw_only=True)
class TracedCall:
    """One call of the sample; times in nanoseconds after the start of the run.

    Attributes:
        rank: that made it.
        lane: 0, or more if calls of the rank's other threads overlap.
        procedure: name.
        communicator: id.
        region: path, '' for none.
        began: time of its start.
        ended: time of its end.
        waited: time until the last of the others arrived; None = unknown.
        whose: rank that it waited for the longest; -1 = none.
        instance: of a collective, the number of the call of the procedure on the communicator; else 0.
        bytes: of a collective, of the message.
        root: of a collective, world rank; None = it has no root.
        messages: of a wait, number of completed messages.
        sampled: number of these messages in the sample.
        known: the sampled messages with both sides known.
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
    """Where a rank posted a message that another rank waited for.

    Attributes:
        rank: that posted it.
        at: nanoseconds after the start of the run.
        message: as recorded by the waiting rank.
    """

    rank: int
    at: int
    message: TracedMessage


@dataclass(frozen=True)
class Share:
    """The number of sampled calls, and of all calls."""

    sampled: int
    calls: int


class Trace:
    """The trace of an open profile, or of its selected part.

    Attributes:
        hosts: hosts by rank, in ascending order.
        communicators: communicators of the trace, by id.
        collectives: the sampled share of collectives.
        waits: the sampled share of calls that wait for messages.
        line: the time line, empty if not wanted.
        first: 0, or the earliest instant if clock differences put it before the start of the run.
        last: the latest instant, or the end of the run.
    """

    def __init__(self, connection: sqlite3.Connection, *, with_time_line: bool = True) -> None:
        """Read the small tables, and sort the calls and messages into temporary tables.

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
        """The number of received messages without an arrow: late by the clocks, or from unselected ranks."""
        return self._count("traced_messages WHERE NOT sends AND NOT drawn")

    def _count(self, rows: str) -> int:
        (count,) = self._connection.execute(f"SELECT COUNT(*) FROM {rows}").fetchone()
        return int(count)

    def calls(self) -> Iterator[TracedCall]:
        """Yield the calls of each rank in the order of their starts; calls in a lane do not overlap."""
        rendezvous = least_rendezvous(self._connection)
        rows = self._connection.execute(
            "SELECT collective, rank, began, ended, communicator, procedure, region, number, bytes, root,"
            " messages, sampled, waited, whose FROM temp.traced_calls WHERE rank IN (SELECT rank FROM ranks)"
            " ORDER BY rank, began, ended"
        )
        lanes: list[int] = []
        of_rank = None
        for collective, rank, began, ended, communicator, procedure, region, *columns in rows:
            number, size, root, messages, sampled, waited, whose = columns
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
        """Yield where messages with an arrow were posted, for each rank in the order of time."""
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
    """Return the first lane whose latest call has ended; a new lane if none has."""
    for lane, ended in enumerate(lanes):
        if ended <= began:
            return lane
    lanes.append(began)
    return len(lanes) - 1


def _waited(
    known: tuple[TracedMessage, ...], procedure: str, began: int, ended: int, rendezvous: float
) -> tuple[int, int]:
    """Return how long a call waited for the other sides of its messages, and for which rank the longest."""
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
