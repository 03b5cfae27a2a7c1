"""MPI calls of the program's own callbacks count like any others, on every MPI: programs/callbacks.c.

The time of a callback's call is its own alone: that of the call that ran the callback is without it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Compile, Record, Recording
from test_mpi4py import environment, has_module

RANKS = range(2)
ROUNDS, BLOCK, INT = 10, 100, 4
NAP = 0.1

Calls = dict[int, tuple[int, int, int]]


def each(calls: int, sent: int = 0, received: int = 0) -> Calls:
    """What every rank has."""
    return dict.fromkeys(RANKS, (calls, sent, received))


def on(done: Recording, procedure: str, name: str) -> Calls:
    """Calls of a procedure on the communicators or windows to which the program has given this name."""
    communicators = done.rows("SELECT name FROM communicators WHERE user_name = ?", name)
    total: dict[int, list[int]] = {}
    for (communicator,) in communicators:
        for rank, figures in done.calls(procedure, str(communicator)).items():
            total[rank] = [a + b for a, b in zip(total.get(rank, [0, 0, 0]), figures, strict=True)]
    return {rank: (calls, sent, received) for rank, (calls, sent, received) in total.items()}


def seconds(done: Recording, procedure: str, rank: int) -> float:
    """The time of all calls of a procedure on a rank."""
    [(total,)] = done.rows(
        """SELECT sum(seconds) FROM calls JOIN procedures ON procedures.id = calls.procedure
           WHERE procedures.name = ? AND rank = ?""",
        procedure,
        rank,
    )
    return float(str(total))


def written(done: Recording) -> int:
    """Bytes written to the program's file."""
    [(total,)] = done.rows(
        "SELECT sum(bytes_written) FROM file_accesses JOIN files ON files.id = file WHERE name LIKE '%data'"
    )
    return int(str(total))


def assert_all_counted(done: Recording) -> None:
    # Attributes of communicators; the second deletion is that of a callback's call.
    assert on(done, "MPI_Barrier", "copies") == each(1)
    assert on(done, "MPI_Send", "deletions") == {1: (2, 16, 0)}
    assert on(done, "MPI_Recv", "deletions") == {0: (2, 0, 16)}
    assert on(done, "MPI_Barrier", "second") == each(2)
    assert on(done, "MPI_Barrier", "inner") == each(2)
    assert on(done, "MPI_Comm_free", "second") == each(2)
    # Error handlers, of a communicator and of files.
    assert on(done, "MPI_Barrier", "errors") == each(1)
    # (MPICH returns success where the program's own handler has seen the error.)
    assert {rank: calls for rank, (calls, *_) in on(done, "MPI_Send", "wrong").items()} == {0: 1, 1: 1}
    assert on(done, "MPI_Barrier", "files") == each(1)
    # Generalised requests, reductions, attributes of windows.
    assert on(done, "MPI_Sendrecv", "requests") == each(1, INT, INT)
    said = dict(line.split()[1:] for line in done.process.stdout.splitlines() if line.startswith("reduced"))
    names = on(done, "MPI_Comm_set_name", "reductions")
    assert names == {rank: (1 + int(said[str(rank)]), 0, 0) for rank in RANKS}
    assert on(done, "MPI_Allreduce", "reductions") == each(1, INT)
    assert on(done, "MPI_Win_set_name", "deleted") == on(done, "MPI_Win_free", "deleted") == each(1)
    assert on(done, "MPI_Barrier", "windows") == each(1)
    assert_finalize_counted(done)
    assert not {name for name in done.communicators() if name.startswith("U~")}
    assert done.rows("SELECT partial FROM run") == [(0,)]
    assert done.dropped == {}


def assert_finalize_counted(done: Recording) -> None:
    """What the callback of MPI_COMM_SELF does within MPI_Finalize."""
    assert done.calls("MPI_Allreduce", "W") == each(ROUNDS, ROUNDS * INT)
    assert done.calls("MPI_File_write_at_all") == each(1, BLOCK)
    assert done.calls("MPI_File_close") == each(1)
    [(split,)] = done.rows("SELECT name FROM communicators WHERE name GLOB 'W_s*'")
    assert done.messages(str(split)) == {(1, 0): (1, 3)}
    assert written(done) == len(RANKS) * BLOCK
    assert done.calls("MPI_Finalize") == each(1)


def assert_times_count_once(done: Recording) -> None:
    # Rank 0 waits in MPI_Recv for rank 1, both times within MPI_Comm_free.
    received = seconds(done, "MPI_Recv", 0)
    assert received > NAP
    assert seconds(done, "MPI_Comm_free", 0) < received
    for wall, inside in done.rows("SELECT wall, mpi + init_finalize FROM ranks"):
        assert float(str(inside)) <= float(str(wall))


@pytest.mark.reported("recording/finalize-callback")
def test_calls_of_callbacks(record: Record, tmp_path: Path) -> None:
    done = record("callbacks.c", len(RANKS), str(tmp_path / "data"))
    assert_all_counted(done)
    assert_times_count_once(done)
    assert done.warnings == []


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
@pytest.mark.parametrize("order", ["behind", "before"])
def test_with_a_tool(mpi: Mpi, compiled: Compile, order: str, tmp_path: Path) -> None:
    """A callback's call passes through the tool, and counts once; the tool's own calls do not count."""
    tool, program = tmp_path / "libtool.so", compiled(mpi, "callbacks.c")
    own = ["-DOWN"] if order == "behind" else []
    mpi.compile(tool, PROGRAMS / "tools" / "every.c", options=["-shared", "-fPIC", *own])
    words, variables = [str(program), str(tmp_path / "data")], mpi.env()
    if order == "before":
        words = ["sh", "-c", f'LD_PRELOAD="{tool}:$LD_PRELOAD" exec {" ".join(words)}']
    else:
        variables["LD_PRELOAD"] = str(tool)
    done = recording.run(mpi.launch(len(RANKS), *words), tmp_path / "tool.rankwise", variables)
    assert done.process.returncode == 0, done.process.stderr
    assert_all_counted(done)


@pytest.mark.parametrize(
    "mpi", [mpi for mpi in libraries.ALL if mpi.mpifort], ids=lambda mpi: mpi.name, indirect=True
)
def test_fortran(record: Record) -> None:
    done = record("fortran_callbacks.f90", len(RANKS))
    assert done.calls("MPI_Allreduce", "W") == each(2, 2 * INT)
    assert done.calls("MPI_Barrier", "W") == each(2)
    assert done.calls("MPI_Comm_free") == done.calls("MPI_Finalize") == each(1)


@has_module
def test_python(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    command = mpi.launch(len(RANKS), sys.executable, PROGRAMS / "callbacks.py")
    done = recording.run(command, tmp_path / "python.rankwise", variables)
    assert done.process.returncode == 0, done.process.stderr
    assert done.calls("MPI_Allreduce", "W") == each(1, INT)
    assert done.calls("MPI_Barrier", "W") == each(1)
    assert done.calls("MPI_Comm_free") == each(1)
