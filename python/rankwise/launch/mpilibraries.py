"""What the file name of a shared object says about MPI: its family, and the Fortran bindings.

Sources: the sonames of Open MPI 2 to 5, of MPICH 3 to 5 and its kin (the "MPICH ABI compatibility initiative"
fixed libmpi.so.12 and libmpifort.so.12), of Cray MPICH (libmpi_<compiler>.so.12), and the MPI 5.0 standard,
chapter 20 (libmpi_abi.so).
"""

from __future__ import annotations

import re
from pathlib import Path

from rankwise.launch.elf import mentions

OPENMPI, MPICH, MPIABI, UNKNOWN = "openmpi", "mpich", "mpiabi", "unknown"

FAMILIES = (OPENMPI, MPICH, MPIABI)
"""The families that Rankwise has a build for: the values of --mpi and RANKWISE_MPI."""

NAMES = {
    OPENMPI: "Open MPI",
    MPICH: "MPICH or its kin",
    MPIABI: "the MPI 5 standard ABI",
    UNKNOWN: "an unknown MPI",
}
"""The families in words."""

ANY = re.compile(r"lib(mpi|mpich|mpi_[a-z0-9_]+|mpifort|mpichfort|mpichf90|mpicxx|mpichcxx)(-[\w.-]+)?\.so")
"""Every library that belongs to an MPI."""

CORE = re.compile(r"lib(mpi|mpich|mpi_abi|mpi_(cray|gnu|intel|nvidia|amd|aocc|pgi)(_\d+)?)(-[\w.-]+)?\.so")
"""The library with the MPI procedures themselves."""

_BY_NAME = (
    (re.compile(r"libmpi_abi.*\.so"), MPIABI),
    (re.compile(r"libmpich.*\.so|libmpi_(cray|gnu|intel|nvidia|amd|aocc|pgi)"), MPICH),
    (re.compile(r"libmpi\.so\.(20|40)\b"), OPENMPI),
)

_FORTRAN = (
    (re.compile(r"libmpi_usempif08\."), "use mpi_f08"),
    (re.compile(r"libmpi_usempi"), "use mpi"),
    (re.compile(r"libmpi_mpifh\."), "mpif.h"),
    (re.compile(r"lib(mpifort|mpichfort|mpichf90|mpifort_abi|mpi_abi_fort)"), "Fortran"),
)


def family(path: Path) -> str:
    """Return the family of an MPI core library, by its name or, where two share one, by what it defines."""
    for pattern, name in _BY_NAME:
        if pattern.match(path.name):
            return name
    # libmpi.so.12 is MPICH's, but was also Open MPI 1.10's; libmpi.so alone can be anyone's.
    if mentions(path, "ompi_mpi_comm_world"):
        return OPENMPI
    return MPICH if mentions(path, "MPI_Init") else UNKNOWN


def fortran_binding(soname: str) -> str:
    """Which Fortran binding the library serves, '' if none."""
    return next((binding for pattern, binding in _FORTRAN if pattern.match(soname)), "")
