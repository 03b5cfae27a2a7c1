"""Blocking collectives whose arrivals are kept, by who waits for whom in them."""

from __future__ import annotations

FOR_ROOT = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
"""In these all others wait for the root."""
FOR_OTHERS = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
"""In these the root waits for all others, and they for nobody."""
FOR_LOWER = frozenset({"MPI_Scan", "MPI_Exscan"})
"""In these every rank waits for those below it."""
FOR_ALL = frozenset(
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
"""In these everybody waits for everybody, as far as there is data."""
CALLS = FOR_ALL | FOR_ROOT | FOR_OTHERS | FOR_LOWER
