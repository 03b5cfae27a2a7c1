"""Two processes on two nodes, random sizes and pauses: interface and counters file, sampled side by side."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from launching import LIMIT_SECONDS, JobError, launch, record_success
from libraries import Mpi
from nodes import Cluster

PROGRAM = Path(__file__).parents[1] / "programs" / "pauses.c"
LARGEST = 1048576
"""Bytes of the largest message of programs/pauses.c. There is never more than one on its way."""

_SAMPLER = Path(__file__).with_name("sampler.py")


@dataclass(frozen=True)
class Sample:
    """Since the first sample, on the node of rank 0.

    Attributes:
        seconds: when.
        carried: bytes that the interface had sent, without headers, just before and after `claimed` was read.
        claimed: bytes that the rank had sent to the other one, by its counters file.
        inside: those of them inside collectives.
    """

    seconds: float
    carried: tuple[int, int]
    claimed: int
    inside: int


def measure(
    mpi: Mpi, cluster: Cluster, place: Path, what: str, operations: int, interval: float = 0.01
) -> list[Sample]:
    """Run programs/pauses.c on the first two nodes, and sample the first one.

    Args:
        mpi: the library.
        cluster: two nodes or more.
        place: an empty directory that all nodes see.
        what: ``messages`` or ``collectives``.
        operations: how many.
        interval: seconds between samples, at least: on a busy machine they are late, and say when they were.
    """
    program = place / "pauses"
    mpi.compile(program, PROGRAM)
    words = launch(mpi, cluster, 2, "block", program, what, str(operations), place, ranks_of_node=1)
    run_directory = place / "job.rankwise-run"
    sampler = cluster.on(0, sys.executable, _SAMPLER, run_directory, place, str(interval))
    with subprocess.Popen(sampler, stdin=subprocess.DEVNULL) as process:
        record_success(mpi, cluster, place, words)
        if process.wait(timeout=LIMIT_SECONDS) != 0:
            raise JobError("the sampler failed")
    return _read(place / "samples")


def _read(path: Path) -> list[Sample]:
    lines = [line.split() for line in path.read_text().splitlines()]
    start = float(lines[0][0])
    first = [int(figure) for figure in lines[0][1:]]
    samples = []
    for seconds, *figures in lines:
        before, after, own, inside = map(int, figures)
        claimed = own + inside - first[2] - first[3]
        carried = (before - first[1], after - first[1])
        samples.append(Sample(float(seconds) - start, carried, claimed, inside - first[3]))
    return samples
