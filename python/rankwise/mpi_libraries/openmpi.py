"""Open MPI. Source: the sonames of versions 2 to 5."""

from __future__ import annotations

import re

from rankwise.mpi_libraries.base import MpiLibrary, Product

LIBRARY = MpiLibrary(
    name="openmpi",
    title="Open MPI",
    core=("mpi",),
    others=("mpi_[a-z0-9_]+",),
    own_name=re.compile(r"libmpi\.so\.(20|40)\b"),
    symbol="ompi_mpi_comm_world",
    fortran=(
        (re.compile(r"libmpi_usempif08\."), "use mpi_f08"),
        (re.compile(r"libmpi_usempi"), "use mpi"),
        (re.compile(r"libmpi_mpifh\."), "mpif.h"),
    ),
    compiler=("--showme:version", re.compile("Open MPI")),
    eager_within_node=4096,  # btl_vader_eager_limit of 4, btl_sm_eager_limit of 5
    products=(Product("Open MPI", re.compile(r"Open MPI v?(\S+)", re.IGNORECASE)),),
)
