"""MPI_M_reorder on three nodes: a ring that is dealt out in turns, and how much of it then leaves nodes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from launching import across_nodes, launch, record
from libraries import Mpi, first_of_each
from nodes import Cluster
from recording import RANKWISE

BYTES, ROUNDS, RANKS = 1000, 5, 6
# Dealt out in turns, the two ends of each of the 6 links are on different nodes. A ring through 3 nodes has
# at least 3 links between them.
BEFORE, AFTER = 6, 3
SOURCE = Path(__file__).parent / "programs" / "reorder_ring.c"
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_links_between_nodes(mpi: Mpi, cluster: Cluster, place: Path) -> None:
    words = [str(RANKWISE), "link-flags", "--monitoring"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    program = place / "reorder_ring"
    mpi.compile(program, SOURCE, options=shown.stdout.split())
    command = launch(mpi, cluster, RANKS // 2, "round-robin", program, str(BYTES), str(ROUNDS))
    done = record(mpi, cluster, place, command)
    assert done.process.returncode == 0, done.process.stderr
    hosts = dict(done.rows("SELECT rank, host FROM ranks"))
    assert [hosts[rank] for rank in range(RANKS)] == [*cluster.names] * 2
    better = next(name for name in done.communicators() if name.startswith("W_s1."))
    # MPI_M_redistribute sends a few bytes more on the world, some of them to other processes.
    rings = {
        name: [pair for pair, (_, size) in done.messages(name).items() if size >= BYTES * ROUNDS]
        for name in ("W", better)
    }
    assert [len(ring) for ring in rings.values()] == [RANKS, RANKS]
    off_node = {
        name: sum(hosts[source] != hosts[destination] for source, destination in ring)
        for name, ring in rings.items()
    }
    assert off_node == {"W": BEFORE, better: AFTER}
