"""Sides of messages joined, and what is concluded from them: each case by construction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from rankwise.analysis.waiting.messages import MessageWaits, message_waits
from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.communicators import CommunicatorTable
from rankwise.profile.join.message_waits import MessageWaits as JoinedWaits
from rankwise.profile.join.message_waits import join_waits
from rankwise.profile.join.node_clocks import NodeClock
from rankwise.profile.join.regions import Regions

IDS = {procedure.name: procedure.id for procedure in PROCEDURES}
WORLD = 3
RECEIVES, BROKEN = layout.CONSTANTS["STREAM_RECEIVES"], layout.CONSTANTS["STREAM_BROKEN"]
UNCERTAIN = layout.CONSTANTS["SIDE_UNCERTAIN"]
NO_STREAM = 2**32 - 1
SENT, RECEIVED = 100.0, 40.0  # microseconds: the receiver began, the sender came 60 later


def key(procedure: str) -> int:
    return WORLD << layout.CONSTANTS["CALLS_COMMUNICATOR_SHIFT"] | (
        IDS[procedure] << layout.CONSTANTS["CALLS_PROCEDURE_SHIFT"]
    )


def stream(peer: int, flags: int, messages: int = 1, thread: int = 0) -> dict[str, int]:
    return {
        "messages": messages,
        "communicator": WORLD,
        "rank": peer,
        "peer": peer,
        "tag": 5,
        "flags": flags,
        "thread": thread,
    }


def side(procedure: str, posted: float, ended: float, **others: int) -> dict[str, int]:
    us = 1000
    return {
        "number": 0,
        "posted": int(posted * us),
        "began": int(posted * us),
        "ended": int(ended * us),
        "key": key(procedure),
        "bytes": 8,
        "stream": 0,
        "messages": 1,
        "procedure": IDS[procedure],
        "flags": 0,
        "thread": 0,
    } | others


def rows(name: str, values: Sequence[dict[str, int]]) -> np.ndarray[Any, Any]:
    records = np.zeros(len(values), layout.STRUCTS[name])
    for place, value in enumerate(values):
        for member, number in value.items():
            records[member][place] = number
    return records


def process(
    streams: Sequence[dict[str, int]],
    sides: Sequence[dict[str, int]],
    state: str = "finalized",
    threads: Sequence[dict[str, int]] = ({}, {}),
) -> Counters:
    counted = SimpleNamespace(
        streams=rows("stream", streams),
        sides=rows("side", sides),
        threads=rows("thread", threads),
        header=SimpleNamespace(state=state),
    )
    return cast("Counters", counted)


def sender(**others: int) -> Counters:
    return process([stream(1, 0)], [side("MPI_Send", SENT, SENT + 1, **others)])


def receiver(**others: int) -> Counters:
    return process([stream(0, RECEIVES)], [side("MPI_Recv", RECEIVED, SENT + 2, **others)])


def join(*world: Counters, groups: Sequence[int] = (0, 0)) -> JoinedWaits:
    def ids_of(_rank: int, indices: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return indices

    clocks = {
        rank: NodeClock(group=groups[rank], ticks=0, seconds=0.0, seconds_per_tick=1e-9)
        for rank in range(len(world))
    }
    regions = SimpleNamespace(ids={rank: np.zeros(1, np.int64) for rank in range(len(world))})
    joined = SimpleNamespace(ids_of=ids_of)
    return join_waits(
        dict(enumerate(world)), cast("CommunicatorTable", joined), cast("Regions", regions), clocks
    )


def known(joined: JoinedWaits) -> list[int]:
    return [int(value) for value in joined.waits["known"]]


def test_both_sides_are_joined() -> None:
    joined = join(sender(), receiver())
    assert known(joined) == [1, 1]
    assert joined.waits["rank"].tolist() == [0, 1]
    assert joined.messages["sends"].tolist() == [1, 0]
    assert joined.messages["other_posted"] == pytest.approx([RECEIVED * 1e-6, SENT * 1e-6])
    assert joined.messages["source"].tolist() == [0, 0]
    assert joined.messages["destination"].tolist() == [1, 1]


@pytest.mark.parametrize(
    "world",
    [
        pytest.param([sender(number=1), receiver()], id="another number"),
        pytest.param([sender(bytes=9), receiver()], id="another size"),
        pytest.param([sender(), receiver(flags=UNCERTAIN)], id="uncertain"),
        pytest.param([sender(), receiver(stream=NO_STREAM)], id="no stream"),
        pytest.param([sender(), receiver(stream=7)], id="damaged"),
        pytest.param([sender(), receiver(messages=2)], id="another message of the call is missing"),
        pytest.param(
            [sender(), process([stream(0, RECEIVES, messages=2)], [side("MPI_Recv", 1, 2)])],
            id="counted differently",
        ),
        pytest.param(
            [sender(), process([stream(0, RECEIVES | BROKEN)], [side("MPI_Recv", 1, 2)])], id="cancelled"
        ),
        pytest.param(
            [
                sender(),
                process(
                    [stream(0, RECEIVES), stream(0, RECEIVES, thread=1)],
                    [side("MPI_Recv", 1, 2), side("MPI_Recv", 3, 4, thread=1)],
                ),
            ],
            id="two threads",
        ),
    ],
)
def test_what_is_not_certain_is_left_out(world: list[Counters]) -> None:
    joined = join(*world)
    assert not any(
        value for value, rank in zip(known(joined), joined.waits["rank"], strict=True) if rank == 1
    )
    assert 1 not in joined.messages["wait"][joined.messages["sends"] == 0]


def test_clocks_that_were_not_compared() -> None:
    assert known(join(sender(), receiver(), groups=(0, 1))) == [0, 0]


def test_who_is_not_at_the_end_may_have_counted_less() -> None:
    going_on = process([stream(0, RECEIVES, messages=3)], [side("MPI_Recv", 1, 2)], "running")
    assert known(join(sender(), going_on)) == [1, 1]


@pytest.fixture
def profile() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            """
            CREATE TABLE ranks (rank INTEGER, host TEXT, clock_error REAL, threads INTEGER);
            CREATE TABLE communicators (id INTEGER, name TEXT);
            CREATE TABLE procedures (id INTEGER, name TEXT);
            CREATE TABLE calls (rank, communicator, procedure, calls INTEGER, seconds REAL,
                                unfinished INTEGER);
            CREATE TABLE waits (id, rank, communicator, region, procedure, began, ended, messages,
                                sampled, known, stretch);
            CREATE TABLE wait_messages (wait, source, destination, communicator, tag, number, bytes, sends,
                                        procedure, posted, other_procedure, other_posted);
            CREATE TABLE arrivals (communicator);
            INSERT INTO ranks VALUES (0, 'a', 0.0, 1), (1, 'a', 0.0, 1), (2, 'b', 0.125, 1);
            INSERT INTO communicators VALUES (3, 'W');
            """
        )
        connection.executemany("INSERT INTO procedures VALUES (?, ?)", [(i, name) for name, i in IDS.items()])
        yield connection


class Writer:
    """Puts waits into a profile."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.count = 0

    def calls(self, rank: int, procedure: str, seconds: float, calls: int = 1) -> None:
        row = (rank, WORLD, IDS[procedure], calls, seconds, 0)
        self.connection.execute("INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?)", row)

    def wait(
        self,
        rank: int,
        procedure: str,
        began: float,
        ended: float,
        *messages: tuple[int, bool, float, int, str],
        sampled: int | None = None,
        expected: int | None = None,
        stretch: int | None = None,
    ) -> None:
        """Add a call; of its messages the other rank, whether it is sent to, when that posted, bytes, how."""
        self.count += 1
        count = len(messages) if expected is None else expected
        there = len(messages) if sampled is None else sampled
        self.connection.execute(
            "INSERT INTO waits VALUES (?, ?, 3, 0, ?, ?, ?, ?, ?, ?, ?)",
            (self.count, rank, IDS[procedure], began, ended, count, there, int(bool(messages)), stretch),
        )
        for other, sends, posted, size, by in messages:
            ends = (rank, other) if sends else (other, rank)
            row = (self.count, *ends, size, sends, IDS[by], began, IDS["MPI_Recv"], posted)
            self.connection.execute(
                "INSERT INTO wait_messages VALUES (?, ?, ?, 3, 5, 0, ?, ?, ?, ?, ?, ?)", row
            )


