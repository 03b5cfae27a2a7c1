"""The clocks of nodes: ranks that Rankwise finds on two nodes, whose clocks differ by hours, on every MPI."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import Mpi
from recording import Compile, Recording, run_on
from test_waiting import RANKS, assert_alike, measured, told

from rankwise.analysis.waiting.collectives import waiting

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="only there can clocks be shifted")

SKEW_NS = {"a": 0, "b": 5_000_000_000_000, "c": -3_000_000_000}


def recorded(
    mpi: Mpi,
    compiled: Compile,
    pretender: Path,
    tmp_path: Path,
    option: str,
    *steps: str,
    nodes: str = "abca",
) -> Recording:
    skew = ",".join(f"{node}:{ahead}" for node, ahead in SKEW_NS.items())
    told = {"LD_PRELOAD": str(pretender), "PRETEND_NODES": nodes, "RANKWISE_TEST_CLOCKS": skew}
    pretending = replace(mpi, environment={**mpi.environment, **told})
    command = pretending.launch(RANKS, compiled(mpi, "waiting.c"), *steps)
    done = run_on(pretending, command, tmp_path / "clocks.rankwise", option)
    assert done.process.returncode == 0, done.process.stderr
    return done


def test_times_of_several_nodes_are_on_one_clock(
    mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path
) -> None:
    done = recorded(mpi, compiled, pretender, tmp_path, "--clock-sync", "one", "root")
    errors = dict(done.rows("SELECT rank, clock_error FROM ranks"))
    assert errors[0] == errors[3] == 0
    # Half of the shortest of forty round trips, on a machine with more processes than processors.
    assert all(0 < float(str(errors[rank])) < 0.01 for rank in (1, 2))
    ours = measured(done)
    for what, ranks in told(done).items():
        for rank, one in ranks.items():
            allowed = 2 * one.calls * sum(float(str(error)) for error in errors.values())
            if abs(ours[what][rank] - one.waited) > allowed:
                assert_alike(ours[what][rank], one.waited, one.calls)
    with done.database as database:
        found = waiting(database)
    assert found.not_known_seconds == 0
    assert found.clock_error_seconds == max(float(str(error)) for error in errors.values())
    # Nothing of ours is among the program's calls, its messages and communicators.
    assert done.calls("MPI_Comm_create_group") == {}
    assert done.messages() == {}
    assert "W_g" not in " ".join(done.communicators())


def test_without_it_only_nodes_are_compared_with_themselves(
    mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path
) -> None:
    done = recorded(mpi, compiled, pretender, tmp_path, "--no-clock-sync", "chain", nodes="aabb")
    assert dict(done.rows("SELECT rank, clock_error FROM ranks")) == {0: 0.0, 1: 0.0, 2: None, 3: None}
    assert {what[1] for what in measured(done)} == {"first"}  # of ranks 0 and 1
    with done.database as database:
        assert waiting(database).not_known_seconds > 0
