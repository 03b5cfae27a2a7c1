"""What this process has done on a communicator, without a session."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from rankwise.introspection.handles import handle
from rankwise.introspection.library import call, open_


class SoFar(NamedTuple):
    """What this process has done on a communicator since MPI was opened.

    Attributes:
        seconds: inside the calls.
        calls: how many.
        bytes_sent: of this process; of collectives what it contributed.
        bytes_received: really received, not the room for it; of collectives 0.
    """

    seconds: float
    calls: int
    bytes_sent: int
    bytes_received: int


def so_far(comm: Any, procedure: str = "collective") -> SoFar:
    """Ask what this process has done on a communicator since MPI was opened. Not collective.

    Args:
        comm: an mpi4py.MPI.Comm.
        procedure: its name in C, e.g. ``MPI_Allreduce``; or ``collective``, or ``*`` for all.

    Returns:
        The figures of the profile (docs/reference/profile-format.md, table `calls`).

    Raises:
        IntrospectionError: there is no such procedure, the communicator is null, or Rankwise is not there.
        TypeError: `comm` is no communicator of mpi4py.
    """
    communicator = handle(comm)
    open_()
    seconds = ctypes.c_double()
    calls, sent, received = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_ulong()
    name = procedure.encode()
    call("MPI_M_get_comm_time", communicator, name, ctypes.byref(seconds))
    figures = (ctypes.byref(figure) for figure in (calls, sent, received))
    call("MPI_M_get_comm_data", communicator, name, *figures)
    return SoFar(seconds.value, calls.value, sent.value, received.value)
