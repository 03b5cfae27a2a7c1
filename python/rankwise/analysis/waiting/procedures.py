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


def _posted(procedures: frozenset[str]) -> frozenset[str]:
    return frozenset(f"MPI_I{name.removeprefix('MPI_').lower()}" for name in procedures)


CALLS = _FOR_ALL | _FOR_ROOT | _FOR_OTHERS | _FOR_LOWER
"""Blocking ones on communicators."""
ON_FILES = frozenset(
    f"MPI_File_{access}_{how}" for access in ("read", "write") for how in ("all", "at_all", "ordered")
)
"""Blocking ones on files."""
BLOCKING = CALLS | ON_FILES | {"MPI_Win_fence"}
"""All blocking ones."""
POSTED = _posted(CALLS)
"""Those that are only posted: who waits, waits in the call that completes them."""

FOR_ROOT = _FOR_ROOT | _posted(_FOR_ROOT)
"""In these all others wait for the root."""
FOR_OTHERS = _FOR_OTHERS | _posted(_FOR_OTHERS)
"""In these the root waits for all others, and they for nobody."""
FOR_LOWER = _FOR_LOWER | _posted(_FOR_LOWER)
"""In these every rank waits for those below it."""
FOR_ALL = _FOR_ALL | _posted(_FOR_ALL) | (BLOCKING - CALLS)
"""In these everybody waits for everybody, as far as there is data."""
