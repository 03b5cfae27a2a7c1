"""The MPI libraries that can be tuned, each described by a module.

docs/develop/adding-a-tunable-library.md shows how to add one.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from functools import cache

from rankwise.mpi_libraries import version_of
from rankwise.tuning.libraries.base import TunableLibrary
from rankwise.tuning.racing.offers import Offers, Variable

_SHARED = "base"
_UNKNOWN = TunableLibrary()


@cache
def libraries() -> tuple[TunableLibrary, ...]:
    """Return all, in their order."""
    files = {file.partition(".")[0] for place in __path__ for file in os.listdir(place)}  # noqa: PTH208
    names = [f"{__name__}.{file}" for file in files if not file.startswith("_") and file != _SHARED]
    described = [library for name in names for library in importlib.import_module(name).LIBRARIES]
    return tuple(sorted(described, key=lambda library: (library.order, library.label)))


def by_label(label: str) -> TunableLibrary:
    """Return the description of a library.

    Args:
        label: as in mpi_libraries.Version, such as "Open MPI".

    Returns:
        for an unknown label, a library that offers nothing and takes nothing.
    """
    return next((library for library in libraries() if library.label == label), _UNKNOWN)


def by_version(said: str) -> TunableLibrary:
    """Return the description of a library. See `by_label`.

    Args:
        said: the first line of MPI_Get_library_version.
    """
    return by_label(version_of(said).label)


def offers_of(said: str, variables: Mapping[str, Variable]) -> Offers:
    """Return the algorithms of an installed library that can be chosen while it runs, and how.

    An unknown library may derive from a known one: its variables show that.

    Args:
        said: the first line of MPI_Get_library_version.
        variables: its control variables, by their names in MPI_T.
    """
    library = by_version(said)
    if library.label:
        return library.offers(variables)
    like = (offers for known in libraries() if (offers := known.offers(variables)).choices)
    return next(like, Offers())