@pytest.fixture
def write(profile: sqlite3.Connection) -> Writer:
    return Writer(profile)


def only(waits: MessageWaits, rank: int) -> tuple[float, float]:
    (wait,) = [wait for wait in waits.waiting if wait.rank == rank]
    return wait.late_sender_seconds, wait.late_receiver_seconds


def test_the_latest_of_several(write: Writer) -> None:
    write.calls(0, "MPI_Waitall", 10.0)
    messages = [(1, False, 4.0, 8, "MPI_Irecv"), (2, False, 7.0, 8, "MPI_Irecv")]
    write.wait(0, "MPI_Waitall", 1.0, 11.0, *messages)
    waits = message_waits(write.connection)
    assert only(waits, 0) == (6.0, 0.0)
    assert [(cause.rank, cause.waiter, cause.late_sender_seconds) for cause in waits.caused] == [(2, 0, 6.0)]


def test_the_first_of_several(write: Writer) -> None:
    write.calls(0, "MPI_Waitsome", 10.0)
    messages = [(1, False, 4.0, 8, "MPI_Irecv"), (2, False, 7.0, 8, "MPI_Irecv")]
    write.wait(0, "MPI_Waitsome", 1.0, 11.0, *messages)
    assert only(message_waits(write.connection), 0) == (3.0, 0.0)


