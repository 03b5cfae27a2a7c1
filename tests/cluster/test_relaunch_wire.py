"""A job in a bad order is mapped and started again: the bytes on the wire fall as was predicted."""

from __future__ import annotations

from pathlib import Path

import pytest
from launching import across_nodes, launch_in_order, record_success, run
from libraries import Mpi, first_of_each
from nodes import ROOT, Cluster
from traffic.relaunch import carried, counted, map_profile

PROGRAM = ROOT / "bench" / "programs" / "rows.c"
BYTES, ITERATIONS, RANKS = 65536, 20, 6
# Of each iteration: a ring of so many bytes, and an allgather of half as many, in rows of two ranks.
IN_ROWS = RANKS * ITERATIONS * (BYTES + BYTES // 2)
TOLERANCE = 0.05
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_the_fall_is_that_on_the_wire(mpi: Mpi, cluster: Cluster, place: Path) -> None:
    program = place / "rows"
    mpi.compile(program, PROGRAM)
    apart = [cluster.names[rank % 3] for rank in range(RANKS)]
    words = launch_in_order(mpi, cluster, apart, program, str(BYTES), str(ITERATIONS), "2")
    done = record_success(mpi, cluster, place, words)
    mapped = map_profile(mpi, done, place / "placement")
    assert mapped.present == counted(done) > IN_ROWS
    assert mapped.found < TOLERANCE * IN_ROWS  # the sums over all ranks remain
    on_wire = []
    for command in (words, mapped.words):
        before = carried(cluster)
        assert run(mpi, cluster, place, command).returncode == 0
        on_wire.append(carried(cluster) - before)
    fall, predicted = on_wire[0] - on_wire[1], mapped.present - mapped.found
    assert abs(fall - predicted) <= TOLERANCE * predicted
