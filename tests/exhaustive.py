"""What `make test` leaves to `make test-all`: most pairs of a test and an MPI library, and long hunts.

Rankwise has one build for each family of MPI libraries. A test that runs on every library stays with one of
each family, another one from file to file, so that each library has its share. What else takes long without
touching anything new is marked by hand.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from libraries import Mpi

_MARK = "exhaustive: left to `make test-all`"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARK)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests on libraries that others stand for."""
    on: dict[tuple[Path, str], dict[str, dict[Mpi, None]]] = defaultdict(lambda: defaultdict(dict))
    for item in items:
        if mpi := _library(item):
            on[_function(item)][mpi.family][mpi] = None
    for item in items:
        mpi = _library(item)
        if mpi and mpi != _stands_for(list(on[_function(item)][mpi.family]), *_function(item)):
            item.add_marker(pytest.mark.exhaustive)


def _library(item: pytest.Item) -> Mpi | None:
    callspec = getattr(item, "callspec", None)
    found = callspec.params.get("mpi") if callspec else None
    return found if hasattr(found, "family") else None  # (of an empty list pytest makes a test that it skips)


def _function(item: pytest.Item) -> tuple[Path, str]:
    return item.path, item.name.partition("[")[0]


def _stands_for(alike: Sequence[Mpi], file: Path, function: str) -> Mpi:
    """Return the library that a function of a file runs on instead of all that are alike."""
    if "fortran" in function:  # not every library has the bindings
        alike = [mpi for mpi in alike if mpi.mpifort] or alike
    return alike[zlib.crc32(file.stem.encode()) % len(alike)]
