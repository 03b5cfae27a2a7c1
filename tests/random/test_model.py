"""The model on programs that are short enough to be counted by hand."""

from __future__ import annotations

from generator.communicator import Comm
from generator.instructions import ANY_TAG, PROC_NULL, call
from generator.program import Creation, Program, Step
from model.expectation import CallKey, Expectation, MessageKey
from model.walk import expect

INT = 10
ALL = "(whole program)"


def expected(step: Step, polls: dict[tuple[int, int], list[tuple[int, int]]] | None = None) -> Expectation:
    return expect([Program(0, 3, (step,), {INT: 4})], polls or {})


def test_a_message_is_booked_where_it_was_sent_and_where_it_was_received() -> None:
    step = Step("by hand")
    sent = {"comm": 0, "tag": 5, "count": 7, "type": INT}
    step.add(0, call("Send", **sent, dest=2))
    step.add(0, call("Send", **sent, dest=PROC_NULL))
    step.add(2, call("Irecv", 28, **{**sent, "count": 100, "tag": ANY_TAG}, source=0, request=1))
    step.add(2, call("Wait", request=1, ignore=True))
    booked = expected(step)
    assert booked.messages == {MessageKey(0, 2, "W", "point-to-point", "MPI_Send"): [1, 28]}
    assert booked.calls[CallKey(0, "W", ALL, "MPI_Send", 5)] == [1, 28, 0]
    assert booked.calls[CallKey(0, "W", ALL, "MPI_Send", 0)] == [1, 0, 0]
    assert booked.calls[CallKey(2, "W", ALL, "MPI_Irecv", 5)] == [1, 0, 28]
    assert booked.calls[CallKey(2, "W", ALL, "MPI_Wait", 0)] == [1, 0, 0]
    assert sum(row[0] for row in booked.calls.values()) == 4 + 2 * 3  # every rank's MPI_Init and MPI_Finalize


def test_a_root_contributes_for_all_others() -> None:
    step = Step("by hand")
    for rank in range(3):
        step.add(rank, call("Bcast", comm=0, count=5, type=INT, root=1, request=-1))
    calls = expected(step).calls
    assert [calls[CallKey(rank, "W", ALL, "MPI_Bcast", 5)] for rank in range(3)] == [
        [1, 0, 0],
        [1, 40, 0],
        [1, 0, 0],
    ]


def test_polling_calls_are_those_that_the_interpreter_made() -> None:
    step = Step("by hand")
    step.add(0, call("Barrier", comm=1, request=1))
    step.add(0, call("Test", requests=[1], ignore=False))
    calls = expected(step, {(0, 1): [(1, 9)]}).calls
    assert calls[CallKey(0, "S.0", ALL, "MPI_Test", 0)] == [9, 0, 0]
    assert calls[CallKey(0, "S.0", ALL, "MPI_Ibarrier", 0)] == [1, 0, 0]


def test_the_parts_of_a_split_are_called_after_their_leaders() -> None:
    parts = [Comm(20, (2, 0)), Comm(21, (1,))]
    step = Step("by hand", creations=[Creation("Comm_split", 0, parts)])
    communicators = expected(step).communicators
    assert communicators["W_s1.2"].members == (2, 0)
    assert communicators["W_s1.1"].members == (1,)


def test_requests_of_two_communicators_may_have_one_handle() -> None:
    step = Step("by hand")
    for number, comm in ((1, 0), (2, 1)):
        sent = {"comm": comm, "dest": 0, "tag": 0, "count": 1, "type": INT}
        step.add(0, call("Isend", **sent, request=number))
    step.add(0, call("Wait", request=1, ignore=True))
    step.add(0, call("Wait", request=2, ignore=True))
    assert expected(step).either == {
        CallKey(0, "W", ALL, "MPI_Wait", 0): 1,
        CallKey(0, "S.0", ALL, "MPI_Wait", 0): 1,
    }


def test_nothing_is_booked_in_a_pause() -> None:
    step = Step("by hand")
    sent = {"comm": 0, "dest": 1, "tag": 0, "count": 1, "type": INT}
    step.add(0, call("Pcontrol", level=0, region=-1))
    step.add(0, call("Send", **sent))
    step.add(0, call("Pcontrol", level=1, region=2))
    step.add(0, call("Pcontrol", level=1, region=3))
    step.add(0, call("Send", **sent))
    booked = expected(step)
    assert booked.calls[CallKey(0, "W", "region 3", "MPI_Send", 3)] == [1, 4, 0]
    assert list(booked.messages.values()) == [[1, 4]]
    assert (0, "region 2") not in booked.entries


def test_one_sided_messages_go_the_way_of_the_data() -> None:
    step = Step("by hand")
    step.add(1, call("Win_create", comm=0, slots=3, win=30))
    where = {"win": 30, "target": 2, "type": INT}
    step.add(1, call("Put", **where, slot=0, count=5))
    step.add(1, call("Get", **where, slot=1, count=6))
    step.add(1, call("Compare_and_swap", **where, slot=2))
    step.add(1, call("Put", **{**where, "target": PROC_NULL}, slot=2, count=9))
    booked = expected(step)
    assert booked.messages == {
        MessageKey(1, 2, "W_w1", "one-sided", "MPI_Put"): [1, 20],
        MessageKey(2, 1, "W_w1", "one-sided", "MPI_Get"): [1, 24],
        MessageKey(1, 2, "W_w1", "one-sided", "MPI_Compare_and_swap"): [1, 8],
        MessageKey(2, 1, "W_w1", "one-sided", "MPI_Compare_and_swap"): [1, 4],
    }
    assert booked.calls[CallKey(1, "W", ALL, "MPI_Win_create", 0)] == [1, 0, 0]
    assert booked.calls[CallKey(1, "W_w1", ALL, "MPI_Put", 5)] == [1, 20, 0]
    assert booked.calls[CallKey(1, "W_w1", ALL, "MPI_Put", 0)] == [1, 0, 0]
    assert booked.calls[CallKey(1, "W_w1", ALL, "MPI_Get", 5)] == [1, 0, 24]
    assert booked.calls[CallKey(1, "W_w1", ALL, "MPI_Compare_and_swap", 4)] == [1, 8, 4]
