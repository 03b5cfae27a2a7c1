"""However a program ends, its job's status, and what of it has run, are the same as without Rankwise."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import libraries
import pytest
import recording
from libraries import Mpi
from recording import Compile

WAYS = [
    "MPI_Abort",
    "MPI_Abort of self",
    "fatal error",
    "handler exits",
    "handler aborts",
    "status of one",
    "_exit",
    "abort",
    "SIGKILL",
    "SIGTERM",
    "SIGSEGV",
    "caught SIGUSR1",
    "exit without MPI_Finalize",
    "MPI_Finalize twice",
    "call behind MPI_Finalize",
    "call before MPI_Init",
]
FEW = ["MPI_Abort", "fatal error", "SIGSEGV", "call behind MPI_Finalize"]
ATTEMPTS = 5
# The library ends the process while its launcher kills it: whether functions of atexit() still run is chance.
RACES = {"MPI_Abort", "MPI_Abort of self", "fatal error", "handler aborts"}

# After MPI_Abort, Intel MPI's launcher sends a message to its own proxy on the node, which may have ended by
# then: SIGPIPE kills the launcher. That was seen in 3 of 220 runs with Rankwise on two busy processors, and
# without it only where the program could not be started (22 of 100).
PIPE_CLOSED = 128 + signal.SIGPIPE

# All ways with one library a family, few with the others. The standard ABI has no launchers of its own.
CASES = [
    pytest.param(mpi, way, id=f"{mpi.name}-{way}")
    for mpi in libraries.ALL
    if mpi.family != "mpiabi"
    for way in (WAYS if mpi in libraries.ONE_OF_EACH else FEW)
]


class End(NamedTuple):
    """What is left of a job: its status and what the guilty rank said."""

    status: int
    said: str


def guilty_said(place: Path, way: str) -> str:
    """Only the guilty rank's: how far the other comes before the launcher ends it is chance."""
    path = place / "said.1"
    said = path.read_text() if path.exists() else ""
    return said.removesuffix("at exit\n") if way in RACES else said


def end_without(command: list[str], environment: dict[str, str], place: Path, way: str) -> End:
    place.mkdir()
    bare = subprocess.run(command, capture_output=True, timeout=60, env=environment, cwd=place)
    # As a shell tells it.
    return End(128 - bare.returncode if bare.returncode < 0 else bare.returncode, guilty_said(place, way))


@pytest.mark.parametrize(("mpi", "way"), CASES)
def test_same_end(mpi: Mpi, compiled: Compile, tmp_path: Path, way: str) -> None:
    command = mpi.launch(2, compiled(mpi, "ends.c"), way)
    for attempt in range(ATTEMPTS):
        place = tmp_path / f"profiled {attempt}"
        place.mkdir()
        done = recording.run(command, place / "ends.rankwise", mpi.env())
        profiled = End(done.process.returncode, guilty_said(place, way))
        if not (mpi.vendor == "Intel" and profiled.status == PIPE_CLOSED):
            break
    # Launchers are not always of one mind: their status may depend on which rank they see first.
    seen = set()
    for attempt in range(ATTEMPTS):
        seen.add(end_without(command, mpi.env(), tmp_path / f"plain {attempt}", way))
        if profiled in seen:
            return
    raise AssertionError(f"{profiled} under Rankwise; without: {seen}; {done.process.stderr}")
