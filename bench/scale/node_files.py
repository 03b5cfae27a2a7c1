"""The files of a job over several nodes in its run directory. The nodes are those of tests/cluster."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import nodes
from launching import ConnectionFails, across_nodes, launch, run
from libraries import Mpi
from nodes import Cluster

from common.errors import BenchError
from common.jobs import PROGRAMS
from common.rundirectory import counters_of, files_of

NODES, RANKS_OF_NODE = 4, 16


def measure(library: Path) -> None:
    """Print a line for each MPI library whose jobs can span nodes here, or the reason without one."""
    print(
        f"{NODES} nodes x {RANKS_OF_NODE} ranks: what is in the run directory at the end (<= {NODES} files)"
    )
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        try:
            with nodes.cluster(NODES, Path(name)) as cluster:
                for mpi in across_nodes():
                    print(f"{mpi.name}: {_measure(mpi, cluster, library)}", flush=True)
        except nodes.UnavailableError as reason:
            print(f"left out: {reason}")
    print()


def _measure(mpi: Mpi, cluster: Cluster, library: Path) -> str:
    place = Path(tempfile.mkdtemp(dir=cluster.directory))
    program, run_directory = place / "job", place / "counters"
    mpi.compile(program, PROGRAMS / "job.c", options=["-O2"])
    run_directory.mkdir(mode=0o700)
    variables = (f"LD_PRELOAD={library}", f"RANKWISE_DIR={run_directory}")
    words = ["env", *variables, str(program), str(place / "records")]
    try:
        done = run(
            mpi, cluster, place, launch(mpi, cluster, NODES, "block", *words, ranks_of_node=RANKS_OF_NODE)
        )
    except (ConnectionFails, subprocess.TimeoutExpired) as error:
        return f"left out: {error}"
    if done.returncode != 0:
        raise BenchError(f"exit status {done.returncode}: {done.stderr.strip()}")
    files = files_of(run_directory)
    ranks = len(counters_of(run_directory))
    return f"{files['files']:.0f} files, {files['disk_mb']:.2f} MB, with {ranks} ranks in them"
