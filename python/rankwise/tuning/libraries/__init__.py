"""The MPI libraries that can be tuned: a module each with all that is known of tuning it.

docs/develop/adding-a-tunable-library.md says how another one is added.
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
    found = [one for name in names for one in importlib.import_module(name).LIBRARIES]
    return tuple(sorted(found, key=lambda one: (one.order, one.label)))


def by_label(label: str) -> TunableLibrary:
    """Return what is known of a library.

    Args:
        label: as in mpi_libraries.Version, such as "Open MPI".

    Returns:
        for a label that is not known, a library that offers nothing and takes nothing.
    """
    return next((one for one in libraries() if one.label == label), _UNKNOWN)


def by_version(said: str) -> TunableLibrary:
    """Return what is known of a library. See `by_label`.

    Args:
        said: the first line of MPI_Get_library_version.
    """
    return by_label(version_of(said).label)


def offers_of(said: str, found: Mapping[str, Variable]) -> Offers:
    """Return which algorithms of an installed library can be chosen while it runs, and how.

    A library that is not known may have been made from one that is: its variables show that.

    Args:
        said: the first line of MPI_Get_library_version.
        found: its control variables, by their names in MPI_T.
    """
    library = by_version(said)
    if library.label:
        return library.offers(found)
    like = (offers for one in libraries() if (offers := one.offers(found)).choices)
    return next(like, Offers())
