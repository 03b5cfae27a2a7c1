"""The MPI libraries: a module for each has all that is known of it; here they are distinguished."""

from __future__ import annotations

import re
from collections.abc import Callable

from rankwise.mpi_libraries import mpiabi, mpich, openmpi
from rankwise.mpi_libraries.base import UNKNOWN, MpiLibrary, Version

__all__ = ["ANY", "CORE", "LIBRARIES", "UNKNOWN", "MpiLibrary", "Version"]

LIBRARIES = {library.name: library for library in (openmpi.LIBRARY, mpich.LIBRARY, mpiabi.LIBRARY)}
"""By name. Open MPI comes before MPICH, whose symbol every library defines."""


def _files(stems: list[str]) -> re.Pattern[str]:
    return re.compile(rf"lib({'|'.join(dict.fromkeys(stems))})(-[\w.-]+)?\.so")


CORE = _files([stem for library in LIBRARIES.values() for stem in library.core])
"""The library with the MPI procedures themselves."""

ANY = _files([stem for library in LIBRARIES.values() for stem in (*library.core, *library.others)])
"""Every library that belongs to an MPI."""


def title(name: str) -> str:
    """Return the name of a library, or UNKNOWN, for people."""
    return LIBRARIES[name].title if name in LIBRARIES else "an unknown MPI"


def beside(name: str) -> frozenset[str]:
    """Return the names of all ABIs that a library with this ABI may have."""
    return frozenset({name, *(LIBRARIES[name].beside if name in LIBRARIES else ())})


def by_file(name: str, defines: Callable[[str], bool]) -> str:
    """Return the name of the library whose core is in a file, UNKNOWN if it can't be identified.

    Args:
        name: of the file.
        defines: tells whether the file defines a symbol, for names that several libraries have: libmpi.so.12
            is MPICH's, but was also Open MPI 1.10's, and libmpi.so can be anyone's.
    """
    own = (library.name for library in LIBRARIES.values() if library.own_name.match(name))
    return next(own, None) or by_symbols(defines)


def by_symbols(defines: Callable[[str], bool]) -> str:
    """Return the name of the library that defines these symbols, UNKNOWN if it is none."""
    names = (library.name for library in LIBRARIES.values() if library.symbol and defines(library.symbol))
    return next(names, UNKNOWN)


def fortran_binding(soname: str) -> str:
    """Which Fortran binding a library serves, '' if none."""
    bindings = (pair for library in LIBRARIES.values() for pair in library.fortran)
    return next((binding for pattern, binding in bindings if pattern.match(soname)), "")


def version_of(said: str) -> Version:
    """Return which library it is, and its version.

    Args:
        said: what MPI_Get_library_version says; its first line counts.

    Returns:
        ('', '') if no library is known that says so.
    """
    first = said.strip().split(",")[0]
    for product in (product for library in LIBRARIES.values() for product in library.products):
        if matched := product.said.match(first):
            return Version(product.label, matched[1])
    return Version()
