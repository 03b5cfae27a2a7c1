"""The description of an MPI library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

UNKNOWN = "unknown"
"""Name of a library that is not in this list."""


class Version(NamedTuple):
    """Of an MPI library, or of a launcher.

    Attributes:
        label: "Open MPI", "MPICH", "Intel MPI", ...; '' if it is not known.
        number: such as 5.0.1.
    """

    label: str = ""
    number: str = ""

    @property
    def parts(self) -> tuple[int, ...]:
        """The first two numbers in it; none if it is not known."""
        return tuple(int(digits) for digits in re.findall(r"\d+", self.number)[:2])


class Product(NamedTuple):
    """One of the libraries that share an ABI.

    Attributes:
        label: its display name.
        said: beginning of the first line of MPI_Get_library_version; its group is the version.
    """

    label: str
    said: re.Pattern[str]


class MpiLibrary(NamedTuple):
    """Libraries that share an ABI.

    Attributes:
        name: of the ABI, which Rankwise has a build for: a value of --mpi and RANKWISE_MPI.
        title: for people.
        core: what stands between `lib` and `.so` in the name of the library with the procedures themselves:
            regular expressions.
        others: the same for libraries that come with it.
        own_name: matches names of the core that no other library has.
        symbol: that the core defines, and no library before it in LIBRARIES.
        fortran: patterns of file names, each with the Fortran binding that the file serves.
        see_all: variables with which it sends all its messages where they can be seen; other libraries don't
            read them.
        compiler: the option that asks a compiler wrapper for its identity, and the answer of the library's
            own.
        launched_by: names of other libraries whose launchers start its programs, too.
        beside: names of other ABIs that the same libraries may have.
        products: distinguished by MPI_Get_library_version.
        eager_within_node: bytes of messages between processes of a node that are buffered by default; 0 = it
            depends.
    """

    name: str
    title: str
    core: tuple[str, ...]
    own_name: re.Pattern[str]
    others: tuple[str, ...] = ()
    symbol: str = ""
    fortran: tuple[tuple[re.Pattern[str], str], ...] = ()
    see_all: Mapping[str, str] = {}
    compiler: tuple[str, re.Pattern[str]] | None = None
    launched_by: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    products: tuple[Product, ...] = ()
    eager_within_node: int = 0
