"""Fixtures: nodes that tests can start MPI jobs on, and the program that they run."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import nodes
import pytest
from fabric import Fabric

# The tests here run on the same MPI libraries as those of one node, and ask the profile the same way.
sys.path.append(str(Path(__file__).parents[1] / "mpi"))

if TYPE_CHECKING:
    from libraries import Mpi

Run = Callable[[], "subprocess.CompletedProcess[str]"]

RING = Path(__file__).parent / "programs" / "ring.c"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nodes.Cluster]:
    """Three nodes."""
    try:
        with nodes.cluster(3, tmp_path_factory.mktemp("cluster")) as made:
            yield made
    except nodes.UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def switches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nodes.Cluster]:
    """Four nodes on two switches: messages between two of them take 0.2 ms, or 1.4 ms by way of the core."""
    fabric = Fabric(2, rate="400mbit", uplink_rate="200mbit", delay_us=100, uplink_delay_us=600)
    try:
        with nodes.cluster(4, tmp_path_factory.mktemp("switches"), fabric) as made:
            yield made
    except nodes.UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nodes.Cluster]:
    """Three nodes on one switch, with slow links."""
    try:
        with nodes.cluster(3, tmp_path_factory.mktemp("slow"), Fabric(3, "50mbit", "50mbit")) as made:
            yield made
    except nodes.UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nodes.Cluster]:
    """Eight nodes on four leaf switches, all linked with two spines: a fat tree of equal links."""
    fabric = Fabric(2, "100mbit", "100mbit", spines=2)
    try:
        with nodes.cluster(8, tmp_path_factory.mktemp("tree"), fabric) as made:
            yield made
    except nodes.UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.fixture
def place(cluster: nodes.Cluster) -> Path:
    """A new directory that all nodes see."""
    return Path(tempfile.mkdtemp(prefix="test-", dir=cluster.directory))


@pytest.fixture(scope="module")
def ring(cluster: nodes.Cluster) -> Callable[[Mpi], Path]:
    """Compiles programs/ring.c with an MPI, to where all nodes see it."""

    def compile_(mpi: Mpi) -> Path:
        program = cluster.directory / f"ring.{mpi.name}"
        if not program.exists():
            mpi.compile(program, RING)
        return program

    return compile_


@pytest.fixture
def changed(place: Path) -> Callable[[Run, Run], set[str]]:
    """Tells which variables are not the same in the ranks' environments with Rankwise as without.

    What differs between two runs without it is the launcher's own: process ids, ports, keys. Both arguments
    run the program so that it writes its environment to `place`/written.<rank>.
    """

    def written(run: Run) -> dict[str, dict[str, str]]:
        done = run()
        assert done.returncode == 0, done.stderr
        environments = {}
        for file in place.glob("written.*"):
            entries = [entry for entry in file.read_text().split("\0") if entry]
            environments[file.name] = dict(entry.split("=", 1) for entry in entries)
            file.unlink()
        return environments

    def changed_(plain: Run, recorded: Run) -> set[str]:
        before, again, after = written(plain), written(plain), written(recorded)
        assert before.keys() == after.keys() != set()
        names = set()
        for rank, seen in after.items():
            steady = {name for name in before[rank] if before[rank][name] == again[rank].get(name)}
            assert "PATH" in steady or "SLURM_NNODES" in steady
            assert seen["LD_PRELOAD"].endswith("/librankwise.so")
            names |= before[rank].keys() ^ seen.keys()
            names |= {name for name in steady if before[rank][name] != seen.get(name)}
        return {name for name in names if name != "LD_PRELOAD" and not name.startswith("RANKWISE_")}

    return changed_
