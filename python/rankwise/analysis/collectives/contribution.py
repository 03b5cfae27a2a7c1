"""The bytes that a process contributes to a collective: docs/reference/profile-format.md, Collectives."""

from __future__ import annotations

_ALL_BLOCKS = frozenset({"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"})
_ROOT_SCATTERS = frozenset({"MPI_Scatter", "MPI_Scatterv"})
_PREFIX = frozenset({"MPI_Scan", "MPI_Exscan"})


def contribution(procedure: str, size: int, place: int, processes: int, root: int | None) -> int:
    """Return the bytes that a process contributes to a blocking collective on an intracommunicator.

    If block sizes differ, `size` is their mean, rounded down: the result is low by up to a byte per block.

    Args:
        procedure: name.
        size: of the message on this process, bytes.
        place: rank of the process in the communicator.
        processes: size of the communicator.
        root: rank in the communicator; None if the procedure has no root.
    """
    if procedure == "MPI_Bcast":
        return size * (processes - 1) if place == root else 0
    if procedure in _ROOT_SCATTERS:
        return size * processes if place == root else 0
    if procedure in _ALL_BLOCKS:
        return size * processes
    if procedure in _PREFIX and place == processes - 1:
        return 0
    return size
