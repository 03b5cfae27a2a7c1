"""The standard ABI, which MPICH 5 and Intel MPI have beside their own. Source: MPI 5.0, chapter 20."""

from __future__ import annotations

import re

from rankwise.mpi_libraries.base import MpiLibrary
from rankwise.mpi_libraries.mpich import SEE_ALL

LIBRARY = MpiLibrary(
    name="mpiabi",
    title="the MPI 5 standard ABI",
    core=("mpi_abi",),
    own_name=re.compile(r"libmpi_abi.*\.so"),
    fortran=((re.compile(r"lib(mpifort_abi|mpi_abi_fort)"), "Fortran"),),
    see_all=SEE_ALL,
    launched_by=("mpich",),
    beside=("mpich",),
)
