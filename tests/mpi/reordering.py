"""Ranks that Rankwise takes for ranks on two nodes, and what their topologies are worth (see pretender)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from libraries import Mpi

NODES = "ABABAB"
RANKS = len(NODES)
RING = [(i, (i + 1) % RANKS) for i in range(RANKS)]

# In Open MPI 4.1 this component often hangs in MPI_Dist_graph_create, without Rankwise as well.
_WITHOUT_TREEMATCH = {"OMPI_MCA_topo": "basic"}

Edges = Sequence[tuple[int, int]]


def on_two_nodes(mpi: Mpi, pretender: Path) -> Mpi:
    """The library, launching ranks that seem to be dealt out in turns."""
    variables = {"LD_PRELOAD": str(pretender), "PRETEND_NODES": NODES, **_WITHOUT_TREEMATCH}
    return replace(mpi, environment={**mpi.environment, **variables})


def orders(stdout: str) -> dict[str, list[int]]:
    """The world ranks of each topology, as the program itself says: `NAME: 0 1 2`.

    Launchers may lose the end of a line when several processes print at once.
    """
    lines = re.findall(r"([a-z][a-z ]*):((?: \d+)+)", stdout)
    return {name: [int(word) for word in words.split()] for name, words in lines}


def between_nodes(edges: Edges, order: Sequence[int] = range(RANKS)) -> int:
    """How many edges there are between nodes, if role i is the process of world rank order[i]."""
    return sum(NODES[order[a]] != NODES[order[b]] for a, b in edges)


def least_between_nodes(edges: Edges) -> int:
    """The same in the best of all orders; processes without a role are at the end."""
    return min(between_nodes(edges, order) for order in itertools.permutations(range(RANKS)))
