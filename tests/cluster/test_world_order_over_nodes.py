"""`rankwise run --place` on three nodes: a new order of MPI_COMM_WORLD keeps all bytes on their nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from launching import across_nodes, launch, record_success
from libraries import Mpi, first_of_each
from nodes import Cluster
from recording import Recording

PARTNERS = Path(__file__).parent / "programs" / "partners.c"
SIZE, ROUNDS, RANKS = 1000, 3, 6
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


def off_node(done: Recording) -> int:
    hosts = dict(done.rows("SELECT rank, host FROM ranks"))
    return sum(size for (a, b), (_, size) in done.messages().items() if hosts[a] != hosts[b])


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_partners_share_a_node(mpi: Mpi, cluster: Cluster, place: Path) -> None:
    """Dealt out in turns, no partners share a node; in the new order all do, as with a rank file."""
    program = place / "partners"
    mpi.compile(program, PARTNERS)
    words = launch(mpi, cluster, 3, "round-robin", program, str(SIZE), str(ROUNDS))
    (place / "first").mkdir()
    first = record_success(mpi, cluster, place / "first", words)
    assert off_node(first) == SIZE * ROUNDS * RANKS
    placed = record_success(mpi, cluster, place, words, "--place", str(first.path))
    assert off_node(placed) == 0
    assert placed.messages() == first.messages()
