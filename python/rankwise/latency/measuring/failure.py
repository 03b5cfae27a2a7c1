"""Why a launch has left no measurement, in one line."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.latency.measuring.job import progress
from rankwise.probes import failure
from rankwise.probes.job import End
from rankwise.probes.launch import Launch


def failed(end: End, directory: Path, launch: Launch, program: Path, compiler: Path) -> RankwiseError:
    """Return what to tell the user.

    Args:
        end: of the launch.
        directory: that the probe worked in.
        launch: as the user gave it.
        program: the probe.
        compiler: that has compiled it.
    """
    error = failure.complaint(directory)
    if "one rank" in error and (launch.ranks or 0) > 1:
        symptom = f"each of the {launch.ranks} processes ran as a separate job, so "
        return failure.of_another_library(launch, compiler, symptom)
    if error:
        return RankwiseError(error)
    steps = progress(directory)
    after = f" after {steps[0]} of {steps[1]} steps" if steps else ""
    consequence = f"{after}, and nothing is kept"
    return failure.failed(end, launch, program, compiler, begun=steps is not None, consequence=consequence)
