"""Runs of which not all ranks came to their end: who was lost, who was inside what, and for how long."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from assembled import made, rows
from synthetic import (
    IDS,
    PART,
    Process,
    small_world,
    stamp,
    ticks,
    write_world,
)

from golden import Golden
from rankwise.profile.assemble import assemble
from rankwise.profile.collect.end_note import FILE_NAME, EndNote, Seen
from rankwise.profile.collect.keys import calls_key
from rankwise.profile.collect.layout import CONSTANTS

NO_STAMP = (0, 0, 0)
KILLED = {"state": CONSTANTS["STATE_RUNNING"], "stopping": NO_STAMP, "stopped": NO_STAMP}


def test_a_rank_that_was_killed(tmp_path: Path, golden: Golden) -> None:
    processes = small_world()
    for rank in (1, 2, 3):
        processes[rank].header |= KILLED
        processes[rank].threads[0] |= {
            "inside_key": calls_key(0, PART, IDS["MPI_Allreduce"], 0),
            "inside_since": ticks(9.25),
        }
    processes[2].threads[0]["inside_key"] = calls_key(0, 3, IDS["MPI_Recv"], 0)
    assembly = made(tmp_path, processes, exit_status=137)
    golden.says(
        assembly.reason,
        "SIGKILL .. 137 .. 2 .. node1 .. MPI_Recv .. W .. 1,3 .. "
        "MPI_Allreduce .. W_s1.1 .. 3 .. 4 .. MPI_Finalize",
    )
    [run] = rows(assembly.path, "SELECT partial, partial_reason, exit_status FROM run")
    assert run == (1, assembly.reason, 137)
    ranks = rows(
        assembly.path,
        "SELECT state, wall, inside, c.name, inside_since FROM ranks"
        " LEFT JOIN communicators AS c ON c.id = inside_communicator ORDER BY rank",
    )
    assert ranks[0] == ("finalized", 10.0, None, None, None)
    # Its last heartbeat is that it entered a call after the latest stamp.
    assert ranks[1][:4] == ("running", 9.25, "MPI_Allreduce", "W_s1.1")
    assert "T" in ranks[1][4]


def test_a_rank_that_ended_outside_of_calls(tmp_path: Path, golden: Golden) -> None:
    processes = small_world()
    for process in processes:
        process.header |= KILLED
        process.threads[0] |= {"inside_key": calls_key(0, 3, IDS["MPI_Barrier"], 0), "inside_since": ticks(8)}
    processes[1].threads[0]["inside_key"] = 0
    assembly = made(tmp_path, processes, interrupted="interrupted by SIGTERM")
    golden.says(
        assembly.reason, "SIGTERM .. 1 .. node1 .. MPI .. 0,2-3 .. MPI_Barrier .. W .. 4 .. 4 .. MPI_Finalize"
    )


def test_the_call_before_the_end_is_a_heartbeat(tmp_path: Path) -> None:
    processes = small_world()
    for process in processes:
        process.header |= KILLED
        process.threads[0] |= {"inside_key": 0, "inside_since": ticks(9.25)}
    assembly = made(tmp_path, processes, exit_status=137)
    assert rows(assembly.path, "SELECT DISTINCT wall FROM ranks") == [(9.25,)]


def test_of_two_odd_ones_the_one_outside_of_mpi_is_told(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(2)
    for process in processes:
        process.header |= KILLED
    processes[0].threads[0] |= {
        "inside_key": calls_key(0, 3, IDS["MPI_Barrier"], 0),
        "inside_since": ticks(8),
    }
    golden.says(
        made(tmp_path, processes).reason, "1 .. node1 .. MPI .. 0 .. node1 .. MPI_Barrier .. W .. 2 .. 2"
    )


def ended(
    run: Path,
    seconds: float,
    gone: dict[int, tuple[int, float, int | None]] | None = None,
    host: str = "node1",
    interrupted: float | None = None,
) -> None:
    """Note that a job ended this long after its processes were loaded.

    Args:
        run: its run directory.
        seconds: when the note was made.
        gone: order, instant and wait status by the number of the process.
        host: of `rankwise run`.
        interrupted: when a signal came.
    """
    names = sorted(path.name for path in run.glob("*.counters"))
    note = EndNote(
        host,
        stamp(seconds)[1],
        stamp(seconds)[2],
        None if interrupted is None else stamp(interrupted)[1],
        {
            names[number]: Seen(order, stamp(instant)[1] if order else 0, status)
            for number, (order, instant, status) in (gone or {}).items()
        },
    )
    (run / FILE_NAME).write_text(json.dumps(note.text()))


def hanging(procedure: str = "MPI_Allreduce") -> list[Process]:
    """Make a world of which rank 0 computes, and the others have been inside a call since second 4."""
    processes = small_world()
    for process in processes:
        process.header |= KILLED | {"latest": stamp(4)}
        process.threads[0] |= {"inside_key": calls_key(0, 3, IDS[procedure], 0), "inside_since": ticks(4)}
    processes[0].threads[0] |= {"inside_key": 0, "left_key": calls_key(0, 3, IDS["MPI_Barrier"], 0)}
    return processes


ALIVE = dict.fromkeys(range(4), (0, 0.0, None))
UNFINISHED = (
    "SELECT rank, c.name, calls, unfinished, seconds, size_bin FROM calls"
    " JOIN communicators AS c ON c.id = communicator WHERE unfinished ORDER BY rank"
)


def test_calls_that_never_returned_last_to_the_end(tmp_path: Path) -> None:
    run = write_world(tmp_path / "run", hanging())
    ended(run, 30, ALIVE | {2: (1, 20.0, signal.SIGTERM)})
    assembly = assemble(run, tmp_path / "solver.rankwise", exit_status=1, interrupted="SIGTERM ended it")
    assert rows(assembly.path, UNFINISHED) == [
        (1, "W", 0, 1, pytest.approx(26), 127),
        (2, "W", 0, 1, pytest.approx(16), 127),
        (3, "W", 0, 1, pytest.approx(26), 127),
    ]
    facts = rows(
        assembly.path, "SELECT wall, mpi, last_call IS NOT NULL, gone IS NOT NULL, signal FROM ranks"
    )
    # 1.9 s are in calls that returned.
    assert facts[0] == (pytest.approx(30), pytest.approx(1.9), 1, 0, None)
    assert facts[1] == (pytest.approx(30), pytest.approx(27.9), 1, 0, None)
    assert facts[2] == (pytest.approx(20), pytest.approx(17.9), 1, 1, signal.SIGTERM)
    [(ended_at,)] = rows(assembly.path, "SELECT ended FROM run")
    assert ended_at is not None


def test_on_other_nodes_calls_last_to_the_end_of_the_job(tmp_path: Path) -> None:
    run = write_world(tmp_path / "run", hanging())
    ended(run, 30, host="elsewhere")
    assembly = assemble(run, tmp_path / "solver.rankwise", exit_status=1)
    assert [row[4] for row in rows(assembly.path, UNFINISHED)] == pytest.approx([26] * 3)


@pytest.mark.parametrize("note", [None, "{}", "[1]", '{"host": "node1", "monotonic_ns": "x"}'])
def test_without_a_note_calls_last_to_the_last_heartbeat(tmp_path: Path, note: str | None) -> None:
    processes = hanging()
    processes[1].header["latest"] = stamp(7)  # another thread's call
    run = write_world(tmp_path / "run", processes)
    if note is not None:
        (run / FILE_NAME).write_text(note)
    assembly = assemble(run, tmp_path / "solver.rankwise", exit_status=None)
    assert [row[4] for row in rows(assembly.path, UNFINISHED)] == [pytest.approx(3), 0.0, 0.0]
    assert rows(assembly.path, "SELECT ended FROM run") == [(None,)]


def test_a_rank_that_polled_is_not_blamed_alone(tmp_path: Path, golden: Golden) -> None:
    processes = hanging()
    processes[3].threads[0]["inside_key"] = calls_key(0, 3, IDS["MPI_Bcast"], 0)
    # Its latest heartbeat is 0.1 s before the end.
    processes[0].header["latest"] = stamp(29.9)
    processes[0].threads[0] |= {"inside_since": ticks(29.9), "left_key": calls_key(0, 3, IDS["MPI_Test"], 0)}
    run = write_world(tmp_path / "run", processes)
    ended(run, 30, ALIVE)
    golden.says(
        assemble(run, tmp_path / "solver.rankwise", exit_status=1).reason,
        "0 .. node1 .. MPI_Test .. W .. 3 .. node1 .. MPI_Bcast .. W .. "
        "1-2 .. MPI_Allreduce .. W .. 4 .. 4 .. MPI_Finalize",
    )


KILL, TERM, SEGV = signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV
EXIT_3 = 3 << 8


@pytest.mark.parametrize(
    ("gone", "told"),
    [
        # The launcher ends the others by SIGTERM, which may take effect before it is over with the first one.
        ({2: (1, 9, KILL), 0: (2, 9.1, TERM)}, "rank 2 (node1) was killed by SIGKILL; rank 0"),
        ({0: (1, 9, TERM), 2: (2, 9.1, KILL)}, "probably rank 2 (node1) was killed by SIGKILL; rank 0"),
        # By SIGKILL, too, it can be any: only where it was first and stands out, that is told.
        ({2: (1, 9, KILL), 0: (2, 9.1, KILL)}, "ranks 0,2 were killed by SIGKILL; rank 0 (node1) ended"),
        (
            {0: (1, 9, KILL), 2: (2, 9.1, KILL)},
            "0,2 .. SIGKILL .. 0 .. node1",
        ),
        # Much later.
        ({1: (1, 2, KILL), 0: (2, 9, KILL)}, "rank 1 (node1) was killed by SIGKILL; rank 0"),
        ({0: (1, 9, KILL), 1: (2, 9.1, SEGV)}, "rank 1 (node1) was killed by SIGSEGV"),
        ({1: (1, 9, SEGV), 2: (2, 9, SEGV), 0: (3, 9.1, KILL)}, "ranks 1-2 were killed by SIGSEGV"),
        ({3: (1, 9, EXIT_3), 0: (2, 9.1, KILL)}, "rank 3 (node1) ended with status 3 before MPI_Finalize"),
        # Of old kernels only the order is known.
        ({3: (1, 2, None), 0: (2, 9, None)}, "3 .. node1"),
        (
            {3: (1, 9, None), 0: (2, 9.1, None)},
            "0 .. node1 .. MPI .. 1-3",
        ),
        # Somebody ended them all.
        ({0: (1, 9, TERM), 1: (2, 9, TERM)}, "0 .. node1 .. MPI .. 1-3"),
    ],
)
def test_who_was_lost(
    tmp_path: Path, gone: dict[int, tuple[int, float, int | None]], told: str, golden: Golden
) -> None:
    run = write_world(tmp_path / "run", hanging())
    ended(run, 10, ALIVE | gone)
    golden.says(assemble(run, tmp_path / "solver.rankwise", exit_status=1).reason, told)


def test_who_was_lost_before_somebody_ended_the_rest(tmp_path: Path, golden: Golden) -> None:
    run = write_world(tmp_path / "run", hanging())
    ended(run, 30, {0: (1, 9, SEGV), 1: (2, 29, KILL), 2: (3, 29, KILL), 3: (4, 29, KILL)}, interrupted=29)
    reason = assemble(run, tmp_path / "a.rankwise", exit_status=1, interrupted="SIGTERM ended it").reason
    assert reason.startswith("SIGTERM ended it; rank 0 (node1) was killed by SIGSEGV; rank 0")
    ended(run, 30, {number: (number + 1, 29, KILL) for number in range(4)}, interrupted=29)
    reason = assemble(run, tmp_path / "b.rankwise", exit_status=1, interrupted="SIGTERM ended it").reason
    golden.says(reason, "0 .. node1 .. MPI")


def test_on_other_nodes_nobody_is_named_whom_the_launcher_may_have_ended(
    tmp_path: Path, golden: Golden
) -> None:
    processes = hanging()
    processes[3].header["host"] = b"node2"
    run = write_world(tmp_path / "run", processes)
    ended(run, 10, {1: (1, 9, KILL), 0: (2, 9, KILL), 2: (3, 9, KILL)})
    # All that is known is the launch's status.
    golden.says(assemble(run, tmp_path / "solver.rankwise", exit_status=139).reason, "SIGSEGV .. 139")
    golden.says(
        assemble(run, tmp_path / "solver.rankwise", exit_status=1, force=True).reason, "0 .. node1 .. MPI"
    )


def test_ranks_that_never_left_mpi_init(tmp_path: Path) -> None:
    processes = [
        Process(
            header={
                "state": CONSTANTS["STATE_STARTING"],
                "world_rank": -1,
                "world_size": 0,
                "launcher_rank": rank,
                "launcher_size": 4,
                **dict.fromkeys(("started", "latest", "stopping", "stopped"), NO_STAMP),
            }
        )
        for rank in range(4)
    ]
    assembly = made(tmp_path, processes)
    assert assembly.reason == "ranks 0-3 never returned from MPI_Init"
    assert rows(assembly.path, "SELECT id, name, members FROM communicators WHERE id > 2") == [
        (3, "W", "0-3")
    ]


def test_an_abort(tmp_path: Path) -> None:
    processes = small_world()
    for process in processes:
        process.header |= KILLED
    processes[1].header |= {"state": CONSTANTS["STATE_ABORTED"], "abort_code": 7}
    assembly = made(tmp_path, processes, exit_status=7)
    assert assembly.reason == "rank 1 (node1) called MPI_Abort(7)"
    assert rows(assembly.path, "SELECT rank, abort_code FROM ranks WHERE state = 'aborted'") == [(1, 7)]


def test_rankwise_switched_off(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(2)
    processes[0].header |= {"state": CONSTANTS["STATE_SWITCHED_OFF"]}
    assembly = made(tmp_path, processes)
    golden.says(assembly.reason, "0 .. node1")
    assert rows(assembly.path, "SELECT state FROM ranks") == [("switched off",), ("finalized",)]


def test_missing_ranks_leave_holes_in_the_members(tmp_path: Path, golden: Golden) -> None:
    assembly = made(tmp_path, [small_world(6)[rank] for rank in (0, 1, 2, 5)])
    assert (assembly.ranks_seen, assembly.ranks_expected) == (4, 6)
    golden.says(assembly.reason, "2 .. 6 .. 3-4")
    members = dict(rows(assembly.path, "SELECT name, members FROM communicators WHERE size > 1"))
    assert members == {"W": "0-5", "W_s1.0": "0,2,?", "W_s1.1": "1,?,5"}
    # Volumes cannot agree when somebody's are missing.
    assert rows(assembly.path, "SELECT text FROM warnings") == []
