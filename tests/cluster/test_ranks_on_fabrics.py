"""Nodes with adapters of a recorded fabric: ranks are found there by port GUIDs, and what they send."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import across_nodes, launch, record_success
from libraries import Mpi, first_of_each
from nodes import Cluster

from rankwise.analysis.opened import opened_profile
from rankwise.network.job.flows import flows
from rankwise.network.job.journeys import journeys
from rankwise.network.job.rank_ports import places_of_run
from rankwise.network.sources.open import open_fabric

FABRIC = Path(__file__).parents[1] / "fabrics" / "small-ftree"
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


def adapter(root: Path, device: str, guid: int, lid: int) -> None:
    """Make the files that the kernel has of an adapter with one port."""
    words = ":".join(f"{guid:016x}"[place : place + 4] for place in range(0, 16, 4))
    files = {"gids/0": f"fe80:0000:0000:0000:{words}", "lid": f"{lid:#x}", "state": "4: ACTIVE"}
    for name, text in (files | {"link_layer": "InfiniBand"}).items():
        path = root / "class/infiniband" / device / "ports/1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_a_ring(mpi: Mpi, cluster: Cluster, ring: Callable[[Mpi], Path], place: Path) -> None:
    """Rank r sends 3 x 1,000 (r + 1) bytes to the next of 6 ranks, which are dealt out to 3 nodes."""
    fabric = open_fabric([str(FABRIC)])
    ports = fabric.subnets[0].ports
    # Hosts of the fabric that have other names there.
    chosen = [5, 9, 2]
    for host, port in zip(cluster.names, chosen, strict=True):
        adapter(place / f"sys-{host}", "mlx5_0", int(ports.guids[port]), int(ports.lids[port]))
    script = place / "of_node.sh"
    script.write_text(f'#!/bin/sh\nRANKWISE_TEST_SYSFS={place}/sys-$(hostname) exec "$@"\n')
    script.chmod(0o755)
    done = record_success(mpi, cluster, place, launch(mpi, cluster, 3, "round-robin", script, ring(mpi)))
    hosts = [str(host) for (host,) in done.rows("SELECT host FROM ranks ORDER BY rank")]
    assert sorted(done.rows("SELECT host FROM adapters")) == [(host,) for host in sorted(set(hosts))]
    with opened_profile(done.path) as connection:
        places = places_of_run(connection, fabric)
        sent = flows(connection, kinds=["point-to-point"])
    port_of = dict(zip(cluster.names, chosen, strict=True))
    assert places.rails[0].ports[:, 0].tolist() == [port_of[host] for host in hosts]
    assert {places.how(rank) for rank in range(6)} == {"port GUID"}
    # (MPICH is told in which network the nodes are, which is none of these adapters.)
    assert [warning for warning in places.warnings if "such as eth0 for rank 0" not in warning] == []
    on_rails = journeys(sent, places)
    assert len(on_rails.within_hosts) == len(on_rails.lost) == 0
    [taken] = on_rails.rails
    carried: Counter[tuple[int, int]] = Counter()
    for source, destination, size in zip(
        taken.source.tolist(),
        taken.destination.tolist(),
        (sent.bytes[taken.flow] * taken.share).tolist(),
        strict=True,
    ):
        carried[source, destination] += int(size)
    expected: Counter[tuple[int, int]] = Counter()
    for rank, host in enumerate(hosts):
        expected[port_of[host], port_of[hosts[(rank + 1) % 6]]] += 3_000 * (rank + 1)
    assert carried == expected
