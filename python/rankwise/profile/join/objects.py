"""What calls MPI: the program, and its libraries. Without numpy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

NAMELESS = "<unknown>"
"""In place of the name of a file of Python that has none: the code was made by the program."""

# Bindings of MPI for other languages, and wrappers around it: what calls MPI there does so for the program.
_BINDINGS = re.compile(r"MPI\..*|Rmpi\.so.*|libboost_mpi.*")
# The end of a library's file name: libfftw3_mpi.so.3, libscalapack-openmpi.so.2.2,
# PETSc.cpython-311-x86_64-linux-gnu.so
_ENDING = re.compile(r"(-openmpi|-mpich)?(\.(cpython|pypy|abi)[^/]*)?\.so([.-].*)?$")
_PACKAGES = re.compile(r".*/(?:site|dist)-packages/([^/]+?)(?:\.py)?(?:/.*)?")
_UNSAFE = re.compile(r"[^A-Za-z0-9.+_-]")  # or that mean something in lists of names


# What serves many programs is none, also where a small program leaves all calls to it.
_SERVES_MANY = re.compile(
    r"lib(fftw|heffte|petsc|slepc|HYPRE|trilinos|tpetra|epetra|scalapack|blacs|elpa|[sdcz]?mumps|superlu|pardiso"
    r"|pt(scotch|esmumps)|parmetis|zoltan|hdf5|netcdf|pnetcdf|adios|ga\b|armci|comex|boost|mkl|nccl|cosma).*",
    re.IGNORECASE,
)
_THIN = 0.05
_MOST = 0.5

PROGRAM, MAIN_LIBRARY = 1, 2
"""The program: its executable, and the library with all its code, if there is one."""


class Object(NamedTuple):
    """One row of the profile's table `objects`, in the order of its columns."""

    id: int
    path: str
    build_id: str
    is_program: int
    is_python: int = 0

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.rpartition("/")[2]

    @property
    def library(self) -> str:
        """What a library is called in the families of its communicators; '' = the program's own calls."""
        if self.is_program or self.is_python or _BINDINGS.fullmatch(self.name):
            return ""
        return self._stem

    @property
    def shown(self) -> str:
        """Its name: of a program, the file's name; of a library, the file's name without its ending.

        Of a file of Python it is the installed package that it belongs to, or its name.
        """
        if self.is_program == PROGRAM:
            return self.name
        if self.is_python:
            package = _PACKAGES.fullmatch(self.path)
            return _UNSAFE.sub("-", package[1]) if package else self.name or NAMELESS
        return "mpi4py" if self.path.rpartition("/")[0].endswith("mpi4py") else self._stem

    @property
    def _stem(self) -> str:
        return _UNSAFE.sub("-", _ENDING.sub("", self.name))


def main_library(objects: Sequence[Object], calls: Sequence[int]) -> Object | None:
    """Return the library with the program's code: `libgromacs_mpi` of `gmx`; None = no such library.

    It makes at least half of all calls, the program's own code hardly any, and it is not a library that
    serves many programs.

    Args:
        objects: of a run.
        calls: that each makes between MPI_Init and MPI_Finalize.
    """
    everything = sum(calls)
    own = sum(number for library, number in zip(objects, calls, strict=True) if not library.library)
    most, number = max(zip(objects, calls, strict=True), key=lambda pair: pair[1], default=(None, 0))
    if most is None or not most.library or own > _THIN * everything or number < _MOST * everything:
        return None
    return None if _SERVES_MANY.fullmatch(most.name) else most
