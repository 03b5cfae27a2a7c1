"""Random traffic in which each message says which one it is: what is joined is the same message, always."""

from __future__ import annotations

import libraries
import pytest
from recording import Record, Recording

from rankwise.analysis.opened import opened_profile
from rankwise.analysis.waiting.messages import message_waits

RANKS, ROUNDS = 4, 150
SEEDS = (1, 2)
BURST = 20_000
THREADS, MESSAGES = 16, 60  # of programs/threads.c


def joined(done: Recording) -> list[tuple[object, ...]]:
    """Messages that a receive waited for: what they were taken for, and the bytes that it really got."""
    return done.rows(
        """SELECT source, destination, tag, number, bytes FROM wait_messages
           JOIN procedures ON procedures.id = procedure
           WHERE NOT sends AND procedures.name NOT IN ('MPI_Probe', 'MPI_Mprobe')"""
    )


def sent(done: Recording) -> dict[tuple[int, ...], int]:
    lines = [line.split() for line in done.process.stdout.splitlines()]
    return {
        tuple(map(int, words[1:5])): int(words[5])
        for words in lines
        if len(words) == 6 and words[0] == "sent"
    }


def percent_certain(done: Recording) -> float:
    with opened_profile(done.path) as connection:
        return message_waits(connection).percent_certain


@pytest.mark.each_value
@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name, indirect=True)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cancels", [0, 1])
def test_no_wrong_match(record: Record, seed: int, cancels: int) -> None:
    done = record("numbered_messages.c", RANKS, str(seed), str(ROUNDS), "0", str(cancels))
    truth, matches = sent(done), joined(done)
    wrong = [row for row in matches if truth[tuple(map(int, map(str, row[:4])))] != row[4]]
    assert wrong == []
    streams = {key[:3] for key in truth}
    assert len(matches) > (len(truth) / 2 if not cancels else len(streams) / 2)


@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name, indirect=True)
def test_long_streams_are_sampled(record: Record) -> None:
    done = record("numbered_messages.c", RANKS, "3", "0", str(BURST), "0")
    truth, matches = sent(done), joined(done)
    assert [row for row in matches if truth[tuple(map(int, map(str, row[:4])))] != row[4]] == []
    numbers = sorted(int(str(row[3])) for row in matches)
    # At least a quarter of the room for them, and from everywhere in the run: half of it goes by number.
    assert 256 <= len(numbers) <= 1024
    quarters = [sum(number // (BURST // 4) == quarter for number in numbers) for quarter in range(4)]
    assert min(quarters) >= 128 / 4
    assert percent_certain(done) > 99


def test_threads_with_streams_of_their_own(record: Record) -> None:
    """programs/threads.c: message i of thread t has i + 10 t + 100 x rank bytes; each has a communicator."""
    done = record("threads.c", 2)
    if "not provided" in done.process.stdout:
        pytest.skip("no MPI_THREAD_MULTIPLE")
    receives = done.rows(
        """SELECT communicator, source, tag, bytes FROM wait_messages
           JOIN procedures ON procedures.id = wait_messages.procedure
           JOIN communicators ON communicators.id = communicator
           WHERE NOT sends AND procedures.name = 'MPI_Irecv' AND communicators.name <> 'W'"""
    )
    of_thread: dict[object, set[int]] = {}
    for communicator, *numbers in receives:
        source, tag, size = (int(str(number)) for number in numbers)
        of_thread.setdefault(communicator, set()).add(size - tag - 100 * source)
    assert len(of_thread) == THREADS
    assert sorted(*zip(*of_thread.values(), strict=True)) == [10 * thread for thread in range(THREADS)]
    # (They nearly fill the sample: it is thinned out where more sends than usual have to wait.)
    assert THREADS * MESSAGES / 2 <= len(receives) <= 2 * THREADS * MESSAGES
