"""Files for launchers, used by the launchers themselves: each rank tells where it is."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
import whereabouts
from launching import across_nodes, over_each_transport, run, to_nodes, version
from libraries import Mpi, first_of_each
from nodes import Cluster

from rankwise.launchers.binding import Binding
from rankwise.placement.files import write_all

# The host and core of each rank. Hosts are split, and one has fewer ranks than the others.
ONE_LIST = [(2, 1), (0, 1), (1, 1), (0, 0), (2, 0)]  # the first and second ranks of nodes have the same cores
SEVERAL_LISTS = [(2, 1), (0, 0), (1, 0), (0, 1), (2, 0)]
WHOLE = [(2, -1), (2, -1), (0, -1), (1, -1), (1, -1)]
PLACEMENTS = {"one list of cores": ONE_LIST, "several lists of cores": SEVERAL_LISTS, "hosts": WHOLE}

SYSTEM = Path("/sys/devices/system/cpu")


def simple() -> bool:
    """Whether this machine's first two cores are certainly processors 0 and 1, in one package."""
    try:
        topology = [SYSTEM / f"cpu{number}" / "topology" for number in (0, 1)]
        packages = {(place / "physical_package_id").read_text() for place in topology}
        siblings = [(place / "thread_siblings_list").read_text().strip() for place in topology]
    except OSError:
        return False
    return len(packages) == 1 and siblings == ["0", "1"] and {0, 1} <= os.sched_getaffinity(0)


def binding(rank: int, host: str, core: int) -> Binding:
    return Binding(rank, host, 0, core, core, core) if core >= 0 and simple() else Binding(rank, host)


def libraries_with_files() -> list[tuple[Mpi, str]]:
    """Each launcher, and the names of files that it takes."""
    intel = [mpi for mpi in over_each_transport() if mpi.vendor and mpi.family == "mpich"]
    launchers = list(first_of_each(across_nodes(), lambda mpi: mpi.mpirun)) + intel[:1]
    pairs = []
    for mpi in launchers:
        if mpi.family == "openmpi":
            pairs += [(mpi, f"openmpi{version(mpi)[0]}.ranks"), (mpi, "openmpi.hosts")]
        else:
            pairs.append((mpi, "intel.machines" if mpi.vendor else "mpich.hosts"))
    return pairs


def processors(mpi: Mpi, file: str, placement: list[tuple[int, int]]) -> list[int | None]:
    """The one of each rank, if the file tells cores; Intel MPI binds no rank that is alone on its node."""
    tells_cores = file.endswith(".ranks") if placement is not ONE_LIST else file != "openmpi.hosts"
    if placement is WHOLE or not tells_cores or not simple():
        return [None] * len(placement)
    ranks_on = Counter(node for node, _ in placement)
    return [None if mpi.vendor and ranks_on[node] == 1 else core for node, core in placement]


@pytest.mark.parametrize("placement", PLACEMENTS.values(), ids=PLACEMENTS.keys())
@pytest.mark.parametrize(
    ("mpi", "file"), libraries_with_files(), ids=lambda value: value.name if isinstance(value, Mpi) else value
)
def test_every_rank_is_where_it_was_put(
    mpi: Mpi, file: str, placement: list[tuple[int, int]], cluster: Cluster, place: Path
) -> None:
    hosts = [cluster.names[node] for node, _ in placement]
    bindings = [binding(rank, hosts[rank], core) for rank, (_, core) in enumerate(placement)]
    answers = place / "answer"
    program = whereabouts.compiled(mpi, cluster.directory)
    written = {
        launcher_file.path.name: launcher_file
        for launcher_file in write_all(bindings, place / "files", [str(program), str(answers)])
    }
    assert written[file].environment == ()
    done = run(mpi, cluster, place, to_nodes(mpi, cluster, written[file].words))
    assert done.returncode == 0, done.stderr
    whereabouts.check(answers, hosts, processors(mpi, file, placement))