def test_sends_wait_only_if_that_is_proven(write: Writer) -> None:
    write.calls(0, "MPI_Send", 18.0)
    write.calls(0, "MPI_Ssend", 5.0)
    write.wait(0, "MPI_Send", 0.0, 2.0, (1, True, 3.0, 4096, "MPI_Send"))  # over before the receive is posted
    write.wait(0, "MPI_Send", 10.0, 14.0, (1, True, 13.0, 4096, "MPI_Send"))  # so this was buffered, too
    for began in (20.0, 50.0, 60.0):
        write.wait(0, "MPI_Send", began, began + 4, (1, True, began + 3, 8192, "MPI_Send"))
    write.wait(0, "MPI_Ssend", 30.0, 35.0, (1, True, 34.0, 8, "MPI_Ssend"))
    waits = message_waits(write.connection)
    late = {wait.procedure: wait.late_receiver_seconds for wait in waits.waiting}
    assert late == {"MPI_Send": 9.0, "MPI_Ssend": 4.0}
    assert waits.late_sender_seconds == 0.0


def sends_that_wait(write: Writer, *sizes: int, late: float = 3.0) -> float:
    """Add sends of these sizes that end after their receives were posted, late; return the waits by that."""
    write.calls(0, "MPI_Send", 4.0 * len(sizes), len(sizes))
    for step, size in enumerate(sizes):
        began = 10.0 * step
        write.wait(0, "MPI_Send", began, began + 4, (1, True, began + late, size, "MPI_Send"))
    return message_waits(write.connection).late_receiver_seconds


@pytest.mark.parametrize(
    ("sizes", "late", "waited"),
    [
        pytest.param([8192] * 3, 3.0, 9.0, id="proven"),
        pytest.param([8192] * 2, 3.0, 0.0, id="too few"),
        pytest.param([8192] * 3 + [2**20], 3.0, 12.0, id="larger ones"),
        pytest.param([2**20] * 3 + [8192], 3.0, 9.0, id="smaller ones"),
        pytest.param([8] * 9, 3.0, 0.0, id="always buffered"),
        pytest.param([8192] * 9, 1e-5, 0.0, id="hardly late"),
    ],
)
def test_what_proves_that_sends_wait(write: Writer, sizes: list[int], late: float, waited: float) -> None:
    assert sends_that_wait(write, *sizes, late=late) == pytest.approx(waited)


@pytest.mark.parametrize("procedure", ["MPI_Sendrecv", "MPI_Waitall"])
@pytest.mark.reported("verdict/eager")
def test_who_sends_and_receives_waits_for_the_sender(write: Writer, procedure: str) -> None:
    """Each side of a pair needs the message of the other: it proves nothing about sends, however large."""
    posted = {"MPI_Sendrecv": ("MPI_Sendrecv",) * 2, "MPI_Waitall": ("MPI_Isend", "MPI_Irecv")}[procedure]
    for step in range(9):
        sent = (1, True, 10.0 * step + 3, 2**20, posted[0])
        received = (1, False, 10.0 * step + 3, 2**20, posted[1])
        write.wait(0, procedure, 10.0 * step, 10.0 * step + 4, sent, received)
    write.calls(0, procedure, 36.0, 9)
    assert only(message_waits(write.connection), 0) == (pytest.approx(27.0), 0.0)


