"""Collectives whose arrivals are kept, by who waits for whom in them."""

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
"""Blocking ones on communicators."""
ON_FILES = frozenset(
    f"MPI_File_{access}_{how}" for access in ("read", "write") for how in ("all", "at_all", "ordered")
)
"""Blocking ones on files."""
_OF_ALL = ON_FILES | {"MPI_Win_fence"}
BLOCKING = CALLS | _OF_ALL | _FOR_NEIGHBOURS
"""All blocking ones."""
PERSISTENT = _persistent(CALLS | _FOR_NEIGHBOURS)
"""Those that are initialised once, and started again and again."""
POSTED = _posted(CALLS | _FOR_NEIGHBOURS) | PERSISTENT
"""Those that are only posted: who waits, waits in the call that completes them."""

FOR_ROOT = in_all_forms(*_FOR_ROOT)
"""In these all others wait for the root."""
FOR_OTHERS = in_all_forms(*_FOR_OTHERS)
"""In these the root waits for all others, and they for nobody."""
FOR_LOWER = in_all_forms(*_FOR_LOWER)
"""In these every rank waits for those below it."""
FOR_NEIGHBOURS = in_all_forms(*_FOR_NEIGHBOURS)
"""In these every rank waits for its neighbours in the topology."""
FOR_ALL = in_all_forms(*_FOR_ALL) | _OF_ALL
"""In these everybody waits for everybody, as far as there is data."""
