"""Collectives with kept arrivals, grouped by the pattern of waiting."""

from __future__ import annotations

_FOR_ROOT = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
_FOR_OTHERS = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
_FOR_LOWER = frozenset({"MPI_Scan", "MPI_Exscan"})
_FOR_ALL = frozenset(
    {
        "MPI_Barrier",
        "MPI_Allreduce",
        "MPI_Allgather",
        "MPI_Allgatherv",
        "MPI_Alltoall",
        "MPI_Alltoallv",
        "MPI_Alltoallw",
        "MPI_Reduce_scatter",
        "MPI_Reduce_scatter_block",
    }
)


_FOR_NEIGHBOURS = frozenset(
    f"MPI_Neighbor_{how}" for how in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
)


def _posted(procedures: frozenset[str]) -> frozenset[str]:
    return frozenset(f"MPI_I{name.removeprefix('MPI_').lower()}" for name in procedures)


def _persistent(procedures: frozenset[str]) -> frozenset[str]:
    return frozenset(f"{name}_init" for name in procedures)


def in_all_forms(*procedures: str) -> frozenset[str]:
    """Return collectives in their blocking, nonblocking and persistent forms."""
    blocking = frozenset(procedures)
    return blocking | _posted(blocking) | _persistent(blocking)


CALLS = _FOR_ALL | _FOR_ROOT | _FOR_OTHERS | _FOR_LOWER
"""Blocking collectives on communicators."""
ON_FILES = frozenset(
    f"MPI_File_{access}_{how}" for access in ("read", "write") for how in ("all", "at_all", "ordered")
)
"""Blocking collectives on files."""
_OF_ALL = ON_FILES | {"MPI_Win_fence"}
BLOCKING = CALLS | _OF_ALL | _FOR_NEIGHBOURS
"""All blocking collectives."""
PERSISTENT = _persistent(CALLS | _FOR_NEIGHBOURS)
"""Persistent collectives, which are initialised once and started repeatedly."""
POSTED = _posted(CALLS | _FOR_NEIGHBOURS) | PERSISTENT
"""Nonblocking and persistent collectives, which are only posted: ranks wait in the completing call."""

FOR_ROOT = in_all_forms(*_FOR_ROOT)
"""Collectives in which all others wait for the root."""
FOR_OTHERS = in_all_forms(*_FOR_OTHERS)
"""Collectives in which only the root waits, for all others."""
FOR_LOWER = in_all_forms(*_FOR_LOWER)
"""Collectives in which each rank waits for all lower ranks."""
FOR_NEIGHBOURS = in_all_forms(*_FOR_NEIGHBOURS)
"""Collectives in which each rank waits for its neighbours in the topology."""
FOR_ALL = in_all_forms(*_FOR_ALL) | _OF_ALL
"""Collectives in which all ranks wait for all others, as far as there is data."""
