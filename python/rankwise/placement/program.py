"""What a run started, and with which launcher: what is to be started again, or by another launcher."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.analysis.overview import Run
from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine, parse
from rankwise.placement.files import EVERY, Written, write_all
from rankwise.placement.files.job import job_of
from rankwise.placement.relaunch import Launch, Version, understand
from rankwise.placement.seats import Seat

_LABELS = ("Open MPI", "Intel MPI", "MPICH")
_BY_LABEL = {"Intel MPI": "intel", "MPICH": "mpich"}
_BY_COMMAND = {"srun": "slurm", "aprun": "cray", "flux": "flux", "jsrun": "lsf", "lrun": "lsf"}


@dataclass(frozen=True)
class Relaunch:
    """How a run is started again.

    Attributes:
        program: and its arguments; none if they are not known, or there were several programs.
        launchers: that files are for, see placement.files.LAUNCHERS.
        launch: the run's own, to be told places; None if it can't be, or another launcher is wanted.
    """

    program: tuple[str, ...]
    launchers: tuple[str, ...]
    launch: Launch | None

    @classmethod
    def of(cls, run: Run, wanted: str | None) -> Relaunch:
        """Find out how a run can be started again.

        Args:
            run: of the profile.
            wanted: the launcher that files are to be for, or `all`; None: the run's own, or all if unknown.
        """
        own = launcher_of(run)
        name = wanted or own or "all"
        launchers = EVERY if name == "all" else (name,)
        return cls(tuple(program_of(run)), launchers, launch_of(run) if own in launchers else None)

    def write(self, seats: Sequence[Seat], directory: Path, *, force: bool) -> list[Written]:
        """Write the files; the command for the run's own launcher has the options of the run.

        Raises:
            RankwiseError: see placement.files.write_all.
        """
        told = self.launch.seats(seats) if self.launch and len(self.launchers) == 1 else seats
        written = write_all(told, directory, self.program, self.launchers, force=force)
        if self.launch is None:
            return written
        try:
            again = self.launch.relaunched(told, directory)
        except RankwiseError:  # the file's own note says why
            return written
        used = self.launch.launcher.file(job_of(told, directory, ())).path
        return [
            replace(one, words=again.words, environment=tuple(again.variables.items()))
            if one.path == used
            else one
            for one in written
        ]


def program_of(run: Run) -> list[str]:
    """Return the program and its arguments; none if they are not known, or there were several programs."""
    contexts = _command(run).contexts
    if len(contexts) != 1 or not contexts[0].program:
        return []
    [only] = contexts
    return [*(word for wrapper in only.wrappers for word in wrapper.words), *only.program]


def launcher_of(run: Run) -> str | None:
    """Return which of placement.files.LAUNCHERS started the run; None if that is not known."""
    if run.launcher in _BY_COMMAND:
        return _BY_COMMAND[run.launcher]
    library = _library(run)
    if library.label == "Open MPI":
        return "openmpi4" if library.number.startswith("4.") else "openmpi5"
    return _BY_LABEL.get(library.label) if run.launcher else None


def launch_of(run: Run) -> Launch | None:
    """Return the run's own launch, to be told places; None if it can't be."""
    try:
        return understand(run.command, {}, _library(run))
    except RankwiseError:
        return None


def _command(run: Run) -> CommandLine:
    # The library tells whose `mpirun` it was, which need not be the one that is found here.
    return parse(run.command, lambda _: _library(run).label)


def _library(run: Run) -> Version:
    told = run.mpi_library.replace("(R)", "")
    label = next((label for label in _LABELS if told.startswith(label)), "")
    number = re.search(r"\d+(\.\d+)+", told)
    return Version(label, number[0] if number else "")
