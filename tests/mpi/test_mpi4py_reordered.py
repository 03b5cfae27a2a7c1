"""mpi4py's own tests of topologies under `rankwise run --reorder`, on ranks that are dealt out to two nodes.

mpi4py asks for reordering only where it compares what MPI_Cart_map and MPI_Graph_map say with the rank in the
topology that is made; so its other constructors are made to ask, too (programs/ask_for_reordering.py).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Compile
from reordering import on_two_nodes
from test_mpi4py import environment
from test_mpi4py_suite import LIBRARIES, LIMIT_SECONDS, Suite, tests

__all__ = ["tests"]

RANKS = 4
TOPOLOGIES = ["--no-numpy", "-i", "^test_comm_topo", "-x", "Dup", "-x", "Self"]
# With four ranks, the edges that the tests give to the adjacent form are between all.
REORDERED = ["MPI_Cart_create", "MPI_Dist_graph_create", "MPI_Graph_create"]


@pytest.fixture(scope="module")
def asking(tests: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests, with constructors that ask for reordering."""
    copy = tmp_path_factory.mktemp("asking") / "test"
    shutil.copytree(tests, copy)
    subprocess.run([sys.executable, PROGRAMS / "ask_for_reordering.py", copy], check=True, timeout=60)
    return copy


@pytest.mark.timeout(2 * LIMIT_SECONDS)
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_all_pass(mpi: Mpi, compiled: Compile, pretender: Path, asking: Path, tmp_path: Path) -> None:
    variables = environment(on_two_nodes(mpi, pretender), compiled, tmp_path)
    profile = tmp_path / "suite.rankwise"
    rankwise = [str(recording.RANKWISE), "run", "--quiet", "--reorder", "-o", str(profile), "--"]
    suite = Suite(mpi, variables, asking, tmp_path)
    with suite.start("reordered", RANKS, TOPOLOGIES, *rankwise) as process:
        outcomes = suite.outcomes("reordered", RANKS, process)
    assert {test: outcome for test, outcome in outcomes.items() if outcome not in ("passed", "skipped")} == {}
    done = recording.Recording(subprocess.CompletedProcess([], 0), profile)
    assert done.rows("SELECT partial, ranks_seen FROM run") == [(0, RANKS)]
    made = done.rows("SELECT DISTINCT procedure FROM communicators WHERE reordered = 1 ORDER BY procedure")
    assert [name for (name,) in made] == REORDERED
    assert done.calls("MPI_Cart_map").keys() == done.calls("MPI_Graph_map").keys() == set(range(RANKS))
