"""The clocks of nodes: ranks that Rankwise finds on two nodes, whose clocks differ by hours, on every MPI."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

import libraries
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
    variables = {"LD_PRELOAD": str(pretender), "PRETEND_NODES": nodes, "RANKWISE_TEST_CLOCKS": skew}
    pretending = replace(mpi, environment={**mpi.environment, **variables})
    command = pretending.launch(RANKS, compiled(mpi, "waiting.c"), *steps)
    done = run_on(pretending, command, tmp_path / "clocks.rankwise", option)
    assert done.process.returncode == 0, done.process.stderr
    return done


def assert_waits_are_the_programs(done: Recording, errors: dict[object, object]) -> None:
    ours = measured(done)
    for what, ranks in told(done).items():
        for rank, truth in ranks.items():
            allowed = 2 * truth.calls * sum(float(str(error)) for error in errors.values())
            if abs(ours[what][rank] - truth.waited) > allowed:
                assert_alike(ours[what][rank], truth.waited, truth.calls)


def test_times_of_several_nodes_are_on_one_clock(
    mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path
) -> None:
    done = recorded(mpi, compiled, pretender, tmp_path, "--clock-sync", "one", "root")
    errors = dict(done.rows("SELECT rank, clock_error FROM ranks"))
    assert errors[0] == errors[3] == 0
    # Half of the shortest of forty round trips, on a machine with more processes than processors.
    assert all(0 < float(str(errors[rank])) < 0.01 for rank in (1, 2))
    offsets = dict(done.rows("SELECT rank, clock_offset FROM ranks"))
    for rank, node in enumerate("abca"):
        # (Of two readings that are a stamp, other processes may come in between.)
        assert float(str(offsets[rank])) == pytest.approx(
            SKEW_NS[node] / 1e9, abs=float(str(errors[rank])) + 1e-3
        )
    # The run begins and ends by one clock, too.
    [(wall,)] = done.rows("SELECT wall FROM run")
    assert float(str(wall)) < 60
    assert_waits_are_the_programs(done, errors)
    with done.database as database:
        totals = waiting(database)
    assert totals.not_known_seconds == 0
    assert totals.clock_error_seconds == max(float(str(error)) for error in errors.values())
    assert not totals.by_collectives
    # Nothing of ours is among the program's calls, its messages and communicators.
    assert done.calls("MPI_Comm_create_group") == {}
    assert done.messages() == {}
    assert "W_g" not in " ".join(done.communicators())


def test_clocks_that_are_not_compared_are_known_by_collectives(
    mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path
) -> None:
    done = recorded(mpi, compiled, pretender, tmp_path, "--no-clock-sync", "one", "root")
    assert dict(done.rows("SELECT rank, clock_offset FROM ranks")) == {0: 0.0, 1: None, 2: None, 3: 0.0}
    errors = dict(done.rows("SELECT rank, clock_error FROM ranks"))
    assert errors[0] == errors[3] == 0
    assert all(0 < float(str(errors[rank])) < 0.01 for rank in (1, 2))
    assert_waits_are_the_programs(done, errors)
    with done.database as database:
        totals = waiting(database)
    assert totals.not_known_seconds == 0
    assert totals.by_collectives


@pytest.mark.only_on(
    lambda mpi: mpi in libraries.ONE_OF_EACH, "what the reader does is tried with one library of each family"
)
def test_clocks_of_which_nothing_tells(mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path) -> None:
    # In these collectives nobody waits for all others.
    done = recorded(mpi, compiled, pretender, tmp_path, "--no-clock-sync", "root", nodes="aabb")
    assert dict(done.rows("SELECT rank, clock_error FROM ranks")) == {0: 0.0, 1: 0.0, 2: None, 3: None}
    assert measured(done) == {}
    with done.database as database:
        totals = waiting(database)
    assert totals.unknown is not None
    assert totals.unknown.reason == "clocks not compared"
    assert totals.not_known_seconds == pytest.approx(totals.unknown.clocks_seconds)
