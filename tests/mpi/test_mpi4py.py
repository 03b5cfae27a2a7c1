"""Python programs: mpi4py's wheel loads the MPI library at run time; and Python without MPI."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Compile

from exhaustive import few

RANKS = range(3)
DOUBLE = 8
WHEEL_NEEDS = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}


has_module = pytest.mark.only_on(
    lambda mpi: mpi.family in WHEEL_NEEDS, "mpi4py's wheel has no module for the standard ABI"
)


def environment(mpi: Mpi, compiled: Compile, place: Path) -> dict[str, str]:
    """The environment in which mpi4py's wheel finds this library, whatever else the machine has."""
    needed = WHEEL_NEEDS[mpi.family]
    program = compiled(mpi, "point_to_point.c")
    loaded = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True, env=mpi.env())
    match = re.search(r"=> (\S*/libmpi(?:ch)?\.so\.\d+)", loaded.stdout)
    if match is None:
        pytest.skip(f"can't tell which library {mpi.name} links with")
    library = Path(match[1])
    directory = library.parent
    if library.name != needed:  # Debian calls MPICH's library libmpich.so.12, the wheel libmpi.so.12
        directory = place / "lib"
        directory.mkdir()
        (directory / needed).symlink_to(library)
    variables = {**mpi.env(), "LD_LIBRARY_PATH": str(directory), "MPI4PY_MPIABI": mpi.family}
    question = [sys.executable, "-c", "import mpi4py.MPI"]
    answer = subprocess.run(question, capture_output=True, text=True, env=variables)
    if answer.returncode != 0:
        pytest.skip(f"mpi4py can't be imported with {mpi.name}: {answer.stderr.splitlines()[-1]}")
    return variables


@has_module
def test_mpi4py(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    command = mpi.launch(len(RANKS), sys.executable, PROGRAMS / "with_mpi4py.py")
    done = recording.run(command, tmp_path / "python.rankwise", variables)
    assert done.process.returncode == 0, done.process.stderr
    # Launchers may mix the lines of several ranks.
    assert done.process.stdout.count("a Python without MPI") == len(RANKS)
    said = re.search(r"pickled (\d+)", done.process.stdout)
    assert said is not None
    pickled = int(said[1])

    sizes = [10 * i for i in range(10)]
    assert done.calls("MPI_Send", "W_d1") == {0: (10, sum(sizes), 0)}
    assert done.calls("MPI_Recv", "W_d1") == {1: (10, 0, sum(sizes))}
    assert done.calls("MPI_Send", "W") == {0: (1, pickled, 0)}
    assert done.calls("MPI_Mprobe", "W") == {2: (1, 0, 0)}
    assert done.calls("MPI_Mrecv", "W") == {2: (1, 0, pickled)}
    assert done.calls("MPI_Isend", "W") == {rank: (1, 100 + rank, 0) for rank in RANKS}
    assert done.calls("MPI_Irecv", "W") == {rank: (1, 0, 100 + (rank - 1) % 3) for rank in RANKS}
    assert done.calls("MPI_Waitall", "W") == dict.fromkeys(RANKS, (1, 0, 0))
    assert done.calls("MPI_Allreduce") == dict.fromkeys(RANKS, (1, 10 * DOUBLE, 0))
    assert done.calls("MPI_Bcast") == {0: (1, 0, 0), 1: (1, 50 * 2, 0), 2: (1, 0, 0)}
    assert done.calls("MPI_Barrier", "W") == dict.fromkeys(RANKS, (1, 0, 0))
    assert done.calls("MPI_Comm_free") == dict.fromkeys(RANKS, (1, 0, 0))
    assert done.calls("MPI_Finalize") == dict.fromkeys(RANKS, (1, 0, 0))
    assert done.messages("W") == {
        (0, 1): (1, 100),
        (0, 2): (1, pickled),
        (1, 2): (1, 101),
        (2, 0): (1, 102),
    }
    assert done.warnings == []
    assert done.dropped == {}
    assert done.rows("SELECT partial, ranks_seen, ranks_expected FROM run") == [(0, 3, 3)]


@has_module
def test_both_sides_of_a_pool_of_workers(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    command = mpi.launch(4, sys.executable, PROGRAMS / "pool_of_workers.py")
    done = recording.run(command, tmp_path / "pool.rankwise", variables)
    assert done.process.returncode == 0, done.process.stderr
    assert "sum 55" in done.process.stdout
    pools = done.rows(
        "SELECT c.size, c.remote_size, c.members, c.remote_members, c.procedure, p.members, o.members"
        " FROM communicators c JOIN communicators p ON p.id = c.parent"
        " JOIN communicators o ON o.id = c.remote_parent"
    )
    assert pools == [(1, 3, "0", "1-3", "MPI_Intercomm_create", "0", "1-3")]
    shown = subprocess.run(
        [recording.RANKWISE, "show", done.path, "--by", "communicator"], capture_output=True, text=True
    ).stdout
    [line] = [line for line in shown.splitlines() if "Intercomm_create" in line and " x " in line]
    assert " 1 x 1+3 " in line
    assert "  0 + 1-3  " in line
    assert re.search(r"W_c\d+\.0 \+ W_c\d+\.1 ", line)


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name)
@pytest.mark.parametrize(("ranks", "status"), few([(1, 3), (2, 0)], 1))
def test_python_without_mpi(mpi: Mpi, tmp_path: Path, ranks: int, status: int) -> None:
    # Nothing to record and no profile: a success becomes a failure of ours, but the program runs as ever.
    program = f"import ctypes, os, sys; print('here', flush=True); sys.exit({status})"
    command = mpi.launch(ranks, sys.executable, "-c", program)
    output = tmp_path / "none.rankwise"
    done = recording.run(command, output, mpi.env())
    assert done.process.stdout.count("here") == ranks, done.process.stderr
    assert done.process.returncode == (status or 1)
    assert "no MPI process was seen" in done.process.stderr
    assert not output.exists()
