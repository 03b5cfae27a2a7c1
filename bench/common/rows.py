"""The lines of a table: what each shows, its aim, and the peers' figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from common.jobs import Job

READS = "two clock reads"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `figure` finds it in the output of a job, given the statistic of the batches. `aim` is the most that may
    be added, in `unit`, or in `two clock reads` when `aim_in_reads`. `slack` is the
    resolution of the measurement. `of_batches`: each run has many, so it has a smallest one and a median one.
    `peers` is the smallest figure of mpisee 4.1, mpiP 3.5 and IPM 2.0.6 that really record the call, by
    launcher family. They were measured once, on another machine state, with Open MPI 4.1.4 and MPICH 4.0.2: a
    reference, no part of this run.
    """

    key: str
    unit: str
    figure: Callable[[Job, str], float]
    aim: float | None = None
    aim_in_reads: bool = False
    slack: float = 0.0
    peers: dict[str, float] = field(default_factory=dict)
    of_batches: bool = False


def batches(
    key: str,
    aim: float | None = None,
    openmpi: float | None = None,
    hydra: float | None = None,
    *,
    unit: str = "ns",
    in_reads: bool = False,
    slack: float = 0.0,
    label: str = "",
) -> Row:
    """Make the row of a call: the statistic of the batches that are called `key`."""
    scale = 1000 if unit == "us" else 1

    def figure(job: Job, statistic: str) -> float:
        return job.worst("row", key, f"{statistic}_ns") / scale

    given = {"openmpi": openmpi, "hydra": hydra}
    peers = {family: peer for family, peer in given.items() if peer is not None}
    return Row(label or key, unit, figure, aim, in_reads, slack, peers, of_batches=True)


def call(key: str, calls: int = 1, openmpi: float | None = None, hydra: float | None = None) -> Row:
    """Make the row of so many calls, each of which may cost 1.5 times two clock reads."""
    return batches(key, 1.5 * calls, openmpi, hydra, in_reads=True)


def memory(key: str, when: str, value: str, aim: float | None = 2.0, openmpi: float | None = None) -> Row:
    """Make a row of memory, as the kernel counts it, in units of 2^20 bytes; the worst rank counts."""

    def figure(job: Job, _: str) -> float:
        return job.worst("memory", when, value) / 1024

    return Row(key, "MB", figure, aim, peers={} if openmpi is None else {"openmpi": openmpi})


def worst(key: str, unit: str, value: str, aim: float | None = None, openmpi: float | None = None) -> Row:
    """Make the row of a figure that each rank tells once; the worst counts."""

    def figure(job: Job, _: str) -> float:
        return job.worst(value, None, value)

    return Row(key, unit, figure, aim, peers={} if openmpi is None else {"openmpi": openmpi})


def extra_row(key: str, unit: str, value: str, aim: float | None = None) -> Row:
    """Make the row of files in the run directory: nothing without the library."""

    def figure(job: Job, _: str) -> float:
        return job.extra.get(value, 0.0)

    return Row(key, unit, figure, aim)


def whole_job(key: str) -> Row:
    """Make the row of the whole job, from the launcher's start to its end."""
    return Row(key, "ms", lambda job, _: job.seconds * 1e3)
