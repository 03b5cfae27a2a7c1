"""`rankwise run --reorder` in Fortran's three bindings: programs/topologies.F90 checks what it gets."""

from __future__ import annotations

import subprocess
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS
from reordering import RANKS, RING, between_nodes, least_between_nodes, on_two_nodes, orders

from exhaustive import few

BY_TWO = [(i, (i + 2) % RANKS) for i in range(RANKS)]
EDGES = {"ring": RING, "weighted": BY_TWO, "unweighted": BY_TWO}


@pytest.mark.parametrize("binding", few(["MPI_F08", "MPI", "MPIFH"], 1))
@pytest.mark.parametrize("mpi", [mpi for mpi in libraries.ALL if mpi.mpifort], ids=lambda mpi: mpi.name)
def test_bindings(mpi: Mpi, binding: str, pretender: Path, tmp_path: Path) -> None:
    program = tmp_path / "topologies"
    # Without a module, one procedure is called with arguments of several types.
    options = ["-w", "-fallow-argument-mismatch", f"-DBINDING={binding}", "-J", str(tmp_path)]
    words = [mpi.mpifort, *options, "-o", str(program), str(PROGRAMS / "topologies.F90")]
    subprocess.run(words, check=True, timeout=120, env=mpi.env())
    pretending = on_two_nodes(mpi, pretender)
    command = pretending.launch(RANKS, program)
    done = recording.run(command, tmp_path / "topologies.rankwise", pretending.env(), "--reorder")
    assert done.process.returncode == 0, done.process.stdout + done.process.stderr
    order_of = orders(done.process.stdout)
    assert order_of.keys() == EDGES.keys()
    for name, edges in EDGES.items():
        assert sorted(order_of[name]) == list(range(RANKS))
        assert between_nodes(edges, order_of[name]) == least_between_nodes(edges), name
    assert least_between_nodes(RING) < between_nodes(RING)
