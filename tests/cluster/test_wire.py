"""What profiles say that nodes sent each other, against what their network interfaces counted.

The interfaces know nothing of MPI: they count what really left and came, whoever sent it. The headers of TCP
and below are taken off by the number of packets. What may differ: the headers that the MPI library puts
before its messages, the barriers around each phase, and what the launcher says meanwhile.
"""

from __future__ import annotations

from pathlib import Path

import libraries
import pytest
from launching import over_each_transport
from libraries import Mpi
from nodes import Cluster
from traffic import phases, series

TOLERANCE = 0.03
OPERATIONS = {
    *("MPI_Bcast", "MPI_Allreduce", "MPI_Alltoall", "MPI_Allgather", "MPI_Ialltoall"),
    *("MPI_Sendrecv", "MPI_Put"),
}
SIZES = {65536, 262144, 1048576}

LIBRARIES = over_each_transport()
ONE_OF_EACH = list(libraries.first_of_each(LIBRARIES, lambda mpi: mpi.family))


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_bytes_between_nodes_are_those_on_the_wire(mpi: Mpi, cluster: Cluster, place: Path) -> None:
    all_traffic, hooks = phases.measure(mpi, cluster, place)
    if all(state == "none" for state, _ in hooks):
        pytest.skip(f"messages inside collectives of {mpi.name} are not seen: {hooks}")
    measured = [traffic for traffic in all_traffic if traffic.operation != "none"]
    covered = {(traffic.node, traffic.operation, traffic.size) for traffic in measured}
    assert covered == {(n, o, s) for n in cluster.names for o in OPERATIONS for s in SIZES}
    assert sum(traffic.claimed[0] for traffic in measured) == sum(t.claimed[1] for t in measured)
    wrong = []
    for traffic in measured:
        moved = max(
            max(t.claimed) for t in measured if (t.operation, t.size) == (traffic.operation, traffic.size)
        )
        for claimed, carried, repeated in zip(
            traffic.claimed, traffic.carried, traffic.repeated, strict=True
        ):
            # The leaf of a broadcast's tree sends no data, only what controls those of others.
            slack = TOLERANCE * (claimed if claimed >= traffic.size else moved)
            if not carried - repeated - slack <= claimed <= carried + slack:
                wrong.append(traffic)
    assert wrong == []


@pytest.mark.parametrize("what", ["messages", "collectives"])
@pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
def test_the_counters_file_follows_the_wire(mpi: Mpi, cluster: Cluster, place: Path, what: str) -> None:
    """At every sample, apart from the one message that may be on its way."""
    samples = series.measure(mpi, cluster, place, what, operations=30)
    total = samples[-1].claimed
    assert total > 10 * series.LARGEST
    assert samples[-1].inside == (total if what == "collectives" else 0)
    slack = TOLERANCE * total + series.LARGEST
    late = [s for s in samples if not s.carried[0] - slack <= s.claimed <= s.carried[1] + slack]
    assert late == []
    assert abs(samples[-1].carried[1] - total) <= TOLERANCE * total