def test_a_send_is_blamed_on_the_sender_where_both_were_late_by_one_call(write: Writer) -> None:
    sends_that_wait(write, *[8192] * 3)
    write.calls(0, "MPI_Sendrecv", 4.0)
    both = [(1, True, 103.0, 8192, "MPI_Sendrecv"), (1, False, 103.0, 8192, "MPI_Sendrecv")]
    write.wait(0, "MPI_Sendrecv", 100.0, 104.0, *both)
    late = {wait.procedure: wait.late_sender_seconds for wait in message_waits(write.connection).waiting}
    assert late == {"MPI_Send": 0.0, "MPI_Sendrecv": 3.0}


def by_time(write: Writer, stretches: int, waits: Sequence[float]) -> None:
    """Add stretches of calls of 1 s each, of which so much was waiting, that numbers do not tell."""
    for stretch in range(stretches):
        for place, seconds in enumerate(waits):
            began = 100.0 * stretch + 2 * place
            message = (1, False, began + seconds, 8, "MPI_Recv")
            write.wait(0, "MPI_Recv", began, began + 1, message, sampled=0, stretch=stretch)


def test_the_sample_by_time_knows_what_numbers_do_not(write: Writer) -> None:
    write.calls(0, "MPI_Recv", 400.0, 400)
    by_time(write, 10, [0.5, 0.7])
    for step in range(50):  # one of their two messages is in the sample
        write.wait(0, "MPI_Recv", 2000.0 + step, 2001.0 + step, sampled=1, expected=2)
    (wait,) = message_waits(write.connection).waiting
    assert (wait.sampled, wait.certain, wait.percent_certain) == (20, 20, pytest.approx(100.0))
    assert wait.late_sender_seconds == pytest.approx(240.0)
    assert wait.error_seconds == pytest.approx(0.0, abs=1e-6)  # the stretches do not differ


def test_stretches_count_as_one_each(write: Writer) -> None:
    """Calls of one stretch that resemble one another tell no more than one of them would."""
    write.calls(0, "MPI_Recv", 400.0, 400)
    for stretch in range(10):
        for place in range(5):
            began = 100.0 * stretch + 2 * place
            seconds = 0.4 if stretch % 2 else 0.6
            message = (1, False, began + seconds, 8, "MPI_Recv")
            write.wait(0, "MPI_Recv", began, began + 1, message, sampled=0, stretch=stretch)
    (wait,) = message_waits(write.connection).waiting
    assert wait.late_sender_seconds == pytest.approx(200.0)
    # Student's t with 9 degrees of freedom; each sum of a stretch, eight times, is 4 s off.
    variance = (1 - 1 / 8) * 10 / 9 * 10 * (8 * 0.5) ** 2
    assert wait.error_seconds == pytest.approx(2.262 * variance**0.5, rel=1e-3)


def test_both_samples_count_where_both_know_as_much(write: Writer) -> None:
    write.calls(0, "MPI_Recv", 400.0, 400)
    by_time(write, 4, [0.5, 0.5])
    for step in range(8):
        began = 1000.0 + 3 * step
        write.wait(0, "MPI_Recv", began, began + 1, (1, False, began + 0.7, 8, "MPI_Recv"))
    (wait,) = message_waits(write.connection).waiting
    assert wait.sampled == 16
    assert wait.late_sender_seconds == pytest.approx(240.0)


def test_sums_are_of_the_exact_time(write: Writer) -> None:
    write.calls(0, "MPI_Recv", 100.0)
    for step in range(4):
        write.wait(0, "MPI_Recv", 10.0 * step, 10.0 * step + 2, (1, False, 10.0 * step + 1, 8, "MPI_Recv"))
    write.wait(0, "MPI_Recv", 50.0, 52.0, sampled=1, expected=1)  # nobody knows which message it was
    (wait,) = message_waits(write.connection).waiting
    assert wait.certain_seconds == pytest.approx(80.0)
    assert wait.late_sender_seconds == pytest.approx(40.0)
    assert wait.percent_certain == pytest.approx(80.0)
    assert (wait.sampled, wait.certain) == (5, 4)


