"""Jobs over two and three nodes, started from the first one with each MPI's own launcher."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from launching import RANKS_OF_NODE, across_nodes, launch, record, run
from libraries import Mpi, in_turn
from nodes import Cluster
from recording import RANKWISE, Recording

from golden import assert_facts

ROUNDS = 3  # of messages, and sums: as in programs/ring.c
SUMS = 5

Ring = Callable[[Mpi], Path]


mpi = in_turn(across_nodes())


def expected_hosts(count: int, placement: str) -> list[str]:
    ranks = range(RANKS_OF_NODE * count)
    return [f"node{rank // RANKS_OF_NODE if placement == 'block' else rank % count}" for rank in ranks]


@pytest.mark.each_value
@pytest.mark.parametrize("placement", ["block", "round-robin"])
@pytest.mark.parametrize("count", [2, 3])
def test_every_rank_is_seen_where_it_runs(
    mpi: Mpi, cluster: Cluster, ring: Ring, place: Path, count: int, placement: str
) -> None:
    done = record(mpi, cluster, place, launch(mpi, cluster, count, placement, ring(mpi)))
    assert done.process.returncode == 0, done.process.stderr
    hosts = expected_hosts(count, placement)
    size = len(hosts)
    assert done.rows("SELECT host FROM ranks ORDER BY rank") == [(host,) for host in hosts]

    sent = {(rank, (rank + 1) % size): ROUNDS * 1000 * (rank + 1) for rank in range(size)}
    assert done.messages() == {pair: (ROUNDS, volume) for pair, volume in sent.items()}
    on_node = sum(volume for (source, target), volume in sent.items() if hosts[source] == hosts[target])
    shown = subprocess.run(
        [str(RANKWISE), "show", "--json", str(done.path)], capture_output=True, text=True, check=True
    )
    locality = json.loads(shown.stdout)["locality"]
    assert locality["bytes_on_node"] == on_node
    assert locality["bytes_off_node"] == sum(sent.values()) - on_node
    assert locality["bytes_unplaced"] == 0

    # The sums are over the nodes with an even and with an odd number: two communicators of one call.
    members = [[r for r in range(size) if int(hosts[r][-1]) % 2 == parity] for parity in (0, 1)]
    rows = done.rows(
        """SELECT rank, communicators.size, sum(calls), sum(bytes_sent)
           FROM calls JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           WHERE procedures.name = 'MPI_Allreduce' GROUP BY rank, communicator ORDER BY rank"""
    )
    sizes = {rank: len(group) for group in members for rank in group}
    assert rows == [(rank, sizes[rank], SUMS, SUMS * 24) for rank in range(size)]

    assert done.rows("SELECT partial, partial_reason, ranks_seen, ranks_expected FROM run") == [
        (0, "", size, size)
    ]
    assert done.warnings == []
    assert "\n! " not in done.process.stderr
    assert f"{size} ranks / {count} nodes" in done.process.stderr


def test_behind_the_launcher(mpi: Mpi, cluster: Cluster, ring: Ring, place: Path) -> None:
    """Each rank has a `rankwise run` of its own; the job has one profile."""
    output = place / "job.rankwise"
    words = launch(mpi, cluster, 2, "block", RANKWISE, "run", "-o", output, "--", ring(mpi))
    done = Recording(run(mpi, cluster, place, words), output)
    assert done.process.returncode == 0, done.process.stderr
    hosts = expected_hosts(2, "block")
    assert done.rows("SELECT host FROM ranks ORDER BY rank") == [(host,) for host in hosts]
    assert done.rows("SELECT partial, ranks_seen, worlds FROM run") == [(0, len(hosts), 1)]
    assert done.process.stderr.count(f"{len(hosts)} ranks / ") == 1
    assert [path for path in place.iterdir() if path != output] == []


def test_nothing_else_of_the_environment_changes(
    mpi: Mpi, cluster: Cluster, ring: Ring, place: Path, changed: Callable[..., set[str]]
) -> None:
    words = launch(mpi, cluster, 2, "block", ring(mpi), place / "written")
    plain = partial(run, mpi, cluster, place, words)
    assert changed(plain, lambda: record(mpi, cluster, place, words).process) == set()


def without_races(lines: list[str]) -> list[str]:
    """Without what Open MPI's launcher says when the shell that it has started comes before it."""
    return [line for line in lines if not re.search(r"plm:[rs]sh: Warning: setpgid\(", line)]


def test_a_node_without_the_run_directory(mpi: Mpi, cluster: Cluster, ring: Ring, place: Path) -> None:
    words = launch(mpi, cluster, 3, "block", ring(mpi))
    plain = run(mpi, cluster, place, words)
    # Each node has a /tmp of its own.
    done = record(mpi, cluster, place, words, "--quiet", "--run-dir", f"/tmp/{place.name}")
    assert done.process.returncode == plain.returncode == 0
    assert sorted(done.process.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    ours = [line for line in done.process.stderr.splitlines() if line.startswith("rankwise: ")]
    assert len(ours) == 2, done.process.stderr
    assert all(f"/tmp/{place.name}" in line for line in ours)
    theirs = [line for line in done.process.stderr.splitlines() if line not in ours]
    assert without_races(theirs) == without_races(plain.stderr.splitlines())
    ((partial, reason, seen, expected),) = done.rows(
        "SELECT partial, partial_reason, ranks_seen, ranks_expected FROM run"
    )
    assert (partial, seen, expected) == (1, 2, 6)
    assert_facts(str(reason), "4 .. 6 .. 2-5")
