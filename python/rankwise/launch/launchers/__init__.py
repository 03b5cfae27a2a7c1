"""The launcher families, and which of them a command's name belongs to."""

from __future__ import annotations

from rankwise.launch.launchers.base import Family
from rankwise.launch.launchers.hydra import Hydra
from rankwise.launch.launchers.openmpi import OpenMPI
from rankwise.launch.launchers.other import Other
from rankwise.launch.launchers.slurm import Slurm

OPENMPI, HYDRA, SLURM, OTHER = OpenMPI(), Hydra(), Slurm(), Other()

_BY_NAME: dict[str, Family] = {
    **dict.fromkeys(("orterun", "prterun", "prun", "ompirun", "mpirun.openmpi", "mpiexec.openmpi"), OPENMPI),
    **dict.fromkeys(("mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "mpirun.hydra"), HYDRA),
    "srun": SLURM,
    **dict.fromkeys(("jsrun", "lrun", "aprun", "ibrun", "palsrun", "mpirun_rsh", "poe"), OTHER),
}

SHARED_NAMES = ("mpirun", "mpiexec")
"""Names that every MPI uses: ask the command itself (launch/version.py)."""


def is_launcher(name: str) -> bool:
    """Whether a command of this (base) name starts MPI processes."""
    return name in _BY_NAME or name in SHARED_NAMES


def label_of(name: str) -> str:
    """Return whose launcher a command of this base name is, as family_of() takes it; '' if unknown."""
    family = _BY_NAME.get(name)
    return "Open MPI" if family is OPENMPI else "MPICH" if family is HYDRA else ""


def family_of(name: str, version_label: str = "") -> Family:
    """Return the family of a launcher.

    Args:
        name: base name of the command.
        version_label: what `--version` says it is, as in launch/version.py; counts for the shared names.
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    if version_label.startswith("Open MPI"):
        return OPENMPI
    return HYDRA if version_label.startswith(("MPICH", "Intel MPI")) else OTHER
