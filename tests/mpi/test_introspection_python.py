"""rankwise.session: an mpi4py program asks for its own counters."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import LIMIT_SECONDS, PROGRAMS, RANKWISE, Compile
from test_introspection import visible_within_a_node
from test_mpi4py import DOUBLE, environment, has_module

RANKS = 4
EXAMPLES = libraries.ROOT / "examples" / "introspection"
ONE_OF_EACH = [mpi for mpi in libraries.ONE_OF_EACH if mpi.family != "mpiabi"]
one_of_each = pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
# An exception on one rank ends the others, too.
PYTHON = [sys.executable, "-m", "mpi4py"]

TOO_LATE = [
    "from mpi4py import MPI",
    "import rankwise",
    "try: rankwise.preload()",
    "except rankwise.IntrospectionError as error: print(error)",
    "rankwise.session(MPI.COMM_WORLD)",
]


def assert_barrier(mpi: Mpi, printed: str) -> None:
    """Everybody sends somebody something in a barrier, and nothing is told where that is not visible."""
    matrix = [[int(word) for word in line.split()] for line in printed.splitlines()]
    assert [len(line) for line in matrix] == [RANKS] * RANKS
    if visible_within_a_node(mpi):
        assert all(sum(line) > 0 for line in matrix)
        assert all(matrix[i][i] == 0 for i in range(RANKS))
    else:
        assert sum(map(sum, matrix)) == 0


def checked(mpi: Mpi, directory: Path) -> list[str | Path]:
    """The words of the program that checks for itself."""
    return [PROGRAMS / "introspection.py", directory, "all" if visible_within_a_node(mpi) else "none"]


@has_module
def test_under_rankwise_run(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    command = mpi.launch(RANKS, *PYTHON, *checked(mpi, tmp_path))
    done = recording.run(command, tmp_path / "session.rankwise", variables)
    assert done.process.returncode == 0, done.process.stdout + done.process.stderr
    assert_barrier(mpi, done.process.stdout)
    # Nothing that sessions do themselves is in the profile.
    assert done.calls("MPI_Allgather", "W") == {}
    assert done.calls("MPI_Barrier", "W") == dict.fromkeys(range(RANKS), (2, 0, 0))


def run(mpi: Mpi, variables: dict[str, str], *words: str | Path) -> str:
    """Runs a Python program without `rankwise run`; what it printed."""
    done = subprocess.run(
        mpi.launch(RANKS, *PYTHON, *words),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=variables,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def preloaded(variables: dict[str, str]) -> dict[str, str]:
    """The environment with the library in LD_PRELOAD."""
    words = [str(RANKWISE), "link-flags", "--monitoring-preload"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS)
    return {**variables, "LD_PRELOAD": shown.stdout.strip()}


@one_of_each
def test_preloaded(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = preloaded(environment(mpi, compiled, tmp_path))
    assert_barrier(mpi, run(mpi, variables, *checked(mpi, tmp_path)))


@one_of_each
def test_preload_by_the_program(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    assert_barrier(mpi, run(mpi, variables, *checked(mpi, tmp_path)))


@pytest.mark.parametrize("mpi", ONE_OF_EACH[:1], ids=lambda mpi: mpi.name)
def test_examples(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = preloaded(environment(mpi, compiled, tmp_path))
    printed = {
        name: run(mpi, variables, EXAMPLES / f"{name}.py") for name in ("barrier", "two_sessions", "even_odd")
    }
    title, *matrix = printed["barrier"].splitlines()
    assert title.startswith("messages of one MPI_Barrier")
    assert_barrier(mpi, "\n".join(matrix))
    pattern = re.compile(r"rank (\d) sends inside (\w+) \d+ bytes \(by definition (\d+)\)")
    to_all = str((RANKS - 1) * 1000 * DOUBLE)
    expected = [(str(rank), "MPI_Bcast", "0" if rank else to_all) for rank in range(RANKS)]
    expected += [(str(rank), "MPI_Allreduce", to_all) for rank in range(RANKS)]
    assert pattern.findall(printed["two_sessions"]) == expected
    assert printed["even_odd"].splitlines() == [
        "rank 0 to the even ranks: 0 1",
        "rank 1 to the odd ranks: 0 1",
        "rank 2 to the even ranks: 1 0",
        "rank 3 to the odd ranks: 1 0",
    ]


@one_of_each
def test_without_rankwise(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    done = subprocess.run(
        mpi.launch(1, sys.executable, "-c", "\n".join(TOO_LATE)),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=variables,
    )
    assert done.returncode != 0
    assert "too late" in done.stdout
    last = [line for line in done.stderr.splitlines() if "IntrospectionError" in line][-1]
    assert "MPI_M_INTERNAL_FAIL" in last
    assert "`rankwise run -- mpirun" in last
    assert "LD_PRELOAD=/" in last


def test_import_is_light() -> None:
    """The commands don't wait for what only programs need."""
    program = "import sys, rankwise; print({'numpy', 'mpi4py', 'ctypes'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS
    )
    assert done.stdout == "set()\n"
