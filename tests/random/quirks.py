"""What is not generated for which library, because the library can't do it even without Rankwise."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import cache

from libraries import Mpi


@dataclass(frozen=True)
class Quirk:
    """Something that is left out.

    Attributes:
        library: a pattern in what its mpirun says of itself, or the vendor's name.
        lacking: the features, as the generator knows them.
        reason: why.
    """

    library: str
    lacking: frozenset[str]
    reason: str


QUIRKS = (
    Quirk(
        r"OpenRTE",
        frozenset({"Isendrecv", "Comm_idup_with_info", "persistent collectives"}),
        "the procedures came with MPI 4.0",
    ),
    Quirk(
        r"OpenRTE|Open MPI",
        frozenset({"Comm_create between groups"}),
        "a remote group that was given in another order is seen in its old one",
    ),
    Quirk(
        r"HYDRA|Intel",
        frozenset({"Isendrecv"}),
        "the status of MPI_Isendrecv and MPI_Isendrecv_replace stays empty; derived datatypes crash MPICH",
    ),
    Quirk(
        r"HYDRA",
        frozenset({"Scatter of many"}),
        "a long scatter of MPI_DOUBLE_INT stops with a truncated message",
    ),
    Quirk(
        r"HYDRA|Intel",
        frozenset({"Request_get_status of a persistent request"}),
        "the status of the call that completes it is empty then",
    ),
    Quirk(
        r"HYDRA|Intel",
        frozenset({"persistent with nobody"}),
        "MPI_Waitsome, MPI_Testany and their like never find it complete",
    ),
    Quirk(
        r"HYDRA|Intel",
        frozenset({"persistent collectives completed by any call", "Scatter_init restarted"}),
        "MPI_Waitany and its like miss their end, MPI_Testall fails; so does a second scatter on 3 processes",
    ),
    Quirk(
        r"Intel",
        frozenset({"passive target"}),
        "now and then an operation under a lock crashes or hangs (seeds 40 and 48)",
    ),
)


def lacking(mpi: Mpi) -> frozenset[str]:
    """What the generator must leave out."""
    version = _version(mpi)
    return frozenset[str]().union(*(quirk.lacking for quirk in QUIRKS if re.search(quirk.library, version)))


@cache
def _version(mpi: Mpi) -> str:
    return (
        mpi.vendor
        or subprocess.run(
            [mpi.mpirun, "--version"], capture_output=True, text=True, timeout=60, env=mpi.env(), check=True
        ).stdout
    )
