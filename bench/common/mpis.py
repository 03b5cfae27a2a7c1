"""The MPIs to measure with."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import BenchError
from rankwise.launchers import launcher_of, launchers, version

_DEFAULT_MPIS = ("openmpi=mpicc.openmpi,mpirun.openmpi", "mpich=mpicc.mpich,mpirun.mpich", "mpi=mpicc,mpirun")


@dataclass(frozen=True)
class Mpi:
    """One MPI to measure with."""

    name: str
    compiler: str
    launcher: str
    family: str  # of the launcher: its name in rankwise.launchers
    version: str
    settings: dict[str, str] = field(default_factory=dict)  # variables of all runs

    def launch(self, ranks: int, variables: dict[str, str]) -> list[str]:
        """Begin a command that starts so many ranks, with `variables` in them and not in the launcher."""
        command = [self.launcher, "-n", str(ranks)]
        command += ["--oversubscribe"] if self.family == "openmpi" and ranks > 1 else []
        [of_family] = [launcher for launcher in launchers() if launcher.name == self.family]
        for variable, value in (self.settings | variables).items():
            command += of_family.setting(variable, value)
        return command


def find_mpi(definition: str) -> Mpi | None:
    """Read NAME=MPICC,MPIRUN; None if one of the two programs is not there."""
    name, _, programs = definition.partition("=")
    compiler, _, launcher = programs.partition(",")
    if not name or not compiler or not launcher:
        raise BenchError(f"--mpi {definition}: NAME=MPICC,MPIRUN expected")
    compiler_path, launcher_path = shutil.which(compiler), shutil.which(launcher)
    if compiler_path is None or launcher_path is None:
        return None
    label, number, _ = version.ask(launcher_path)
    family = launcher_of(Path(launcher_path).name, label)
    if not family.setting("A", "b"):
        raise BenchError(f"--mpi {definition}: how {launcher} hands variables to ranks is not known")
    return Mpi(name, compiler_path, launcher_path, family.name, f"{label} {number}" if label else "unknown")


def default_mpis() -> list[Mpi]:
    """Find the MPIs on PATH, each once, even with several names."""
    by_path: dict[Path, Mpi] = {}
    for definition in _DEFAULT_MPIS:
        mpi = find_mpi(definition)
        if mpi is not None:
            by_path.setdefault(Path(mpi.launcher).resolve(), mpi)
    return list(by_path.values())


def environment() -> dict[str, str]:
    """Take ours, without a profiler; Open MPI needs two variables to work for root (containers)."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "LD_PRELOAD" and not name.startswith("RANKWISE_")
    }
    if os.geteuid() == 0:
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return environment
