"""Why a job stands still: worlds made up rank by rank, so that the answer is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import hung_profiles
import pytest

from golden import Golden
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.hangs.find import find_hang
from rankwise.analysis.hangs.graph import stuck, way
from rankwise.analysis.hangs.model import Hang
from rankwise.analysis.hangs.waits import Counts, Standing
from rankwise.analysis.last_calls import INSIDE, NO_COUNTERS, OUTSIDE, POLLS, Place
from rankwise.analysis.opened import opened_profile
from rankwise.diagnosis.make import make_diagnosis
from rankwise.findings.search import findings
from rankwise.profile.join.waiting import ALL, ANY, SEVERAL, OpenMessage, Partner
from rankwise.text.hang import hang_text

W, OTHER = 3, 4
NAMES = {W: "W", OTHER: "W_d1"}
HELD_S = 20.0


def inside(
    procedure: str,
    source: tuple[int, int | None] | None = None,
    to: tuple[int, int | None] | None = None,
    on: int | None = W,
    seconds: float = HELD_S,
) -> Place:
    return Place(
        INSIDE,
        procedure,
        on,
        None,
        seconds,
        Partner(*source) if source else None,
        Partner(*to) if to else None,
    )


def receives(source: int, tag: int = 7) -> Place:
    return inside("MPI_Recv", source=(source, tag))


BARRIER = inside("MPI_Barrier")
COMPUTES = Place(OUTSIDE, seconds=HELD_S)


def hang(
    places: Sequence[Place],
    messages: Sequence[OpenMessage] = (),
    counts: Counts | None = None,
    ended: Sequence[int] = (),
    threaded: Sequence[int] = (),
    vague: Sequence[int] = (),
    members: str = "",
) -> Hang | None:
    everyone = members or f"0-{len(places) - 1}"
    standing = Standing(
        dict(enumerate(places)),
        {W: everyone, OTHER: everyone},
        counts or {},
        messages,
        *(frozenset(ended), frozenset(threaded), frozenset(vague)),
    )
    return find_hang(standing, NAMES)


def hang_of(places: Sequence[Place], *more: object, **others: object) -> Hang:
    answer = hang(places, *more, **others)  # type: ignore[arg-type]
    assert answer is not None
    return answer


def ring(of: Hang) -> list[tuple[str, str]]:
    """Who waits for whom."""
    return [(step.ranks, step.waits_for) for step in of.steps]


def test_a_cycle_of_two() -> None:
    answer = hang_of([COMPUTES, receives(2), receives(1)])
    assert (answer.kind, answer.is_deadlock, answer.is_certain, answer.root) == ("cycle", True, True, "1-2")
    assert ring(answer) == [("1", "2"), ("2", "1")]
    assert answer.lost_seconds == pytest.approx(2 * HELD_S)


def test_a_cycle_of_three_and_those_who_wait_for_it() -> None:
    answer = hang_of([receives(1), receives(3), receives(1), receives(2), receives(0)])
    assert (answer.kind, answer.root, answer.waiting) == ("cycle", "1-3", "0-4")
    assert ring(answer) == [("1", "3"), ("3", "2"), ("2", "1")]


def test_a_rank_that_waits_for_itself() -> None:
    answer = hang_of([receives(0), COMPUTES])
    assert (answer.kind, answer.root, ring(answer)) == ("cycle", "0", [("0", "0")])


def test_synchronous_sends_to_each_other() -> None:
    answer = hang_of([inside("MPI_Ssend", to=(1, 5)), inside("MPI_Ssend", to=(0, 5))])
    assert (answer.kind, [step.what for step in answer.steps]) == ("cycle", ["receive", "receive"])


def test_an_exchange_is_no_cycle() -> None:
    both = [inside("MPI_Sendrecv", source=(other, 1), to=(other, 1)) for other in (1, 0)]
    assert hang(both) is None
    assert hang([inside("MPI_Send", to=(1, 4)), receives(0, 4)]) is None


def test_an_exchange_with_different_tags_is_one() -> None:
    places = [
        inside("MPI_Sendrecv", source=(1, 1), to=(1, 1)),
        inside("MPI_Sendrecv", source=(0, 2), to=(0, 2)),
    ]
    assert hang_of(places).kind == "cycle"


def test_a_wrong_tag() -> None:
    answer = hang_of([receives(1, 7), BARRIER, BARRIER], [OpenMessage(1, 0, W, 8, 3, 1)])
    assert (answer.kind, answer.is_certain) == ("unmatched", True)
    [left] = answer.steps[0].found
    assert (left.source, left.destination, left.communicator, left.tag) == (1, 0, "W", 8)
    assert left.sent - left.received == 2


def test_a_wrong_communicator() -> None:
    answer = hang_of([receives(1, 7), BARRIER], [OpenMessage(1, 0, OTHER, 7, 1, 0)])
    assert (answer.kind, answer.steps[0].found[0].communicator) == ("unmatched", "W_d1")


def test_a_message_that_is_there_is_not_lacking() -> None:
    answer = hang_of([receives(1, 7), BARRIER], [OpenMessage(1, 0, W, 7, 1, 0)])
    assert (answer.kind, answer.is_deadlock, answer.root) == ("unknown", False, "0")


def test_what_was_not_counted_is_not_certain() -> None:
    for vague in (OpenMessage(1, ALL, None, None, None, None), OpenMessage(1, 0, W, 5, None, None)):
        answer = hang_of([receives(1), receives(0)], [vague])
        assert (answer.is_deadlock, answer.is_certain) == (True, False)
    # What seems to be left over may have been taken.
    vague = [OpenMessage(ALL, 0, None, None, None, None), OpenMessage(1, 0, W, 8, 1, 0)]
    answer = hang_of([receives(1), receives(0)], vague)
    assert (answer.kind, answer.steps[0].found) == ("cycle", [])


def test_a_member_that_computes_is_no_deadlock() -> None:
    answer = hang_of([BARRIER, COMPUTES, BARRIER, BARRIER])
    assert (answer.kind, answer.is_deadlock, answer.root, answer.waiting) == (
        "computing",
        False,
        "1",
        "0,2-3",
    )
    assert ring(answer) == [("0,2-3", "1"), ("1", "")]


def test_two_members_that_compute() -> None:
    answer = hang_of([BARRIER, COMPUTES, COMPUTES, BARRIER, BARRIER])
    assert (answer.root, answer.steps[-1].ranks) == ("1-2", "1-2")


def test_a_member_that_polls() -> None:
    answer = hang_of([BARRIER, Place(POLLS, "MPI_Test", W), BARRIER])
    assert (answer.kind, answer.is_deadlock, answer.root) == ("polling", False, "1")


def test_a_member_of_which_nothing_is_known() -> None:
    answer = hang_of([BARRIER, inside("MPI_Win_flush"), BARRIER])
    assert (answer.kind, answer.is_deadlock, answer.root) == ("unknown", False, "1")


def test_a_member_that_waits_elsewhere() -> None:
    answer = hang_of([BARRIER, receives(0), BARRIER])
    assert (answer.kind, answer.root) == ("cycle", "0-2")
    assert ring(answer) == [("0,2", "1"), ("1", "0")]


def test_the_way_leads_to_the_root() -> None:
    """Ranks 0 and 1 are in a barrier for 2, which waits for 3, which computes."""
    answer = hang_of([BARRIER, BARRIER, receives(3), COMPUTES])
    assert (answer.kind, answer.root, answer.waiting) == ("computing", "3", "0-2")
    assert ring(answer) == [("0-1", "2-3"), ("3", "")]
    counted = {(W, "MPI_Barrier"): {0: 4, 1: 4, 2: 4, 3: 5}}  # rank 3 was in this one
    assert ring(hang_of([BARRIER, BARRIER, receives(3), COMPUTES], counts=counted)) == [
        ("0-1", "2"),
        ("2", "3"),
        ("3", ""),
    ]


def test_different_collectives() -> None:
    answer = hang_of([BARRIER, inside("MPI_Bcast"), inside("MPI_Bcast")])
    assert (answer.kind, answer.is_deadlock, answer.root) == ("mismatch", True, "0-2")
    assert ring(answer) == [("0", "1-2"), ("1-2", "0")]


def test_a_root_that_has_left_is_not_missing() -> None:
    """Rank 0 is through with the broadcast, and waits for the others in the barrier after it."""
    counts = {(W, "MPI_Bcast"): {0: 6, 1: 5, 2: 5}, (W, "MPI_Barrier"): {0: 1, 1: 1, 2: 1}}
    assert hang([BARRIER, inside("MPI_Bcast"), inside("MPI_Bcast")], counts=counts) is None
    answer = hang_of([BARRIER, inside("MPI_Bcast"), COMPUTES], counts=counts)
    assert (answer.kind, answer.waiting, answer.root) == ("computing", "0-1", "2")


def test_a_rank_that_has_ended() -> None:
    answer = hang_of([receives(1), COMPUTES, receives(0)], ended=[1])
    assert (answer.kind, answer.is_deadlock, answer.root, answer.waiting) == ("ended", True, "1", "0,2")
    assert ring(answer)[-1] == ("1", "")


def test_a_rank_that_is_in_finalize() -> None:
    answer = hang_of([receives(1), inside("MPI_Finalize", on=None)])
    assert (answer.kind, answer.root) == ("ended", "0-1")
    assert answer.lost_seconds == pytest.approx(HELD_S)  # the other one is no part of the run


def test_a_waitall_with_several_sources() -> None:
    """Of 1, 2 and 3, number 2 has not sent all."""
    messages = [OpenMessage(2, 0, W, 4, 1, 2)]
    answer = hang_of([inside("MPI_Waitall", source=(SEVERAL, None)), BARRIER, BARRIER, BARRIER], messages)
    assert ring(answer)[0] == ("0", "2")
    assert (answer.steps[0].what, answer.steps[0].tag, answer.is_certain) == ("message", 4, True)


def test_a_waitany_needs_one_of_them() -> None:
    messages = [OpenMessage(source, 0, W, 4, 0, 1) for source in (1, 2)]
    waits = inside("MPI_Waitany", source=(SEVERAL, 4))
    assert hang_of([waits, COMPUTES, receives(0)], messages).is_deadlock is False
    answer = hang_of([waits, receives(0), receives(0)], messages)
    assert (answer.is_deadlock, answer.steps[0].any) == (True, True)


def test_a_receive_from_any_source() -> None:
    anybody = inside("MPI_Recv", source=(ANY, 99))
    answer = hang_of([BARRIER, anybody, BARRIER])
    assert (answer.is_deadlock, answer.root) == (True, "0-2")
    assert (answer.steps[1].ranks, answer.steps[1].waits_for, answer.steps[1].any) == ("1", "0,2", True)
    assert hang_of([anybody, anybody, anybody]).root == "0-2"
    assert hang([anybody, COMPUTES, COMPUTES]) is None  # one of many: it is on its way
    answer = hang_of([anybody, BARRIER, BARRIER], [OpenMessage(2, 0, W, 99, 1, 0)])
    assert (answer.kind, answer.is_deadlock) == ("unknown", False)


def test_a_nonblocking_collective_without_a_member() -> None:
    counts = {(W, "MPI_Iallreduce"): {0: 5, 1: 5, 2: 4, 3: 5}}
    waits = inside("MPI_Wait")
    answer = hang_of([waits, waits, COMPUTES, waits], counts=counts)
    assert (answer.kind, answer.root) == ("computing", "2")
    assert (answer.steps[0].ranks, answer.steps[0].collective) == ("0-1,3", "MPI_Iallreduce")


@pytest.mark.parametrize(
    "places",
    [
        [COMPUTES] * 4,  # a long computation
        [BARRIER] * 4,  # all have come
        [BARRIER, COMPUTES, COMPUTES, COMPUTES],  # one is a bit early
        [inside("MPI_Barrier", seconds=0.3), COMPUTES, inside("MPI_Barrier", seconds=0.3)],
        [inside("MPI_Win_flush")] * 3,
    ],
)
def test_a_job_that_was_on_its_way(places: Sequence[Place]) -> None:
    assert hang(places) is None


def test_a_sentence_of_a_long_way_is_cut(golden: Golden) -> None:
    answer = hang_of([*(receives(rank + 1) for rank in range(50)), COMPUTES])
    assert (answer.kind, answer.root) == ("computing", "50")
    golden.says(hang_text(answer), "0 .. 1 .. 50 .. 20.0 s")


def test_a_long_ring_is_cut() -> None:
    size = 100
    answer = hang_of([receives((rank + 1) % size) for rank in range(size)])
    assert (answer.root, answer.more_steps + len(answer.steps)) == ("0-99", size)
    assert len(answer.steps) < size


def test_many_ranks_take_no_time_each() -> None:
    size = 20_000
    answer = hang_of([BARRIER] * (size - 1) + [receives(0)])
    assert (answer.kind, answer.waiting) == ("cycle", f"0-{size - 1}")
    answer = hang_of([inside("MPI_Recv", source=(ANY, 1))] * size)
    assert (answer.kind, answer.root) == ("cycle", f"0-{size - 1}")


@pytest.mark.parametrize(
    ("waits", "any_of", "goes_on"),
    [
        ({0: [1], 1: []}, set(), {0, 1}),
        ({0: [1], 1: [0], 2: []}, set(), {2}),
        ({0: [1, 2], 1: [0], 2: []}, set(), {2}),
        ({0: [1, 2], 1: [0], 2: []}, {0}, {0, 1, 2}),
        ({0: [1, 2], 1: [0], 2: [1]}, {0}, set()),
    ],
)
def test_who_is_stuck(waits: Mapping[int, list[int]], any_of: set[int], goes_on: set[int]) -> None:
    assert stuck(waits, any_of.__contains__, lambda _: False) == set(waits) - goes_on


def test_the_shortest_way() -> None:
    waits = {0: [1, 2], 1: [3], 2: [0], 3: [0]}
    assert way(0, (0,), waits, set(waits)) == [0, 2, 0]
    assert way(1, (2,), waits, set(waits)) == [1, 3, 0, 2]


def test_a_profile_of_a_run_that_hung(tmp_path: Path) -> None:
    with opened_profile(hung_profiles.wrong_tag(tmp_path / "a.rankwise")) as connection:
        seen = Evidence(connection)
        answer, result = seen.hang, findings(seen)
        sentence = make_diagnosis(seen).verdict
    assert answer is not None
    assert (answer.kind, answer.is_deadlock, answer.is_certain) == ("unmatched", True, True)
    assert answer.seconds == pytest.approx(hung_profiles.HUNG_S)
    assert answer.lost_seconds == pytest.approx(4 * hung_profiles.HUNG_S)
    # The time in the hang weighs: it is the first finding, and the verdict.
    first = result.found[0]
    assert first.finding.rule == "hang"
    assert first.saved_percent_of_run == pytest.approx(100 * hung_profiles.HUNG_S / hung_profiles.RUN_S)
    assert answer.steps[0].found[0].tag == 8
    assert "tag 8" in sentence
    assert seen.efficiency is not None
    assert seen.efficiency.parallel == pytest.approx(1 - hung_profiles.HUNG_S / hung_profiles.RUN_S, abs=1e-3)


def test_the_time_of_a_hang_is_waiting(tmp_path: Path) -> None:
    """All four ranks wait at its end, which is no sample of who was late before."""
    with opened_profile(hung_profiles.wrong_tag(tmp_path / "a.rankwise")) as connection:
        seen = Evidence(connection)
        diagnosis, time = make_diagnosis(seen), seen.time_in_mpi
    assert time.hang_seconds == pytest.approx(4 * hung_profiles.HUNG_S)
    assert time.waiting_seconds == pytest.approx(4 * hung_profiles.HUNG_S + 3 * 0.05)
    assert time.unknown_seconds == pytest.approx(0.0, abs=1e-6)
    shares = {part.name: part.percent_of_run for part in diagnosis.parts}
    assert shares["waiting"] == pytest.approx(100 * time.waiting_seconds / (4 * hung_profiles.RUN_S))
    assert time.is_mostly_unknown
    assert not diagnosis.late.most
    assert seen.late is None


def test_a_time_limit_in_a_long_computation(tmp_path: Path) -> None:
    with opened_profile(hung_profiles.long_computation(tmp_path / "a.rankwise")) as connection:
        seen = Evidence(connection)
        assert seen.hang is None
        assert [entry for entry in findings(seen).found if entry.finding.rule == "hang"] == []


@pytest.mark.parametrize(
    ("gone", "kind"), [("2026-11-21T10:01:00+00:00", "ended"), ("2026-11-21T10:02:40+00:00", "computing")]
)
def test_a_rank_that_was_gone_before_the_others(gone: str, kind: str) -> None:
    made = hung_profiles.ended(*[("MPI_Barrier", None, None)] * 3)
    made.connection.execute("UPDATE ranks SET gone = ? WHERE rank = 3", (gone,))
    answer = made.seen.hang
    assert answer is not None
    assert (answer.kind, answer.root) == (kind, "3")
    assert answer.steps[-1].state == ("gone" if kind == "ended" else "outside")


def test_another_thread_may_do_what_is_lacking() -> None:
    answer = hang_of([receives(1), receives(0)], threaded=[1])
    assert (answer.kind, answer.is_deadlock, answer.root) == ("unknown", False, "1")


def test_calls_that_were_not_recorded_are_not_counted_on() -> None:
    answer = hang_of([BARRIER, inside("MPI_Bcast")], vague=[0])
    assert (answer.is_deadlock, answer.is_certain) == (True, False)


@pytest.mark.parametrize(("seconds", "is_hang"), [(2.0, False), (9.0, False), (11.0, True)])
def test_what_is_not_proven_must_last(seconds: float, is_hang: bool) -> None:
    """Neighbours that exchange messages wait for each other in each step, on busy processors for seconds."""
    places = [inside("MPI_Recv", source=(other, 7), seconds=seconds) for other in (1, 0)]
    answer = hang(places, [OpenMessage(1, 0, W, 5, None, None)])
    assert (answer is not None) == is_hang
    assert answer is None or (answer.is_deadlock, answer.is_certain) == (True, False)
    proven = hang(places)
    assert proven
    assert proven.is_certain


def test_who_has_left_no_counters_may_send() -> None:
    anybody, unknown = inside("MPI_Recv", source=(ANY, 5)), Place(NO_COUNTERS)
    assert hang([anybody, anybody, unknown]) is not None
    assert hang_of([anybody, anybody, unknown]).is_deadlock is False
    answer = hang([anybody, BARRIER, BARRIER], members="0-2,?")
    assert answer is not None
    assert answer.is_deadlock is False
