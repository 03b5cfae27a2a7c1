"""The speed of a run and its traffic between nodes, from its profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.analysis.messages.traffic import RunTraffic, Whereabouts, run_traffic, whereabouts
from rankwise.analysis.opened import opened_profile

_STEADY = 0.01


@dataclass(frozen=True)
class Measured:
    """A run.

    Attributes:
        seconds: from MPI_Init to the end of MPI_Finalize, of the slowest rank.
        mpi_seconds: in MPI procedures except those two, mean over the ranks.
        bytes: in messages between ranks.
        messages: number of them.
        bytes_off_node: of ranks on different nodes.
        messages_off_node: between ranks on different nodes.
    """

    seconds: float
    mpi_seconds: float
    bytes: int
    messages: int
    bytes_off_node: int
    messages_off_node: int


@dataclass(frozen=True)
class Seen:
    """A run with all that a placement needs to know of it."""

    measured: Measured
    observed: RunTraffic
    where: Whereabouts


def measure(profile: Path, kind: str = "all") -> Seen:
    """Read the profile of a run.

    Args:
        profile: path of it.
        kind: messages that count, one of analysis.kinds.BY_OPTION.

    Raises:
        RankwiseError: it can't be read, or the run had no such messages.
    """
    with opened_profile(profile) as connection:
        run, where = run_traffic(connection, kind), whereabouts(connection)
        (seconds,) = connection.execute("SELECT wall FROM run").fetchone()
        (mpi,) = connection.execute("SELECT AVG(mpi) FROM ranks").fetchone()
    hosts = np.array([host or "" for host in where.hosts])
    traffic = run.traffic
    off = hosts[np.asarray(traffic.source)] != hosts[np.asarray(traffic.destination)]
    sizes, messages = (
        np.asarray(values, dtype=np.int64)[off] for values in (traffic.bytes, traffic.messages)
    )
    measured = Measured(seconds, mpi, run.bytes, run.messages, sum(sizes.tolist()), sum(messages.tolist()))
    return Seen(measured, run, where)


def unsteady(*sides: Sequence[Measured]) -> str:
    """Say that a job does not send the same amount in each of its runs; '' if it does, within 1 %.

    Args:
        sides: runs that should send the same as the others of their side.
    """
    spread = max((_spread([run.bytes for run in runs]) for runs in sides if runs), default=0.0)
    if spread <= _STEADY:
        return ""
    return f"The job does not send the same in each run: its bytes differ by up to {100 * spread:.0f} %."


def _spread(values: Sequence[int]) -> float:
    return (max(values) - min(values)) / max(*values, 1)
