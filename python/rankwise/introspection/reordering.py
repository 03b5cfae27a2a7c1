"""Ranks near their partners, and data where the ranks are: docs/reference/introspection.md, Reordering."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, NamedTuple

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


class Forecast(NamedTuple):
    """What reordering is worth, as `Session.reorder_if_profitable` estimates it.

    Attributes:
        comm: the new communicator, an mpi4py.MPI.Intracomm that the program frees; None: the order stays.
        k: shape (n,): k[i] is the new rank of the process that has rank i in the old communicator.
        gain: seconds that the better order saves in all repetitions; 0 if not estimated.
        cost: seconds to hand over the data and to make the communicator; 0 if not estimated.
        distance: byte hops per byte of the session, in the order that was chosen; 0 if the next call should
            decide in any case.
        reason: a sentence.
    """

    comm: Any | None
    k: Order
    gain: float
    cost: float
    distance: float
    reason: str


class _Forecast(ctypes.Structure):
    """MPI_M_forecast."""

    _fields_ = (
        ("repetitions", ctypes.c_double),
        ("bytes", ctypes.c_double),
        ("reordered", ctypes.c_int),
        ("gain", ctypes.c_double),
        ("cost", ctypes.c_double),
        ("distance", ctypes.c_double),
        ("reason", ctypes.c_char * 200),
    )


def reordered_if_profitable(
    session: int,
    comm: Any,
    machine: str | os.PathLike[str] | None,
    repetitions: float,
    size: float,
    previous: Forecast | None,
) -> Forecast:
    """Call MPI_M_reorder_if_profitable.

    Args:
        session: its number.
        comm: an mpi4py.MPI.Comm.
        machine: path of a machine.json; None: what the nodes report.
        repetitions: how many more times the communication takes place; negative: not known.
        size: bytes that this process hands over; negative: not known.
        previous: the decision before.
    """
    communicator = handle(comm)
    mpi: Any = sys.modules["mpi4py.MPI"]
    made = mpi.Intracomm()
    k = np.empty(comm.Get_size(), np.intc)
    path = None if machine is None else os.fsencode(machine)
    forecast = _Forecast(repetitions, size, distance=previous.distance if previous else 0)
    call(
        "MPI_M_reorder_if_profitable",
        session,
        communicator,
        path,
        ctypes.addressof(forecast),
        mpi._addressof(made),
        k.ctypes.data_as(ctypes.POINTER(ctypes.c_int)),
    )
    return Forecast(
        made if forecast.reordered else None,
        k,
        forecast.gain,
        forecast.cost,
        forecast.distance,
        forecast.reason.decode(),
    )


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
