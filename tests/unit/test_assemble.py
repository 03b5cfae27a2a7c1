"""From counters files to a profile: every table, complete and partial runs, damage, size."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from synthetic import (
    IDS,
    NONE,
    PART,
    Process,
    call,
    communicator,
    message,
    small_world,
    stamp,
    ticks,
    write_world,
)

from rankwise.errors import RankwiseError
from rankwise.profile.assemble import Assembly, assemble
from rankwise.profile.database import open_profile
from rankwise.profile.end_note import FILE_NAME, EndNote, Seen
from rankwise.profile.keys import calls_key
from rankwise.profile.layout import CONSTANTS
from rankwise.profile.members import parse
from rankwise.profile.procedures import PROCEDURES

NO_STAMP = (0, 0, 0)
KILLED = {"state": CONSTANTS["STATE_RUNNING"], "stopping": NO_STAMP, "stopped": NO_STAMP}


def made(tmp_path: Path, processes: list[Process], **options: Any) -> Assembly:
    write_world(tmp_path / "run", processes)
    return assemble(tmp_path / "run", tmp_path / "solver.rankwise", **{"exit_status": 0} | options)


def rows(profile: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(open_profile(profile)) as connection:
        return connection.execute(sql).fetchall()


def test_a_complete_run(tmp_path: Path) -> None:
    assembly = made(tmp_path, small_world())
    assert assembly == Assembly(tmp_path / "solver.rankwise", 4, 4, False, "")
    assert rows(assembly.path, "SELECT * FROM warnings") == []
    [run] = rows(
        assembly.path,
        "SELECT rankwise_version, command, executable, job, mpi_abi, mpi_library, thread_level,"
        " wall, exit_status, ranks_expected, ranks_seen, partial, partial_reason, not_covered FROM run",
    )
    assert run == (
        *("0.1.0", "[]", "/home/me/solver", "job-1", "openmpi", "Open MPI v4.1.4", "funneled"),
        *(10.0, 0, 4, 4, 0, "", "null"),
    )
    with closing(sqlite3.connect(assembly.path)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert stat.S_IMODE(assembly.path.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "solver.rankwise"]


def test_ranks(tmp_path: Path) -> None:
    assembly = made(tmp_path, small_world())
    columns = "rank, host, pid, state, abort_code, cpus_allowed, cpu_start, cpu_stop, wall, user, system, mpi"
    ranks = rows(assembly.path, f"SELECT {columns}, max_rss, threads, own_cost, inside FROM ranks")
    assert ranks[2][:11] == (2, "node1", 4002, "finalized", None, "0-3", 2, None, 10.0, 8.0, 0.25)
    assert ranks[2][11] == pytest.approx(1.9)
    # 16 calls of 100 ticks, 3 million ticks of set-up and finish, at 2 GHz.
    assert ranks[2][12:] == (50 << 20, 1, pytest.approx((16 * 100 + 3e6) / 2e9), None)


def test_init_and_finalize_are_no_time_in_mpi(tmp_path: Path) -> None:
    processes = small_world(3)
    starts = ("MPI_Init", "MPI_Init_thread")
    for process, start in zip(processes, starts, strict=False):
        process.calls[0] += [
            call(start, communicator=NONE, seconds=0.5),
            call("MPI_Finalize", communicator=NONE, seconds=0.25),
        ]
    assembly = made(tmp_path, processes)
    assert rows(assembly.path, "SELECT mpi, init_finalize FROM ranks") == [
        (pytest.approx(1.9), 0.75),
        (pytest.approx(1.9), 0.75),
        (pytest.approx(1.9), 0.0),
    ]


def test_communicators_are_joined(tmp_path: Path) -> None:
    assembly = made(tmp_path, small_world(5))
    found = rows(
        assembly.path,
        "SELECT c.id, c.name, c.family, p.name, c.procedure, c.size, c.members, c.created, c.freed,"
        " c.members_seen FROM communicators AS c LEFT JOIN communicators AS p ON p.id = c.parent"
        " ORDER BY c.id",
    )
    assert [row[1] for row in found[:3]] == ["(none)", "(several)", "(other)"]
    assert found[3] == (3, "W", "W", None, "", 5, "0-4", 0.5, None, 5)
    assert found[4] == (4, "S.0", "S", None, "", 1, "0", 0.5, None, 1)
    assert found[9][1:7] == ("W_s1.0", "W_s1", "W", "MPI_Comm_split", 3, "0-4:2")
    assert found[9][7:] == (pytest.approx(1.0), pytest.approx(8.4), 3)
    assert found[10][1:7] == ("W_s1.1", "W_s1", "W", "MPI_Comm_split", 2, "1,3")
    assert found[10][7:] == (pytest.approx(1.1), pytest.approx(8.3), 2)


def test_calls_and_messages(tmp_path: Path) -> None:
    assembly = made(tmp_path, small_world())
    calls = rows(
        assembly.path,
        "SELECT rank, c.name, region, p.name, size_bin, calls.calls,"
        " bytes_sent, bytes_received, seconds, min, max FROM calls"
        " JOIN communicators AS c ON c.id = communicator"
        " JOIN procedures AS p ON p.id = calls.procedure"
        " WHERE rank = 3 ORDER BY p.name",
    )
    assert calls == [
        (3, "W_s1.1", 0, "MPI_Allreduce", 4, 10, 80, 0, 1.0, 0.1, 0.1),
        (3, "W", 0, "MPI_Recv", 7, 3, 0, 300, 0.6, 0.0, 0.4),
        (3, "W", 0, "MPI_Send", 7, 3, 300, 0, 0.3, 0.05, 0.2),
    ]
    messages = rows(
        assembly.path, "SELECT source, destination, communicator, kind, messages, bytes FROM messages"
    )
    assert messages == [(rank, (rank + 1) % 4, 3, "point-to-point", 3, 300) for rank in range(4)]
    assert len(rows(assembly.path, "SELECT * FROM procedures")) == len(PROCEDURES) + 1  # (not attributed)


def test_details_of_communicators(tmp_path: Path) -> None:
    processes = small_world(2)
    for rank, process in enumerate(processes):
        process.communicators[2] = communicator(77, "a", 1 - rank, 2) | {
            "parent": CONSTANTS["FIRST_COMMUNICATOR"],
            "sequence": 3,
            "procedure": IDS["MPI_Cart_create"],
            "flags": CONSTANTS["COMMUNICATOR_REORDER_ASKED"] | CONSTANTS["COMMUNICATOR_REORDERED"],
            "topology": CONSTANTS["TOPOLOGY_CART"],
            "ndims": 3,
            "dims": (2, 1, 1, 0, 0, 0, 0, 0),
            "periods": 0b101,
            "user_name": b"" if rank == 0 else b"grid\n",
        }
    assembly = made(tmp_path, processes)
    [row] = rows(
        assembly.path,
        "SELECT name, parent, user_name, procedure, members, topology, dims, periods, reorder, reordered,"
        " remote_size FROM communicators WHERE topology = 'cart'",
    )
    assert row == (
        "W_a3",
        3,
        "grid\ufffd",
        "MPI_Cart_create",
        "1,0",
        "cart",
        "[2, 1, 1]",
        "[1, 0, 1]",
        1,
        1,
        0,
    )


def test_intercommunicators_show_both_groups(tmp_path: Path) -> None:
    processes = small_world(4)
    for rank, process in enumerate(processes):  # between the even and the odd ranks
        process.communicators.append(
            communicator(
                88,
                "i",
                rank // 2,
                2,
                remote_size=2,
                tag=9,
                sequence=1,
                group_hash=0xABCDEF,
                flags=CONSTANTS["COMMUNICATOR_INTER"] | CONSTANTS["COMMUNICATOR_BY_GROUP"],
            )
            | {"parent": PART}  # the index of its own half
        )
        child = communicator(99, "d", rank // 2, 2, 88, remote_size=2, sequence=1, created=ticks(2.0))
        process.communicators.append(child | {"flags": CONSTANTS["COMMUNICATOR_INTER"]})
    assembly = made(tmp_path, processes)
    found = rows(
        assembly.path,
        "SELECT c.name, c.size, c.remote_size, c.members, c.remote_members, c.members_seen, p.name, o.name"
        " FROM communicators c LEFT JOIN communicators p ON p.id = c.parent"
        " LEFT JOIN communicators o ON o.id = c.remote_parent WHERE c.remote_size > 0 ORDER BY c.id",
    )
    assert found == [
        ("i9:0~00abcdef", 2, 2, "0,2", "1,3", 4, "W_s1.0", "W_s1.1"),
        ("i9:0~00abcdef_d1", 2, 2, "0,2", "1,3", 4, "i9:0~00abcdef", None),
    ]


def test_regions_are_joined_by_name(tmp_path: Path) -> None:
    processes = small_world(2)
    solve = {"name": b"solve", "entries": 4, "ticks": 2 * 10**9}
    output = {"name": b"output", "entries": 1, "ticks": 10**9}
    processes[0].regions += [solve, output]
    processes[1].regions += [output, solve]
    for process, region in zip(processes, (1, 2), strict=True):
        process.calls[0].append(call("MPI_Barrier", region=region))
        process.calls[0].append(call("MPI_Barrier", region=CONSTANTS["REGION_OTHER"]))
    assembly = made(tmp_path, processes)
    assert rows(assembly.path, "SELECT * FROM regions") == [
        (0, "(whole program)"),
        (1, "solve"),
        (2, "output"),
        (4095, "(other)"),
    ]
    assert rows(assembly.path, "SELECT * FROM region_times") == [
        (rank, *times) for rank in range(2) for times in ((0, 1, 10.0), (1, 4, 1.0), (2, 1, 0.5))
    ]
    barriers = rows(assembly.path, f"SELECT rank, region FROM calls WHERE procedure = {IDS['MPI_Barrier']}")
    assert barriers == [(0, 1), (0, 4095), (1, 1), (1, 4095)]


def test_the_launch_note_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    note = {
        "command": ["mpirun", "-n", "4", "./solver", "\udcff"],
        "directory": "/home/me\x1b",
        "launcher": "mpirun",
        "job": 123,
        "not_covered": ["MPI_Put"],
        "rankwise_version": "0.1.0",
    }
    (tmp_path / "run" / "launch.json").write_text(json.dumps(note))
    assembly = made(tmp_path, small_world())
    [run] = rows(assembly.path, "SELECT command, directory, launcher, job, not_covered FROM run")
    assert json.loads(run[0]) == note["command"]
    assert run[1:] == ("/home/me\ufffd", "mpirun", "123", '["MPI_Put"]')


def test_what_passed_by(tmp_path: Path) -> None:
    """It is not covered, beside what was known before the launch; and said also where nothing was known."""
    processes = small_world(3)
    for rank, names in ((1, ["MPI_Send"]), (2, ["MPI_Send", "MPI_Barrier"])):
        words = np.zeros(CONSTANTS["PROCEDURE_WORDS"], np.uint64)
        for name in names:
            words[IDS[name] // 64] |= np.uint64(1 << IDS[name] % 64)
        processes[rank].header["passed_by"] = words
    (tmp_path / "known" / "run").mkdir(parents=True)
    (tmp_path / "known" / "run" / "launch.json").write_text('{"not_covered": ["MPI_Put"]}')
    (tmp_path / "script").mkdir()
    for place, covered in (("known", '["MPI_Barrier", "MPI_Put", "MPI_Send"]'), ("script", "null")):
        assembly = made(tmp_path / place, processes)
        assert rows(assembly.path, "SELECT not_covered FROM run") == [(covered,)]
        [(warning,)] = rows(assembly.path, "SELECT text FROM warnings WHERE text LIKE 'calls of %'")
        assert warning.startswith("calls of MPI_Barrier, MPI_Send may be missing (ranks 1-2)")


@pytest.mark.parametrize("text", ["{", "[]", "\x00\xff", "[" * 100_000])
def test_a_damaged_launch_note_is_a_warning(tmp_path: Path, text: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "launch.json").write_text(text)
    assembly = made(tmp_path, small_world())
    [(warning,)] = rows(assembly.path, "SELECT text FROM warnings")
    assert warning.startswith("launch.json ")


def test_dropped_records(tmp_path: Path) -> None:
    processes = small_world(2)
    processes[1].header["dropped"] = (0, 0, 0, 0, 5, 0, 2, *[0] * 9)
    processes[1].calls[0][1]["bytes_received"] -= 100
    assembly = made(tmp_path, processes)
    assert rows(assembly.path, "SELECT * FROM dropped") == [(1, "receives", 2), (1, "requests", 5)]
    [(warning,)] = rows(assembly.path, "SELECT text FROM warnings")
    assert warning == (
        "on W, 600 bytes were sent point-to-point but 500 bytes were received"
        " (2 receives have bytes that cannot be known:"
        " freed, failed, or of an MPI_Isendrecv whose status does not tell;"
        " 5 requests could not be tracked, so their received bytes were not booked)"
    )


def test_collectives_that_not_all_members_called_alike_are_told(tmp_path: Path) -> None:
    processes = small_world(6)
    processes[3].calls[0][2]["calls"] = 9
    for process in processes[:5]:
        process.calls[0].append(call("MPI_Barrier"))
    assembly = made(tmp_path, processes)
    assert rows(assembly.path, "SELECT text FROM warnings ORDER BY text") == [
        ("MPI_Allreduce on W_s1.1 was called 10 times by ranks 1,5 but 9 times by rank 3",),
        ("MPI_Barrier on W was called once by ranks 0-4 but 0 times by rank 5",),
    ]


def test_messages_out_of_the_world_are_no_mismatch(tmp_path: Path) -> None:
    processes = small_world(2)
    processes[0].calls[0][0]["bytes_sent"] += 50
    processes[0].messages[0] += [
        message("MPI_Send", CONSTANTS["PEER_UNKNOWN"], 1, 50),
        message("MPI_Send", CONSTANTS["PEER_OTHER"], 1, 7),
    ]
    assembly = made(tmp_path, processes)
    assert rows(assembly.path, "SELECT text FROM warnings") == []
    sent = rows(assembly.path, "SELECT destination, bytes FROM messages WHERE source = 0")
    assert sorted(sent) == [(-2, 7), (-1, 50), (1, 300)]


def test_a_rank_that_was_killed(tmp_path: Path) -> None:
    processes = small_world()
    for rank in (1, 2, 3):
        processes[rank].header |= KILLED
        processes[rank].threads[0] |= {
            "inside_key": calls_key(0, PART, IDS["MPI_Allreduce"], 0),
            "inside_since": ticks(9.25),
        }
    processes[2].threads[0]["inside_key"] = calls_key(0, 3, IDS["MPI_Recv"], 0)
    assembly = made(tmp_path, processes, exit_status=137)
    assert assembly.reason == (
        "a rank was killed by SIGKILL: the launch ended with status 137; rank 2 (node1) ended inside MPI_Recv"
        " on W, ranks 1,3 inside MPI_Allreduce on W_s1.1; 3 of 4 ranks did not reach the end of MPI_Finalize"
    )
    [run] = rows(assembly.path, "SELECT partial, partial_reason, exit_status FROM run")
    assert run == (1, assembly.reason, 137)
    ranks = rows(
        assembly.path,
        "SELECT state, wall, inside, c.name, inside_since FROM ranks"
        " LEFT JOIN communicators AS c ON c.id = inside_communicator ORDER BY rank",
    )
    assert ranks[0] == ("finalized", 10.0, None, None, None)
    # Its last sign of life is that it entered a call after the latest stamp.
    assert ranks[1][:4] == ("running", 9.25, "MPI_Allreduce", "W_s1.1")
    assert "T" in ranks[1][4]


def test_a_rank_that_ended_outside_of_calls(tmp_path: Path) -> None:
    processes = small_world()
    for process in processes:
        process.header |= KILLED
        process.threads[0] |= {"inside_key": calls_key(0, 3, IDS["MPI_Barrier"], 0), "inside_since": ticks(8)}
    processes[1].threads[0]["inside_key"] = 0
    assembly = made(tmp_path, processes, interrupted="interrupted by SIGTERM")
    assert assembly.reason == (
        "interrupted by SIGTERM; rank 1 (node1) ended outside of recorded MPI calls, "
        "ranks 0,2-3 inside MPI_Barrier on W; 4 of 4 ranks did not reach the end of MPI_Finalize"
    )


def test_the_call_before_the_end_is_a_sign_of_life(tmp_path: Path) -> None:
    processes = small_world()
    for process in processes:
        process.header |= KILLED
        process.threads[0] |= {"inside_key": 0, "inside_since": ticks(9.25)}
    assembly = made(tmp_path, processes, exit_status=137)
    assert rows(assembly.path, "SELECT DISTINCT wall FROM ranks") == [(9.25,)]


def test_of_two_odd_ones_the_one_outside_of_mpi_is_told(tmp_path: Path) -> None:
    processes = small_world(2)
    for process in processes:
        process.header |= KILLED
    processes[0].threads[0] |= {
        "inside_key": calls_key(0, 3, IDS["MPI_Barrier"], 0),
        "inside_since": ticks(8),
    }
    assert made(tmp_path, processes).reason.startswith(
        "rank 1 (node1) ended outside of recorded MPI calls, rank 0 (node1) inside MPI_Barrier on W; 2 of 2"
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
    facts = rows(assembly.path, "SELECT wall, mpi, latest IS NOT NULL, gone IS NOT NULL, signal FROM ranks")
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
def test_without_a_note_calls_last_to_the_last_sign_of_life(tmp_path: Path, note: str | None) -> None:
    processes = hanging()
    processes[1].header["latest"] = stamp(7)  # another thread's call
    run = write_world(tmp_path / "run", processes)
    if note is not None:
        (run / FILE_NAME).write_text(note)
    assembly = assemble(run, tmp_path / "solver.rankwise", exit_status=None)
    assert [row[4] for row in rows(assembly.path, UNFINISHED)] == [pytest.approx(3), 0.0, 0.0]
    assert rows(assembly.path, "SELECT ended FROM run") == [(None,)]


def test_a_rank_that_polled_is_not_blamed_alone(tmp_path: Path) -> None:
    processes = hanging()
    processes[3].threads[0]["inside_key"] = calls_key(0, 3, IDS["MPI_Bcast"], 0)
    # Its latest sign of life is 0.1 s before the end.
    processes[0].header["latest"] = stamp(29.9)
    processes[0].threads[0] |= {"inside_since": ticks(29.9), "left_key": calls_key(0, 3, IDS["MPI_Test"], 0)}
    run = write_world(tmp_path / "run", processes)
    ended(run, 30, ALIVE)
    assert assemble(run, tmp_path / "solver.rankwise", exit_status=1).reason == (
        "rank 0 (node1) ended polling with MPI_Test on W, rank 3 (node1) inside MPI_Bcast on W, ranks 1-2"
        " inside MPI_Allreduce on W; 4 of 4 ranks did not reach the end of MPI_Finalize"
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
            "ranks 0,2 were killed by SIGKILL; probably rank 0 (node1) was lost: it was gone first, and",
        ),
        # Much later.
        ({1: (1, 2, KILL), 0: (2, 9, KILL)}, "rank 1 (node1) was killed by SIGKILL; rank 0"),
        ({0: (1, 9, KILL), 1: (2, 9.1, SEGV)}, "rank 1 (node1) was killed by SIGSEGV"),
        ({1: (1, 9, SEGV), 2: (2, 9, SEGV), 0: (3, 9.1, KILL)}, "ranks 1-2 were killed by SIGSEGV"),
        ({3: (1, 9, EXIT_3), 0: (2, 9.1, KILL)}, "rank 3 (node1) ended with status 3 before MPI_Finalize"),
        # Of old kernels only the order is known.
        ({3: (1, 2, None), 0: (2, 9, None)}, "rank 3 (node1) was the first to go"),
        (
            {3: (1, 9, None), 0: (2, 9.1, None)},
            "rank 0 (node1) ended outside of recorded MPI calls, ranks 1-3",
        ),
        # Somebody ended them all.
        ({0: (1, 9, TERM), 1: (2, 9, TERM)}, "rank 0 (node1) ended outside of recorded MPI calls, ranks 1-3"),
    ],
)
def test_who_was_lost(tmp_path: Path, gone: dict[int, tuple[int, float, int | None]], told: str) -> None:
    run = write_world(tmp_path / "run", hanging())
    ended(run, 10, ALIVE | gone)
    assert assemble(run, tmp_path / "solver.rankwise", exit_status=1).reason.startswith(told)


def test_who_was_lost_before_somebody_ended_the_rest(tmp_path: Path) -> None:
    run = write_world(tmp_path / "run", hanging())
    ended(run, 30, {0: (1, 9, SEGV), 1: (2, 29, KILL), 2: (3, 29, KILL), 3: (4, 29, KILL)}, interrupted=29)
    reason = assemble(run, tmp_path / "a.rankwise", exit_status=1, interrupted="SIGTERM ended it").reason
    assert reason.startswith("SIGTERM ended it; rank 0 (node1) was killed by SIGSEGV; rank 0")
    ended(run, 30, {number: (number + 1, 29, KILL) for number in range(4)}, interrupted=29)
    reason = assemble(run, tmp_path / "b.rankwise", exit_status=1, interrupted="SIGTERM ended it").reason
    assert reason.startswith("SIGTERM ended it; rank 0 (node1) ended outside of recorded MPI calls, ")


def test_on_other_nodes_nobody_is_named_whom_the_launcher_may_have_ended(tmp_path: Path) -> None:
    processes = hanging()
    processes[3].header["host"] = b"node2"
    run = write_world(tmp_path / "run", processes)
    ended(run, 10, {1: (1, 9, KILL), 0: (2, 9, KILL), 2: (3, 9, KILL)})
    # All that is known is the launch's status.
    assert assemble(run, tmp_path / "solver.rankwise", exit_status=139).reason.startswith(
        "a rank was killed by SIGSEGV: the launch ended with status 139; "
    )
    assert assemble(run, tmp_path / "solver.rankwise", exit_status=1, force=True).reason.startswith(
        "rank 0 (node1) ended outside of recorded MPI calls, "
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


def test_rankwise_switched_off(tmp_path: Path) -> None:
    processes = small_world(2)
    processes[0].header |= {"state": CONSTANTS["STATE_SWITCHED_OFF"]}
    assembly = made(tmp_path, processes)
    assert assembly.reason == "Rankwise switched itself off on rank 0 (node1)"
    assert rows(assembly.path, "SELECT state FROM ranks") == [("switched off",), ("finalized",)]


def test_missing_ranks_leave_holes_in_the_members(tmp_path: Path) -> None:
    assembly = made(tmp_path, [small_world(6)[rank] for rank in (0, 1, 2, 5)])
    assert (assembly.ranks_seen, assembly.ranks_expected) == (4, 6)
    assert assembly.reason == "2 of 6 ranks left no counters"
    members = dict(rows(assembly.path, "SELECT name, members FROM communicators WHERE size > 1"))
    assert members == {"W": "0-5", "W_s1.0": "0,2,?", "W_s1.1": "1,?,5"}
    # Volumes cannot agree when somebody's are missing.
    assert rows(assembly.path, "SELECT text FROM warnings") == []


def test_an_unreadable_file_is_a_missing_rank_and_a_warning(tmp_path: Path) -> None:
    processes = small_world(2)
    processes[1].header["table_digest"] = 1
    assembly = made(tmp_path, processes)
    assert assembly.reason == "1 of 2 ranks left no counters"
    [(warning,)] = rows(assembly.path, "SELECT text FROM warnings")
    assert "recover it with another version of Rankwise (0.1.0)" in warning


def test_several_worlds_in_one_run_directory(tmp_path: Path) -> None:
    later = small_world(2)
    stamps = ("loaded", "started", "latest", "stopping", "stopped")
    for process in later:
        offset = 60.0  # a minute after, in the same job
        process.header |= {
            name: stamp(offset + at) for at, name in zip((0, 0.5, 9, 9.5, 10), stamps, strict=True)
        }
    other_job = small_world(3)
    for process in other_job:
        process.header |= {"job": b"job-2", "loaded": stamp(30.0)}
    run = tmp_path / "run"
    write_world(run, small_world(2), "a")
    write_world(run, later, "b")
    write_world(run, other_job, "c")
    (tmp_path / "solver.2.rankwise").write_text("somebody's")
    assembly = made(tmp_path, [])
    assert assembly.ranks_seen == 2
    assert [(one.path.name, one.ranks_seen) for one in assembly.others] == [
        ("solver.3.rankwise", 3),
        ("solver.4.rankwise", 2),
    ]
    assert (tmp_path / "solver.2.rankwise").read_text() == "somebody's"
    forced = assemble(run, assembly.path, exit_status=0, force=True)
    assert [one.path.name for one in forced.others] == ["solver.2.rankwise", "solver.3.rankwise"]


def test_a_later_run_does_not_fill_the_holes_of_an_earlier_one(tmp_path: Path) -> None:
    later = small_world(2)
    for process in later:
        process.header |= {name: stamp(60) for name in ("loaded", "started", "latest", "stopping", "stopped")}
    write_world(tmp_path / "run", small_world(2)[:1], "a")
    assembly = made(tmp_path, later)
    assert (assembly.ranks_seen, [one.ranks_seen for one in assembly.others]) == (1, [2])


def test_processes_that_do_not_know_their_rank_are_kept(tmp_path: Path) -> None:
    processes = small_world(3)
    processes[1].header |= {"world_rank": -1, "world_size": 0, "state": CONSTANTS["STATE_STARTING"]}
    assembly = made(tmp_path, processes)
    assert assembly.ranks_seen == 3
    assert rows(assembly.path, "SELECT text FROM warnings") == [
        ("process 4001 on node1 did not come to know its rank; it is shown as rank 1",)
    ]


def test_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    output = tmp_path / "x.rankwise"
    with pytest.raises(RankwiseError, match=r"no MPI process was seen in .*rankwise doctor"):
        assemble(tmp_path / "run", output, exit_status=0)
    with pytest.raises(RankwiseError, match="cannot be read: No such file"):
        assemble(tmp_path / "nowhere", output, exit_status=0)
    (tmp_path / "run" / "a.counters").write_bytes(b"")
    with pytest.raises(RankwiseError, match="is not a counters file"):
        assemble(tmp_path / "run", output, exit_status=0)
    assert not output.exists()


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    write_world(tmp_path / "run", small_world(2))
    with pytest.raises(RankwiseError, match=r"cannot be written: No such file or directory: .* -o"):
        assemble(tmp_path / "run", tmp_path / "nowhere" / "x.rankwise", exit_status=0)
    (tmp_path / "x.rankwise").mkdir()
    with pytest.raises(RankwiseError, match=r"cannot be written: Is a directory"):
        assemble(tmp_path / "run", tmp_path / "x.rankwise", exit_status=0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "x.rankwise"]


def test_flipped_bits_still_make_a_profile(tmp_path: Path) -> None:
    generator = random.Random(7)
    originals = [process.to_bytes() for process in small_world()]
    run = tmp_path / "run"
    run.mkdir()
    assembled = 0
    for _ in range(120):
        for rank, original in enumerate(originals):
            data = bytearray(original)
            for _ in range(generator.choice((0, 1, 8, 40))):
                data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
            (run / f"rank{rank}.counters").write_bytes(data)
        try:
            assembly = assemble(run, tmp_path / "x.rankwise", exit_status=None, force=True)
        except RankwiseError:
            continue
        assembled += 1
        for one in (assembly, *assembly.others):
            for (members,) in rows(one.path, "SELECT members FROM communicators WHERE size < 1000"):
                parse(members)
            with closing(sqlite3.connect(one.path)) as connection:
                assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert assembled > 100


def test_rows_of_unknown_procedures_and_communicators(tmp_path: Path) -> None:
    processes = small_world(1)
    processes[0].calls[0] += [
        call("MPI_Barrier", communicator=100),
        call("MPI_Barrier", communicator=200),
        call("MPI_Barrier") | {"key": calls_key(0, 3, 2047, 0)},
    ]
    processes[0].messages = []
    processes[0].calls[0][:3] = []
    assembly = made(tmp_path, processes)
    assert rows(assembly.path, "SELECT communicator, calls FROM calls") == [(2, 2)]
    assert rows(assembly.path, "SELECT text FROM warnings") == [
        ("rank0.counters: 1 damaged rows of calls were passed over",)
    ]


def test_a_thousand_ranks_in_seconds(tmp_path: Path) -> None:
    world = small_world(1000)
    for process in world:
        process.calls[0] += [
            call("MPI_Isend", size_bin=size_bin % 60, region=size_bin) for size_bin in range(200)
        ]
    write_world(tmp_path / "run", world)
    started = time.process_time()
    assembly = assemble(tmp_path / "run", tmp_path / "x.rankwise", exit_status=0)
    assert time.process_time() - started < 10
    assert rows(assembly.path, "SELECT COUNT(*) FROM ranks") == [(1000,)]
    members = dict(rows(assembly.path, "SELECT name, members FROM communicators WHERE size > 1"))
    assert members == {"W": "0-999", "W_s1.0": "0-998:2", "W_s1.1": "1-999:2"}
