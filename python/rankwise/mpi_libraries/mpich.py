"""MPICH and its derivatives: Intel MPI, MVAPICH, Cray MPICH.

Sources: the sonames of MPICH 3 to 5 (the "MPICH ABI compatibility initiative" fixed libmpi.so.12 and
libmpifort.so.12) and of Cray MPICH (libmpi_<compiler>.so.12).
"""

from __future__ import annotations

import re

from rankwise.mpi_libraries.base import MpiLibrary, Product

_CRAY = "mpi_(cray|gnu|intel|nvidia|amd|aocc|pgi)"

SEE_ALL = {"MPIR_CVAR_NOLOCAL": "1", "I_MPI_FABRICS": "ofi", "I_MPI_COLL_INTRANODE": "pt2pt"}
"""For MPICH, and for Intel MPI."""

LIBRARY = MpiLibrary(
    name="mpich",
    title="MPICH or a derivative",
    core=("mpi", "mpich", rf"{_CRAY}(_\d+)?"),
    others=("mpifort", "mpichfort", "mpichf90", "mpicxx", "mpichcxx"),
    own_name=re.compile(rf"libmpich.*\.so|lib{_CRAY}"),
    symbol="MPI_Init",
    fortran=((re.compile(r"lib(mpifort|mpichfort|mpichf90)"), "Fortran"),),
    see_all=SEE_ALL,
    compiler=("-v", re.compile(r"MPICH|Intel\(R\) MPI|MVAPICH")),
    beside=("mpiabi",),
    products=(
        Product("Intel MPI", re.compile(r"Intel\(R\) MPI Library (\S+)", re.IGNORECASE)),
        Product("Cray MPICH", re.compile(r"MPI VERSION\s*:\s*CRAY MPICH version (\S+)", re.IGNORECASE)),
        Product("MVAPICH", re.compile(r"MVAPICH2? Version\s*:\s*(\S+)", re.IGNORECASE)),
        Product("MPICH", re.compile(r"MPICH Version\s*:\s*(\S+)", re.IGNORECASE)),
    ),
)
