"""A job in a bad order is mapped and started again: the bytes off node are those that were predicted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import across_nodes, launch, record_success
from libraries import Mpi, first_of_each
from nodes import Cluster
from recording import Recording
from traffic.relaunch import map_profile

# Rank r sends 3 x 1,000 (r + 1) bytes to the next of 6 ranks. The best pairs to share a node are
# 1 and 2, 3 and 4, 5 and 0: they keep 6,000 + 12,000 + 18,000 of 63,000 bytes on their nodes.
ALL_BYTES = 63_000
LEAST_OFF_NODE = 27_000
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


def off_node(done: Recording) -> int:
    hosts = dict(done.rows("SELECT rank, host FROM ranks"))
    sizes = {pair: size for pair, (_, size) in done.messages().items()}
    assert sum(sizes.values()) == ALL_BYTES
    return sum(size for (source, target), size in sizes.items() if hosts[source] != hosts[target])


@pytest.mark.exhaustive  # 9 s; test_relaunch_wire.py starts a job again, too
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_a_ring_that_was_dealt_out(
    mpi: Mpi, cluster: Cluster, ring: Callable[[Mpi], Path], place: Path
) -> None:
    done = record_success(mpi, cluster, place, launch(mpi, cluster, 3, "round-robin", ring(mpi)))
    placement = map_profile(mpi, done, place / "placement", "--kind", "program")
    assert placement.present == off_node(done) == ALL_BYTES
    assert placement.found == LEAST_OFF_NODE
    (place / "again").mkdir()
    again = record_success(mpi, cluster, place / "again", placement.words)
    assert off_node(again) == LEAST_OFF_NODE
    assert again.rows("SELECT host FROM ranks ORDER BY rank") == [(host,) for host in placement.hosts]
