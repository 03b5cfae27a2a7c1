"""From counters files to a profile: every table."""

from __future__ import annotations

import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from assembled import made, rows
from synthetic import (
    IDS,
    NONE,
    PART,
    call,
    communicator,
    message,
    small_world,
    ticks,
)

from golden import Golden
from rankwise.profile.assemble import Assembly
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.procedures import PROCEDURES


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
    ranks = rows(assembly.path, f"SELECT {columns}, max_rss, threads, overhead, inside FROM ranks")
    assert ranks[2][:11] == (2, "node1", 4002, "finalized", None, "0-3", 2, None, 10.0, 8.0, 0.25)
    assert ranks[2][11] == pytest.approx(1.9)
    # 16 calls of 100 ticks, 3 million ticks of set-up and finish, at 2 GHz.
    assert ranks[2][12:] == (50 << 20, 1, pytest.approx((16 * 100 + 3e6) / 2e9), None)


def test_own_cost_of_both_kinds_of_calls(tmp_path: Path) -> None:
    process = small_world(1)[0]
    process.header |= {"own_call_picoticks": 100_000, "own_other_call_picoticks": 400_000}
    process.calls = [[call("MPI_Bcast", calls=3), call("MPI_Comm_split", calls=5)]]
    assembly = made(tmp_path, [process])
    # 3 calls of 100 ticks and 5 of 400, 3 million ticks of set-up and finish, at 2 GHz.
    assert rows(assembly.path, "SELECT overhead FROM ranks") == [
        (pytest.approx((3 * 100 + 5 * 400 + 3e6) / 2e9),)
    ]


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
    communicators = rows(
        assembly.path,
        "SELECT c.id, c.name, c.family, p.name, c.procedure, c.size, c.members, c.created, c.freed,"
        " c.members_seen FROM communicators AS c LEFT JOIN communicators AS p ON p.id = c.parent"
        " ORDER BY c.id",
    )
    assert [row[1] for row in communicators[:3]] == ["(none)", "(several)", "(other)"]
    assert communicators[3] == (3, "W", "W", None, "", 5, "0-4", 0.5, None, 5)
    assert communicators[4] == (4, "S.0", "S", None, "", 1, "0", 0.5, None, 1)
    assert communicators[9][1:7] == ("W_s1.0", "W_s1", "W", "MPI_Comm_split", 3, "0-4:2")
    assert communicators[9][7:] == (pytest.approx(1.0), pytest.approx(8.4), 3)
    assert communicators[10][1:7] == ("W_s1.1", "W_s1", "W", "MPI_Comm_split", 2, "1,3")
    assert communicators[10][7:] == (pytest.approx(1.1), pytest.approx(8.3), 2)


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
    communicators = rows(
        assembly.path,
        "SELECT c.name, c.size, c.remote_size, c.members, c.remote_members, c.members_seen, p.name, o.name"
        " FROM communicators c LEFT JOIN communicators p ON p.id = c.parent"
        " LEFT JOIN communicators o ON o.id = c.remote_parent WHERE c.remote_size > 0 ORDER BY c.id",
    )
    assert communicators == [
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
        (0, "(whole program)", None, "(whole program)"),
        (1, "solve", 0, "solve"),
        (2, "output", 0, "output"),
        (4095, "(other)", None, "(other)"),
    ]
    assert rows(assembly.path, "SELECT * FROM region_times") == [
        (rank, *times)
        for rank in range(2)
        for times in ((0, 1, 10.0, 8.5), (1, 4, 1.0, 1.0), (2, 1, 0.5, 0.5))
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


@pytest.mark.parametrize("note", [None, {"job": ""}, {"job": "123"}])
def test_the_job_of_the_batch_system(note: dict[str, str] | None, tmp_path: Path) -> None:
    """What `rankwise run` noted counts, else what any rank knows: not all know it if ssh starts them."""
    if note:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "launch.json").write_text(json.dumps(note))
    processes = small_world()
    processes[2].header["batch_job"] = b"4711"
    expected = (note or {}).get("job") or "4711"
    assert rows(made(tmp_path, processes).path, "SELECT job FROM run") == [(expected,)]


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


def test_what_the_processes_import(tmp_path: Path) -> None:
    """It counts where nothing was known before the launch, if all of them could tell all of it."""
    processes = small_world(2)
    processes[0].imports = ["MPI_Comm_rank", "MPI_Newer_call"]
    for known, not_covered in ((0, "null"), (1, '["MPI_Newer_call"]')):
        processes[0].header["imports_known"] = known
        processes[1].header["imports_known"] = 1
        (tmp_path / str(known)).mkdir()
        assembly = made(tmp_path / str(known), processes)
        assert rows(assembly.path, "SELECT not_covered FROM run") == [(not_covered,)]


def test_what_came_by_profiling_names(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(3)
    names = [name for name in IDS if name.startswith("MPI_Comm_")][:8]
    for rank in (0, 2):
        words = np.zeros(CONSTANTS["PROCEDURE_WORDS"], np.uint64)
        for name in names[: 2 + 3 * rank]:
            words[IDS[name] // 64] |= np.uint64(1 << IDS[name] % 64)
        processes[rank].header["profiling_names"] = words
        processes[rank].header["profiling_callers"] = b"app, libtool.so"
    assembly = made(tmp_path, processes)
    first = ", ".join(f"P{name}" for name in sorted(names)[:6])
    [warning] = [
        text for (text,) in rows(assembly.path, "SELECT text FROM warnings") if "P" + names[0] in text
    ]
    golden.says(warning, f" {first} .. 2 .. app .. libtool.so .. 0,2")


@pytest.mark.parametrize("text", ["{", "[]", "\x00\xff", "[" * 100_000])
def test_a_damaged_launch_note_is_a_warning(tmp_path: Path, text: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "launch.json").write_text(text)
    assembly = made(tmp_path, small_world())
    [(warning,)] = rows(assembly.path, "SELECT text FROM warnings")
    assert warning.startswith("launch.json ")


def test_dropped_records(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(2)
    processes[1].header["dropped"] = (0, 0, 0, 0, 5, 0, 2, *[0] * 9)
    processes[1].calls[0][1]["bytes_received"] -= 100
    assembly = made(tmp_path, processes)
    assert rows(assembly.path, "SELECT * FROM dropped") == [(1, "receives", 2), (1, "requests", 5)]
    [(warning,)] = rows(assembly.path, "SELECT text FROM warnings")
    golden.says(warning, "W .. 600 .. 500 .. 2 .. MPI_Isendrecv .. 5")


def test_collectives_that_not_all_members_called_alike_are_told(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(6)
    processes[3].calls[0][2]["calls"] = 9
    for process in processes[:5]:
        process.calls[0].append(call("MPI_Barrier"))
    assembly = made(tmp_path, processes)
    [(first,), (second,)] = rows(assembly.path, "SELECT text FROM warnings ORDER BY text")
    golden.says(first, "MPI_Allreduce .. W_s1.1 .. 10 .. 1,5 .. 9 .. 3")
    golden.says(second, "MPI_Barrier .. W .. 0-4 .. 0 .. 5")


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
