"""`rankwise tune` on nodes with slow links: what is raced there, and what becomes of it.

Which algorithm wins is a matter of the machine. Whatever does has to be what is written, and what then runs.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import nodes
import pytest
from launching import across_nodes, launch, record_success, run
from libraries import Mpi, first_of_each
from recording import PROGRAMS, RANKWISE

from rankwise.tuning.settings.file import read

LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))
LIMIT_SECONDS = 240

pytestmark = pytest.mark.timeout(2 * LIMIT_SECONDS)


# Minutes of races; the whole way is in tests/mpi/test_tune.py, too, and races across nodes in
# test_racing_nodes.py.
@pytest.mark.exhaustive
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_a_collective_over_slow_links(mpi: Mpi, slow: nodes.Cluster) -> None:
    place = Path(tempfile.mkdtemp(prefix="test-", dir=slow.directory))
    program, file = place / "program", place / "tuned.json"
    mpi.compile(program, PROGRAMS / "collectives_given.c")
    words = launch(mpi, slow, 3, "block", program, "1", "bcast:200000:12:world")
    profile = record_success(mpi, slow, place, words).path
    few = ["--pairs", "5", "--confidence", "75", "--cells", "1", "--budget", f"{LIMIT_SECONDS}s", "--json"]
    command = [str(RANKWISE), "tune", str(profile), "-o", str(file), *few, "--", *words]
    done = run(mpi, slow, place, command, 2 * LIMIT_SECONDS)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    (cell,) = answer["cells"]
    assert (cell["procedure"], cell["processes"], cell["high"]) == ("MPI_Bcast", 6, 200_000)
    assert cell["rounds"] >= 2, done.stderr
    assert file.exists() == (answer["settings"] is not None)
    if cell["rule"]:
        assert cell["effect"] is not None, done.stderr
        assert answer["proof"] is not None
    if file.exists():
        assert [rule.procedure for rule in read(file).rules] == ["MPI_Bcast"]
