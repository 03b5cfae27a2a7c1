"""Waiting between nodes whose clocks differ by 90 minutes, compared or not, by each MPI's own launcher."""

from __future__ import annotations

import platform
from pathlib import Path

import libraries
import pytest
import test_waiting
from launching import across_nodes, launch, record
from libraries import Mpi
from nodes import Cluster
from test_waiting import assert_alike, measured

from rankwise.analysis.waiting.collectives import waiting

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="only there can clocks be shifted")

AHEAD_S = 5400.0
PROGRAM = Path(test_waiting.__file__).with_name("programs") / "waiting.c"

mpi = libraries.in_turn(list(libraries.first_of_each(across_nodes(), lambda mpi: mpi.family)))


@pytest.mark.each_value
@pytest.mark.parametrize("option", ["--clock-sync", "--no-clock-sync"])
def test_who_waited_is_known_between_nodes(mpi: Mpi, cluster: Cluster, place: Path, option: str) -> None:
    program = cluster.directory / f"waiting.{mpi.name}"
    if not program.exists():
        mpi.compile(program, PROGRAM)
    clocks = f"RANKWISE_TEST_CLOCKS=node0:0,node1:{AHEAD_S * 1e9:.0f}"
    command = launch(mpi, cluster, 2, "block", "env", clocks, program, "one", "turns")
    done = record(mpi, cluster, place, command, option)
    assert done.process.returncode == 0, done.process.stderr
    on_node = dict(done.rows("SELECT rank, host FROM ranks"))
    offsets = dict(done.rows("SELECT rank, clock_offset FROM ranks"))
    errors = {rank: float(str(error)) for rank, error in done.rows("SELECT rank, clock_error FROM ranks")}
    for rank, host in on_node.items():
        assert (errors[rank] > 0) == (host != "node0")
        if option == "--clock-sync":
            # (Of two readings that are a stamp, other processes may come in between.)
            expected = AHEAD_S if host == "node1" else 0.0
            assert float(str(offsets[rank])) == pytest.approx(expected, abs=errors[rank] + 1e-3)
        else:
            assert offsets[rank] == (None if host == "node1" else 0.0)
    truth, ours = test_waiting.told(done), measured(done)
    for what, ranks in truth.items():
        for rank, wait in ranks.items():
            if abs(ours[what][rank] - wait.waited) > 2 * wait.calls * sum(errors.values()):
                assert_alike(ours[what][rank], wait.waited, wait.calls)
    with done.database as database:
        waits = waiting(database)
    assert waits.not_known_seconds == 0
    assert waits.by_collectives == (option == "--no-clock-sync")
