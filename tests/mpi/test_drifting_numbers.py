"""Calls whose messages have numbers that differ, and pairs that exchange: waits as the program has them."""

from __future__ import annotations

import json

import libraries
import pytest
from recording import Record, Recording

from rankwise.analysis.opened import opened_profile
from rankwise.analysis.waiting.messages import MessageWaits, RankWaits, message_waits

STEPS = 4000
AROUND = 1e-6  # seconds a step, between what the program measures and the call
SURELY = 2  # times the error, which holds in 95 % of the cases: there are dozens here
TRIES = 4
CLOCK = 0.02  # of the time in the calls: the program measures around them


def analysed(done: Recording) -> MessageWaits:
    with opened_profile(done.path) as connection:
        return message_waits(connection)


@pytest.mark.each_value
@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
@pytest.mark.parametrize(("extra", "ratio"), [(0, 1), (1, 1), (2, 1), (7, 1), (1000, 1), (0, 3), (5, 3)])
@pytest.mark.reported("verdict/drift")
def test_waits_are_those_of_the_program(record: Record, extra: int, ratio: int) -> None:
    """In each job; and in one of them enough is certain for this to say something.

    (Where processors are shared, stretches may be shorter than the time that one is taken away.)
    """
    for _ in range(TRIES):
        done = record("drift.c", 2, str(STEPS), str(extra), str(ratio))
        row = compared(done)
        done.path.unlink()
        if row.certain >= max(0.2 * row.sampled, 8):
            return
    pytest.fail(f"too little is certain: {row}")


def compared(done: Recording) -> RankWaits:
    """Assert that the waits are as the program has them; return the waits of rank 1."""
    lines = [line.split() for line in done.process.stdout.splitlines()]
    truth = {int(words[1]): tuple(map(float, words[2:])) for words in lines if words[:1] == ["waited"]}
    rows = {row.rank: row for row in analysed(done).waiting if row.procedure == "MPI_Waitall"}
    assert rows.keys() == truth.keys() == {0, 1}
    for rank, (waited, seconds) in truth.items():
        row = rows[rank]
        not_known = row.seconds - row.certain_seconds
        off = abs(row.late_sender_seconds - waited)
        assert off <= SURELY * row.error_seconds + not_known + CLOCK * seconds + STEPS * AROUND
        assert row.late_receiver_seconds == 0.0
    return rows[1]


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
@pytest.mark.reported("verdict/eager")
def test_pairs_that_exchange_wait_for_senders(record: Record) -> None:
    done = record("pair_exchange.c", 2, "200", "8")
    waits = analysed(done)
    assert waits.late_receiver_seconds == 0.0
    assert waits.late_sender_seconds > 0.1
    answer = json.loads(done.shown("--json"))
    assert "eager-threshold" not in {finding["rule"] for finding in answer.get("findings", ())}
