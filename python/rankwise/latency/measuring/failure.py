"""Why a launch has left no measurement, in one line."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.latency.measuring.command import Launch
from rankwise.latency.measuring.job import End, progress
from rankwise.launch.output import telling_line
from rankwise.launchers import launchers
from rankwise.probes.mpicc import CURE, fits

ERROR = "error"


def failed(end: End, directory: Path, launch: Launch, program: Path, compiler: Path) -> RankwiseError:
    """Return what to tell the user.

    Args:
        end: of the launch.
        directory: that the probe worked in.
        launch: as the user gave it.
        program: the probe.
        compiler: that has compiled it.
    """
    error = _of_probe(directory)
    if "one rank" in error and (launch.ranks or 0) > 1:
        return RankwiseError(
            f"each of the {launch.ranks} processes saw itself alone, so {launch.launcher} is of another MPI "
            f"library than {compiler}: {CURE}"
        )
    if error:
        return RankwiseError(error)
    steps = progress(directory)
    if not steps and not fits(launch.launcher, compiler):
        return RankwiseError(f"{launch.launcher} is of another MPI library than {compiler}: {CURE}")
    after = f" after {steps[0]} of {steps[1]} steps" if steps else ""
    line = telling_line(end.said)
    message = f"the launch ended with status {end.status}{after}, and nothing is kept"
    message += f": {line}" if line else ""
    found = (one.not_started.search(end.said) for one in launchers() if one.not_started)
    if not steps and str(program) in end.said and any(found):
        message += f"; does some node not see {program}? give a directory that all see with --probe-dir"
    return RankwiseError(message, exit_status=1)


def _of_probe(directory: Path) -> str:
    try:
        return (directory / ERROR).read_text(encoding="utf-8", errors="replace").strip().partition("\n")[0]
    except OSError:
        return ""
