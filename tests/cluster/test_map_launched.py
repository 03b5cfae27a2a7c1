"""A job in a bad order is mapped and started again: the bytes off node are those that were predicted."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from launching import across_nodes, launch, record_success, to_nodes
from libraries import Mpi, first_of_each
from nodes import Cluster
from recording import RANKWISE, Recording

# Rank r sends 3 x 1,000 (r + 1) bytes to the next of 6 ranks. The best pairs to share a node are
# 1 and 2, 3 and 4, 5 and 0: they keep 6,000 + 12,000 + 18,000 of 63,000 bytes on their nodes.
ALL_BYTES = 63_000
LEAST_OFF_NODE = 27_000
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))
FILES = {"openmpi": "Open MPI, hosts", "mpich": "MPICH"}


def mapped(done: Recording, output: Path) -> dict[str, Any]:
    words = [str(RANKWISE), "map", str(done.path), "--only-kind", "user", "--json", "-o", str(output)]
    shown = subprocess.run(words, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(shown.stdout)
    return found


def off_node(done: Recording) -> int:
    hosts = dict(done.rows("SELECT rank, host FROM ranks"))
    sizes = {pair: size for pair, (_, size) in done.messages().items()}
    assert sum(sizes.values()) == ALL_BYTES
    return sum(size for (source, target), size in sizes.items() if hosts[source] != hosts[target])


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_a_ring_that_was_dealt_out(
    mpi: Mpi, cluster: Cluster, ring: Callable[[Mpi], Path], place: Path
) -> None:
    done = record_success(mpi, cluster, place, launch(mpi, cluster, 3, "round-robin", ring(mpi)))
    found = mapped(done, place / "placement")
    assert found["present"]["bytes_off_node"] == off_node(done) == ALL_BYTES
    assert found["found"]["bytes_off_node"] == LEAST_OFF_NODE
    [command] = [one["command"] for one in found["files"] if one["launcher"] == FILES[mpi.family]]
    (place / "again").mkdir()
    again = record_success(mpi, cluster, place / "again", to_nodes(mpi, cluster, shlex.split(command)))
    assert off_node(again) == LEAST_OFF_NODE
    assert again.rows("SELECT host FROM ranks ORDER BY rank") == [(seat["host"],) for seat in found["seats"]]
