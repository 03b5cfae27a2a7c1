"""The models that a collective is compared with. If several give the same messages, the first is named."""

from __future__ import annotations

from rankwise.analysis.collectives.algorithms import rooted, unrooted
from rankwise.analysis.collectives.algorithms.model import Model
from rankwise.records import dataclass


@dataclass(frozen=True)
class Pair:
    """A collective that consists of two others in sequence, through process 0.

    Attributes:
        first, second: collectives.
        of_all: for each, whether it works on the blocks of all processes together.
    """

    first: str
    second: str
    of_all: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class OnOneNode:
    """A node-aware algorithm on a single node: the messages of a model, and a collective through process 0.

    Attributes:
        model: of the messages outside the collective.
        collective: carried out through process 0.
        size: of the collective, bytes; None = as in the call.
    """

    model: Model
    collective: str
    size: int | None = None


MODELS: dict[str, list[Model]] = {
    "Barrier": unrooted.BARRIER,
    "Bcast": rooted.BCAST,
    "Reduce": rooted.REDUCE,
    "Gather": rooted.GATHER,
    "Gatherv": rooted.GATHER,
    "Scatter": rooted.SCATTER,
    "Scatterv": rooted.SCATTER,
    "Allgather": unrooted.ALLGATHER,
    "Allgatherv": unrooted.ALLGATHER,
    "Alltoall": unrooted.ALLTOALL,
    "Alltoallv": unrooted.ALLTOALL,
    "Alltoallw": unrooted.ALLTOALL,
    "Allreduce": unrooted.ALLREDUCE,
    "Reduce_scatter": unrooted.REDUCE_SCATTER,
    "Reduce_scatter_block": unrooted.REDUCE_SCATTER,
    "Scan": unrooted.SCAN,
    "Exscan": unrooted.SCAN,
}

PAIRS: dict[str, Pair] = {
    "Allgather": Pair("Gather", "Bcast", (False, True)),
    "Allgatherv": Pair("Gather", "Bcast", (False, True)),
    "Allreduce": Pair("Reduce", "Bcast"),
    "Reduce_scatter": Pair("Reduce", "Scatter", (True, False)),
    "Reduce_scatter_block": Pair("Reduce", "Scatter", (True, False)),
}

# As in MPICH. One byte ends a barrier; after a scan, a flag says whether another node's sum has to be added.
ON_ONE_NODE: dict[str, OnOneNode] = {
    "Bcast": OnOneNode(rooted.TO_FIRST, "Bcast"),
    "Reduce": OnOneNode(rooted.FROM_FIRST, "Reduce"),
    "Barrier": OnOneNode(unrooted.DISSEMINATION, "Bcast", size=1),
    "Scan": OnOneNode(unrooted.SCAN_ON_NODE, "Bcast", size=4),
}


def collective(procedure: str) -> str | None:
    """The blocking collective that a procedure is a form of: Bcast for MPI_Ibcast and MPI_Bcast_init.

    None if no models exist for it.
    """
    name = procedure.removeprefix("MPI_").removesuffix("_init")
    if name in MODELS:
        return name
    blocking = name.removeprefix("I").capitalize()
    return blocking if name.startswith("I") and blocking in MODELS else None
