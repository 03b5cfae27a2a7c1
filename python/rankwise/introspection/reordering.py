"""Ranks near their partners, and data where the ranks are: docs/reference/introspection.md, Reordering."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.introspection.errors import check
from rankwise.introspection.handles import handle
from rankwise.introspection.library import call

INVALID_ORDER = 14
_TAG = 32749  # as in src/introspection/reorder.cpp

Order = NDArray[np.int32]


def reordered(session: int, comm: Any, machine: str | os.PathLike[str] | None) -> tuple[Any, Order]:
    """Call MPI_M_reorder.

    Args:
        session: its number.
        comm: an mpi4py.MPI.Comm.
        machine: path of a machine.json; None: what the nodes tell themselves.

    Returns:
        The new communicator, an mpi4py.MPI.Intracomm, and k, shape (size of comm,).
    """
    communicator = handle(comm)
    mpi: Any = sys.modules["mpi4py.MPI"]
    made = mpi.Intracomm()
    k = np.empty(comm.Get_size(), np.intc)
    path = None if machine is None else os.fsencode(machine)
    place = k.ctypes.data_as(ctypes.POINTER(ctypes.c_int))
    call("MPI_M_reorder", session, communicator, path, mpi._addressof(made), place)
    return made, k


def redistribute(block: ArrayLike, comm: Any, k: ArrayLike) -> NDArray[Any]:
    """Exchange the blocks that processes work on, because their ranks are other ones now. Collective.

    Args:
        block: what this process has worked on under its rank in `comm`; of any shape and type but objects.
        comm: the mpi4py.MPI.Comm whose ranks were reordered.
        k: shape (size of comm,); k[i] is the new rank of the process that has rank i in `comm`.

    Returns:
        A new array, with the shape and type that it had where it comes from: the block of this process's new
        rank.

    Raises:
        IntrospectionError: `k` does not have each rank once.
        TypeError: the block is of Python objects, or `comm` is no communicator of mpi4py.
    """
    handle(comm)
    own = np.ascontiguousarray(block)
    if own.dtype.hasobject:
        raise TypeError("a block of Python objects can't be sent as bytes")
    order: NDArray[np.int64] = np.asarray(k, dtype=np.int64)
    rank, size = comm.Get_rank(), comm.Get_size()
    if order.shape != (size,) or (np.sort(order) != np.arange(size)).any():
        check(INVALID_ORDER)
    to, origin = int(np.flatnonzero(order == rank)[0]), int(order[rank])
    if to == rank:
        return np.array(own)
    shape, dtype = comm.sendrecv((own.shape, own.dtype), to, _TAG, None, origin, _TAG)
    received = np.empty(shape, dtype)
    comm.Sendrecv(_bytes(own), to, _TAG, _bytes(received), origin, _TAG)
    return received


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)
