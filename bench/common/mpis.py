"""The MPIs to measure with, and how their launchers pass variables to the ranks."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import BenchError

_DEFAULT_MPIS = ("openmpi=mpicc.openmpi,mpirun.openmpi", "mpich=mpicc.mpich,mpirun.mpich", "mpi=mpicc,mpirun")


@dataclass(frozen=True)
class Mpi:
    """One MPI to measure with."""

    name: str
    compiler: str
    launcher: str
    family: str  # "openmpi" or "hydra": decides how the launcher passes variables to the ranks
    version: str
    settings: dict[str, str] = field(default_factory=dict)  # variables of all runs

    def launch(self, ranks: int, variables: dict[str, str]) -> list[str]:
        """Begin a command that starts so many ranks, with `variables` in them and not in the launcher."""
        command = [self.launcher, "-n", str(ranks)]
        variables = self.settings | variables
        if self.family == "openmpi":
            command += ["--oversubscribe"] if ranks > 1 else []
            for variable, value in variables.items():
                command += ["-x", f"{variable}={value}"]
        else:
            for variable, value in variables.items():
                command += ["-genv", variable, value]
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
    answer = subprocess.run(
        [launcher_path, "--version"], capture_output=True, text=True, env=environment(), check=False
    )
    lines = (answer.stdout + answer.stderr).strip().splitlines()
    text = " ".join(lines)
    family = "openmpi" if any(word in text for word in ("Open MPI", "OpenRTE", "prte")) else "hydra"
    version = " ".join(lines[0].split()) if lines else "unknown"
    for line in lines:  # hydra gives its version on a line of its own
        if line.strip().startswith("Version:"):
            version = "hydra " + line.split()[-1]
    return Mpi(name, compiler_path, launcher_path, family, version)


def default_mpis() -> list[Mpi]:
    """Find the MPIs on PATH, each once, whatever number of names it has."""
    found: dict[Path, Mpi] = {}
    for definition in _DEFAULT_MPIS:
        mpi = find_mpi(definition)
        if mpi is not None:
            found.setdefault(Path(mpi.launcher).resolve(), mpi)
    return list(found.values())


def environment() -> dict[str, str]:
    """Take ours, without a profiler; Open MPI refuses to work for root (containers) unless told twice."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "LD_PRELOAD" and not name.startswith("RANKWISE_")
    }
    if os.geteuid() == 0:
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return environment