def receives(write: Writer, *waited: float) -> None:
    """Add calls of 1 s each to the sample, of which that much was waiting."""
    for step, seconds in enumerate(waited):
        began = 5.0 * step
        write.wait(0, "MPI_Recv", began, began + 1, (1, False, began + seconds, 8, "MPI_Recv"))


def test_the_error_is_that_of_a_ratio(write: Writer) -> None:
    write.calls(0, "MPI_Recv", 40.0, 40)
    receives(write, *[0.6, 0.4] * 4)
    (wait,) = message_waits(write.connection).waiting
    # Half of 8 s: deviations of 0.1 and -0.1; 32 of 40 s are not in the sample, whose mean is the exact one.
    assert wait.late_sender_seconds == pytest.approx(20.0)
    assert wait.error_seconds == pytest.approx(1.96 * 5 * (0.8 * 8 / 7 * 8 * 0.01) ** 0.5)


@pytest.mark.parametrize(
    ("waited", "seconds", "error"),
    [
        # 800 s of calls that are not in the sample: a share was taken for waiting, and all may be.
        pytest.param(0.25, 840.0, 0.75 * 800, id="longer, mostly transfer"),
        pytest.param(0.75, 840.0, 0.75 * 800, id="longer, mostly waiting"),
        pytest.param(0.0, 840.0, 800.0, id="nothing was waited in the sample"),
        # 10 s less than expected may all be waiting that is not.
        pytest.param(0.25, 30.0, 0.75 * 10, id="shorter"),
        pytest.param(0.25, 40.0, 0.0, id="as expected"),
        # 40 s are expected, but there is only 1 s that is not in the sample.
        pytest.param(0.25, 9.0, 0.75, id="more than there is"),
    ],
)
def test_time_that_the_sample_does_not_explain(
    write: Writer, waited: float, seconds: float, error: float
) -> None:
    write.calls(0, "MPI_Recv", seconds, 40)
    receives(write, *[waited] * 8)
    waits = message_waits(write.connection)
    assert waits.waiting[0].error_seconds == pytest.approx(error)
    assert waits.error_seconds == pytest.approx(error)


def test_nothing_tells_how_calls_differ_from_the_only_one(write: Writer) -> None:
    write.calls(0, "MPI_Recv", 40.0, 40)
    receives(write, 0.25)
    # In the 39 s beside it all may be waiting.
    assert message_waits(write.connection).waiting[0].error_seconds == pytest.approx(0.75 * 39)


def test_clocks_of_nodes_may_be_off(write: Writer) -> None:
    write.calls(0, "MPI_Recv", 2.0)
    write.wait(0, "MPI_Recv", 0.0, 1.0, (1, False, 1.0, 8, "MPI_Recv"))
    write.wait(0, "MPI_Recv", 5.0, 6.0, (2, False, 6.0, 8, "MPI_Recv"))
    (wait,) = message_waits(write.connection).waiting
    assert wait.error_seconds == pytest.approx(0.125)  # of the wait for the rank on the other node


def test_blame_is_passed_on(write: Writer) -> None:
    # 0 computes until 8; 1 waits for it from 2 and sends at 8; 2 waits for 1 from 1.
    write.calls(1, "MPI_Recv", 6.0)
    write.calls(2, "MPI_Recv", 7.0)
    write.wait(1, "MPI_Recv", 2.0, 8.0, (0, False, 8.0, 8, "MPI_Recv"))
    write.wait(2, "MPI_Recv", 1.0, 8.0, (1, False, 8.0, 8, "MPI_Recv"))
    waits = message_waits(write.connection)
    passed = {(cause.rank, cause.waiter): cause.passed_on_seconds for cause in waits.caused}
    assert passed == {(0, 1): 0.0, (1, 2): pytest.approx(6.0)}
    origins = {
        origin.rank: (origin.directly_seconds, origin.origin_seconds, origin.longest_chain)
        for origin in waits.origins
    }
    assert origins == {0: (6.0, 12.0, 2), 1: (7.0, 1.0, 1), 2: (0.0, 0.0, 0)}
