"""Waiting in collectives: programs/waiting.c, whose processes note when they come and leave, on every MPI."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from libraries import Mpi
from recording import Record, Recording

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.waiting.collectives import Waiting, waiting
from rankwise.analysis.waiting.instances import waits
from rankwise.analysis.waiting.messages import message_waits
from rankwise.analysis.waiting.sample import sampled
from rankwise.findings.late import late
from rankwise.findings.search import findings

RANKS = 4
RELATIVE, ABSOLUTE_S = 0.05, 50e-6  # that two measurements of a call may differ by: the larger one counts

SLEPT_S = 20 * 0.015  # by the rank that delays the others in the steps with two kinds of waits

RECORDED: dict[tuple[str, str], Recording] = {}  # once for all tests here
_STEPS = ("one", "turns", "root", "others", "lower", "all")


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if (mpi.name, "") not in RECORDED:
        RECORDED[mpi.name, ""] = record("waiting.c", RANKS, *_STEPS)
    return RECORDED[mpi.name, ""]


class Told(NamedTuple):
    """What programs/waiting.c says of a rank in the calls of a procedure on a communicator."""

    calls: int
    seconds: float
    waited: float
    caused: float
    saved: float
    last: int


def told(done: Recording) -> dict[tuple[str, str], dict[int, Told]]:
    """What the program says, by procedure and communicator, and rank."""
    by_call: dict[tuple[str, str], dict[int, Told]] = {}
    for line in done.process.stdout.splitlines():
        procedure, communicator, rank, calls, *seconds, last = line.split()
        by_call.setdefault((procedure, communicator), {})[int(rank)] = Told(
            int(calls), *map(float, seconds), int(last)
        )
    return by_call


def measured(done: Recording) -> dict[tuple[str, str], dict[int, float]]:
    """What each rank waited in the kept instances, likewise."""
    names = dict(done.rows("SELECT id, COALESCE(NULLIF(user_name, ''), name) FROM communicators"))
    with done.database as database:
        return {
            (calls.procedure, str(names[calls.communicator])): dict(
                zip(calls.ranks.tolist(), waits(calls).seconds.sum(axis=0).tolist(), strict=True)
            )
            for calls in sampled(database)
        }


def analysed(done: Recording) -> Waiting:
    with done.database as database:
        return waiting(database)


def assert_alike(ours: float, theirs: float, calls: int) -> None:
    assert abs(ours - theirs) <= max(RELATIVE * theirs, ABSOLUTE_S * calls), (ours, theirs)


def test_each_rank_waits_as_the_program_says(done: Recording) -> None:
    truth, ours = told(done), measured(done)
    assert len(truth) == 16
    for what, ranks in truth.items():
        assert ours[what].keys() == ranks.keys()
        for rank, expected in ranks.items():
            assert_alike(ours[what][rank], expected.waited, expected.calls)


def test_nothing_is_left_to_chance_in_few_calls(done: Recording) -> None:
    # All instances are kept: no estimate is needed, and none is made.
    analysis = analysed(done)
    assert analysis.inconsistent == 0
    assert analysis.clock_error_seconds == 0
    measured_here = {procedure for procedure, communicator in told(done) if communicator == "W"}
    rows = {row.procedure: row for row in analysis.families if row.communicator == "W"}
    assert rows.keys() == measured_here
    for row in rows.values():
        assert row.kept == row.instances
        assert row.waiting.error_seconds == 0
        assert row.seconds == pytest.approx(row.waiting.seconds + row.transfer_seconds)
        truth = told(done)[row.procedure, "W"].values()
        assert_alike(row.waiting.seconds, sum(report.waited for report in truth), row.instances)


def test_the_late_rank_is_named(done: Recording) -> None:
    rows = {row.procedure: row for row in analysed(done).families if row.communicator == "W"}
    truth = {
        procedure: ranks for (procedure, communicator), ranks in told(done).items() if communicator == "W"
    }
    for procedure, ranks in truth.items():
        row, all_of_them = rows[procedure], sum(report.last for report in ranks.values())
        # (Two may come so close that either is the last.)
        assert row.last_percent == pytest.approx(100 * ranks[row.last_rank].last / all_of_them, abs=10)
    assert rows["MPI_Allreduce"].last_rank == 1
    # All are late in turns.
    assert rows["MPI_Barrier"].last_percent < 60
    # What it made the others wait alone: they would have come together, but for what else delayed them.
    saved = sum(report.saved for report in truth["MPI_Allreduce"].values())
    assert_alike(rows["MPI_Allreduce"].could_save_seconds, saved, rows["MPI_Allreduce"].instances)


@pytest.mark.each_family
@pytest.mark.parametrize(
    ("step", "late"),
    [("posted", {1: 2, 2: 1}), ("fence", {1: 1}), ("file", {1: 1})],
    ids=lambda value: str(value),
)
def test_waiting_in_what_was_posted_and_on_windows_and_files(
    record: Record, step: str, late: dict[int, int]
) -> None:
    """Arrivals are those at the posts; who waits does so when it completes them."""
    done = record("waiting.c", 3, step)
    truth, ours = told(done), measured(done)
    for what, ranks in truth.items():
        (own,) = [seconds for (procedure, _), seconds in ours.items() if procedure == what[0]]
        for rank, expected in ranks.items():
            assert_alike(own[rank], expected.waited, expected.calls)
    analysis = analysed(done)
    rows = {row.procedure: row for row in analysis.families}
    for (procedure, _), ranks in truth.items():
        row = rows[procedure]
        assert_alike(row.waiting.seconds, sum(report.waited for report in ranks.values()), row.instances)
        assert row.last_rank == max(ranks, key=lambda rank: ranks[rank].caused)
    causes = {row.rank: row for row in analysis.ranks}
    for rank, number in late.items():
        # (In each of 20 calls two others wait for it; they sleep 2 ms of its 15.)
        assert causes[rank].computing_seconds > 0.5 * number * 20 * 2 * 0.013
    with done.database as database:
        time = Evidence(database).time_in_mpi
    waited = sum(report.waited for ranks in truth.values() for report in ranks.values())
    assert time.waiting_seconds >= waited - ABSOLUTE_S * analysis.instances - RELATIVE * waited
    known = sum(rows[procedure].seconds for procedure, _ in truth)
    assert time.unknown_seconds <= (1 + RELATIVE) * (time.seconds - known)


@pytest.mark.each_family
def test_who_asks_waits_while_it_asks(record: Record) -> None:
    """Time between calls that ask is no waiting, and of a call that completes two each gets its part."""
    done = record("waiting.c", 3, "asked")
    truth, ours = told(done), measured(done)
    for rank, expected in truth["MPI_Iallreduce", "W"].items():
        # (On a busy machine it may lose its processor between two of the calls, for some milliseconds of 15.)
        seconds = ours["MPI_Iallreduce", "W"][rank]
        assert (
            0.5 * expected.waited <= seconds <= (1 + RELATIVE) * expected.waited + ABSOLUTE_S * expected.calls
        )
        in_calls = truth["MPI_Test", "W"][rank]
        most = (1 + RELATIVE) * in_calls.seconds + ABSOLUTE_S * in_calls.calls
        assert ours["MPI_Iallgather", "W"][rank] <= most
    rows = {row.procedure: row for row in analysed(done).families if row.communicator == "W"}
    assert rows["MPI_Iallreduce"].last_rank == 1
    both = [rows["MPI_Ibarrier"], rows["MPI_Ialltoall"]]
    once = truth["MPI_Waitall", "W"].values()
    assert_alike(sum(row.waiting.seconds for row in both), sum(report.waited for report in once), 40)
    assert_alike(sum(row.seconds for row in both), sum(report.seconds for report in once), 40)
    assert both[0].seconds == pytest.approx(both[1].seconds, rel=RELATIVE)


@pytest.mark.each_family
def test_waiting_among_neighbours(record: Record) -> None:
    """The last rank of a line is late: who waits for its neighbour waits for it, too, a call later."""
    done = record("waiting.c", RANKS, "neighbours")
    truth, ours = told(done), measured(done)
    assert len(truth) == 2
    for what, ranks in truth.items():
        for rank, expected in ranks.items():
            assert_alike(ours[what][rank], expected.waited, expected.calls)
    with done.database as database:
        seen = Evidence(database)
        late_ranks = late(seen)
        titles = [entry.finding.title for entry in findings(seen).found]
    waited = sum(report.waited for ranks in truth.values() for report in ranks.values())
    causes = {row.rank: row.root_cause_seconds for row in analysed(done).ranks}
    # (One of three waits for it. Where ranks spin and have no processor of their own, others are late, too.)
    assert causes[RANKS - 1] > 0.45 * waited
    assert max(causes, key=lambda rank: causes[rank]) == RANKS - 1
    assert late_ranks is not None
    assert RANKS - 1 in late_ranks.ranks
    assert any(f"{RANKS - 1} arrive" in title for title in titles)


@pytest.mark.each_family
def test_waiting_among_neighbours_in_graphs(record: Record) -> None:
    """Edges of a graph may go in one direction: who gets nothing from the late one does not wait for it."""
    done = record("waiting.c", RANKS, "graph")
    truth, ours = told(done), measured(done)
    assert {communicator for _, communicator in truth} == {"ring", "both", "line"}
    for what, ranks in truth.items():
        for rank, expected in ranks.items():
            assert_alike(ours[what][rank], expected.waited, expected.calls)
    with done.database as database:
        assert not Evidence(database).time_in_mpi.is_mostly_unknown
    rows = {(row.procedure, row.communicator): row for row in analysed(done).families}
    names = dict(done.rows("SELECT user_name, name FROM communicators"))
    for (procedure, communicator), ranks in truth.items():
        row = rows[procedure, names[communicator]]
        assert_alike(row.waiting.seconds, sum(report.waited for report in ranks.values()), row.instances)


@pytest.mark.each_family
def test_waiting_in_persistent_collectives(record: Record) -> None:
    """Members may start several in any order: each of them is matched by itself."""
    done = record("waiting.c", 3, "persistent")
    truth, ours = told(done), measured(done)
    if not truth:
        pytest.skip("the library has no persistent collectives")
    assert dict(done.rows("SELECT name, starts FROM starts JOIN procedures ON id = procedure")) == {
        "MPI_Allreduce_init": 40,
        "MPI_Bcast_init": 40,  # two at a time
    }
    rows = {row.procedure: row for row in analysed(done).families}
    for procedure, late_rank in (("MPI_Allreduce_init", 1), ("MPI_Bcast_init", 2)):
        ranks = truth[procedure, "W"]
        for rank, expected in ranks.items():
            assert_alike(ours[procedure, "W"][rank], expected.waited, 40)
        assert_alike(rows[procedure].waiting.seconds, sum(report.waited for report in ranks.values()), 40)
        assert rows[procedure].instances == 40
        assert rows[procedure].last_rank == late_rank


@pytest.mark.each_family
def test_waiting_in_epochs_of_some_processes(record: Record) -> None:
    """MPI_Win_complete waits for the target's post, and MPI_Win_wait until the origins have completed."""
    done = record("waiting.c", 3, "epochs")
    truth = told(done)
    with done.database as database:
        message_times = message_waits(database)
    ours: dict[tuple[str, int], float] = {}
    for row in message_times.waiting:
        if row.procedure.startswith("MPI_Win_"):
            assert row.percent_certain > 99
            procedure = "MPI_Win_complete" if row.procedure == "MPI_Win_start" else row.procedure
            key = procedure, row.rank
            ours[key] = ours.get(key, 0.0) + row.late_sender_seconds
    # (On a busy machine the one that waits may come late itself. Open MPI 4 keeps it in MPI_Win_complete
    # until others call MPI, too.)
    assert truth["MPI_Win_complete", "window"][0].waited > 0.3 * SLEPT_S
    for (procedure, _), ranks in truth.items():
        for rank, expected in ranks.items():
            # (Each procedure has 20 calls in the other half, too, in which nobody is late.)
            assert expected.waited - ABSOLUTE_S * 20 - RELATIVE * expected.waited <= ours[procedure, rank]
    origins = {row.rank: row.origin_seconds for row in message_times.origins}
    assert max(origins, key=lambda rank: origins[rank]) == 1


