"""The description in a trace file: the run, and the meaning and limits of its events."""

from __future__ import annotations

import shlex
from typing import Any

from rankwise.analysis.overview import Run
from rankwise.analysis.timing.traced import Share, Trace


def about(run: Run, trace: Trace) -> dict[str, Any]:
    """Return the description of the trace of a run, or of a part of it."""
    description: dict[str, Any] = {
        "command": shlex.join(run.command),
        "mpi_library": run.mpi_library,
        "started": run.started,
        "written_by": "Rankwise",
        "profile_by": f"Rankwise {run.rankwise_version}",
        "times": "after the start of the run, by the clock of rank 0's node",
        "calls": f"a sample: {samples(trace)}. Between two samples, a rank may have made any number of calls",
    }
    if trace.line.ranks:
        description["counters"] = (
            f"of all calls: means over intervals of {trace.line.width_seconds:.6g} s (or their part between "
            "MPI_Init and MPI_Finalize), counted where calls ended; time in MPI is counted where it was "
            "spent"
        )
    if trace.not_drawn:
        description["arrows"] = (
            f"{trace.not_drawn} messages have none: their senders are not in this part, or by the clocks of "
            "the nodes they were posted after they arrived"
        )
    return description


def samples(trace: Trace) -> str:
    """Return how many calls of how many are in the trace."""
    return (
        f"{_of(trace.collectives)} calls of collectives,"
        f" {_of(trace.waits)} calls that receive, send or wait for messages"
    )


def _of(share: Share) -> str:
    return f"{share.sampled} of {share.calls}"
