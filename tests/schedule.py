"""Which tests stay together on one worker of pytest-xdist, and in which order the workers get them."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import Producer

if TYPE_CHECKING:
    from libraries import Mpi


def group(test: str) -> str:
    """Return where a test belongs by its node id: to its file on one MPI library, or to all of Intel MPI.

    The tests of a file share recordings. Two jobs of Intel MPI on one node get in each other's way: one of
    them hangs now and then.
    """
    file, _, name = test.partition("::")
    parameters = name.partition("[")[2]
    for mpi in _libraries():
        if mpi.name in parameters:
            return mpi.vendor or f"{file} {mpi.name}"
    return file


@cache
def _libraries() -> list[Mpi]:
    """Those of this machine, long names first: short ones may be parts of them."""
    sys.path.append(str(Path(__file__).parent / "mpi"))
    from libraries import ALL

    return sorted(ALL, key=lambda mpi: -len(mpi.name))


class Scheduling(LoadScopeScheduling):
    """Hands out groups in the order of the folders: long jobs come first, the many short tests at the end."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return Scheduling(config, log)