def test_who_computed_longer_is_blamed(record: Record) -> None:
    done = record("waiting.c", 3, "one")
    analysis, truth = analysed(done), told(done)["MPI_Allreduce", "W"]
    # (Where another job takes the processor of a rank that does not sleep, that rank may be later still.)
    assert analysis.ranks[0].rank == max(truth, key=lambda rank: truth[rank].caused)
    row = next(row for row in analysis.ranks if row.rank == 1)
    assert row.computing_seconds > 0.5 * row.caused.seconds
    assert_alike(row.caused.seconds, truth[1].caused, truth[1].calls)
    assert row.passed_on_seconds < 0.1 * row.caused.seconds


def test_blame_is_passed_on(record: Record) -> None:
    """Rank 0 computes, 1 waits for it on one communicator, and 2 for 1 on another one."""
    done = record("waiting.c", 3, "chain")
    truth = told(done)["MPI_Allreduce", "second"]
    ours = measured(done)["MPI_Allreduce", "second"]
    for rank, expected in truth.items():
        assert_alike(ours[rank], expected.waited, expected.calls)
    analysis = analysed(done)
    rows = {row.rank: row for row in analysis.ranks}
    assert analysis.steps >= 1
    # (What else delays the ranks, on a busy machine for longer, is not in its sleep.)
    assert rows[1].in_mpi_seconds > 0.5 * SLEPT_S
    assert rows[1].passed_on_seconds > 0.5 * SLEPT_S
    assert rows[0].root_cause_seconds > SLEPT_S  # two waited for it


