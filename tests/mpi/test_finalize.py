"""The clocks of nodes are compared in MPI_Finalize, to which some ranks come late or never, on every MPI.

Leaders of nodes have to meet for that. None may wait for long for one that does not come, and neither what
the program has left open nor its error handler may meet their messages.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import Compile, run_on

from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.holders import find_counters

RANKS = 4
NODES = "abca"  # so the leaders are ranks 0 to 2; programs/finalize.c has the last of them late
SKEW = "a:0,b:5000000000000,c:-3000000000"

mpi = libraries.in_turn(libraries.ONE_OF_EACH_LAUNCHER)


def on_three_nodes(mpi: Mpi, pretender: Path) -> Mpi:
    variables = {"LD_PRELOAD": str(pretender), "PRETEND_NODES": NODES, "RANKWISE_TEST_CLOCKS": SKEW}
    return replace(mpi, environment={**mpi.environment, **variables})


def test_one_that_is_late(mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path) -> None:
    pretending = on_three_nodes(mpi, pretender)
    command = pretending.launch(RANKS, compiled(mpi, "finalize.c"), "late")
    done = run_on(pretending, command, tmp_path / "late.rankwise", "--clock-sync", "--keep-run-dir")
    assert done.process.returncode == 0, done.process.stderr
    said = sorted(line for line in done.process.stdout.splitlines() if line.startswith("rank "))
    # Whether the processes of jobs that these start have Rankwise is not known.
    assert said == [f'rank {rank}: finalized, received 0, other jobs get ""' for rank in range(RANKS)]
    # Its clock is known from MPI_Init alone, so that it may have drifted by 1e-5 in more than 1.5 s.
    headers = {}
    for holder in find_counters(tmp_path / "late.rankwise-run").holders:
        for counters in holder.read():
            assert isinstance(counters, Counters)
            headers[counters.header.world_rank] = counters.header
    assert [headers[rank].at_start.is_done for rank in range(RANKS)] == [False, True, True, False]
    assert not headers[2].at_stop.is_done
    errors = dict(done.rows("SELECT rank, clock_error FROM ranks"))
    assert errors[0] == errors[3] == 0
    assert float(str(errors[2])) > 1.5e-5


one_of_each = pytest.mark.only_on(
    lambda mpi: mpi in libraries.ONE_OF_EACH, "this way is tried with one library of each family"
)


@pytest.mark.parametrize(
    "way", [pytest.param("kill", marks=one_of_each), "exit", pytest.param("abort", marks=one_of_each)]
)
def test_one_that_never_comes(mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path, way: str) -> None:
    pretending = on_three_nodes(mpi, pretender)
    command = pretending.launch(RANKS, compiled(mpi, "finalize.c"), way)
    done = run_on(pretending, command, tmp_path / "lost.rankwise", "--clock-sync")
    assert done.process.returncode != 0
    assert "finalized" not in done.process.stdout
    assert "error" not in done.process.stdout
    assert len(done.rows("SELECT rank FROM ranks WHERE clock_error IS NOT NULL")) == RANKS
