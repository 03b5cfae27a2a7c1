"""Why a launch has left no measurement, in one line."""

from __future__ import annotations

import re
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.latency.measuring.command import Launch
from rankwise.latency.measuring.job import End, progress
from rankwise.probes.mpicc import CURE, fits

ERROR = "error"
_TELLING = re.compile(
    r"error|fail|could not|couldn't|cannot|can't|unable|not found|no such|refused|unreachable|denied|invalid"
    r"|unrecognized|unknown|not enough|killed|signal|timed? ?out|lost",
    re.IGNORECASE,
)
# Open MPI, hydra, srun
_NOT_STARTED = re.compile(r"^.*executable|execvp error|execve\(\)", re.IGNORECASE | re.MULTILINE)
_HYDRAS_NODE = re.compile(r"PID \d+ RUNNING AT (\S+)")
_LONGEST = 300
_MOST_LINES = 4


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
    if not steps and str(program) in end.said and _NOT_STARTED.search(end.said):
        message += f"; does some node not see {program}? give a directory that all see with --probe-dir"
    return RankwiseError(message, exit_status=1)


def _of_probe(directory: Path) -> str:
    try:
        return (directory / ERROR).read_text(encoding="utf-8", errors="replace").strip().partition("\n")[0]
    except OSError:
        return ""


def telling_line(said: str) -> str:
    """Return the line of a launcher's output that tells most: the first of an error, else the last.

    Open MPI's sentences go on in the next line, and behind a colon; hydra names the node in another one.
    """
    lines = [" ".join(line.split()) for line in said.splitlines()]
    lines = [line for line in lines if re.search(r"\w", line)]
    place = next((i for i, line in enumerate(lines) if _TELLING.search(line)), len(lines) - 1)
    found = lines[place] if lines else ""
    for following in lines[place + 1 : place + _MOST_LINES]:
        if not (found.endswith(":") or following[0].islower()):
            break
        found += f" {following}"
    if "EXIT STRING" in found and (node := _HYDRAS_NODE.search(said)):
        found += f" on {node[1]}"
    return found if len(found) <= _LONGEST else found[: _LONGEST - 3] + "..."