def test_blame_is_passed_on_from_collectives_to_messages(record: Record) -> None:
    """Rank 1 waits for a message of 0, and 2 for 1 in a collective."""
    analysis = analysed(record("waiting.c", 3, "after_message"))
    rows = {row.rank: row for row in analysis.ranks}
    # (What else delays the ranks, on a busy machine for longer, is not in its sleep.)
    assert rows[1].passed_on_seconds > 0.5 * SLEPT_S
    assert rows[0].root_cause_seconds > 0.5 * SLEPT_S


def test_blame_is_passed_on_from_messages_to_collectives(record: Record) -> None:
    """Rank 1 waits for 0 in a collective, and 2 for a message of 1."""
    done = record("waiting.c", 3, "before_message")
    with done.database as database:
        message_times = message_waits(database)
    origins = {origin.rank: origin for origin in message_times.origins}
    (pair,) = [cause for cause in message_times.caused if (cause.rank, cause.waiter) == (1, 2)]
    assert pair.passed_on_seconds > 0.5 * SLEPT_S
    assert origins[0].origin_seconds > 0.5 * SLEPT_S
    assert origins[0].longest_chain == 2
    assert origins[0].directly_seconds == 0  # nobody waited for a message of its own


def test_a_sample_of_many_messages_has_some_of_each_direction(record: Record) -> None:
    done = record("waiting.c", 2, "pingpong")
    with done.database as database:
        message_times = message_waits(database)
    rows = {row.rank: row for row in message_times.waiting if row.procedure == "MPI_Recv"}
    for rank in range(2):
        assert 100 < rows[rank].sampled < 3000
        # (At the end of a stretch of time the other side may have posted what it no longer keeps.)
        assert rows[rank].certain >= 0.95 * rows[rank].sampled


