"""The parts of the ranks' time between MPI_Init and MPI_Finalize."""

from __future__ import annotations

from rankwise.analysis.percent import percent
from rankwise.analysis.timing.time_in_mpi import TimeInMpi
from rankwise.analysis.timing.times import Times
from rankwise.records import dataclass

COMPUTE, WAITING, TRANSFER, FILES, UNKNOWN = "compute", "waiting", "transfer", "files", "unknown"


@dataclass(frozen=True)
class Part:
    """A part of the ranks' time between MPI_Init and MPI_Finalize.

    Attributes:
        name: `compute`, `waiting`, `transfer`, `files` or `unknown`.
        percent_of_run: the parts add up to 100 %.
        error_percent_of_run: error of `percent_of_run`; 0 = it was measured.
    """

    name: str
    percent_of_run: float
    error_percent_of_run: float

    @property
    def is_estimate(self) -> bool:
        """Whether it is estimated from a sample."""
        return self.error_percent_of_run > 0


def run_parts(times: Times, time: TimeInMpi) -> list[Part]:
    """Return the parts of the time.

    Args:
        times: of the run.
        time: in MPI.
    """

    def share(seconds: float) -> float:
        return percent(seconds, time.seconds) * times.mpi_percent_of_run / 100

    error = share(time.error_seconds)
    return [
        Part(COMPUTE, times.rest_percent_of_run, 0.0),
        Part(WAITING, share(time.waiting_seconds), error),
        Part(TRANSFER, share(time.moving_seconds), error),
        Part(FILES, share(time.files_seconds), 0.0),
        Part(UNKNOWN, share(time.unknown_seconds), 0.0),
    ]
