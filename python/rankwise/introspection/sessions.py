"""Sessions: what the processes of a communicator have sent to each other while a block of the program ran."""

from __future__ import annotations

import contextlib
import ctypes
import os
import warnings
from types import TracebackType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.introspection import kinds
from rankwise.introspection.errors import IntrospectionError, NotAllVisible
from rankwise.introspection.handles import handle
from rankwise.introspection.library import call, open_
from rankwise.introspection.reordering import Forecast, reordered, reordered_if_profitable

Counts = NDArray[np.int64]
Figure = Literal["messages", "bytes"]
Visible = Literal["none", "part", "all"]

_VISIBLE: tuple[Visible, ...] = ("none", "part", "all")  # by the values of MPI_M_VISIBLE_...

_FREED = 0  # the number of no session


class Session:
    """A record of the messages between the processes of a communicator, on whichever communicator they go.

    `session` makes one. It is active, or suspended; its data can be read while it is suspended, also behind
    the `with` block. All processes of the communicator must call the methods in the same order,
    except those that return the row of one process. Shapes are given with n, the size of the communicator.

    `kind` is one of

    - ``sent``: every message that went out, each once: the user's, those inside collectives, one-sided ones;
    - ``asked``: what the program asked MPI to move, each once: the user's, collectives as they are defined,
      one-sided ones;
    - ``user``, ``inside``: the two parts of ``p2p``, all messages of the point-to-point layer;
    - ``collective``: collectives as they are defined; ``one-sided``;
    - ``all``: as MPI_M_ALL_COMM, with collectives twice: as they are defined and as they were sent.

    docs/reference/introspection.md tells what each is, and what can be seen on which MPI library. Where no
    messages inside collectives can be seen, `inside` raises IntrospectionError. If only some can, or if
    they are only a part of the kind, rank 0 warns with NotAllVisible that the values are too small.

    All methods raise IntrospectionError where the session is not in the right state, and after MPI_Finalize.
    """

    _id: int = _FREED  # as long as nothing has been started

    def __init__(self, comm: Any) -> None:
        communicator = handle(comm)
        open_()
        number, size = ctypes.c_int(), ctypes.c_int()
        call("MPI_M_start", communicator, ctypes.byref(number))
        self._comm = comm
        self._rank: int = comm.Get_rank()
        self._id = number.value
        call("MPI_M_get_info", self._id, None, ctypes.byref(size))
        self._size = size.value
        self._active = True

    @property
    def size(self) -> int:
        """n, the number of processes of the communicator."""
        return self._size

    @property
    def active(self) -> bool:
        """Whether messages are recorded now."""
        return self._active

    @property
    def visible(self) -> Visible:
        """What can be seen of the messages inside collectives between the processes: none, part, or all.

        `part` means between nodes, of some processes, or of the chosen procedures.
        """
        value = ctypes.c_int()
        call("MPI_M_get_visible", self._id, ctypes.byref(value))
        return _VISIBLE[value.value]

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        # It may have been suspended, or freed, in the block.
        if self._active:
            self.suspend()

    def suspend(self) -> None:
        """Stop recording, so that the results can be read."""
        call("MPI_M_suspend", self._id)
        self._active = False

    def resume(self) -> None:
        """Continue recording; counts are kept."""
        call("MPI_M_continue", self._id)
        self._active = True

    def reset(self) -> None:
        """Forget all counts. The session must be suspended, and stays so."""
        call("MPI_M_reset", self._id)

    def free(self) -> None:
        """Give back its memory; it can't be used any more. The session is to be suspended.

        Without it that happens when no reference to the session is left, or in MPI_Finalize.
        """
        call("MPI_M_free", self._id)
        self._id = _FREED

    def messages(self, kind: str = "sent") -> Counts:
        """Return how many messages this process has sent: (n,), by the rank of the receiver."""
        return self._row("messages", kind)

    def bytes(self, kind: str = "sent") -> Counts:
        """Return how many bytes this process has sent: (n,), by the rank of the receiver."""
        return self._row("bytes", kind)

    def matrix(self, kind: str = "sent", of: Figure = "messages", root: int | None = None) -> Counts | None:
        """Collect the rows of all processes. Collective; its own messages are not counted.

        Args:
            kind: which messages.
            of: messages, or bytes.
            root: the rank that gets the matrix; None = all do.

        Returns:
            (n, n): from the row's rank to the column's; None where it does not go.

        Raises:
            IntrospectionError: the root is no rank of the communicator, or nothing of the kind is visible.
            ValueError: there is no such kind or figure.
        """
        flags = kinds.flags(kind)
        array = np.zeros((self._size, self._size), np.uint64)
        addresses = _addresses(of, array)
        if root is None:
            call("MPI_M_allgather_data", self._id, *addresses, flags)
        else:
            call("MPI_M_rootgather_data", self._id, root, *addresses, flags)
        self._warn(flags)
        if root not in (None, self._rank):
            return None
        return array.view(np.int64)

    def flush(self, path: str | os.PathLike[str], kind: str = "sent", root: int | None = None) -> None:
        """Write the rows to files. Collective.

        Args:
            path: the beginning of their names; the directory must exist. Each process writes
                PATH.[rank].prof, unless there is a root.
            kind: which messages.
            root: the rank that writes the matrices, PATH_counts.[rank].prof and PATH_sizes.[rank].prof, with
                its rank in MPI_COMM_WORLD.

        Raises:
            IntrospectionError: a file can't be written (by the root: on all processes), or nothing of the
                kind is visible.
            ValueError: there is no such kind.
        """
        flags, name = kinds.flags(kind), os.fsencode(path)
        if root is None:
            call("MPI_M_flush", self._id, name, flags)
        else:
            call("MPI_M_rootflush", self._id, root, name, flags)
        self._warn(flags)

    def reorder(
        self, comm: Any = None, machine: str | os.PathLike[str] | None = None
    ) -> tuple[Any, NDArray[np.int32]]:
        """Make a communicator whose ranks are where their partners in this session are. Collective.

        Processes stay where they are. If nothing is cheaper, the order stays as well.

        Args:
            comm: an mpi4py.MPI.Comm with the processes of the session; None: the session's own.
            machine: path of a machine.json (docs/reference/machine.md), read by rank 0 of the session; None:
                nodes, packages, caches and cores as the kernels tell.

        Returns:
            The new communicator, an mpi4py.MPI.Intracomm that the program is to free; and k, shape (n,): k[i]
            is the new rank of the process that has rank i in `comm`.

        Raises:
            IntrospectionError: `comm` has other processes, or the machine is not theirs.
            TypeError: `comm` is no communicator of mpi4py.
        """
        return reordered(self._id, self._comm if comm is None else comm, machine)

    def reorder_if_profitable(
        self,
        repetitions: float | None = None,
        bytes: float | None = None,  # noqa: A002 - as in MPI_M_forecast
        comm: Any = None,
        machine: str | os.PathLike[str] | None = None,
        previous: Forecast | None = None,
    ) -> Forecast:
        """Reorder only if that saves more time in the rest of the run than it costs. Collective.

        The costs of messages are measured by a few messages between pairs of processes.

        Args:
            repetitions: how many more times the communication of the session takes place, the same on all
                processes; None: it takes as long again as the run has taken.
            bytes: data that this process hands over if its rank changes; None: its private memory.
            comm: as in `reorder`.
            machine: as in `reorder`.
            previous: the result of the call before: if bytes travel no farther now, the order stays.

        Raises:
            IntrospectionError: as in `reorder`.
            TypeError: `comm` is no communicator of mpi4py.
        """
        return reordered_if_profitable(
            self._id,
            self._comm if comm is None else comm,
            machine,
            -1 if repetitions is None else repetitions,
            -1 if bytes is None else bytes,
            previous,
        )

    def _row(self, of: Figure, kind: str) -> Counts:
        flags = kinds.flags(kind)
        array = np.zeros(self._size, np.uint64)
        call("MPI_M_get_data", self._id, *_addresses(of, array), flags)
        self._warn(flags, calls=4)
        return array.view(np.int64)

    def _warn(self, flags: int, calls: int = 3) -> None:
        # Of what the program has just read, so many calls away.
        if self._rank != 0 or not kinds.has_inside(flags) or self.visible == "all":
            return
        which = "none" if self.visible == "none" else "not all"
        text = f"of the messages inside collectives, {which} are visible here, and these are not counted"
        warnings.warn(f"{text}: docs/reference/introspection.md", NotAllVisible, stacklevel=calls)

    def __del__(self) -> None:
        # As long as the communicator is there this needs no other process, and references may go at any time.
        # Otherwise it goes in MPI_Finalize. Behind that nothing is left to be done, and both refuse.
        if self._id == _FREED or not self._comm:
            return
        with contextlib.suppress(IntrospectionError):
            if self._active:
                self.suspend()
            self.free()


def _addresses(of: Figure, array: NDArray[np.uint64]) -> tuple[int | None, int | None]:
    # Where the functions put messages and bytes.
    if of not in ("messages", "bytes"):
        raise ValueError(f"a matrix is of messages or of bytes, not of {of!r}")
    address = array.ctypes.data
    return (address, None) if of == "messages" else (None, address)


def session(comm: Any) -> Session:
    """Start recording the messages between the processes of a communicator. Collective.

        with rankwise.session(comm) as s:
            comm.Allreduce(mine, total)
        print(s.matrix())

    The session is suspended at the end of the block. It needs a program that was started by `rankwise run`,
    or with librankwise_monitoring.so preloaded, by LD_PRELOAD or by `preload`.

    Args:
        comm: an mpi4py.MPI.Comm; no intercommunicator.

    Returns:
        A session that is active.

    Raises:
        IntrospectionError: the program was started without Rankwise, or MPI is not open.
        TypeError: `comm` is no communicator of mpi4py.
    """
    return Session(comm)