def sample_of_many_calls(record: Record) -> tuple[float, float, float]:
    """The waiting that is estimated, how far it may be off, and what the program says; asserts all else."""
    # Two, because what ranks without a processor of their own wait for it is a few calls that take very long.
    done = record("waiting.c", 2, "many")
    kept = done.rows(
        "SELECT rank, instance FROM arrivals JOIN procedures ON procedures.id = arrivals.procedure"
        " JOIN communicators ON communicators.id = communicator"
        " WHERE in_sample AND procedures.name = 'MPI_Allreduce' AND communicators.name = 'W'"
        " ORDER BY rank, instance"
    )
    instances = {rank: [instance for member, instance in kept if member == rank] for rank in range(2)}
    assert 32 <= len(instances[0]) <= 128
    assert all(sample == instances[0] for sample in instances.values())
    # Some of the late calls, and some of the others.
    assert {int(str(instance)) % 4 for instance in instances[0]} == {0, 1, 2, 3}
    [row] = [
        row for row in analysed(done).families if (row.procedure, row.communicator) == ("MPI_Allreduce", "W")
    ]
    assert row.instances == 5000
    assert len(instances[0]) < row.kept <= len(instances[0]) + 24  # and the longest
    truth = told(done)["MPI_Allreduce", "W"]
    seconds, waited = (
        sum(report.seconds for report in truth.values()),
        sum(report.waited for report in truth.values()),
    )
    assert row.seconds == pytest.approx(seconds, rel=RELATIVE, abs=5000 * ABSOLUTE_S)
    assert 0 < row.waiting.error_seconds < row.seconds
    done.path.unlink()
    return row.waiting.seconds, row.waiting.error_seconds, waited


