"""The communicators of mpi4py, as C knows them."""

from __future__ import annotations

import sys
from typing import Any


def handle(comm: Any) -> int:
    """Return the C handle of a communicator as it is in a register: a number or an address, by the library.

    Args:
        comm: an mpi4py.MPI.Comm.

    Raises:
        TypeError: it is something else.
    """
    # Not imported: that would initialise MPI. A program with a communicator has imported it.
    mpi: Any = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Comm):
        raise TypeError(f"a communicator of mpi4py is needed, not {type(comm).__name__}")
    bits: int = 8 * mpi._sizeof(comm)  # numbers above 2**31 come with a sign
    return int(mpi._handleof(comm)) & ((1 << bits) - 1)
