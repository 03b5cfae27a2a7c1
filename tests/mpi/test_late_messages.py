"""Late senders and late receivers: our times beside those that the program measured in the same run."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import NamedTuple

import libraries
import pytest
from recording import Record, Recording

from rankwise.analysis.opened import opened_profile
from rankwise.analysis.waiting.messages import MessageWaits, message_waits

NEAR = 0.05
NEAR_SECONDS = 50e-6
MOST_INTERRUPTED = 2  # waits between whose two measurements the process lost its processor
CHAIN = 14


class Known(NamedTuple):
    """A wait: until when, and for whom."""

    kind: str
    other: int
    seconds: float
    began: float = 0.0


Waits = dict[tuple[int, str, int], list[Known]]  # by rank, procedure and tag


def by_own_clock(done: Recording) -> Waits:
    """What the program said."""
    waits: defaultdict[tuple[int, str, int], list[Known]] = defaultdict(list)
    for line in done.process.stdout.splitlines():
        match line.split():
            case ["wait", rank, procedure, tag, kind, other, seconds, began]:
                wait = Known(kind, int(other), float(seconds), float(began))
                waits[int(rank), procedure, int(tag)].append(wait)
    return waits


def recorded(done: Recording, wanted: Waits) -> Waits:
    """What the profile says of the same waits: the latest of the other sides."""
    rows = done.rows(
        """SELECT rank, procedures.name, tag, began, ended, sends, other_posted,
                  CASE WHEN sends THEN destination ELSE source END
           FROM waits JOIN procedures ON procedures.id = waits.procedure
           JOIN wait_messages ON wait = waits.id ORDER BY began, other_posted"""
    )
    by_wait: dict[tuple[int, str, int, float], Known] = {}
    for rank, procedure, tag, began, ended, sends, posted, other in rows:
        assert isinstance(began, float) and isinstance(ended, float) and isinstance(posted, float)
        key = (int(str(rank)), str(procedure), int(str(tag)))
        if key not in wanted or (procedure == "MPI_Sendrecv" and sends):
            continue
        waited = min(max(posted - began, 0.0), ended - began)
        by_wait[(*key, began)] = Known("receiver" if sends else "sender", int(str(other)), waited)
    waits: defaultdict[tuple[int, str, int], list[Known]] = defaultdict(list)
    for (*where, _), wait in by_wait.items():
        waits[where[0], where[1], where[2]].append(wait)
    return waits


def analysed(done: Recording) -> MessageWaits:
    with opened_profile(done.path) as connection:
        return message_waits(connection)


@pytest.fixture
def done(record: Record) -> Recording:
    return record("late_messages.c", 4)


@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name, indirect=True)
def test_waits_are_those_of_the_program(done: Recording) -> None:
    truth = by_own_clock(done)
    ours = recorded(done, truth)
    assert {key: len(waits) for key, waits in ours.items()} == {
        key: len(waits) for key, waits in truth.items()
    }
    wrong = [
        (key, true, measured)
        for key, waits in truth.items()
        for true, measured in zip(waits, ours[key], strict=True)
        if measured.seconds != pytest.approx(true.seconds, rel=NEAR, abs=NEAR_SECONDS)
        or (
            true.kind != "none"
            and true.seconds > NEAR_SECONDS
            and (measured.kind, measured.other) != (true.kind, true.other)
        )
    ]
    assert len(wrong) <= MOST_INTERRUPTED, wrong


@pytest.mark.exhaustive  # on a busy machine, who is late in a chain may be another one
@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name, indirect=True)
def test_sums_are_those_of_the_program(done: Recording) -> None:
    truth, analysis = by_own_clock(done), analysed(done)
    assert analysis.error_seconds == 0.0
    assert analysis.percent_certain == pytest.approx(100.0, abs=1.0)
    suffered: defaultdict[int, float] = defaultdict(float)
    count: defaultdict[int, int] = defaultdict(int)
    for (rank, _, _), waits in truth.items():
        suffered[rank] += sum(wait.seconds for wait in waits)
        count[rank] += len(waits)
    # The waits of 1 and 3 are all measured by the program.
    for origin in analysis.origins:
        if origin.rank in (1, 3):
            near = max(NEAR * suffered[origin.rank], NEAR_SECONDS * count[origin.rank])
            assert origin.suffered_seconds == pytest.approx(suffered[origin.rank], abs=near)
    # 2 and 3 wait in a chain that began with 0.
    chain = sum(wait.seconds for wait in truth[3, "MPI_Recv", CHAIN])
    (pair,) = [caused for caused in analysis.caused if (caused.rank, caused.waiter) == (2, 3)]
    assert pair.late_sender_seconds == pytest.approx(chain, rel=NEAR, abs=6 * NEAR_SECONDS)
    waits = (truth[rank, "MPI_Recv", CHAIN] for rank in (2, 3))
    both = sum(_overlap(two, three) for two, three in zip(*waits, strict=True))
    # More than both waited is passed on if 3 came to its wait later than 2: what each computed before it, or
    # lacked of a processor, does not count.
    near = NEAR * chain + 6 * NEAR_SECONDS
    assert both - near <= pair.passed_on_seconds <= pair.late_sender_seconds + near
    assert max(origin.longest_chain for origin in analysis.origins if origin.rank == 0) >= 2


def test_view_tells_who_was_late(done: Recording) -> None:
    shown = done.shown("--by", "waiting", "-v")
    for title in (
        "ranks that made others wait",
        "Who waited for messages, and where",
        "Waiting between pairs of ranks",
    ):
        assert title in shown
    answer = json.loads(done.shown("--by", "waiting", "--json"))["message_waits"]
    assert answer["percent_certain"] == pytest.approx(100.0, abs=1.0)
    assert {origin["rank"] for origin in answer["origins"]} == {0, 1, 2, 3}
    of_one = json.loads(done.shown("--by", "waiting", "--json", "--rank", "3"))["message_waits"]
    assert {row["rank"] for row in of_one["waiting"]} == {3}
    # Whom 3 waited for had been waiting itself, in calls that are not selected.
    (first,) = [origin for origin in of_one["origins"] if origin["rank"] == 0]
    assert first["directly_seconds"] == 0 < first["origin_seconds"]


def _overlap(wait: Known, other: Known) -> float:
    last = min(wait.began + wait.seconds, other.began + other.seconds)
    return max(last - max(wait.began, other.began), 0.0)
