"""Why a launch of a probe has failed, in one line."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch.output import telling_line
from rankwise.launchers import launchers
from rankwise.probes.job import End
from rankwise.probes.launch import Launch
from rankwise.probes.mpicc import CURE, fits

ERROR = "error"


def failed(
    end: End, launch: Launch, program: Path, compiler: Path, *, begun: bool, consequence: str
) -> RankwiseError:
    """Return what to tell the user.

    Args:
        end: of the launch.
        launch: as the user gave it.
        program: the probe.
        compiler: that has compiled it.
        begun: whether the probe is known to have run.
        consequence: a part of the sentence, such as ", and nothing is kept".
    """
    if not begun and not fits(launch.launcher, compiler):
        return of_another_library(launch, compiler)
    line = telling_line(end.said)
    message = f"the launch ended with status {end.status}{consequence}"
    message += f": {line}" if line else ""
    not_started = (launcher.not_started.search(end.said) for launcher in launchers() if launcher.not_started)
    if not begun and str(program) in end.said and any(not_started):
        message += f"; does some node not see {program}? give a directory that all see with --probe-dir"
    return RankwiseError(message, exit_status=1)


def of_another_library(launch: Launch, compiler: Path, symptom: str = "") -> RankwiseError:
    """Return what to tell the user of a launcher and a compiler that don't belong together.

    Args:
        launch: as the user gave it.
        compiler: that has compiled the probe.
        symptom: what shows it, for the beginning of the sentence.
    """
    return RankwiseError(
        f"{symptom}{launch.launcher} is of another MPI library than {compiler}: {CURE}",
    )


def complaint(directory: Path) -> str:
    """Return what the probe itself has said is wrong, '' if nothing."""
    try:
        return (directory / ERROR).read_text(encoding="utf-8", errors="replace").strip().partition("\n")[0]
    except OSError:
        return ""
