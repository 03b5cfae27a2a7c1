"""Blocking collectives that MPICH carries out by non-blocking ones: programs/inner_operations.c.

On a communicator that the library has made below the program's, the operations that it starts there have tags
of their own, and these are also those of the program's operations.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import libraries
import marks
import pytest
from libraries import Mpi
from recording import Compile, run_on

from rankwise.analysis.collectives.patterns import algorithms

RANKS = 6
COLLECTIVES = ("Barrier", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall", "Reduce", "Allreduce")
TREES = {"Gather", "Scatter", "Reduce"}

Matrix = dict[tuple[int, int], tuple[int, int]]


def cases() -> dict[str, tuple[Mpi, dict[str, str]]]:
    """MPICH 5 sends within a node by shared memory: let it take the even and the odd ranks for two nodes."""
    variants: dict[str, tuple[Mpi, dict[str, str]]] = {}
    for mpi in libraries.ALL:
        if mpi.family != "mpich" or mpi.vendor:
            continue
        if mpi.name == "mpich-debian":
            variants[mpi.name] = (mpi, {})
        else:
            for netmod in ("ucx", "ofi"):
                apart = {"MPIR_CVAR_ODD_EVEN_CLIQUES": "1", "MPIR_CVAR_CH4_NETMOD": netmod}
                variants[f"{mpi.name}-{netmod}"] = (mpi, apart)
    return variants


CASES = cases()


@marks.NEEDS_SHARED_MEMORY
@pytest.mark.parametrize("case", CASES)
def test_messages_are_those_of_the_operation_alone(case: str, compiled: Compile, tmp_path: Path) -> None:
    mpi, environment = CASES[case]
    by_nonblocking = {f"MPIR_CVAR_{name.upper()}_INTRA_ALGORITHM": "nb" for name in COLLECTIVES}
    library = replace(mpi, environment={**mpi.environment, **environment, **by_nonblocking})
    words = library.launch(RANKS, compiled(mpi, "inner_operations.c"))
    done = run_on(library, words, tmp_path / "inner.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.rows("SELECT DISTINCT transport_state FROM ranks") == [("active",)]

    matrices: dict[tuple[str, str], Matrix] = defaultdict(dict)
    for on, procedure, source, destination, messages, size in done.rows(
        """SELECT user_name, procedures.name, source, destination, SUM(messages), SUM(bytes) FROM messages
           JOIN communicators ON communicators.id = communicator
           JOIN procedures ON procedures.id = messages.procedure
           WHERE kind = 'in-collective' AND user_name <> '' GROUP BY 1, 2, 3, 4"""
    ):
        matrices[str(on), str(procedure)][source, destination] = (messages, size)  # type: ignore[index, assignment]
    with done.database as database:
        names = {(row.user_name, row.procedure): (row.text, row.also) for row in algorithms(database)}

    def seen(on: str, procedure: str) -> tuple[Matrix, object]:
        return matrices.pop((on, procedure), {}), names[on, procedure]

    beside = {"after": "MPI_Ibcast", "beside": "MPI_Iallgather"}
    alone = {name: seen(f"none alone {name.removeprefix('MPI_')}", name) for name in beside.values()}
    wrong = []
    for how in ("none", "one", "all"):
        for name in COLLECTIVES:
            expected = seen(f"{how} alone {name}", f"MPI_{name}")
            messages = sum(count for count, _ in expected[0].values())
            assert messages > 0
            if case == "mpich-debian" and name in TREES:
                assert messages == RANKS - 1
            if case == "mpich-debian" and name == "Bcast":
                assert messages == RANKS  # the root's first goes to process 0
            for where, other in beside.items():
                on = f"{how} {where} {name}"
                if seen(on, f"MPI_{name}") != expected or seen(on, other) != alone[other]:
                    wrong.append(on)
    assert wrong == []
    assert {procedure for _, procedure in matrices} <= {"MPI_Comm_dup"}
    assert done.messages(kind="in-collective", procedure="(not attributed)") == {}