def test_a_sample_of_many_calls(record: Record) -> None:
    """In one call of four a rank is late: of a sample of every 4th call, it would be so in all or none.

    On a busy machine a rank may be without its processor for as long as many calls take, in a call that is
    not in the sample. So one of a few runs has to agree; an estimate that is wrong of itself never does.
    """
    tried = []
    for _ in range(4):
        estimate, error, waited = sample_of_many_calls(record)
        # (The bound is that of 95 % of all runs: twice as much is one in ten thousand.)
        if abs(estimate - waited) <= 2 * error + RELATIVE * waited:
            return
        tried.append((estimate, error, waited))
    raise AssertionError(tried)


@pytest.mark.each_family
@pytest.mark.reported("verdict/coll")
def test_long_stops_stand_for_themselves(record: Record) -> None:
    """Two calls of 5,000 are long: a sample alone would lack them, or count each of them 50 times.

    On a busy machine others are long, too: more, it may be, than are kept.
    """
    done = record("waiting.c", 2, "stops")
    analysis, truth = analysed(done), told(done)["MPI_Allreduce", "W"]
    waited = sum(report.waited for report in truth.values())
    [row] = [
        family
        for family in analysis.families
        if (family.procedure, family.communicator) == ("MPI_Allreduce", "W")
    ]
    assert (row.instances, row.kept < 200) == (5000, True)
    assert row.waiting.seconds >= 2 * 0.25
    assert abs(row.waiting.seconds - waited) <= 2 * row.waiting.error_seconds + RELATIVE * waited
    [late] = [cause for cause in analysis.ranks if cause.rank == 1]
    assert late.computing_seconds >= 2 * 0.25 - ABSOLUTE_S
    beside = done.rows("SELECT DISTINCT instance FROM arrivals WHERE NOT in_sample ORDER BY instance")
    assert {(1235,), (4002,)} <= set(done.rows("SELECT DISTINCT instance FROM arrivals"))
    assert 0 < len(beside) <= 24


def test_a_barrier_before_each_call_would_measure_the_same(record: Record) -> None:
    done = record("waiting.c", 2, "barrier")
    truth = told(done)
    ours = measured(done)["MPI_Barrier", "W"]
    for rank, expected in truth["MPI_Barrier", "W"].items():
        assert_alike(ours[rank], expected.waited, expected.calls)
        # The rest of the time in it is no waiting, but what the barrier itself takes, and to go on after it.
        measured_by_it = truth["barrier", "W"][rank].seconds
        assert ours[rank] <= measured_by_it
        assert_alike(ours[rank], measured_by_it - (expected.seconds - expected.waited), expected.calls)
