"""Which launcher a command has."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import PurePath
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine
from rankwise.launchers import version
from rankwise.placement.relaunch.hydra import Intel, Mpich, OldMpich
from rankwise.placement.relaunch.launcher import Launcher
from rankwise.placement.relaunch.openmpi import OpenMPI, OpenMPI5
from rankwise.placement.relaunch.slurm import Slurm

_RANKMAP_SINCE = (4, 1)  # version of MPICH
_KNOWN = "mpirun and mpiexec of Open MPI, MPICH and Intel MPI, prterun, and srun"


class Version(NamedTuple):
    """Of an MPI library: "Open MPI", "MPICH", "Intel MPI" or '', and its number, such as 5.0.1."""

    label: str
    number: str


def asked(command: CommandLine, environment: Mapping[str, str]) -> Version:
    """Ask the launcher of a command, as it is found here."""
    path = shutil.which(command.launcher, path=environment.get("PATH"))
    of_mpi = command.family is not None and command.family.name != "slurm"
    return Version(*version.ask(path)[:2]) if path and of_mpi else Version("", "")


def which(command: CommandLine, library: Version) -> Launcher:
    """Return the launcher of a command.

    Args:
        command: taken apart.
        library: that it belongs to.

    Raises:
        RankwiseError: it has none, or one that is not known.
    """
    family = command.family.name if command.family else ""
    found = tuple(int(digits) for digits in re.findall(r"\d+", library.number)[:2])
    if family == "slurm":
        return Slurm()
    if family == "openmpi":
        # prterun tells the version of PRRTE.
        is_5 = PurePath(command.launcher).name in ("prterun", "prun") or found >= (5,)
        return OpenMPI5() if is_5 else OpenMPI()
    if family == "hydra" and library.label == "Intel MPI":
        return Intel()
    if family == "hydra":
        return Mpich() if found >= _RANKMAP_SINCE else OldMpich()
    first = command.launcher or (command.contexts[0].program or ("the command",))[0]
    raise RankwiseError(f"{first} is no launcher that can be told places; those are: {_KNOWN}")
