"""The rows of the table: what is measured, the aims, and the peers' figures."""

from __future__ import annotations

from dataclasses import dataclass, field

READS = "two clock reads"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `aim` is the most that may be added, in `unit`, or in `two clock reads` when `aim_in_reads`. `slack` is
    what the measurement can't tell from the aim. `peers` is the smallest figure of mpisee 4.1, mpiP 3.5 and
    IPM 2.0.6 that really record the call, by launcher family. They were measured once, on another machine
    state, with Open MPI 4.1.4 and MPICH 4.0.2: a reference, no part of this run.
    """

    key: str
    unit: str
    aim: float | None = None
    aim_in_reads: bool = False
    slack: float = 0.0
    peers: dict[str, float] = field(default_factory=dict)


def _call(key: str, openmpi: float, hydra: float) -> Row:
    return Row(key, "ns", 1.5, aim_in_reads=True, peers={"openmpi": openmpi, "hydra": hydra})


CALL_ROWS = (
    Row(READS, "ns"),
    Row("Comm_rank", "ns", 0.0, slack=2.0, peers={"openmpi": 0, "hydra": 0}),
    _call("Iprobe", 67, 93),
    _call("Test", 82, 94),
    _call("Allreduce", 80, 104),
    _call("Barrier", 83, 93),
    _call("Bcast", 123, 137),
    Row("Irecv+Isend+Waitall", "ns", 130.0, peers={"openmpi": 317, "hydra": 375}),
    _call("Sendrecv", 109, 108),
    _call("Send to PROC_NULL", 114, 113),
    Row("Comm_dup+Comm_free", "us", 0.5, peers={"openmpi": 0.9}),
    Row("resident after the calls", "MB", 2.0, peers={"openmpi": 2.2, "hydra": 1.0}),
    Row("peak after the calls", "MB", 2.0, peers={"openmpi": 2.2, "hydra": 1.0}),
    Row("resident after 2000 communicators", "MB", 2.0, peers={"openmpi": 3.4}),
)


def finalize_rows(ranks: int) -> tuple[Row, ...]:
    """Make the lines about MPI_Finalize with so many ranks; the slowest rank counts."""
    return (
        Row(f"Finalize, {ranks} ranks", "ms", 2.0, peers={"openmpi": 4}),
        Row(f"Finalize, {ranks} ranks, CPU time", "ms", 2.0),
        Row(f"resident, {ranks} ranks", "MB", 2.0),
        Row(f"whole job, {ranks} ranks", "ms"),
    )
